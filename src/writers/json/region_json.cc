#include "writers/json/region_json.h"

#include <string>

#include <fmt/format.h>

#include "insight/region_rows.h"
#include "report/kernel_names.h"
#include "writers/json/json_parts.h"

namespace rangefinder {
void WriteScopeJson(JsonStream& json, const Report& report,
                    const Scope& scope) {
  json.Key("process");
  if (scope.aggregate) {
    json.Null();
  } else {
    const std::uint64_t pid =
        report.profile->processes[Index(scope.process)].pid;
    json.Count(pid);
    json.TextField("process_text", std::to_string(pid));
  }
  json.Key("device");
  if (scope.aggregate || scope.device < 0)
    json.Null();
  else
    json.Text(fmt::format("cuda:{}", scope.device));
}

RegionJson::RegionJson(const Report& report, JsonStream& json,
                       const std::vector<bool>& in_place,
                       std::span<const std::string> folders)
    : report_(report),
      profile_(*report.profile),
      members_(*report.members),
      json_(json),
      folders_(folders),
      cells_(profile_, *report.rollup, in_place),
      sections_(report, json, in_place) {}

void RegionJson::Write(const ScopeRollup& scope, RegionId id) {
  const RegionRollup& rolled = scope.regions[Index(id)];
  json_.BeginObject();
  WriteIdentity(id);
  const auto times = TimesOf(report_, scope.scope, id);
  json_.CountField("instances",
                   times && times->instances > 0
                       ? times->instances
                       : ExecutionsIn((*report_.tree)[id], scope.scope));
  WriteMembersJson(json_, report_, scope.scope, id);
  WriteTraced(scope, id, times);
  WriteImbalance(scope, id);
  WriteScopeJson(json_, report_, scope.scope);
  const RegionRow row = report_.rows->Of(scope, id);
  WriteTotal(scope, id, row);
  json_.Key("inclusive");
  WriteAmounts(rolled.inclusive, CellDetail::kAll, &row);
  json_.Key("exclusive");
  WriteAmounts(rolled.exclusive, CellDetail::kAll, &row);
  json_.Key("metrics");
  // Of a region without kernels, the range measured over it as a whole.
  const Amounts& shown = *ShownOf(rolled).amounts;
  WriteCells(shown.cells, CellDetail::kValues);
  WriteBesideJson(json_, report_, rolled);
  if (scope.scope.aggregate) WriteCopiesJson(json_, report_, id);
  WriteOverTimeJson(json_, report_, scope.scope, id);
  WriteMeasured(rolled);
  json_.Key("kernels");
  json_.BeginArray();
  for (const KernelRow& kernel : rolled.all_kernels())
    WriteKernel(scope, id, kernel);
  json_.EndArray();
  sections_.Write(scope, id, shown);
  if (!folders_.empty()) WriteSelection(id);
  json_.EndObject();
}

void RegionJson::WriteIdentity(RegionId id) {
  const Region& region = (*report_.tree)[id];
  json_.CountField("id", Index(id));
  json_.Key("parent_id");
  const bool has_parent = region.parent != RegionTree::kRoot;
  if (has_parent)
    json_.Count(Index(region.parent));
  else
    json_.Null();
  json_.TextField("name", region.unattributed
                              ? RegionTree::kUnattributed
                              : profile_.Name(region.frame.name));
  json_.TextField("domain", profile_.Name(region.frame.domain));
  json_.Key("path");
  json_.BeginLineArray();
  for (const Frame& frame : report_.tree->PathTo(id))
    json_.Text(FrameText(profile_, frame));
  json_.EndArray();
  json_.Key("parent");
  if (has_parent)
    json_.Text(FrameText(profile_, (*report_.tree)[region.parent].frame));
  else
    json_.Null();
  json_.Key("depth");
  json_.Number(region.depth);
  json_.TextField("kind", RegionKindName(region));
}

void RegionJson::WriteTraced(const ScopeRollup& scope, RegionId id,
                             const std::optional<RegionTimes>& times) {
  // "times" is there only where there was a trace.
  if (times) {
    json_.Key("times");
    WriteTimesJson(json_, report_, *times, folders_.empty());
  }
  WriteTracedJson(json_, report_, scope, id);
}

// Only in the aggregate, and only where several share the work.
void RegionJson::WriteImbalance(const ScopeRollup& scope, RegionId id) {
  if (!scope.scope.aggregate) return;
  const auto imbalance = members_.Of(id);
  if (!imbalance) return;
  json_.Key("imbalance");
  json_.BeginLineObject();
  json_.TextField("over", imbalance->over_ranks ? "rank" : "process");
  json_.CountField("count", imbalance->count);
  json_.NumberField("max", imbalance->max_ns);
  json_.NumberField("mean", imbalance->mean_ns);
  json_.NumberField("ratio", imbalance->ratio());
  json_.TextField("who", imbalance->who);
  json_.EndObject();
}

void RegionJson::WriteMeasured(const RegionRollup& rolled) {
  json_.Key("measured");
  json_.BeginArray();
  for (const WholeRow& row : rolled.measured) {
    json_.BeginObject();
    json_.TextField("mode", ModeName(row.mode));
    json_.CountField("id", Index(row.measurement));
    WriteNs("gpu_time_ns", row.amounts.without_time == 0
                               ? std::optional(row.amounts.gpu_time_ns)
                               : std::nullopt);
    WriteCounted(row);
    json_.Key("metrics");
    WriteCells(row.amounts.cells, CellDetail::kAll);
    json_.EndObject();
  }
  json_.EndArray();
}

// Only where the values are means of several instances.
void RegionJson::WriteCounted(const WholeRow& row) {
  if (row.instances == 0) return;
  json_.CountField("instances", row.instances);
  if (row.deviations.empty()) return;
  json_.Key("standard_deviation");
  json_.BeginLineObject();
  for (const WholeDeviation& metric : row.deviations)
    json_.NumberField(profile_.MetricName(metric.metric), metric.value);
  json_.EndObject();
}

// Lists that are empty are left out.
void RegionJson::WriteSource(StringId kernel) {
  if (const auto* source = report_.kernel_names->Source(kernel)) {
    const auto write = [&](std::string_view key,
                           const std::vector<std::string>& texts) {
      if (!texts.empty()) json_.TextsField(key, texts);
    };
    write("source", source->operators);
    write("source_lines", source->lines);
    write("model_lines", source->model_lines);
  }
  const std::string_view why = report_.kernel_names->WhyNoLine(kernel);
  if (!why.empty()) json_.TextField("source_unknown", why);
}

void RegionJson::WriteKernel(const ScopeRollup& scope, RegionId id,
                             const KernelRow& row) {
  json_.BeginObject();
  json_.TextField("kernel_name", profile_.Name(row.name));
  json_.TextField("short_name", report_.kernel_names->Short(row.name));
  WriteSource(row.name);
  json_.CountField("calls", row.calls);
  json_.CountField("own_calls", row.own_calls);
  const std::uint64_t timed = row.calls - row.amounts.without_time;
  const auto ms = [&](std::string_view key, double ns) {
    WriteNs(key, timed > 0 ? std::optional(ns) : std::nullopt, 1e6);
  };
  ms("total_ms", row.total_ns);
  // Where all are its own, the same.
  if (row.own_calls < row.calls) ms("own_total_ms", row.own_ns);
  ms("mean_ms", row.total_ns / static_cast<double>(timed));
  ms("min_ms", row.min_ns);
  ms("max_ms", row.max_ns);
  json_.Key("device");
  if (row.device < 0)
    json_.Null();
  else
    json_.Text(fmt::format("cuda:{}", row.device));
  WriteTracedKernelJson(json_, report_, scope, id, row);
  json_.Key("metrics");
  WriteCells(row.amounts.cells, CellDetail::kBrief);
  sections_.WriteKernel(row.amounts);
  json_.EndObject();
}

void RegionJson::WriteSelection(RegionId id) {
  json_.Key("selection");
  json_.BeginObject();
  json_.TextsField("include_patterns", report_.options.include_patterns);
  json_.TextsField("exclude_patterns", report_.options.exclude_patterns);
  const auto kernels = [&](std::string_view key,
                           const std::vector<std::string>& patterns) {
    if (!patterns.empty()) json_.TextsField(key, patterns);
  };
  kernels("kernel_include_patterns", report_.options.kernel_include_patterns);
  kernels("kernel_exclude_patterns", report_.options.kernel_exclude_patterns);
  json_.EndObject();
  const std::string& folder = folders_[Index(id)];
  const ReportFiles& files = report_.options.files;
  const auto path = [&](std::string_view key, std::string_view file,
                        bool written) {
    json_.Key(key);
    if (folder.empty() || !written)
      json_.Null();
    else
      json_.Text(fmt::format("{}/{}", folder, file));
  };
  path("markdown_path", "report.md", files.Has("md"));
  path("json_path", "report.json", files.Has("json"));
  path("csv_path", "raw.csv", files.csv);
  path("sections_path", "sections.txt", true);
}

void RegionJson::WriteTotal(const ScopeRollup& scope, RegionId id,
                            const RegionRow& row) {
  const Amounts& inclusive = scope.regions[Index(id)].inclusive;
  const bool kernels = inclusive.kernel_count > 0;
  TimeSource source = TimeSource::kNone;
  if (row.measured_ns) {
    source = report_.rows->baseline_only() ? TimeSource::kBaseline
                                           : TimeSource::kKernels;
  } else if (!kernels && row.whole_ns) {
    source = TimeSource::kRange;
  }
  std::optional<double> ns = kernels ? row.measured_ns : row.whole_ns;
  if (!ns && row.time_ns) {  // known by the baseline run
    ns = row.time_ns;
    source = row.source;
  }
  if (!ns && row.launches == 0 && row.unselected == 0) ns = 0;
  WriteNs("total_ms", ns, 1e6);
  json_.Key("total_source");
  if (source == TimeSource::kNone)
    json_.Null();
  else
    json_.Text(SourceName(source));
  WriteCount("kernel_count",
             kernels ? std::optional(inclusive.kernel_count) : row.launches);
  // Only where `inclusive` and `exclusive` do not say it all.
  const bool plain = row.source == TimeSource::kKernels && row.wholes == 0 &&
                     row.unselected == 0 && row.reason.empty();
  if (!plain) WriteSummary(row);
}

void RegionJson::WriteSummary(const RegionRow& row) {
  json_.Key("summary");
  json_.BeginLineObject();
  json_.Key("source");
  if (row.source == TimeSource::kNone)
    json_.Null();
  else
    json_.Text(SourceName(row.source));
  WriteNs("gpu_time_ns", row.time_ns);
  WriteNs("own_gpu_time_ns", row.own_ns);
  WriteNs("share", row.share);
  WriteCount("launches", row.launches);
  WriteCount("own_launches", row.own_launches);
  WriteCount("measured", row.measured);
  json_.CountField("ranges", row.wholes);
  if (row.unselected > 0) json_.CountField("unselected", row.unselected);
  if (!row.reason.empty()) json_.TextField("reason", row.reason);
  json_.EndObject();
}

void RegionJson::WriteTotals(const ScopeRollup& scope) {
  const RegionRow row = report_.rows->Of(scope, RegionTree::kRoot);
  const auto wholes = report_.rows->WholesIn(scope, RegionTree::kRoot);
  const std::uint64_t kernels = scope.totals.kernel_count;
  json_.BeginObject();
  WriteCount("kernel_count", kernels > 0 || row.launches == 0
                                 ? std::optional(kernels)
                                 : std::nullopt);
  WriteAmountFields(scope.totals, CellDetail::kOfDevice, &row);
  if (wholes.count > 0) {
    json_.CountField("ranges", wholes.count);
    WriteNs("range_time_ns", wholes.outermost_ns > 0
                                 ? std::optional(wholes.outermost_ns)
                                 : std::nullopt);
  }
  if (!row.reason.empty()) json_.TextField("reason", row.reason);
  json_.EndObject();
}

void RegionJson::WriteAmounts(const Amounts& amounts, CellDetail detail,
                              const RegionRow* of) {
  json_.BeginObject();
  json_.CountField("kernel_count", amounts.kernel_count);
  WriteAmountFields(amounts, detail, of);
  json_.EndObject();
}

void RegionJson::WriteAmountFields(const Amounts& amounts, CellDetail detail,
                                   const RegionRow* of) {
  std::optional<double> ns;
  if (of != nullptr)
    ns = MeasuredNs(amounts, *of);
  else if (amounts.without_time < amounts.kernel_count)
    ns = amounts.gpu_time_ns;
  WriteNs("gpu_time_ns", ns);
  if (amounts.without_time > 0)
    json_.CountField("without_time", amounts.without_time);
  json_.Key("metrics");
  // Where nothing was measured every cell is absent for that reason.
  WriteCells(
      amounts.kernel_count > 0 || amounts.estimated ? amounts.cells : Cells(),
      detail);
}

void RegionJson::WriteNs(std::string_view key, const std::optional<double>& ns,
                         double unit) {
  json_.Key(key);
  if (ns)
    json_.Number(*ns / unit);
  else
    json_.Null();
}

void RegionJson::WriteCount(std::string_view key,
                            const std::optional<std::uint64_t>& count) {
  json_.Key(key);
  if (count)
    json_.Count(*count);
  else
    json_.Null();
}

void RegionJson::WriteCells(const Cells& cells, CellDetail detail) {
  json_.Value([&](std::string& out) { cells_.Append(cells, detail, out); });
}

}  // namespace rangefinder
