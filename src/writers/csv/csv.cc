#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_text.h"
#include "report/sentences.h"
#include "writers/csv/section_csv.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

constexpr std::string_view kColumns =
    "id,kind,process_id,process,device,context,stream,thread,kernel_name,"
    "region,grid,block";

std::string PathJson(const Report& report, RegionId region) {
  std::string json = "[";
  for (const Frame& frame : report.tree->PathTo(region)) {
    if (json.size() > 1) json += ',';
    AppendJsonText(FrameText(*report.profile, frame), json);
  }
  return json + "]";
}

// The shortest text that reads back to the same number.
template <typename Number>
void AppendDigits(Number number, std::string& line) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  line.append(digits, end.ptr);
}

void AppendDims(const Dim3& dim, std::string& line) {
  if (dim == Dim3{}) return;
  AppendDigits(dim.x, line);
  line += 'x';
  AppendDigits(dim.y, line);
  line += 'x';
  AppendDigits(dim.z, line);
}

// The row of one measurement; `values` is scratch, by column.
class RowWriter {
 public:
  RowWriter(const Report& report, std::ostream& out)
      : report_(report), out_(out) {
    std::size_t most = 0;
    for (const Column& column : report.rollup->columns) {
      if (column.metric != kNoMetric)
        most = std::max(most, Index(column.metric) + 1);
    }
    column_of_.assign(most, kNone);
    std::string line(kColumns);
    for (const Column& column : report.rollup->columns) {
      if (column.metric == kNoMetric) continue;
      column_of_[Index(column.metric)] = width_++;
      line += "," + CsvText(column.name);
    }
    if (HasTwoRuns(report_)) line += ",undisturbed_time_ns";
    out_ << line << "\r\n";
    values_.resize(width_);
  }

  void Write(MeasurementId id, const std::string& path) {
    const Profile& profile = *report_.profile;
    const Measurement& m = profile.measurements[Index(id)];
    const Process& process = profile.processes[Index(m.process)];
    std::string& line = line_;
    line.clear();
    AppendDigits(Index(id), line);
    line += ',';
    line += KindName(m.kind);
    line += ',';
    AppendDigits(process.pid, line);
    line += ',';
    line += TextOf(process.name);
    AppendNumbers(line, m.device, m.context, m.stream, m.thread);
    line += ',';
    line += TextOf(m.demangled_name);
    line += ',';
    line += path;
    line += ',';
    AppendDims(m.grid, line);
    line += ',';
    AppendDims(m.block, line);
    std::ranges::fill(values_, Value{});
    for (const Sample& sample : profile.SamplesOf(m)) {
      const std::size_t metric = Index(sample.metric);
      if (metric < column_of_.size() && column_of_[metric] != kNone)
        values_[column_of_[metric]] = sample.value();
    }
    for (const Value& value : values_) {
      line += ',';
      if (value.kind == ValueKind::kInteger)
        AppendDigits(value.bits, line);
      else if (value.kind == ValueKind::kNumber)
        AppendDigits(*value.number(), line);
      else if (const auto text = value.text())
        line += TextOf(*text);
    }
    if (HasTwoRuns(report_)) {
      line += ',';
      if (const auto ns = report_.traced->UndisturbedNs(id))
        AppendDigits(*ns, line);
    }
    line += "\r\n";
    out_.write(line.data(), static_cast<std::streamsize>(line.size()));
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  template <typename... Number>
  static void AppendNumbers(std::string& line, Number... numbers) {
    ((line += ',', AppendDigits(numbers, line)), ...);
  }

  // As a field: few names stand in many rows.
  const std::string& TextOf(StringId name) {
    const auto [at, is_new] = texts_.try_emplace(name);
    if (is_new) at->second = CsvText(report_.profile->Name(name));
    return at->second;
  }

  const Report& report_;
  std::ostream& out_;
  std::vector<std::size_t> column_of_;  // by MetricId
  std::vector<Value> values_;
  std::string line_{};
  std::unordered_map<StringId, std::string> texts_{};
  std::size_t width_ = 0;
};

// The rows of `regions`, in file order.
void WriteRows(const Report& report, const std::vector<RegionId>& regions,
               std::ostream& out) {
  struct Row {
    MeasurementId id{};
    std::size_t region = 0;  // index into regions
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    for (const MeasurementId id : (*report.tree)[regions[i]].kernels)
      rows.push_back({id, i});
    for (const MeasurementId id : (*report.tree)[regions[i]].ranges)
      rows.push_back({id, i});
  }
  std::ranges::sort(rows, {}, &Row::id);
  std::vector<std::string> paths(regions.size());
  RowWriter writer(report, out);
  for (const Row& row : rows) {
    std::string& path = paths[row.region];
    if (path.empty()) path = CsvText(PathJson(report, regions[row.region]));
    writer.Write(row.id, path);
  }
}

}  // namespace

void WriteCsv(const Report& report, std::ostream& out) {
  std::vector<RegionId> all;
  for (std::size_t i = 1; i < report.tree->regions().size(); ++i)
    all.push_back(static_cast<RegionId>(i));
  WriteRows(report, all, out);
}

void WriteRegionCsv(const Report& report, RegionId region, std::ostream& out) {
  std::vector<RegionId> inside = {region};
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const auto& inner = (*report.tree)[inside[i]].children;
    inside.insert(inside.end(), inner.begin(), inner.end());
  }
  WriteRows(report, inside, out);
}

}  // namespace rangefinder
