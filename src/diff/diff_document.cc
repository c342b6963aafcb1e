// A comparison as a document (document/document.h): the changes, the regions
// of both sides, the contributions to the change, and the certain changes.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/numbers.h"
#include "diff/diff_sentences.h"
#include "diff/writers.h"
#include "profile/short_name.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostContributions = 10;
constexpr std::size_t kMostSources = 3;  // most names per side

double Weight(const RegionChange& region, const std::string& sort) {
  if (sort == "change") return std::abs(region.change_ns());
  if (sort == "ratio")
    return region.time.ratio ? std::abs(std::log(*region.time.ratio)) : 0;
  return std::max(region.base_mean_ns, region.other_mean_ns);
}

// The regions in the order of reading: each before its inner regions, siblings
// by options.sort. With only_changed: the changed regions and their outer
// regions.
std::vector<std::size_t> InOrder(const Comparison& comparison,
                                 const DiffDocumentOptions& options) {
  const auto& regions = comparison.regions;
  std::vector<bool> kept(regions.size(), !options.only_changed);
  std::vector<std::vector<std::size_t>> inner(regions.size());
  for (std::size_t i = regions.size(); i-- > 1;) {
    if (IsChange(regions[i].verdict) || !regions[i].facts.empty())
      kept[i] = true;
    if (kept[i]) kept[regions[i].parent] = true;
  }
  for (std::size_t i = 1; i < regions.size(); ++i)
    if (kept[i]) inner[regions[i].parent].push_back(i);
  std::vector<std::size_t> order, open = {0};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at != 0) order.push_back(at);
    std::vector<std::size_t>& children = inner[at];
    if (options.sort == "name") {
      std::ranges::stable_sort(children, {},
                               [&](std::size_t i) { return regions[i].frame; });
    } else {
      std::ranges::stable_sort(children, std::greater<>(), [&](std::size_t i) {
        return Weight(regions[i], options.sort);
      });
    }
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return order;
}

Tone ToneOf(DiffVerdict verdict) {
  using enum DiffVerdict;
  if (verdict == kSlower) return Tone::kBad;
  if (verdict == kFaster) return Tone::kGood;
  return IsChange(verdict) ? Tone::kWarn : Tone::kPlain;
}

Text SourcesText(const std::vector<std::string>& sources) {
  std::vector<Text> names;
  for (std::size_t i = 0; i < std::min(sources.size(), kMostSources); ++i)
    names.push_back(Code(sources[i]));
  if (sources.size() == 1) return names.front();
  if (sources.size() > kMostSources) names.emplace_back("…");
  return fmt::format("{} runs (", sources.size()) + Joined(names) + ")";
}

class DiffDocumentBuilder {
 public:
  DiffDocumentBuilder(const DiffView& view, const DiffDocumentOptions& options)
      : view_(view), comparison_(view.comparison), options_(options) {}

  Document Build() {
    if (!comparison_.comparable()) return BuildReasons();
    AddSummary();
    AddFindings();
    if (options_.changes_first) AddChanges();
    if (!options_.changes_first) AddTree();
    AddContributions();
    AddFacts();
    AddGuesses();
    if (options_.changes_first) {
      document_.Add(FoldStart{"All regions"});
      AddTree();
      document_.Add(FoldEnd{});
    }
    return std::move(document_);
  }

 private:
  // If the runs cannot be compared, numbers would be misleading: only the
  // reasons are shown.
  Document BuildReasons() {
    document_.AddHeading(1, "Not comparable");
    List list;
    for (const Caveat& caveat : comparison_.caveats) {
      if (caveat.fatal)
        list.items.push_back({.lead = "not comparable",
                              .text = caveat.text,
                              .tone = Tone::kBad});
    }
    document_.AddList(std::move(list));
    document_.AddParagraph("Every verdict is INCOMPARABLE.");
    AddSources();
    return std::move(document_);
  }

  void AddSources() {
    document_.AddParagraph("Base " + SourcesText(comparison_.base_sources) +
                               ", new " +
                               SourcesText(comparison_.other_sources),
                           Tone::kQuiet);
  }

  std::string PathOf(std::size_t region) const {
    return PathTextOf(comparison_, region);
  }

  void AddSummary() {
    std::string title = "What changed";
    if (view_.gated)
      title = Fails(view_.crossings) ? "Got worse" : "Did not get worse";
    document_.AddHeading(1, title);
    document_.AddParagraph(GpuTimeText(comparison_), Tone::kStrong);
    document_.AddParagraph(WallTimeText(comparison_));
    document_.AddParagraph(SelectionText(comparison_));
    document_.AddParagraph("GPU time of the regions: " +
                           VerdictSummary(comparison_));
    AddSources();
  }

  // Adds caveats, and the findings of the gate.
  void AddFindings() {
    List list;
    for (const Caveat& caveat : comparison_.caveats)
      list.items.push_back(
          {.lead = "caveat", .text = caveat.text, .tone = Tone::kWarn});
    for (const Crossing& crossing : view_.crossings) {
      const bool fails = crossing.fails();
      list.items.push_back(
          {.lead = fails ? "worse" : "accepted",
           .text = PathOf(crossing.region) + ": " + crossing.text +
                   (fails ? "" : " (" + crossing.accepted + ")"),
           .tone = fails && view_.gated ? Tone::kBad : Tone::kWarn});
    }
    document_.AddList(std::move(list));
    document_.AddParagraph(MoreRunsText(comparison_), Tone::kQuiet);
  }

  static Table EmptyTable() {
    using enum TableColumn::Kind;
    return {.columns = {{.heading = "Region", .kind = kText},
                        {.heading = "Base"},
                        {.heading = "New"},
                        {.heading = "Change"},
                        {.heading = "", .kind = kChangeBar, .gives_way = 2},
                        {.heading = "95 %", .gives_way = 1},
                        {.heading = "Wall time", .gives_way = 3},
                        {.heading = "Verdict", .kind = kText}}};
  }

  // `widest`: the change of a full bar.
  static TableRow RowOf(const RegionChange& region, const std::string& name,
                        double widest) {
    const TimeChange& time = region.time;
    const auto median = [](const std::vector<double>& runs, double ns) {
      return runs.empty() ? TableCell() : TableCell(TimeOf(ns));
    };
    TableRow row;
    row.cells = {
        name,
        median(time.base_ns, time.base),
        median(time.other_ns, time.other),
        time.ratio ? TableCell(ChangeText(*time.ratio)) : TableCell(),
        BarCell(widest > 0 ? region.change_ns() / widest : 0),
        time.interval ? TableCell(IntervalText(*time.interval)) : TableCell(),
        region.base_wall_ns > 0 && region.other_wall_ns > 0 &&
                !time.per_instance
            ? TableCell(ChangeText(region.other_wall_ns / region.base_wall_ns))
            : TableCell(),
        TableCell(DiffVerdictName(region.verdict), ToneOf(region.verdict))};
    if (time.per_instance) row.below.emplace_back("times per instance");
    if (!region.base_path.empty() && region.by != PairedBy::kName)
      row.below.emplace_back("was " + region.base_path);
    // Too few runs are reported once, above the table.
    if (!region.why.empty() &&
        (!region.why.starts_with("fewer than") || time.runs_needed > 0))
      row.below.emplace_back(region.why);
    return row;
  }

  // The greatest change of the rows, but at least the threshold of the whole
  // run.
  double WidestOf(const std::vector<std::size_t>& order) const {
    double most = comparison_.rules.threshold.relative *
                  comparison_.regions.front().base_mean_ns;
    for (const std::size_t i : order)
      most = std::max(most, std::abs(comparison_.regions[i].change_ns()));
    return most;
  }

  void AddChanges() {
    DiffDocumentOptions changed = options_;
    changed.only_changed = true;
    changed.sort = "change";
    std::vector<std::size_t> order = InOrder(comparison_, changed);
    std::erase_if(order, [&](std::size_t i) {
      return !IsChange(comparison_.regions[i].verdict);
    });
    if (order.empty()) {
      document_.AddParagraph("The GPU time of no region changed.");
      return;
    }
    document_.AddHeading(2, "Regions that changed");
    AddRows(order, false);
  }

  void AddTree() {
    const std::vector<std::size_t> order = InOrder(comparison_, options_);
    if (order.empty()) {
      document_.AddParagraph(options_.only_changed
                                 ? "The GPU time of no region changed."
                                 : "There are no regions.");
      return;
    }
    if (!options_.changes_first) document_.AddHeading(2, "Regions");
    AddRows(order, true);
  }

  void AddRows(std::vector<std::size_t> order, bool as_tree) {
    const std::size_t all = order.size();
    if (order.size() > options_.max_rows) order.resize(options_.max_rows);
    const double widest = WidestOf(order);
    Table table = EmptyTable();
    for (const std::size_t i : order) {
      const RegionChange& region = comparison_.regions[i];
      TableRow row = RowOf(region, as_tree ? region.frame : PathOf(i), widest);
      if (as_tree) row.depth = region.depth - 1;
      table.rows.push_back(std::move(row));
    }
    table.DropAbsentColumns(4);
    document_.AddTable(std::move(table));
    if (all > order.size())
      document_.AddParagraph(
          fmt::format("{} more regions: --format json has all of them",
                      FormatCount(all - order.size())),
          Tone::kQuiet);
  }

  void AddContributions() {
    const auto& contributions = comparison_.contributions;
    if (contributions.empty()) return;
    using enum TableColumn::Kind;
    double rest = comparison_.regions.front().change_ns();
    document_.AddHeading(
        2, "Contributions to the change of " + FormatQuantity(ChangeOf(rest)));
    Table table{.columns = {{.heading = "Change"},
                            {.heading = "Region", .kind = kText},
                            {.heading = "Kernel", .kind = kText},
                            {.heading = "Also changed", .kind = kProse}}};
    for (std::size_t i = 0;
         i < std::min(contributions.size(), kMostContributions); ++i) {
      const Contribution& one = contributions[i];
      rest -= one.change_ns;
      const Text kernel = one.kernel.empty()
                              ? Text("(measured as a whole)")
                              : Code(ShortKernelName(one.kernel));
      table.rows.push_back(
          {.cells = {
               ChangeOf(one.change_ns), PathOf(one.region), kernel,
               one.with.empty()
                   ? BlankCell()
                   : TableCell(fmt::format("{}", fmt::join(one.with, "; ")))}});
    }
    if (contributions.size() > kMostContributions)
      table.rows.push_back(
          {.cells = {ChangeOf(rest),
                     fmt::format("{} more",
                                 contributions.size() - kMostContributions),
                     BlankCell(), BlankCell()},
           .tone = Tone::kQuiet});
    document_.AddTable(std::move(table));
    if (contributions.size() > kMostContributions)
      document_.AddParagraph("--format json has all contributions.",
                             Tone::kQuiet);
  }

  void AddFacts() {
    List list;
    for (const std::size_t i : InOrder(comparison_, options_)) {
      for (const Fact& fact : comparison_.regions[i].facts)
        list.items.push_back({.text = PathOf(i) + ": " + fact.text});
    }
    if (list.items.empty()) return;
    document_.AddHeading(2, "Certain changes");
    document_.AddList(std::move(list));
  }

  void AddGuesses() {
    std::size_t guesses = 0;
    for (const RegionChange& region : comparison_.regions) {
      guesses += region.by == PairedBy::kGuess;
      for (const KernelPair& pair : region.kernels)
        guesses += pair.by == PairedBy::kGuess;
    }
    if (guesses == 0) return;
    document_.AddParagraph(
        fmt::format("{} guessed from similarity, not matched by name: correct "
                    "with --match FILE, or forbid guesses with --strict",
                    guesses == 1 ? "1 pair was"
                                 : fmt::format("{} pairs were", guesses)),
        Tone::kQuiet);
  }

  const DiffView& view_;
  const Comparison& comparison_;
  const DiffDocumentOptions& options_;
  Document document_{};
};

}  // namespace

Document DiffDocument(const DiffView& view,
                      const DiffDocumentOptions& options) {
  return DiffDocumentBuilder(view, options).Build();
}

}  // namespace rangefinder
