#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/numbers.h"
#include "diff/writers.h"
#include "profile/short_name.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

constexpr std::size_t kTopParts = 10;

class DiffMarkdown {
 public:
  DiffMarkdown(const DiffView& view, const DiffTableOptions& options,
               std::ostream& out)
      : view_(view),
        comparison_(view.comparison),
        options_(options),
        out_(out) {}

  void All() {
    Head();
    Changes();
    Parts();
    Facts();
    Tree();
    Sources();
  }

 private:
  std::string Where(std::size_t region) const {
    const std::string& path = comparison_.regions[region].path;
    return path.empty() ? "(the whole run)" : MarkdownText(path);
  }

  void Head() {
    const RegionChange& whole = comparison_.regions.front();
    const bool failed = Fails(view_.crossings);
    out_ << "# "
         << (comparison_.comparable()
                 ? view_.gated ? failed ? "Got worse" : "Did not get worse"
                               : "What changed"
                 : "Not comparable")
         << "\n\n";
    if (whole.time.ratio)
      out_ << fmt::format("GPU time of a run {} → {}, **{}**. ",
                          FormatNs(whole.time.base), FormatNs(whole.time.other),
                          ChangeText(whole.time));
    out_ << VerdictSummary(comparison_) << ".\n";
    for (const Caveat& caveat : comparison_.caveats)
      out_ << fmt::format(
          "\n> {}: {}\n",
          caveat.fatal ? "**Cannot be compared**" : "Bear in mind",
          MarkdownText(caveat.text));
    for (const Crossing& crossing : view_.crossings)
      out_ << fmt::format("\n- {} {}: {}{}",
                          crossing.accepted.empty() ? "❌" : "☑",
                          Where(crossing.region), MarkdownText(crossing.text),
                          crossing.accepted.empty()
                              ? std::string()
                              : " (" + MarkdownText(crossing.accepted) + ")");
    if (!view_.crossings.empty()) out_ << '\n';
    const std::size_t least = comparison_.rules.least_runs;
    if (std::min(comparison_.base_runs(), comparison_.other_runs()) < least)
      out_ << fmt::format(
          "\n{} against {} runs: of times nothing is gated with fewer than {} "
          "a side.\n",
          comparison_.other_runs(), comparison_.base_runs(), least);
  }

  void TableHead() {
    out_ << "\n| region | base | new | change | 95 % | verdict |\n"
            "|---|---:|---:|---:|---:|---|\n";
  }

  void Row(const RegionChange& region, const std::string& name) {
    const TimeChange& time = region.time;
    std::string verdict(DiffVerdictName(region.verdict));
    if (region.verdict == DiffVerdict::kSlower ||
        region.verdict == DiffVerdict::kFaster)
      verdict = "**" + verdict + "**";
    if (!region.base_path.empty() && region.by != PairedBy::kName)
      verdict += ", was " + MarkdownText(region.base_path);
    if (!region.why.empty()) verdict += ": " + MarkdownText(region.why);
    out_ << fmt::format("| {} | {} | {} | {}{} | {} | {} |\n", name,
                        MedianText(time.base_ns, time.base),
                        MedianText(time.other_ns, time.other), ChangeText(time),
                        time.per_instance ? " each time" : "",
                        time.interval
                            ? fmt::format("{:+.1f} to {:+.1f} %",
                                          100 * (time.interval->low - 1),
                                          100 * (time.interval->high - 1))
                            : "–",
                        verdict);
  }

  void Changes() {
    DiffTableOptions changed = options_;
    changed.only_changed = true;
    changed.sort = "change";
    bool any = false;
    for (const std::size_t i : DiffOrder(comparison_, changed)) {
      const RegionChange& region = comparison_.regions[i];
      if (region.verdict == DiffVerdict::kSame ||
          region.verdict == DiffVerdict::kIncomparable)
        continue;
      if (!any) {
        out_ << "\n## Regions that changed\n";
        TableHead();
      }
      any = true;
      Row(region, Where(i));
    }
    if (!any && comparison_.comparable()) out_ << "\nNo region changed.\n";
  }

  void Parts() {
    if (comparison_.contributions.empty()) return;
    out_ << "\n## Where the change comes from\n\n"
            "| change | region | kernel | with it |\n|---:|---|---|---|\n";
    std::size_t shown = 0;
    double rest = comparison_.regions.front().change_ns();
    for (const Contribution& one : comparison_.contributions) {
      if (shown++ == kTopParts) break;
      rest -= one.change_ns;
      std::string with;
      for (const std::string& text : one.with)
        with += (with.empty() ? "" : "; ") + MarkdownText(text);
      out_ << fmt::format(
          "| {} | {} | {} | {} |\n", SignedNs(one.change_ns), Where(one.region),
          one.kernel.empty() ? "(measured as a whole)"
                             : MarkdownCode(ShortKernelName(one.kernel)),
          with);
    }
    if (comparison_.contributions.size() > kTopParts)
      out_ << fmt::format("| {} | {} more parts | | |\n", SignedNs(rest),
                          comparison_.contributions.size() - kTopParts);
  }

  void Facts() {
    bool any = false;
    for (const std::size_t i : DiffOrder(comparison_, options_)) {
      for (const Fact& fact : comparison_.regions[i].facts) {
        if (!any) out_ << "\n## What is no matter of noise\n\n";
        any = true;
        out_ << fmt::format("- {}: {}\n", Where(i), MarkdownText(fact.text));
      }
    }
  }

  void Tree() {
    std::vector<std::size_t> order = DiffOrder(comparison_, options_);
    if (order.empty()) return;
    out_ << fmt::format("\n<details><summary>All {} regions</summary>\n",
                        order.size());
    TableHead();
    const std::size_t all = order.size();
    if (order.size() > options_.max_rows) order.resize(options_.max_rows);
    for (const std::size_t i : order) {
      const RegionChange& region = comparison_.regions[i];
      std::string indent;
      for (std::size_t k = 1; k < region.depth; ++k) indent += "&nbsp;&nbsp;";
      Row(region, indent + MarkdownText(region.frame));
    }
    if (all > order.size())
      out_ << fmt::format("\n{} more regions are in the JSON document.\n",
                          all - order.size());
    out_ << "\n</details>\n";
  }

  void Sources() {
    const auto list = [&](std::string_view side,
                          const std::vector<std::string>& sources) {
      out_ << "\n" << side << ':';
      for (const std::string& source : sources)
        out_ << ' ' << MarkdownCode(source);
      out_ << '\n';
    };
    list("Base", comparison_.base_sources);
    list("New", comparison_.other_sources);
  }

  const DiffView& view_;
  const Comparison& comparison_;
  const DiffTableOptions& options_;
  std::ostream& out_;
};

}  // namespace

void WriteDiffMarkdown(const DiffView& view, const DiffTableOptions& options,
                       std::ostream& out) {
  DiffMarkdown(view, options, out).All();
}

}  // namespace rangefinder
