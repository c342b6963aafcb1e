#include "report/documents.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/numbers.h"
#include "base/text.h"
#include "insight/imbalance.h"
#include "region/path.h"
#include "report/folder.h"
#include "report/page_scopes.h"
#include "report/precision.h"
#include "report/sentences.h"
#include "rollup/traced.h"

namespace rangefinder {
namespace {

using Kind = TableColumn::Kind;

// Factor on regions.max_rows: most sections of all scopes of a job with many
// ranks.
constexpr std::uint64_t kMostSections = 10;
constexpr std::size_t kMostScopesNamed = 64;  // in the facts of a report
constexpr const char* kNoRegion = "No region: none was measured or selected.";
constexpr std::size_t kMostCompared = 30;    // kernels of two runs
constexpr std::size_t kTopKernels = 5;       // on a terminal
constexpr std::size_t kKernelsOfRegion = 5;  // among many regions

// ---- Facts ----

std::string ScopesText(const Report& report) {
  const Profile& profile = *report.profile;
  const std::vector<ScopeRollup>& all = report.rollup->scopes;
  std::string scopes;
  for (const ScopeRollup& scope : all) {
    if (&scope == all.data() + kMostScopesNamed) {
      scopes += fmt::format(" and {} more",
                            FormatCount(all.size() - kMostScopesNamed));
      break;
    }
    scopes += (scopes.empty() ? "" : ", ") + ScopeTitle(report, scope.scope);
    if (scope.scope.aggregate) continue;
    const StringId name = profile.processes[Index(scope.scope.process)].name;
    if (name != StringId{}) scopes += fmt::format(" ({})", profile.Name(name));
  }
  if (ShownScopes(report).size() < all.size())
    scopes += "; they are the same and shown once";
  return scopes;
}

// "only A, B, without B/x", each as code; empty if all are selected.
Text SelectionText(const std::vector<std::string>& include,
                   const std::vector<std::string>& exclude) {
  Text text;
  const auto add = [&](std::string_view word,
                       const std::vector<std::string>& patterns) {
    if (patterns.empty()) return;
    std::vector<Text> codes;
    for (const std::string& pattern : patterns) codes.push_back(Code(pattern));
    text += Text(text.empty() ? "" : ", ") + word + " " + Joined(codes);
  };
  add("only", include);
  add("without", exclude);
  return text;
}

// One line: replay mode, tools and devices.
void AddMeasured(Document& document, const Report& report) {
  const CaptureFacts& capture = report.capture;
  if (capture.mode.empty()) return;
  const bool replay = capture.mode != "trace" && capture.mode != "counters";
  std::string text = "Measured by " + capture.mode + (replay ? " replay" : "");
  if (const auto metrics = SampledMetricsOf(report); !metrics.empty())
    text += " and samples of " + Plural(metrics.size(), "counter", "counters");
  std::vector<std::string> tools;
  for (const auto& [name, version] : capture.tools)
    tools.push_back(name + " " + version);
  if (!tools.empty()) text += fmt::format(" ({})", fmt::join(tools, ", "));
  if (!capture.devices.empty())
    text += fmt::format(" on {}", fmt::join(capture.devices, ", "));
  document.AddParagraph(text + ".");
}

void AddFacts(Document& document, const Report& report) {
  const CaptureFacts& capture = report.capture;
  const ReportOptions& options = report.options;
  if (!capture.command.empty()) document.Add(ShellCommand{capture.command});
  List facts;
  const auto add = [&](std::string_view lead, Text text) {
    if (!text.empty()) facts.items.push_back({.lead = lead, .text = text});
  };
  if (!capture.clock_control.empty()) {
    add("Clocks", capture.clock_control == "none"
                      ? Text("as they were (") + Code("none") + ")"
                      : Code(capture.clock_control));
  }
  if (!capture.cache_control.empty()) {
    add("Caches", capture.cache_control == "all"
                      ? Text("flushed before every pass (") + Code("all") +
                            "): kernels start cold"
                      : Code(capture.cache_control));
  }
  add("Scopes", ScopesText(report));
  add("Regions",
      SelectionText(options.include_patterns, options.exclude_patterns));
  add("Kernels", SelectionText(options.kernel_include_patterns,
                               options.kernel_exclude_patterns));
  add("Runs", RunsText(report));
  add("Counters", SamplingText(report));
  add("Estimates", Strong(DoubtText(report)));
  add("Precision", PrecisionText(report));
  add("Checked", CheckText(report));
  add("Made", options.generated_at);
  document.AddList(std::move(facts));
}

// ---- Regions ----

// The metric of each heading, and how to read the cells.
void AddLegend(Document& document, const Report& report,
               const ScopeRollup& scope) {
  const std::vector<ReportColumn> metrics =
      ReportColumns(report, scope).Metrics();
  if (metrics.empty()) return;
  List list;
  for (const ReportColumn& metric : metrics) {
    Text text = Code(metric.metric);
    if (!metric.doc.empty()) text += ", " + metric.doc;
    list.items.push_back({.lead = Strong(metric.heading), .text = text});
  }
  document.AddParagraph(
      Text("Metrics of each region with its inner regions. ") + Code("±") +
      " is one standard error of an estimate; " + Code("~") +
      " is approximate, " + Code("≤") + " and " + Code("≥") +
      " are bounds, and " + Code("–") +
      " is absent: the end of this page says why.");
  document.AddList(std::move(list));
}

bool HasWholes(const ReportRows& rows) {
  return std::ranges::any_of(
      rows.rows, [](const ReportRow& row) { return !row.mode.empty(); });
}

bool HasMeans(const Report& report, const ScopeRollup& scope) {
  return std::ranges::any_of(scope.regions.there(), [&](const auto& region) {
    const RegionRow row =
        report.rows->Of(scope, static_cast<RegionId>(region.first));
    return row.whole != nullptr && row.whole->instances > 1;
  });
}

void AddFootnotes(Document& document, const Report& report,
                  const ScopeRollup& scope, const ReportRows& rows) {
  if (HasWholes(rows)) {
    document.AddParagraph(
        "A replay mode in place of launches: the region was measured as a "
        "whole, which is part of no sum, and its kernels were not measured one "
        "by one. ×: executions, whose times are added; metrics are of the "
        "first execution.");
  }
  if (HasMeans(report, scope)) {
    document.AddParagraph(
        "Metrics of a region that was counted are of one instance: the mean of "
        "the counted instances.");
  }
  if (scope.scope.aggregate && report.members->HasAny()) {
    document.AddParagraph(fmt::format(
        "max/mean: the GPU time of the {} with most of it, by the mean of all.",
        report.members->over_ranks() ? "rank" : "process"));
  }
  if (HasReplay(report)) {
    document.AddParagraph(
        "Times and launches are of the baseline run; metrics, and times under "
        "replay, are of the kernels that were measured.");
    if (const std::string coverage =
            CoverageText(report, scope, RegionTree::kRoot);
        !coverage.empty())
      document.AddParagraph(coverage + ".", Tone::kStrong);
  }
}

// The regions by wall time, with alike siblings in one row.
void AddRegions(Document& document, const Report& report,
                const ScopeRollup& scope, ReportRows rows) {
  document.AddParagraph(RunText(report, scope, rows), Tone::kStrong);
  document.AddHeading(2, "Regions, scope " + ScopeTitle(report, scope.scope),
                      HeadlineOf(report, scope));
  if (rows.rows.empty()) {
    document.AddParagraph(kNoRegion);
    return;
  }
  FoldAlikeRows(rows);
  AddReportTable(document, report, scope, rows, {}, {});
}

// Every region with every metric.
void AddTree(Document& document, const Report& report, const ScopeRollup& scope,
             const ReportRows& rows, AbsenceReasons& reasons) {
  if (rows.rows.empty()) return;
  document.Add(FoldStart{"Every region and metric, scope " +
                         ScopeTitle(report, scope.scope)});
  AddReportTable(document, report, scope, rows, {.top = 0},
                 {.full = true, .reasons = &reasons});
  AddFootnotes(document, report, scope, rows);
  AddLegend(document, report, scope);
  document.Add(FoldEnd{});
}

// Nothing if every name belongs to one region only.
void AddNames(Document& document, const Report& report,
              const ScopeRollup& scope, AbsenceReasons& reasons) {
  if (scope.names.empty()) return;
  ReportRows rows = RowsOf(report, scope, TableBy::kName);
  std::erase_if(rows.rows, [](const ReportRow& row) {
    return row.regions.value_or(0) < 2;
  });
  document.Add(FoldStart{"By name, scope " + ScopeName(report, scope.scope)});
  document.AddParagraph(
      "Regions of one name together, inner regions included; a kernel counts "
      "once.");
  AddReportTable(document, report, scope, rows,
                 {.by = TableBy::kName, .top = 0},
                 {.full = true, .reasons = &reasons});
  document.Add(FoldEnd{});
}

void AddMoreScopes(Document& document, const Report& report,
                   std::size_t shown) {
  const std::size_t count = ShownScopes(report).size() - shown;
  if (count == 0) return;
  document.AddParagraph(
      fmt::format(
          "{} more processes and devices are in report.json; this report "
          "shows late and typical ranks, and the processes and devices "
          "with the most GPU time.",
          FormatCount(count)),
      Tone::kQuiet);
}

// The sections of the regions, scope by scope; with several scopes, each has a
// heading.
void AddDetails(Document& document, const Report& report,
                const std::vector<const ScopeRollup*>& scopes,
                AbsenceReasons& reasons) {
  const std::uint64_t most = report.options.max_rows;
  std::uint64_t room = kMostSections * most;
  for (const ScopeRollup* scope : scopes) {
    const bool several = scopes.size() > 1;
    if (several)
      document.AddHeading(2,
                          "Details, scope " + ScopeTitle(report, scope->scope));
    const std::vector<RegionId> order = ReadingOrder(report, *scope);
    const std::uint64_t shown =
        std::min<std::uint64_t>({order.size(), most, room});
    room -= shown;
    for (std::size_t i = 0; i < shown; ++i) {
      if (!IsWholeProgram(report))
        document.AddHeading(several ? 3 : 2, RegionTitle(report, order[i]));
      document.Add(FoldStart{"Times, kernels and metrics"});
      AddRegion(document, report, *scope, order[i], reasons, kKernelsOfRegion);
      document.Add(FoldEnd{});
    }
    if (shown < order.size()) {
      document.AddParagraph(Text(FormatCount(order.size() - shown)) +
                                " more regions have no section here (" +
                                Code("regions.max_rows") +
                                "); report.json has all",
                            Tone::kQuiet);
    }
  }
}

void AddHeadlines(Document& document, const Report& report) {
  document.AddParagraph(DataLossText(report), Tone::kWarn);
  if (report.diagnosis.headlines.empty() && !report.rollup->scopes.empty())
    document.AddParagraph(NothingStandsOut(report));
  List list;
  for (const Headline& headline : report.diagnosis.headlines)
    list.items.push_back(HeadlineItem(report, headline));
  document.AddList(std::move(list));
}

// The beginning of both reports of the run.
std::vector<const ScopeRollup*> AddOverview(Document& document,
                                            const Report& report, bool names,
                                            AbsenceReasons& reasons) {
  const std::vector<const ScopeRollup*> scopes =
      ScopesOneByOne(report, kMostDocumentScopes);
  AddMeasured(document, report);
  AddHeadlines(document, report);
  AddNoMatch(document, report);
  AddRanks(document, report, Detail::kFull);
  // The rows of many regions take much memory, so only one table has its rows
  // at a time.
  const auto rows_of = [&](const ScopeRollup& scope) {
    return RowsOf(report, scope, TableBy::kRegion);
  };
  if (!scopes.empty()) {
    const ScopeRollup& first = *scopes.front();
    if (IsWholeProgram(report))
      AddWholeProgram(document, report, first, reasons);
    else
      AddRegions(document, report, first, rows_of(first));
    AddPhases(document, report, first);
    AddUnitCosts(document, report);
  }
  AddRest(document, report);
  document.Add(FoldStart{"How it was measured"});
  AddFacts(document, report);
  document.Add(FoldEnd{});
  for (const ScopeRollup* scope : scopes) {
    if (IsWholeProgram(report)) continue;
    AddTree(document, report, *scope, rows_of(*scope), reasons);
    if (names) AddNames(document, report, *scope, reasons);
  }
  AddMoreScopes(document, report, scopes.size());
  return scopes;
}

// ---- Checks ----

// At most `most`; if there are more, differing checks come first.
std::vector<const CountCheck*> ChosenChecks(
    const Report& report, const std::vector<RegionId>& regions,
    std::size_t most) {
  std::vector<const CountCheck*> chosen;
  const auto add = [&](const auto& wanted) {
    for (const CountCheck& check : report.options.checks) {
      if (wanted(check)) chosen.push_back(&check);
    }
  };
  if (regions.empty()) add([](const CountCheck&) { return true; });
  for (const RegionId region : regions)
    add([&](const CountCheck& check) { return check.region == region; });
  if (chosen.size() > most) {
    std::ranges::stable_sort(chosen, {}, &CountCheck::agrees);
    chosen.resize(most);
  }
  return chosen;
}

TableCell ApartCell(const CountCheck& check) {
  if (check.exact == 0) return {};
  const double percent = 100 * (check.estimate / check.exact - 1);
  if (std::abs(percent) < 0.05) return "0.0 %";
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 9.95 ? 1 : 0);
}

// ---- Two runs ----

struct Compared {
  LaunchSum traced{}, measured{};
};

std::vector<std::pair<std::string, Compared>> ComparedKernels(
    const Report& report, const ScopeRollup& scope) {
  std::map<std::string, Compared> kernels;
  for (std::size_t i = 0; i < scope.regions.size(); ++i) {
    for (const TracedKernel& kernel :
         report.traced->Of(scope, static_cast<RegionId>(i)).kernels) {
      Compared& sum = kernels[std::string(report.profile->Name(kernel.name))];
      sum.traced += kernel.traced;
      sum.measured += kernel.measured;
    }
  }
  std::vector<std::pair<std::string, Compared>> rows(kernels.begin(),
                                                     kernels.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return std::max(a.second.traced.ns, a.second.measured.ns) >
           std::max(b.second.traced.ns, b.second.measured.ns);
  });
  return rows;
}

void AddComparison(Document& document, const Report& report,
                   const ScopeRollup& scope,
                   const std::vector<std::pair<std::string, Compared>>& rows) {
  if (const std::string coverage =
          CoverageText(report, scope, RegionTree::kRoot);
      !coverage.empty())
    document.AddParagraph(coverage + ".");
  Table table{.columns = {{.heading = "kernel", .kind = Kind::kText},
                          {.heading = "launches, baseline"},
                          {.heading = "replay"},
                          {.heading = "mean, baseline"},
                          {.heading = "replay"},
                          {.heading = "ratio"}}};
  const auto mean = [](const LaunchSum& sum) {
    return sum.count > 0 ? TableCell(TimeOf(sum.mean())) : TableCell();
  };
  for (const auto& [name, kernel] : rows) {
    if (table.rows.size() == kMostCompared) break;
    TableCell ratio;
    if (kernel.traced.ns > 0 && kernel.measured.ns > 0)
      ratio = RatioOf(kernel.measured.mean() / kernel.traced.mean());
    table.rows.push_back(
        {.cells = {name, CountOf(kernel.traced.count),
                   CountOf(kernel.measured.count), mean(kernel.traced),
                   mean(kernel.measured), ratio}});
  }
  document.AddTable(std::move(table));
  AddLeftOut(document, rows.size(), kMostCompared, "kernels are");
}

// The baseline run next to the run with replay, kernel by kernel.
void AddTwoRuns(Document& document, const Report& report) {
  if (!HasReplay(report)) return;
  document.AddHeading(2, "Baseline run and replay");
  document.AddParagraph(
      "The baseline run was traced without replay; the other run replayed its "
      "kernels to read their counters. Their numbers are never added.");
  if (const auto ratio = report.traced->ratio()) {
    document.AddParagraph(fmt::format(
        "Under replay kernels took {:.2f} times as long (median of {}, from "
        "{:.2f} to {:.2f}).",
        ratio->median, FormatCount(ratio->kernels), ratio->low, ratio->high));
  }
  const std::vector<const ScopeRollup*> scopes =
      ScopesOneByOne(report, kMostDocumentScopes);
  for (const ScopeRollup* scope : scopes) {
    const auto rows = ComparedKernels(report, *scope);
    if (rows.empty()) continue;
    if (scopes.size() > 1)
      document.AddHeading(3, "Scope " + ScopeTitle(report, scope->scope));
    AddComparison(document, report, *scope, rows);
  }
}

// ---- A terminal ----

class Show {
 public:
  Show(const Report& report, const ShowOptions& options)
      : report_(report), options_(options), view_(options.view) {}

  Document Make() && {
    auto scopes = FindScopes(report_, view_.scope);
    if (!scopes.ok()) scopes = FindScopes(report_, "");
    std::vector<const ScopeRollup*> shown = std::move(scopes).value();
    // A table by rank has a row for each scope.
    if (view_.by == TableBy::kRank && !shown.empty()) shown.resize(1);
    const bool by_region = view_.by == TableBy::kRegion;
    // Without regions, the kernels are the rows.
    by_kernel_ = by_region && IsWholeProgram(report_);
    if (by_kernel_) AddNoMatch(document_, report_);
    if (view_.scope.empty() && by_region) AddHeadlines(document_, report_);
    if (view_.scope.empty() && (by_region || view_.by == TableBy::kRank))
      AddRanks(document_, report_, Detail::kShort);
    for (const ScopeRollup* scope : shown) AddScope(*scope);
    AddRest(document_, report_);
    if (shown.size() == 1) AddOtherScopes(*shown.front());
    if (!shown.empty() && by_region && !by_kernel_)
      AddTopKernels(*shown.front());
    AddNotes(document_, *report_.notes, DetailOf());
    return std::move(document_);
  }

 private:
  Detail DetailOf() const {
    return options_.verbose ? Detail::kVerbose : Detail::kShort;
  }

  // The name of the scope; an aggregate of one scope also names that scope.
  std::string Title(const Scope& scope) const {
    std::string title = ScopeTitle(report_, scope);
    const std::vector<ScopeRollup>& scopes = report_.rollup->scopes;
    if (scope.aggregate && scopes.size() == 2)
      title += " = " + ScopeTitle(report_, scopes[1].scope);
    return title;
  }

  // A row of several regions has no counters: if columns of counters are
  // requested, each region has its own row.
  bool FoldsAlike(const ScopeRollup& scope) const {
    if (view_.by != TableBy::kRegion || view_.flat || view_.expand)
      return false;
    const ReportColumns columns(report_, scope);
    return std::ranges::none_of(view_.columns, [&](const std::string& name) {
      const auto column = columns.Find(name);
      return column.ok() && !column.value().metric.empty();
    });
  }

  void AddScope(const ScopeRollup& scope) {
    TableView view = view_;
    if (by_kernel_) view.by = TableBy::kKernel;
    ReportRows rows = RowsOf(report_, scope, view.by, &options_.rollup);
    document_.AddParagraph(RunText(report_, scope, rows), Tone::kStrong);
    document_.AddHeading(2, Title(scope.scope), HeadlineOf(report_, scope));
    if (!by_kernel_ && FoldsAlike(scope)) FoldAlikeRows(rows);
    if (rows.rows.empty()) {
      document_.AddParagraph(kNoRegion);
      return;
    }
    AddReportTable(document_, report_, scope, rows, view,
                   {.verbose = options_.verbose, .has_options = true});
    if (scope.scope.aggregate || !options_.rollup.aggregate) AddSampling();
    document_.AddParagraph(CoverageText(report_, scope, RegionTree::kRoot),
                           Tone::kWarn);
    if (view_.by == TableBy::kRegion) AddPhases(document_, report_, scope);
    if (view_.by == TableBy::kRegion && &scope == report_.rollup->scopes.data())
      AddUnitCosts(document_, report_);
    if ((scope.scope.aggregate || !options_.rollup.aggregate) &&
        view_.by == TableBy::kRegion)
      AddShownChecks(scope, rows);
  }

  // The meaning of ±, if it is shown, and the quality of the estimates.
  void AddSampling() {
    const std::string text = SamplingText(report_);
    if (text.empty()) return;
    document_.AddParagraph(HasEstimates(report_)
                               ? "± is one standard error; " + text
                               : "counters: " + text,
                           Tone::kQuiet);
    document_.AddParagraph(PrecisionText(report_), Tone::kQuiet);
  }

  void AddShownChecks(const ScopeRollup& scope, const ReportRows& rows) {
    const auto sort = ReportColumns(report_, scope).Find(view_.sort);
    if (!sort.ok() || report_.options.checks.empty()) return;
    std::vector<RegionId> regions;
    for (const std::size_t row :
         SelectRows(rows, view_, sort.value(), report_.options.max_rows, true)
             .rows) {
      if (rows.rows[row].region) regions.push_back(*rows.rows[row].region);
    }
    if (!regions.empty()) AddChecks(document_, report_, 3, regions, DetailOf());
  }

  void AddOtherScopes(const ScopeRollup& shown) {
    const std::size_t count = report_.rollup->scopes.size() - 1;
    if (!shown.scope.aggregate || count < 2 || view_.by == TableBy::kRank)
      return;
    document_.AddParagraph(
        fmt::format("{} processes and devices together: --scope all shows "
                    "each, --by rank compares them",
                    count),
        Tone::kQuiet);
  }

  void AddTopKernels(const ScopeRollup& scope) {
    const ReportRows kernels = RowsOf(report_, scope, TableBy::kKernel);
    if (kernels.rows.empty()) return;
    document_.AddHeading(
        3, "Kernels by time",
        scope.scope.aggregate ? "" : ScopeTitle(report_, scope.scope));
    Table table{.columns = {{.heading = "time"},
                            {.heading = "share"},
                            {.heading = "launches"},
                            {.heading = "kernel", .kind = Kind::kText}}};
    for (const ReportRow& row : kernels.rows) {
      if (table.rows.size() == kTopKernels) break;
      table.rows.push_back(
          {.cells = {CellOf(TimeOf, row.time_ns),
                     CellOf(ShareOfWhole, row.share),
                     CellOf(CountOf, row.launches), row.name}});
    }
    document_.AddTable(std::move(table));
    if (const std::size_t more =
            kernels.rows.size() - std::min(kTopKernels, kernels.rows.size());
        more > 0)
      document_.AddParagraph(
          Plural(more, "more kernel", "more kernels") + ": --by kernel",
          Tone::kQuiet);
  }

  const Report& report_;
  const ShowOptions& options_;
  const TableView& view_;
  bool by_kernel_ = false;
  Document document_{};
};

// ---- Notes ----

constexpr std::array<std::string_view, 16> kExpert = {
    "cost_estimate",    "cut_names",
    "free_clocks",      "instances_in_report",
    "lost_samples",     "nvtx_marks",
    "nvtx_translation", "reentrant_calls",
    "rollup_inputs",    "second_trace_left_out",
    "slow_launch",      "unknown_field",
    "unmatched_end",    "traced_process_alone",
    "unmatched_pop",    "regions_not_selected"};

std::string_view LeadOf(Severity severity) {
  constexpr std::array<std::string_view, 3> kLeads = {"", "warning",
                                                      "data loss"};
  return kLeads[static_cast<std::size_t>(severity)];
}

// Whether the note is about a method and changes no number.
bool IsForExperts(const Note& note) {
  return note.severity == Severity::kInfo && Has(kExpert, note.kind);
}

ListItem NoteItem(const Note& note) {
  std::string text = note.text;
  if (!note.where.empty()) text += " (" + note.where + ")";
  if (note.count > 1) text += fmt::format(" ×{}", FormatCount(note.count));
  return {
      .lead = LeadOf(note.severity),
      .text = text,
      .tone = note.severity == Severity::kInfo ? Tone::kPlain : Tone::kWarn};
}

}  // namespace

void AddLeftOut(Document& document, std::size_t rows, std::size_t shown,
                std::string_view what) {
  if (rows <= shown) return;
  document.AddParagraph(
      fmt::format("{} more {} in report.json", FormatCount(rows - shown), what),
      Tone::kQuiet);
}

void AddChecks(Document& document, const Report& report, int level,
               const std::vector<RegionId>& regions, Detail detail) {
  constexpr std::size_t kMost = 24;
  const auto& checks = report.options.checks;
  const std::vector<const CountCheck*> chosen =
      ChosenChecks(report, regions,
                   detail == Detail::kShort  ? kMost
                   : detail == Detail::kFull ? report.options.max_rows
                                             : checks.size());
  if (chosen.empty()) return;
  document.AddHeading(
      level, "Estimates and exact counts",
      CheckText(report) +
          "; per instance, with copies and sets, ± one standard error");
  Table table{.columns = {{.heading = "region", .kind = Kind::kText},
                          {.heading = "counter", .kind = Kind::kText},
                          {.heading = "estimate"},
                          {.heading = "exact"},
                          {.heading = "counted", .gives_way = 1},
                          {.heading = "difference"},
                          {.heading = "verdict"}}};
  bool differs = false;
  for (const CountCheck* check : chosen) {
    const Column& column = report.rollup->columns[check->column];
    const bool full = detail == Detail::kFull;
    TableRow& row = table.rows.emplace_back();
    row.cells = {
        RegionLabel(*report.profile, report.tree->PathTo(check->region)),
        full ? Code(column.name) : Text(MetricHeading(report, check->column)),
        EstimateOf(check->estimate, check->estimate_error, column.unit),
        EstimateOf(check->exact, check->exact_error, column.unit),
        fmt::format("{} of {}", FormatCount(check->counted),
                    FormatCount(check->instances)),
        ApartCell(*check),
        check->agrees ? "agrees" : "differs"};
    if (!full) row.cells[0] = RegionName(report, check->region);
    if (check->agrees) continue;
    differs = true;
    row.tone = Tone::kWarn;
  }
  document.AddTable(std::move(table));
  if (differs) {
    document.AddParagraph(
        "A counted instance begins and ends with an idle GPU: cycles, and "
        "traffic that depends on the contents of caches, may truly differ.",
        Tone::kQuiet);
  }
  if (const std::size_t more = checks.size() - chosen.size(); more > 0) {
    document.AddParagraph(
        FormatCount(more) + (detail == Detail::kFull
                                 ? " more are in report.json"
                                 : " more: report.md and report.json"),
        Tone::kQuiet);
  }
}

List NotesList(const Notes& notes, Detail detail) {
  std::vector<const Note*> order;
  for (const Note& note : notes.all()) {
    if (detail != Detail::kShort || !IsForExperts(note)) order.push_back(&note);
  }
  std::ranges::stable_sort(order, std::ranges::greater(), &Note::severity);
  List list;
  for (const Note* note : order) list.items.push_back(NoteItem(*note));
  if (const std::size_t left = notes.all().size() - order.size(); left > 0)
    list.items.push_back(
        {.text = Plural(left, "note that changes", "notes that change") +
                 " no number: --verbose",
         .tone = Tone::kQuiet});
  return list;
}

void AddNotes(Document& document, const Notes& notes, Detail detail) {
  if (notes.empty() && detail != Detail::kFull) return;
  document.AddHeading(2, "Notes");
  if (notes.empty()) document.AddParagraph("None.");
  document.AddList(NotesList(notes, detail));
}

Document RunDocument(const Report& report) {
  Document document;
  document.AddHeading(1, "NCU Region Reports");
  AbsenceReasons reasons;
  const auto scopes = AddOverview(document, report, true, reasons);
  AddTwoRuns(document, report);
  AddChecks(document, report, 2, {}, Detail::kFull);
  AddDetails(document, report, scopes, reasons);
  reasons.AddTo(document);
  AddNotes(document, *report.notes, Detail::kFull);
  return document;
}

Document GlanceDocument(const Report& report) {
  Document document;
  document.AddHeading(1, "Run report");
  AbsenceReasons reasons;
  AddOverview(document, report, false, reasons);
  const std::size_t count = WithoutFolder(report);
  if (count > 0 && report.options.max_folders != 0) {
    document.AddParagraph(
        Text(FormatCount(count)) +
        " regions with less GPU time, or deeper than 32 levels, have no folder "
        "of their own (" +
        Code(fmt::format("report.max_folders={}",
                         report.options.max_folders.value_or(0))) +
        ").");
  }
  AddTwoRuns(document, report);
  AddChecks(document, report, 2, {}, Detail::kFull);
  document.AddParagraph(Text("Read on: ") +
                        Link("regions", "ncu/regions/report.md") + ", " +
                        Link("all kernels", "kernels.md") + ", " +
                        Link("every measurement", "ncu/raw.csv") + ".");
  reasons.AddTo(document);
  AddNotes(document, *report.notes, Detail::kFull);
  return document;
}

Document RegionDocument(const Report& report, RegionId region) {
  Document document;
  AbsenceReasons reasons;
  document.AddHeading(1, RegionTitle(report, region));
  AddMeasured(document, report);
  AddFacts(document, report);
  for (const ScopeRollup* scope : ScopesOneByOne(report, kMostDocumentScopes)) {
    if (!IsShown(report, *scope, region)) continue;
    document.AddHeading(2, "Scope " + ScopeTitle(report, scope->scope));
    AddRegion(document, report, *scope, region, reasons,
              report.options.max_rows);
  }
  reasons.AddTo(document);
  AddNotes(document, *report.notes, Detail::kFull);
  return document;
}

Document KernelsDocument(const Report& report) {
  Document document;
  AbsenceReasons reasons;
  document.AddHeading(1, "Kernels");
  const std::vector<const ScopeRollup*> scopes =
      ScopesOneByOne(report, kMostDocumentScopes);
  for (const ScopeRollup* scope : scopes) {
    document.AddHeading(2, "Scope " + ScopeTitle(report, scope->scope));
    AddKernelTable(document, report, *scope, reasons);
  }
  reasons.AddTo(document);
  AddMoreScopes(document, report, scopes.size());
  return document;
}

Document ShowDocument(const Report& report, const ShowOptions& options) {
  return Show(report, options).Make();
}

Status CheckView(const Report& report, const TableView& view) {
  TRY(FindScopes(report, view.scope));
  if (report.rollup->scopes.empty()) return Ok();
  const ReportColumns known(report, report.rollup->scopes.front());
  TRY(known.Find(view.sort).In("report.table.sort (--sort)"));
  for (const std::string& name : view.columns)
    TRY(known.Find(name).In("report.table.columns (--columns)"));
  return Ok();
}

}  // namespace rangefinder
