#include "report/json_region.h"

#include <fmt/format.h>

#include "report/kernel_names.h"
#include "report/members.h"
#include "report/two_runs.h"

namespace rangefinder {
namespace {

std::uint64_t Executions(const Region& region, const Scope& scope) {
  std::uint64_t count = 0;
  const Execution* last = nullptr;
  for (const Execution& execution : region.executions) {
    if (!scope.aggregate && (execution.process != scope.process ||
                             execution.device != scope.device))
      continue;
    // Sorted, but one execution on two devices is two entries.
    const bool again = last != nullptr && last->process == execution.process &&
                       last->key == execution.key;
    if (!again) ++count;
    last = &execution;
  }
  return count;
}

std::string_view KindOf(const Region& region) {
  if (region.unattributed) return "none";
  return region.frame.kind == FrameKind::kPushPop ? "push_pop" : "start_end";
}

}  // namespace

void WriteScopeJson(JsonStream& json, const Report& report,
                    const Scope& scope) {
  json.Key("process");
  if (scope.aggregate) {
    json.Null();
  } else {
    json.Count(report.profile->processes[Index(scope.process)].pid);
  }
  json.Key("device");
  if (scope.aggregate || scope.device < 0)
    json.Null();
  else
    json.Text(fmt::format("cuda:{}", scope.device));
}

RegionJson::RegionJson(const Report& report, JsonStream& json, bool all,
                       bool for_page)
    : report_(report),
      profile_(*report.profile),
      members_(report),
      json_(json),
      all_(all),
      for_page_(for_page),
      sections_(report, json, all) {}

void RegionJson::Write(const ScopeRollup& scope, RegionId id) {
  const RegionRollup& rolled = scope.regions[Index(id)];
  json_.BeginObject();
  WriteIdentity(id);
  const auto times = TimesOf(report_, scope.scope, id);
  json_.CountField("instances",
                   times && times->instances > 0
                       ? times->instances
                       : Executions((*report_.tree)[id], scope.scope));
  WriteMembersJson(json_, report_, scope.scope, id);
  WriteTraced(scope, id, times);
  WriteImbalance(scope, id);
  WriteScopeJson(json_, report_, scope.scope);
  json_.NumberField("total_ms", rolled.inclusive.gpu_time_ns / 1e6);
  json_.CountField("kernel_count", rolled.inclusive.kernel_count);
  json_.Key("inclusive");
  WriteAmounts(rolled.inclusive, CellDetail::kAll);
  json_.Key("exclusive");
  WriteAmounts(rolled.exclusive, CellDetail::kAll);
  json_.Key("metrics");
  // Of a region without kernels, what was measured over it as a whole.
  const Amounts& shown = *ShownOf(rolled).amounts;
  WriteCells(shown.cells, CellDetail::kValues);
  WriteMeasured(rolled);
  json_.Key("kernels");
  json_.BeginArray();
  for (const KernelRow& row : rolled.kernels) WriteKernel(scope, id, row);
  json_.EndArray();
  sections_.Write(scope, id, shown);
  if (!for_page_) WriteSelection(id);
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
  json_.TextField("kind", KindOf(region));
}

void RegionJson::WriteTraced(const ScopeRollup& scope, RegionId id,
                             const std::optional<RegionTimes>& times) {
  // "times" is there only where there was a trace.
  if (times) {
    json_.Key("times");
    WriteTimesJson(json_, report_, *times);
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
    json_.NumberField("gpu_time_ns", row.amounts.gpu_time_ns);
    json_.Key("metrics");
    WriteCells(row.amounts.cells, CellDetail::kAll);
    json_.EndObject();
  }
  json_.EndArray();
}

void RegionJson::WriteKernel(const ScopeRollup& scope, RegionId id,
                             const KernelRow& row) {
  json_.BeginObject();
  json_.TextField("kernel_name", profile_.Name(row.name));
  json_.TextField("short_name", report_.kernel_names->Short(row.name));
  if (const auto* source = report_.kernel_names->Source(row.name))
    json_.TextsField("source", *source);
  json_.CountField("calls", row.calls);
  json_.NumberField("total_ms", row.total_ns / 1e6);
  json_.NumberField(
      "mean_ms",
      row.calls == 0 ? 0 : row.total_ns / 1e6 / static_cast<double>(row.calls));
  json_.NumberField("min_ms", row.min_ns / 1e6);
  json_.NumberField("max_ms", row.max_ns / 1e6);
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
  json_.EndObject();
  const std::string& folder = report_.folders[Index(id)];
  const auto path = [&](std::string_view key, std::string_view file) {
    json_.Key(key);
    if (folder.empty())
      json_.Null();
    else
      json_.Text(fmt::format("{}/{}", folder, file));
  };
  path("report_path", "report.md");
  path("json_path", "report.json");
  path("csv_path", "raw.csv");
  path("sections_path", "sections.txt");
}

void RegionJson::WriteAmounts(const Amounts& amounts, CellDetail detail) {
  json_.BeginObject();
  json_.CountField("kernel_count", amounts.kernel_count);
  json_.NumberField("gpu_time_ns", amounts.gpu_time_ns);
  if (amounts.without_time > 0)
    json_.CountField("without_time", amounts.without_time);
  json_.Key("metrics");
  // Where nothing was measured every cell is absent for that reason.
  WriteCells(amounts.kernel_count > 0 ? amounts.cells : Cells(), detail);
  json_.EndObject();
}

void RegionJson::WriteCells(const Cells& cells, CellDetail detail) {
  json_.Value([&](std::string& out) {
    report_.json_cells->Append(cells, detail, all_, out);
  });
}

}  // namespace rangefinder
