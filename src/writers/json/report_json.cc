// report.json of the run, of the page, and of a region's folder.

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/numbers.h"
#include "insight/imbalance.h"
#include "insight/region_rows.h"
#include "report/folder.h"
#include "report/kernel_names.h"
#include "report/page_scopes.h"
#include "report/sentences.h"
#include "rollup/roofline.h"
#include "writers/json/json_cells.h"
#include "writers/json/json_columns.h"
#include "writers/json/json_parts.h"
#include "writers/json/json_stream.h"
#include "writers/report_writers.h"

namespace rangefinder {

// Data that documents share if they have the same metrics in place.
struct JsonForm {
  JsonForm(const Report& report, MetricsInPlace metrics)
      : in_place(ColumnsInPlace(report, metrics)),
        cells(*report.profile, *report.rollup, in_place),
        roofline(*report.rollup) {}

  bool packs() const { return !std::ranges::all_of(in_place, std::identity()); }

  const std::vector<bool> in_place;
  JsonCells cells;
  const Roofline roofline;
};

namespace {

constexpr std::string_view kSchema = "rangefinder.report/2";
// If there are more regions, the second scope of a report of one process on one
// device has only names and amounts: everything else equals the aggregate's.
constexpr std::size_t kMostRegionsTwice = 10000;

// By RuleMessageKind.
constexpr std::array<std::string_view, 5> kFindingKinds = {
    "none", "info", "warning", "error", "optimization"};

// One region of a document: its identity, its amounts, its kernels. The rows of
// ncu's sections are in the document once; a region repeats the rows of metrics
// in place, with their values.
class RegionJson {
 public:
  // `folders`, by RegionId: see FoldersOf(); empty for the page, which names no
  // files.
  RegionJson(const Report& report, JsonForm& form,
             std::span<const std::string> folders, JsonStream& json)
      : report_(report),
        profile_(*report.profile),
        form_(form),
        folders_(folders),
        json_(json) {}

  // `brief`: see kMostRegionsTwice.
  void Write(const ScopeRollup& scope, RegionId id, bool brief) {
    const RegionRollup& rolled = scope.regions[Index(id)];
    json_.BeginObject();
    WriteIdentity(id);
    if (!brief) WriteInstances(scope, id);
    WriteScope(scope.scope);
    const RegionRow row = report_.rows->Of(scope, id);
    WriteTotal(scope, id, row);
    WriteAmounts("inclusive", rolled.inclusive, &row);
    WriteAmounts("exclusive", rolled.exclusive, &row);
    if (brief) return json_.EndObject();
    // For a region without kernels, the range measured over it as a whole.
    const Amounts& shown = ShownOf(rolled);
    WriteMetrics(shown.cells, CellDetail::kValues);
    WriteBesideJson(json_, report_, rolled);
    if (scope.scope.aggregate) WriteCopiesJson(json_, report_, id);
    WriteOverTimeJson(json_, report_, scope.scope, id);
    if (&scope == report_.rollup->scopes.data())
      WriteUnitsJson(json_, report_, id);
    WriteMeasured(rolled);
    json_.Objects("kernels", rolled.all_kernels(),
                  [&](const KernelRow& one) { WriteKernel(scope, id, one); });
    WriteSections(id, shown);
    WriteFindings(scope, id);
    const LimitVerdict verdict = VerdictOf(*report_.rollup, shown);
    json_.Field("verdict", OptionalIf(!verdict.text.empty(),
                                      std::string_view(verdict.text)));
    // Causes belong to the aggregate only.
    if (const Cause* cause = report_.diagnosis.MainCause(id);
        scope.scope.aggregate && cause != nullptr) {
      json_.BeginObject("cause");
      WriteCause(*cause);
      json_.Field("title", cause->title);
      json_.Field("text", cause->text);
      json_.EndObject();
    }
    WriteRoofline(form_.roofline.RowsOf(shown));
    if (!folders_.empty()) WriteSelection(id);
    json_.EndObject();
  }

  // `process` and `device` of a scope, and of its regions.
  void WriteScope(const Scope& scope) {
    if (scope.aggregate) {
      json_.NullField("process");
    } else {
      const std::uint64_t pid = profile_.processes[Index(scope.process)].pid;
      json_.Field("process", pid);
      json_.Field("process_text", std::to_string(pid));
    }
    WriteDevice(scope.aggregate ? -1 : scope.device);
  }

  // The members of a cause in headlines and in regions.
  void WriteCause(const Cause& cause) {
    json_.Field("kind", cause.id);
    json_.Field("next", cause.next);
    json_.Field("certain", cause.certain);
    json_.Field("saves_ns", cause.saves_ns);
  }

  // The amounts of a region, or of the regions with one name, which have no
  // row.
  void WriteAmounts(std::string_view key, const Amounts& amounts,
                    const RegionRow* row = nullptr) {
    json_.BeginObject(key);
    json_.Field("kernel_count", amounts.kernel_count);
    WriteAmountFields(amounts, CellDetail::kAll, row);
    json_.EndObject();
  }

  void WriteTotals(const ScopeRollup& scope) {
    const RegionRow row = report_.rows->Of(scope, RegionTree::kRoot);
    const auto wholes = report_.rows->WholesIn(scope, RegionTree::kRoot);
    const std::uint64_t kernels = scope.totals.kernel_count;
    json_.BeginObject("totals");
    json_.Field("kernel_count",
                OptionalIf(kernels > 0 || row.launches == 0, kernels));
    WriteAmountFields(scope.totals, CellDetail::kOfDevice, &row);
    if (wholes.count > 0) {
      json_.Field("ranges", wholes.count);
      json_.Field("range_time_ns",
                  OptionalIf(wholes.outermost_ns > 0, wholes.outermost_ns));
    }
    if (!row.reason.empty()) json_.Field("reason", row.reason);
    json_.EndObject();
  }

  // The fields of regions and scopes that a trace saw.
  void WriteTraced(const ScopeRollup& scope, RegionId id,
                   const std::optional<RegionTimes>& times) {
    if (times) {
      json_.Key("times");
      WriteTimesJson(json_, report_, *times, folders_.empty());
    }
    WriteTracedJson(json_, report_, scope, id);
  }

  // The sections of the document.
  void WriteCatalog() {
    json_.BeginRows("sections", '{');
    for (const SectionTable& table : report_.sections->Tables()) {
      json_.BeginObject(table.identifier);
      json_.Field("title", table.title);
      json_.Objects("rows", table.rows, [&](const SectionTableRow& row) {
        json_.Field("label", row.label);
        json_.Field("metric", row.metric);
      });
      json_.EndObject();
    }
    json_.EndObject();
  }

 private:
  void WriteInstances(const ScopeRollup& scope, RegionId id) {
    const auto times = TimesOf(report_, scope.scope, id);
    json_.Field("instances", InstancesOf(report_, scope.scope, id, times));
    WriteMembersJson(json_, report_, scope.scope, id);
    WriteTraced(scope, id, times);
    WriteImbalance(scope, id);
  }

  void WriteIdentity(RegionId id) {
    const RegionTree& tree = *report_.tree;
    const Region& region = tree[id];
    const bool has_parent = region.parent != RegionTree::kRoot;
    const auto text = [&](const Frame& frame) {
      return FrameText(profile_, frame);
    };
    json_.Field("id", Index(id));
    json_.Field("parent_id", OptionalIf(has_parent, Index(region.parent)));
    json_.Field("name", region.unattributed ? RegionTree::kUnattributed
                                            : profile_.Name(region.frame.name));
    json_.Field("domain", profile_.Name(region.frame.domain));
    json_.Field("path", tree.PathTo(id) | std::views::transform(text));
    json_.Field("parent",
                OptionalIf(has_parent, text(tree[region.parent].frame)));
    json_.Field("depth", region.depth);
    json_.Field("kind", RegionKindName(region));
    if (const StringId phase = report_.PhaseOf(id); phase != StringId{})
      json_.Field("phase", profile_.Name(phase));
  }

  // In the aggregate only, and only if several members share the work.
  void WriteImbalance(const ScopeRollup& scope, RegionId id) {
    if (!scope.scope.aggregate) return;
    const auto imbalance = report_.members->Of(id);
    if (!imbalance) return;
    json_.BeginLine("imbalance");
    json_.Field("over", imbalance->over_ranks ? "rank" : "process");
    json_.Field("count", imbalance->count);
    json_.Field("max", imbalance->max_ns);
    json_.Field("mean", imbalance->mean_ns);
    json_.Field("ratio", imbalance->ratio());
    json_.Field("who", imbalance->who);
    json_.EndObject();
  }

  void WriteMeasured(const RegionRollup& rolled) {
    json_.Objects("measured", rolled.measured, [&](const WholeRow& row) {
      json_.Field("mode", ModeName(row.mode));
      json_.Field("id", Index(row.measurement));
      json_.Field("gpu_time_ns", OptionalIf(row.amounts.without_time == 0,
                                            row.amounts.gpu_time_ns));
      WriteCounted(row);
      WriteMetrics(row.amounts.cells, CellDetail::kAll);
    });
  }

  // Only where the values are means of several instances.
  void WriteCounted(const WholeRow& row) {
    if (row.instances == 0) return;
    json_.Field("instances", row.instances);
    if (row.deviations.empty()) return;
    json_.BeginLine("standard_deviation");
    for (const WholeDeviation& metric : row.deviations)
      json_.Field(profile_.MetricName(metric.metric), metric.value);
    json_.EndObject();
  }

  // Leaves out empty lists.
  void WriteList(std::string_view key, const std::vector<std::string>& texts) {
    if (!texts.empty()) json_.Field(key, texts);
  }

  void WriteSource(StringId kernel) {
    if (const auto* source = report_.kernel_names->Source(kernel)) {
      WriteList("source", source->operators);
      WriteList("source_lines", source->lines);
      WriteList("model_lines", source->model_lines);
    }
    const std::string_view why = report_.kernel_names->WhyNoLine(kernel);
    if (!why.empty()) json_.Field("source_unknown", why);
  }

  void WriteDevice(std::int32_t device) {
    json_.Field("device",
                OptionalIf(device >= 0, fmt::format("cuda:{}", device)));
  }

  void WriteKernel(const ScopeRollup& scope, RegionId id,
                   const KernelRow& row) {
    json_.Field("kernel_name", profile_.Name(row.name));
    json_.Field("short_name", report_.kernel_names->Short(row.name));
    WriteSource(row.name);
    json_.Field("calls", row.calls);
    json_.Field("own_calls", row.own_calls);
    const std::uint64_t timed = row.calls - row.amounts.without_time;
    const auto ms = [&](std::string_view key, double ns) {
      json_.Field(key, OptionalIf(timed > 0, ns / 1e6));
    };
    ms("total_ms", row.total_ns);
    // If all calls are its own, the time is the same.
    if (row.own_calls < row.calls) ms("own_total_ms", row.own_ns);
    ms("mean_ms", row.total_ns / static_cast<double>(timed));
    ms("min_ms", row.min_ns);
    ms("max_ms", row.max_ns);
    WriteDevice(row.device);
    WriteTracedKernelJson(json_, report_, scope, id, row);
    WriteMetrics(row.amounts.cells, CellDetail::kBrief);
    const auto rows = form_.roofline.RowsOf(row.amounts);
    if (!rows.empty()) WriteRoofline(rows);
  }

  void WriteSelection(RegionId id) {
    const ReportOptions& options = report_.options;
    json_.BeginObject("selection");
    json_.Field("include_patterns", options.include_patterns);
    json_.Field("exclude_patterns", options.exclude_patterns);
    WriteList("kernel_include_patterns", options.kernel_include_patterns);
    WriteList("kernel_exclude_patterns", options.kernel_exclude_patterns);
    json_.EndObject();
    const std::string& folder = folders_[Index(id)];
    const auto path = [&](std::string_view key, std::string_view file,
                          bool written) {
      json_.Field(key, OptionalIf(!folder.empty() && written,
                                  fmt::format("{}/{}", folder, file)));
    };
    path("markdown_path", "report.md", options.files.Has("md"));
    path("json_path", "report.json", options.files.Has("json"));
    path("csv_path", "raw.csv", options.files.csv);
    path("sections_path", "sections.txt", true);
  }

  void WriteTotal(const ScopeRollup& scope, RegionId id, const RegionRow& row) {
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
    json_.Field("total_ms", OptionalIf(ns.has_value(), ns.value_or(0) / 1e6));
    WriteTimeSource("total_source", source);
    json_.Field("kernel_count",
                kernels ? std::optional(inclusive.kernel_count) : row.launches);
    // Only if `inclusive` and `exclusive` are not sufficient.
    const bool plain = row.source == TimeSource::kKernels && row.wholes == 0 &&
                       row.unselected == 0 && row.reason.empty();
    if (!plain) WriteSummary(row);
  }

  void WriteTimeSource(std::string_view key, TimeSource source) {
    json_.Field(key,
                OptionalIf(source != TimeSource::kNone, SourceName(source)));
  }

  void WriteSummary(const RegionRow& row) {
    json_.BeginLine("summary");
    WriteTimeSource("source", row.source);
    json_.Field("gpu_time_ns", row.time_ns);
    json_.Field("own_gpu_time_ns", row.own_ns);
    json_.Field("share", row.share);
    json_.Field("launches", row.launches);
    json_.Field("own_launches", row.own_launches);
    json_.Field("measured", row.measured);
    json_.Field("ranges", row.wholes);
    if (row.unselected > 0) json_.Field("unselected", row.unselected);
    if (!row.reason.empty()) json_.Field("reason", row.reason);
    json_.EndObject();
  }

  void WriteAmountFields(const Amounts& amounts, CellDetail detail,
                         const RegionRow* row) {
    json_.Field("gpu_time_ns",
                row != nullptr
                    ? MeasuredNs(amounts, *row)
                    : OptionalIf(amounts.without_time < amounts.kernel_count,
                                 amounts.gpu_time_ns));
    if (amounts.without_time > 0)
      json_.Field("without_time", amounts.without_time);
    // If nothing was measured, every cell is absent for that reason.
    WriteMetrics(
        amounts.kernel_count > 0 || amounts.estimated ? amounts.cells : Cells(),
        detail);
  }

  void WriteMetrics(const Cells& cells, CellDetail detail) {
    json_.Key("metrics");
    json_.Value(
        [&](std::string& out) { form_.cells.Append(cells, detail, out); });
  }

  // Rows of metrics in place; the block has the values of the others.
  void WriteSections(RegionId id, const Amounts& amounts) {
    json_.BeginObject("sections");
    for (const SectionTable& table : report_.sections->TablesOf(id, amounts)) {
      json_.BeginArray(table.identifier);
      for (const SectionTableRow& row : table.rows) {
        if (!form_.in_place[row.column]) continue;
        json_.Value([&](std::string& out) {
          out += "{\"label\":";
          AppendJsonText(row.label, out);
          out += ",\"metric\":";
          AppendJsonText(row.metric, out);
          out += ',';
          AppendCell(profile_, row.cell, row.unit, CellDetail::kAll, out);
          out += '}';
        });
      }
      json_.EndArray();
    }
    json_.EndObject();
  }

  void WriteFindings(const ScopeRollup& scope, RegionId id) {
    const auto findings = FindingsIn(report_, scope.scope, id);
    json_.Objects("findings", findings, [&](const Finding& finding) {
      json_.Field("rule", finding.rule);
      json_.Field("name", finding.name);
      json_.Field("section", finding.section);
      json_.Field("kind", kFindingKinds[Index(finding.kind)]);
      json_.Field("title", finding.title);
      json_.Field("text", finding.text);
      json_.Field("kernels", finding.kernels);
      json_.Field("time_ns", finding.time_ns);
      json_.Field("time_share", finding.time_share);
      json_.Field("speedup_percent", finding.speedup_percent);
      json_.Field("speedup_type",
                  finding.speedup_is_global ? "global" : "local");
    });
  }

  void WriteRoofline(const std::vector<RooflineRow>& rows) {
    json_.Lines("roofline", rows, [&](const RooflineRow& row) {
      json_.Field("precision", row.precision);
      json_.Field("unit", row.unit);
      json_.Field("how", HowName(row.how));
      // Instructions must not be mistaken for FLOP.
      const bool flop = row.unit == "flop";
      json_.Field(flop ? "flop" : "instructions", row.work);
      json_.Field("dram_bytes", row.dram_bytes);
      json_.Field("intensity", row.intensity);
      json_.Field(flop ? "achieved_flops" : "achieved_instructions",
                  row.achieved);
      json_.Field(flop ? "peak_flops" : "peak_instructions", row.peak);
      json_.Field("peak_bandwidth", row.peak_bandwidth);
      json_.Field(flop ? "limit_flops" : "limit_instructions", row.limit);
      json_.Field("percent", row.percent);
    });
  }

  const Report& report_;
  const Profile& profile_;
  JsonForm& form_;
  const std::span<const std::string> folders_;
  JsonStream& json_;
};

class JsonReport {
 public:
  // `folders`: see RegionJson; null `columns`: not in the document.
  JsonReport(const Report& report, const JsonExtent& extent,
             std::span<const std::string> folders, JsonForm& form,
             const PackedText* columns, std::ostream& out)
      : report_(report),
        profile_(*report.profile),
        rollup_(*report.rollup),
        extent_(extent),
        form_(form),
        folders_(folders),
        columns_(columns),
        json_(out),
        region_(report, form, folders, json_) {}

  void Write() {
    json_.BeginObject();
    json_.Field("schema", kSchema);
    json_.Field("generated_at", report_.options.generated_at);
    json_.Field("config_fingerprint", report_.options.config_fingerprint);
    WriteHeadlines();
    WriteCapture();
    WriteMetrics();
    WriteAggregateScope();
    json_.BeginArray("scopes");
    for (const ScopeRollup* scope : extent_.scopes) WriteScope(*scope);
    json_.EndArray();
    WriteRest();
    region_.WriteCatalog();
    if (!extent_.only) WriteRanksJson(json_, report_, extent_.page.has_value());
    if (columns_ != nullptr) json_.PackedField("columns", *columns_);
    WriteNotes();
    json_.EndObject();
  }

 private:
  // The place of the aggregate in `scopes`.
  void WriteAggregateScope() {
    const auto at = std::ranges::find_if(
        extent_.scopes,
        [](const ScopeRollup* scope) { return scope->scope.aggregate; });
    json_.Field("aggregate_scope", OptionalIf(at != extent_.scopes.end(),
                                              at - extent_.scopes.begin()));
  }

  void WriteHeadlines() {
    json_.Objects("headlines", report_.diagnosis.headlines,
                  [&](const Headline& headline) {
                    region_.WriteCause(headline.cause);
                    json_.Field("region_id", Index(headline.region));
                    json_.Field("text", HeadlineText(report_, headline));
                    json_.Field("share", headline.share);
                  });
  }

  // Only if the selection leaves launches out.
  void WriteRest() {
    const auto& rest = report_.tree->rest();
    if (!rest) return;
    json_.BeginLine("rest");
    json_.Field("kernel_count", rest->launches);
    json_.Field("gpu_time_ns", rest->gpu_ns);
    json_.Field("share", rest->share);
    json_.EndObject();
  }

  void WriteCapture() {
    const CaptureFacts& capture = report_.capture;
    json_.BeginObject("capture");
    json_.Field("mode", capture.mode);
    json_.BeginObject("tools");
    for (const auto& [name, version] : capture.tools)
      json_.Field(name, version);
    json_.EndObject();
    json_.Field("command", capture.command);
    json_.Field("clock_control", capture.clock_control);
    json_.Field("cache_control", capture.cache_control);
    json_.Field("devices", capture.devices);
    if (const auto& names = report_.options.names;
        names && !names->frameworks.empty())
      json_.Field("frameworks", names->frameworks);
    const auto single = [](const ScopeRollup& one) {
      return !one.scope.aggregate;
    };
    json_.Objects("processes", rollup_.scopes | std::views::filter(single),
                  [&](const ScopeRollup& one) { WriteProcess(one.scope); });
    WriteRunsJson(json_, report_);
    WriteSamplingJson(json_, report_);
    WriteCheckJson(json_, report_);
    WritePrecisionJson(json_, report_);
    json_.Objects("artifacts", profile_.artifacts,
                  [&](const Artifact& artifact) {
                    json_.Field("path", artifact.path);
                    json_.Field("format", artifact.format);
                    json_.Field("bytes", artifact.bytes);
                  });
    json_.EndObject();
  }

  void WriteProcess(const Scope& scope) {
    const Process& process = profile_.processes[Index(scope.process)];
    json_.Field("scope", ScopeName(report_, scope));
    json_.Field("pid", process.pid);
    json_.Field("name", profile_.Name(process.name));
    json_.Field("host", profile_.Name(process.host));
    json_.Field("rank", OptionalIf(process.rank >= 0, process.rank));
  }

  // The common facts of all cells of a metric, and where its cells are.
  void WriteMetrics() {
    json_.BeginRows("metrics", '{');
    for (std::size_t c = 0; c < rollup_.columns.size(); ++c) {
      const Column& column = rollup_.columns[c];
      json_.BeginLine(column.name);
      json_.Field("unit", column.unit);
      const std::string_view rule = RuleOf(c);
      if (!rule.empty()) json_.Field("rule", rule);
      if (const std::string doc = MetricDoc(report_, c); !doc.empty())
        json_.Field("doc", doc);
      json_.Field("cells", form_.in_place[c] ? "in_place" : "columns");
      json_.EndObject();
    }
    json_.EndObject();
  }

  // The rule of the first scope's totals; nothing if they have no cells.
  std::string_view RuleOf(std::size_t column) const {
    if (rollup_.scopes.empty()) return {};
    const Cells& cells = rollup_.scopes.front().totals.cells;
    return column < cells.size() ? cells[column].rule : Word();
  }

  bool IsBrief(const ScopeRollup& scope) const {
    return !extent_.only && !scope.scope.aggregate &&
           rollup_.scopes.size() == 2 && rollup_.scopes[0].scope.aggregate &&
           report_.tree->regions().size() > kMostRegionsTwice;
  }

  void WriteScope(const ScopeRollup& scope) {
    const bool brief = IsBrief(scope);
    json_.BeginObject();
    json_.Field("scope", ScopeName(report_, scope.scope));
    if (brief) json_.Field("same_as", "aggregate");
    region_.WriteScope(scope.scope);
    WriteOwner(scope.scope);
    json_.Field("headline", HeadlineOf(report_, scope));
    region_.WriteTotals(scope);
    region_.WriteTraced(scope, RegionTree::kRoot,
                        TimesOf(report_, scope.scope, RegionTree::kRoot));
    WritePhasesJson(json_, report_, scope);
    json_.BeginRows("regions");
    const std::vector<RegionId> order = extent_.Order(report_, scope);
    json_.Members(order.size(),
                  [&](JsonStream& part, std::size_t from, std::size_t to) {
                    RegionJson region(report_, form_, folders_, part);
                    for (std::size_t i = from; i < to; ++i)
                      region.Write(scope, order[i], brief);
                  });
    json_.EndArray();
    if (!extent_.only && !brief) WriteNames(scope);
    json_.EndObject();
  }

  void WriteNames(const ScopeRollup& scope) {
    json_.Rows("by_name", scope.names, [&](const NameRow& row) {
      json_.Field("name", profile_.Name(row.frame.name));
      json_.Field("domain", profile_.Name(row.frame.domain));
      const auto shown = [&](RegionId id) {
        return !extent_.page || extent_.page->Has(id);
      };
      json_.Field("regions", row.regions | std::views::filter(shown) |
                                 std::views::transform(Index<RegionId>));
      region_.WriteAmounts("inclusive", row.amounts);
    });
  }

  // For a scope of a parallel job: process ids of two hosts may be equal.
  void WriteOwner(const Scope& scope) {
    if (ScopeOwner(report_, scope).empty()) return;
    const Process& process = profile_.processes[Index(scope.process)];
    if (process.rank >= 0) json_.Field("rank", process.rank);
    json_.Field("host", profile_.Name(process.host));
  }

  void WriteNotes() {
    std::vector<Note> notes;
    if (extent_.page && extent_.page->left_out() > 0)
      notes.push_back(RegionsLeftOut());
    if (extent_.page && extent_.scopes.size() < ShownScopes(report_).size())
      notes.push_back(ScopesLeftOut());
    std::ranges::copy(report_.notes->all(), std::back_inserter(notes));
    json_.Rows("notes", notes, [&](const Note& note) {
      json_.Field("severity", SeverityName(note.severity));
      json_.Field("kind", note.kind);
      json_.Field("text", note.text);
      json_.Field("where", note.where);
      json_.Field("count", note.count);
    });
  }

  Note RegionsLeftOut() const {
    return {.severity = Severity::kInfo,
            .kind = "page_regions_left_out",
            .text = fmt::format(
                "this page shows the {} regions with the most GPU time; "
                "report.json has all of them, and the others are part of their "
                "outer regions' values here, too",
                FormatCount(report_.options.max_page_regions)),
            .count = extent_.page->left_out()};
  }

  Note ScopesLeftOut() const {
    return {.severity = Severity::kInfo,
            .kind = "page_scopes_left_out",
            .text = fmt::format(
                "this page shows {} scopes: the aggregate, late and typical "
                "ranks, then the scopes with the most GPU time; report.json "
                "has all scopes",
                FormatCount(extent_.scopes.size())),
            .count = ShownScopes(report_).size() - extent_.scopes.size()};
  }

  const Report& report_;
  const Profile& profile_;
  const Rollup& rollup_;
  const JsonExtent& extent_;
  JsonForm& form_;
  const std::span<const std::string> folders_;
  const PackedText* const columns_;
  JsonStream json_;
  RegionJson region_;
};

void Write(const Report& report, const JsonExtent& extent,
           std::span<const std::string> folders, JsonForm& form,
           const PackedText* columns, std::ostream& out) {
  JsonReport(report, extent, folders, form, columns, out).Write();  // flushes
  out << '\n';
}

JsonExtent ExtentOfRun(const Report& report) {
  JsonExtent extent;
  for (const ScopeRollup& scope : report.rollup->scopes)
    extent.scopes.push_back(&scope);
  return extent;
}

}  // namespace

void WriteJson(const Report& report, std::ostream& out) {
  RunJson(report).Write(out);
}

RunJson::RunJson(const Report& report)
    : report_(report),
      folders_(FoldersOf(report)),
      form_(std::make_unique<JsonForm>(report, report.options.in_place)),
      // The page unpacks metrics itself, and stays small.
      page_form_(
          std::make_unique<JsonForm>(report, MetricsInPlace::kRequested)) {
  if (page_form_->in_place == form_->in_place) page_form_.reset();
}

RunJson::~RunJson() = default;

const PackedText& RunJson::columns() const {
  std::call_once(columns_made_, [&] {
    columns_ = PackColumns(report_, ExtentOfRun(report_), form_->in_place);
  });
  return columns_;
}

void RunJson::Write(std::ostream& out) const {
  rangefinder::Write(report_, ExtentOfRun(report_), folders_, *form_,
                     form_->packs() ? &columns() : nullptr, out);
}

void RunJson::WriteRegion(RegionId region, std::ostream& out) const {
  const JsonExtent extent{.only = region, .scopes = ShownScopes(report_)};
  std::optional<PackedText> columns;
  if (form_->packs()) columns = PackColumns(report_, extent, form_->in_place);
  rangefinder::Write(report_, extent, folders_, *form_,
                     columns ? &*columns : nullptr, out);
}

std::string RunJson::WritePage(std::ostream& out) const {
  const JsonExtent extent{
      .scopes = ScopesOneByOne(report_, MostPageScopes(report_)),
      .page = PageRegions(report_)};
  JsonForm& form = page_form_ ? *page_form_ : *form_;
  rangefinder::Write(report_, extent, {}, form, nullptr, out);
  if (!form.packs()) return "null";
  // With one process on one device, the run has a second scope, which is a copy
  // of the aggregate and costs no more columns.
  const std::vector<const ScopeRollup*> all = ExtentOfRun(report_).scopes;
  const bool same =
      !page_form_ && extent.page->left_out() == 0 &&
      all.size() <= std::max<std::size_t>(extent.scopes.size(), 2) &&
      std::ranges::equal(extent.scopes,
                         all | std::views::take(extent.scopes.size()));
  std::string columns;
  if (same)
    AppendPacked(this->columns(), columns);
  else
    AppendPacked(PackColumns(report_, extent, form.in_place), columns);
  return columns;
}

}  // namespace rangefinder
