#include <algorithm>
#include <charconv>
#include <mutex>
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

}  // namespace

std::string PathJson(const Report& report, RegionId region) {
  std::string json;
  AppendJsonList(report.tree->PathTo(region), json, [&](const Frame& frame) {
    AppendJsonText(FrameText(*report.profile, frame), json);
  });
  return json;
}

// The text of each row is made once and kept while all of them together are
// small.
class RunCsv::Rows {
 public:
  Rows(const Report& report, bool shared)
      : report_(report), most_bytes_(shared ? kMostBytes : 0) {
    std::size_t most = 0;
    for (const Column& column : report.rollup->columns) {
      if (column.metric != kNoMetric)
        most = std::max(most, Index(column.metric) + 1);
    }
    column_of_.assign(most, kNone);
    head_ = kColumns;
    for (const Column& column : report.rollup->columns) {
      if (column.metric == kNoMetric) continue;
      column_of_[Index(column.metric)] = width_++;
      head_ += "," + CsvText(column.name);
    }
    if (HasTwoRuns(report_)) head_ += ",undisturbed_time_ns";
    head_ += "\r\n";
  }

  // The rows of `regions`, in file order.
  void Write(const std::vector<RegionId>& regions, std::ostream& out) {
    struct Row {
      MeasurementId id{};
      std::size_t region = 0;  // index into regions
    };
    std::vector<Row> rows;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      for (const MeasurementId id : (*report_.tree)[regions[i]].kernels)
        rows.push_back({id, i});
      for (const MeasurementId id : (*report_.tree)[regions[i]].ranges)
        rows.push_back({id, i});
    }
    std::ranges::sort(rows, {}, &Row::id);
    out << head_;
    std::vector<std::string> paths(regions.size());
    Scratch scratch{.values = std::vector<Value>(width_)};
    for (const Row& row : rows) {
      if (const std::string* known = Known(row.id)) {
        out.write(known->data(), static_cast<std::streamsize>(known->size()));
        continue;
      }
      std::string& path = paths[row.region];
      if (path.empty()) path = CsvText(PathJson(report_, regions[row.region]));
      Make(row.id, path, scratch);
      const std::string& line = scratch.line;
      out.write(line.data(), static_cast<std::streamsize>(line.size()));
      Keep(row.id, line);
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::size_t kMostBytes = 4 << 20;

  // The working memory of one document.
  struct Scratch {
    std::string line{};
    std::vector<Value> values{};  // by column
    std::unordered_map<StringId, std::string> texts{};
  };

  // The pointer stays valid.
  const std::string* Known(MeasurementId id) {
    if (most_bytes_ == 0) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto at = rows_.find(id);
    return at == rows_.end() ? nullptr : &at->second;
  }

  void Keep(MeasurementId id, const std::string& line) {
    if (most_bytes_ == 0) return;
    const std::lock_guard lock(mutex_);
    if (bytes_ + line.size() > most_bytes_) return;
    if (rows_.try_emplace(id, line).second) bytes_ += line.size();
  }

  // Makes the row of one measurement in `to.line`.
  void Make(MeasurementId id, const std::string& path, Scratch& to) const {
    const Profile& profile = *report_.profile;
    const Measurement& m = profile.measurements[Index(id)];
    const Process& process = profile.processes[Index(m.process)];
    std::string& line = to.line;
    line.clear();
    AppendDigits(Index(id), line);
    line += ',';
    line += KindName(m.kind);
    line += ',';
    AppendDigits(process.pid, line);
    line += ',';
    line += TextOf(process.name, to);
    AppendNumbers(line, m.device, m.context, m.stream, m.thread);
    line += ',';
    line += TextOf(m.demangled_name, to);
    line += ',';
    line += path;
    line += ',';
    AppendDims(m.grid, line);
    line += ',';
    AppendDims(m.block, line);
    std::ranges::fill(to.values, Value{});
    for (const Sample& sample : profile.SamplesOf(m)) {
      const std::size_t metric = Index(sample.metric);
      if (metric < column_of_.size() && column_of_[metric] != kNone)
        to.values[column_of_[metric]] = sample.value();
    }
    for (const Value& value : to.values) {
      line += ',';
      if (value.kind == ValueKind::kInteger)
        AppendDigits(value.bits, line);
      else if (value.kind == ValueKind::kNumber)
        AppendDigits(*value.number(), line);
      else if (const auto text = value.text())
        line += TextOf(*text, to);
    }
    if (HasTwoRuns(report_)) {
      line += ',';
      if (const auto ns = report_.traced->UndisturbedNs(id))
        AppendDigits(*ns, line);
    }
    line += "\r\n";
  }

  template <typename... Number>
  static void AppendNumbers(std::string& line, Number... numbers) {
    ((line += ',', AppendDigits(numbers, line)), ...);
  }

  // The name as a field, cached: few names occur in many rows.
  const std::string& TextOf(StringId name, Scratch& scratch) const {
    const auto [at, is_new] = scratch.texts.try_emplace(name);
    if (is_new) at->second = CsvText(report_.profile->Name(name));
    return at->second;
  }

  const Report& report_;
  std::string head_{};
  std::vector<std::size_t> column_of_;  // by MetricId
  std::size_t width_ = 0;
  const std::size_t most_bytes_;
  std::mutex mutex_{};  // guards the members below
  std::unordered_map<MeasurementId, std::string> rows_{};
  std::size_t bytes_ = 0;
};

namespace {

std::vector<RegionId> AllRegions(const Report& report) {
  std::vector<RegionId> all;
  for (std::size_t i = 1; i < report.tree->regions().size(); ++i)
    all.push_back(static_cast<RegionId>(i));
  return all;
}

}  // namespace

RunCsv::RunCsv(const Report& report, bool shared)
    : report_(report), rows_(std::make_unique<Rows>(report, shared)) {}

RunCsv::~RunCsv() = default;

void RunCsv::Write(std::ostream& out) const {
  rows_->Write(AllRegions(report_), out);
}

void RunCsv::WriteRegion(RegionId region, std::ostream& out) const {
  std::vector<RegionId> inside = {region};
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const auto& inner = (*report_.tree)[inside[i]].children;
    inside.insert(inside.end(), inner.begin(), inner.end());
  }
  rows_->Write(inside, out);
}

void WriteCsv(const Report& report, std::ostream& out) {
  RunCsv(report, false).Write(out);
}

}  // namespace rangefinder
