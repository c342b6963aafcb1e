#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/json_text.h"
#include "report/imbalance.h"
#include "report/json_cells.h"
#include "report/json_stream.h"
#include "report/times.h"
#include "report/two_runs.h"
#include "report/writers.h"
#include "rollup/roofline.h"

namespace rangefinder {
namespace {

constexpr std::string_view kSchema = "rangefinder.report/1";

class JsonReport {
 public:
  JsonReport(const Report& report, std::ostream& out)
      : report_(report),
        profile_(*report.profile),
        rollup_(*report.rollup),
        roofline_(*report.rollup),
        members_(report),
        cells_(*report.json_cells),
        json_(out) {}

  // Of all regions, or of one and its inner ones.
  void Write(std::optional<RegionId> only,
             const std::vector<const ScopeRollup*>& scopes) {
    only_ = only;
    json_.BeginObject();
    json_.TextField("schema", kSchema);
    json_.TextField("generated_at", report_.options.generated_at);
    json_.TextField("config_fingerprint", report_.options.config_fingerprint);
    WriteCapture();
    json_.Key("scopes");
    json_.BeginArray();
    for (const ScopeRollup* scope : scopes) WriteScope(*scope);
    json_.EndArray();
    json_.Key("notes");
    json_.BeginArray();
    for (const Note& note : report_.notes->all()) {
      json_.BeginObject();
      json_.TextField("severity", SeverityName(note.severity));
      json_.TextField("kind", note.kind);
      json_.TextField("text", note.text);
      json_.TextField("where", note.where);
      json_.CountField("count", note.count);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

 private:
  void WriteCapture() {
    const CaptureFacts& capture = report_.capture;
    json_.Key("capture");
    json_.BeginObject();
    json_.TextField("mode", capture.mode);
    json_.Key("tools");
    json_.BeginObject();
    for (const auto& [name, version] : capture.tools)
      json_.TextField(name, version);
    json_.EndObject();
    json_.TextsField("command", capture.command);
    json_.TextField("clock_control", capture.clock_control);
    json_.TextField("cache_control", capture.cache_control);
    json_.TextsField("devices", capture.devices);
    json_.Key("processes");
    json_.BeginArray();
    for (const ScopeRollup& scope : rollup_.scopes) {
      if (!scope.scope.aggregate) WriteProcess(scope.scope);
    }
    json_.EndArray();
    WriteRunsJson(json_, report_);
    json_.Key("artifacts");
    json_.BeginArray();
    for (const Artifact& artifact : profile_.artifacts) {
      json_.BeginObject();
      json_.TextField("path", artifact.path);
      json_.TextField("format", artifact.format);
      json_.CountField("bytes", artifact.bytes);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void WriteProcess(const Scope& scope) {
    const Process& process = profile_.processes[Index(scope.process)];
    json_.BeginObject();
    json_.TextField("scope", ScopeName(report_, scope));
    json_.CountField("pid", process.pid);
    json_.TextField("name", profile_.Name(process.name));
    json_.TextField("host", profile_.Name(process.host));
    json_.Key("rank");
    if (process.rank < 0)
      json_.Null();
    else
      json_.Count(static_cast<std::uint64_t>(process.rank));
    json_.EndObject();
  }

  void WriteScope(const ScopeRollup& scope) {
    json_.BeginObject();
    json_.TextField("scope", ScopeName(report_, scope.scope));
    WriteProcessAndDevice(scope.scope);
    WriteOwner(scope.scope);
    json_.Key("totals");
    WriteAmounts(scope.totals, CellDetail::kOfDevice);
    if (const auto times = TimesOf(report_, scope.scope, RegionTree::kRoot))
      WriteTimes(*times);
    WriteTracedJson(json_, report_, scope, RegionTree::kRoot);
    json_.Key("regions");
    json_.BeginArray();
    for (const RegionId id :
         ReadingOrder(report_, scope, only_.value_or(RegionTree::kRoot)))
      WriteRegion(scope, id);
    json_.EndArray();
    if (!only_) WriteNames(scope);
    json_.EndObject();
  }

  void WriteNames(const ScopeRollup& scope) {
    json_.Key("by_name");
    json_.BeginArray();
    for (const NameRow& row : scope.names) {
      json_.BeginObject();
      json_.TextField("name", profile_.Name(row.frame.name));
      json_.TextField("domain", profile_.Name(row.frame.domain));
      json_.Key("regions");
      json_.BeginLineArray();
      for (const RegionId id : row.regions) json_.Count(Index(id));
      json_.EndArray();
      json_.Key("inclusive");
      WriteAmounts(row.amounts);
      json_.EndObject();
    }
    json_.EndArray();
  }

  // Of a scope of a parallel job: process ids of two hosts may be the same.
  void WriteOwner(const Scope& scope) {
    if (ScopeOwner(report_, scope).empty()) return;
    const Process& process = profile_.processes[Index(scope.process)];
    if (process.rank >= 0)
      json_.CountField("rank", static_cast<std::uint64_t>(process.rank));
    json_.TextField("host", profile_.Name(process.host));
  }

  // Only in the aggregate, and only where several share the work.
  void WriteImbalance(const ScopeRollup& scope, RegionId id) {
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

  void WriteProcessAndDevice(const Scope& scope) {
    json_.Key("process");
    if (scope.aggregate) {
      json_.Null();
    } else {
      json_.Count(profile_.processes[Index(scope.process)].pid);
    }
    json_.Key("device");
    if (scope.aggregate || scope.device < 0)
      json_.Null();
    else
      json_.Text(fmt::format("cuda:{}", scope.device));
  }

  void WriteRegion(const ScopeRollup& scope, RegionId id) {
    const Region& region = (*report_.tree)[id];
    const RegionRollup& rolled = scope.regions[Index(id)];
    json_.BeginObject();
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
    json_.TextField("kind", region.unattributed ? "none"
                            : region.frame.kind == FrameKind::kPushPop
                                ? "push_pop"
                                : "start_end");
    const auto times = TimesOf(report_, scope.scope, id);
    json_.CountField("instances", times && times->instances > 0
                                      ? times->instances
                                      : Executions(region, scope.scope));
    if (times) WriteTimes(*times);
    WriteTracedJson(json_, report_, scope, id);
    WriteImbalance(scope, id);
    WriteProcessAndDevice(scope.scope);
    json_.NumberField("total_ms", rolled.inclusive.gpu_time_ns / 1e6);
    json_.CountField("kernel_count", rolled.inclusive.kernel_count);
    json_.Key("inclusive");
    WriteAmounts(rolled.inclusive);
    json_.Key("exclusive");
    WriteAmounts(rolled.exclusive);
    json_.Key("metrics");
    // Of a region without kernels, what was measured over it as a whole.
    const Amounts& shown = *ShownOf(rolled).amounts;
    WriteCells(shown.cells, CellDetail::kValues);
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
    json_.Key("kernels");
    json_.BeginArray();
    for (const KernelRow& row : rolled.kernels) WriteKernel(scope, id, row);
    json_.EndArray();
    WriteSections(id, shown);
    WriteFindings(scope, id);
    WriteBounds(shown);
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
    json_.EndObject();
  }

  void WriteSections(RegionId id, const Amounts& amounts) {
    json_.Key("sections");
    json_.BeginObject();
    for (const SectionTable& table : report_.sections->TablesOf(id, amounts)) {
      json_.Key(table.identifier);
      json_.BeginArray();
      for (const SectionTableRow& row : table.rows) {
        json_.Value([&](std::string& out) {
          out += "{\"label\":";
          AppendJsonText(row.label, out);
          out += ",\"metric\":";
          AppendJsonText(row.metric, out);
          out += ',';
          cells_.AppendFields(row.cell, row.unit, CellDetail::kAll, out);
          out += '}';
        });
      }
      json_.EndArray();
    }
    json_.EndObject();
  }

  void WriteFindings(const ScopeRollup& scope, RegionId id) {
    json_.Key("findings");
    json_.BeginArray();
    for (const Finding& finding : FindingsIn(report_, scope.scope, id)) {
      json_.BeginObject();
      json_.TextField("rule", finding.rule);
      json_.TextField("name", finding.name);
      json_.TextField("section", finding.section);
      json_.TextField("kind", FindingKind(finding.kind));
      json_.TextField("title", finding.title);
      json_.TextField("text", finding.text);
      json_.CountField("kernels", finding.kernels);
      json_.NumberField("time_ns", finding.time_ns);
      json_.NumberField("time_share", finding.time_share);
      json_.Key("speedup_percent");
      if (finding.speedup_percent)
        json_.Number(*finding.speedup_percent);
      else
        json_.Null();
      json_.TextField("speedup_type",
                      finding.speedup_is_global ? "global" : "local");
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteBounds(const Amounts& amounts) {
    const LimitVerdict verdict = VerdictOf(rollup_, amounts);
    json_.Key("verdict");
    if (verdict.limit == Limit::kUnknown)
      json_.Null();
    else
      json_.Text(verdict.text);
    json_.Key("roofline");
    WriteRoofline(roofline_.RowsOf(amounts));
  }

  void WriteRoofline(const std::vector<RooflineRow>& rows) {
    json_.BeginArray();
    for (const RooflineRow& row : rows) {
      json_.BeginLineObject();
      json_.TextField("precision", row.precision);
      json_.TextField("how", HowName(row.how));
      json_.NumberField("flop", row.flop);
      json_.NumberField("dram_bytes", row.dram_bytes);
      json_.NumberField("intensity", row.intensity);
      json_.NumberField("achieved_flops", row.achieved_flops);
      const auto optional = [&](std::string_view key,
                                const std::optional<double>& value) {
        json_.Key(key);
        if (value)
          json_.Number(*value);
        else
          json_.Null();
      };
      optional("peak_flops", row.peak_flops);
      optional("peak_bandwidth", row.peak_bandwidth);
      optional("limit_flops", row.limit_flops);
      optional("percent", row.percent);
      json_.EndObject();
    }
    json_.EndArray();
  }

  static std::string_view FindingKind(RuleMessageKind kind) {
    switch (kind) {
      case RuleMessageKind::kOk:
        return "info";
      case RuleMessageKind::kWarning:
        return "warning";
      case RuleMessageKind::kError:
        return "error";
      case RuleMessageKind::kOptimization:
        return "optimization";
      case RuleMessageKind::kNone:
        break;
    }
    return "none";
  }

  // What a trace knows: "times" is there only where there was one.
  void WriteTimes(const RegionTimes& times) {
    json_.Key("times");
    WriteTimesJson(json_, report_, times);
  }

  static std::uint64_t Executions(const Region& region, const Scope& scope) {
    std::uint64_t count = 0;
    const Execution* last = nullptr;
    for (const Execution& execution : region.executions) {
      if (!scope.aggregate && (execution.process != scope.process ||
                               execution.device != scope.device))
        continue;
      // Sorted, but one execution on two devices is two entries.
      const bool again = last != nullptr &&
                         last->process == execution.process &&
                         last->key == execution.key;
      if (!again) ++count;
      last = &execution;
    }
    return count;
  }

  void WriteKernel(const ScopeRollup& scope, RegionId id,
                   const KernelRow& row) {
    json_.BeginObject();
    json_.TextField("kernel_name", profile_.Name(row.name));
    json_.CountField("calls", row.calls);
    json_.NumberField("total_ms", row.total_ns / 1e6);
    json_.NumberField(
        "mean_ms", row.calls == 0
                       ? 0
                       : row.total_ns / 1e6 / static_cast<double>(row.calls));
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
    const std::vector<RooflineRow> roofline = roofline_.RowsOf(row.amounts);
    if (!roofline.empty()) {
      json_.Key("roofline");
      WriteRoofline(roofline);
    }
    json_.EndObject();
  }

  void WriteAmounts(const Amounts& amounts,
                    CellDetail detail = CellDetail::kAll) {
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

  void WriteCells(const Cells& cells, CellDetail detail) {
    json_.Value([&](std::string& out) { cells_.Append(cells, detail, out); });
  }

  const Report& report_;
  const Profile& profile_;
  const Rollup& rollup_;
  const Roofline roofline_;
  Members members_;
  const JsonCells& cells_;
  JsonStream json_;
  std::optional<RegionId> only_{};
};

}  // namespace

void WriteJson(const Report& report, std::ostream& out) {
  std::vector<const ScopeRollup*> scopes;
  for (const ScopeRollup& scope : report.rollup->scopes)
    scopes.push_back(&scope);
  JsonReport(report, out).Write(std::nullopt, scopes);  // flushed at its end
  out << '\n';
}

void WriteShownJson(const Report& report, std::optional<RegionId> only,
                    std::ostream& out) {
  JsonReport(report, out).Write(only, ShownScopes(report));
  out << '\n';
}

}  // namespace rangefinder
