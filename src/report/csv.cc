#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "report/markup.h"
#include "report/two_runs.h"
#include "report/writers.h"

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

std::string Dims(const Dim3& dim) {
  if (dim == Dim3{}) return {};
  return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
}

// The shortest text that reads back to the same number.
template <typename Number>
void AppendDigits(Number number, std::string& line) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  line.append(digits, end.ptr);
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
    fmt::format_to(std::back_inserter(line),
                   "{},{},{},{},{},{},{},{},{},{},{},{}", Index(id),
                   KindName(m.kind), process.pid,
                   CsvText(profile.Name(process.name)), m.device, m.context,
                   m.stream, m.thread, CsvText(profile.Name(m.demangled_name)),
                   path, Dims(m.grid), Dims(m.block));
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
        line += CsvText(profile.Name(*text));
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

  const Report& report_;
  std::ostream& out_;
  std::vector<std::size_t> column_of_;  // by MetricId
  std::vector<Value> values_;
  std::string line_{};
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
