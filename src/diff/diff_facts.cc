// A comparison as ranked facts for a program: did the change do what it should?

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/numbers.h"
#include "diff/diff_sentences.h"
#include "diff/writers.h"
#include "profile/short_name.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostParts = 10;

// The ranks of facts, see FactSheet.
constexpr int kWholeRank = 0;
constexpr int kRegionRank = 10;
constexpr int kPartRank = 11;
constexpr int kCertainRank = 12;
constexpr int kCounterRank = 60;
constexpr int kSameRank = 100;

class DiffFactsBuilder {
 public:
  explicit DiffFactsBuilder(const DiffView& view)
      : view_(view), comparison_(view.comparison) {}

  FactSheet Build() {
    sheet_.title = comparison_.comparable() ? "What changed" : "Not comparable";
    for (const Caveat& caveat : comparison_.caveats)
      Add("Whole run", kWholeRank + (caveat.fatal ? 0 : 2),
          (caveat.fatal ? "not comparable: " : "caveat: ") + caveat.text);
    Add("Whole run", kSameRank,
        fmt::format("base {}; new {}",
                    fmt::join(comparison_.base_sources, ", "),
                    fmt::join(comparison_.other_sources, ", ")));
    if (!comparison_.comparable()) return std::move(sheet_);
    AddWhole();
    AddRegions();
    AddParts();
    AddCertain();
    AddCounters();
    return std::move(sheet_);
  }

 private:
  void Add(const char* section, int rank, std::string text,
           std::vector<Text> details = {}) {
    sheet_.Add(section, rank,
               {.text = std::move(text), .details = std::move(details)});
  }

  static std::string VerdictText(const RegionChange& region) {
    std::string text(DiffVerdictName(region.verdict));
    if (!region.why.empty()) text += " (" + region.why + ")";
    return text;
  }

  void AddWhole() {
    Add("Whole run", kWholeRank,
        fmt::format("{}: {}", VerdictText(comparison_.regions.front()),
                    GpuTimeText(comparison_)));
    Add("Whole run", kWholeRank, WallTimeText(comparison_));
    Add("Whole run", kWholeRank, SelectionText(comparison_));
    Add("Whole run", kWholeRank + 1, "regions: " + VerdictSummary(comparison_));
    for (const Crossing& crossing : view_.crossings)
      Add("Whole run", kWholeRank + 1,
          fmt::format("{}: {}: {}", crossing.fails() ? "worse" : "accepted",
                      PathTextOf(comparison_, crossing.region), crossing.text));
    Add("Next", kWholeRank + 1, MoreRunsText(comparison_));
  }

  // Changed regions first, then the others, each by their change.
  void AddRegions() {
    const std::vector<RegionChange>& regions = comparison_.regions;
    std::vector<std::size_t> order(regions.size() - 1);
    std::iota(order.begin(), order.end(), std::size_t{1});
    const auto changed = [&](std::size_t i) {
      return IsChange(regions[i].verdict);
    };
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) {
      return std::pair(changed(i), std::abs(regions[i].change_ns()));
    });
    int rank = kRegionRank;
    for (const std::size_t i : order) {
      const RegionChange& region = regions[i];
      std::string text =
          PathTextOf(comparison_, i) + ": " + VerdictText(region);
      if (region.time.ratio)
        text +=
            fmt::format(", GPU time {} → {}{}, {}", FormatNs(region.time.base),
                        FormatNs(region.time.other),
                        region.time.per_instance ? " per instance" : "",
                        ChangeText(*region.time.ratio));
      if (region.time.interval)
        text += fmt::format(" (95 %: {})", IntervalText(*region.time.interval));
      if (region.base_wall_ns > 0 && region.other_wall_ns > 0)
        text +=
            fmt::format(", wall time {} → {}", FormatNs(region.base_wall_ns),
                        FormatNs(region.other_wall_ns));
      Add("Regions", changed(i) ? rank : kSameRank + rank, std::move(text));
      rank += 3;
    }
  }

  void AddParts() {
    const auto& parts = comparison_.contributions;
    for (std::size_t i = 0; i < std::min(parts.size(), kMostParts); ++i) {
      const Contribution& part = parts[i];
      Add("Contributions", kPartRank + 3 * static_cast<int>(i),
          fmt::format(
              "{} in {}: {}{}{}", FormatQuantity(ChangeOf(part.change_ns)),
              PathTextOf(comparison_, part.region),
              part.kernel.empty() ? std::string("measured as a whole")
                                  : ShortKernelName(part.kernel),
              part.with.empty() ? "" : "; also ", fmt::join(part.with, "; ")));
    }
  }

  void AddCertain() {
    int rank = kCertainRank;
    for (std::size_t i = 0; i < comparison_.regions.size(); ++i) {
      for (const Fact& fact : comparison_.regions[i].facts) {
        Add("Certain changes", rank,
            PathTextOf(comparison_, i) + ": " + fact.text);
        rank += 3;
      }
    }
  }

  static std::string CounterText(const CounterChange& counter) {
    const auto text = [&](double value, const std::optional<double>& error) {
      return error ? FormatEstimate(value, *error, counter.unit)
                   : FormatValue(value, counter.unit);
    };
    return fmt::format("{} {} → {}, {}", counter.metric,
                       text(counter.base, counter.base_error),
                       text(counter.other, counter.other_error),
                       ChangeText(counter.ratio));
  }

  // A sentence for each region with its largest changes; the whole run repeats
  // those of its regions and is left out. Metrics of the hardware's own
  // sampling are for experts.
  void AddCounters() {
    int rank = kCounterRank;
    const bool alone = comparison_.regions.size() == 1;
    for (std::size_t i = alone ? 0 : 1; i < comparison_.regions.size(); ++i) {
      std::vector<CounterChange> changed = comparison_.regions[i].counters;
      std::erase_if(changed, [](const CounterChange& counter) {
        return !counter.changed ||
               counter.metric.find(".Triage") != std::string::npos;
      });
      if (changed.empty()) continue;
      std::ranges::stable_sort(
          changed, std::greater<>(), [](const CounterChange& counter) {
            return counter.ratio > 0 ? std::abs(std::log(counter.ratio)) : 0;
          });
      std::vector<std::string> texts;
      for (std::size_t c = 0; c < std::min(changed.size(), kMostParts); ++c)
        texts.push_back(CounterText(changed[c]));
      if (changed.size() > kMostParts)
        texts.push_back(fmt::format("{} more with --format json",
                                    changed.size() - kMostParts));
      Add("Counters", rank++,
          fmt::format("{}: {}", PathTextOf(comparison_, i),
                      fmt::join(texts, "; ")));
    }
  }

  const DiffView& view_;
  const Comparison& comparison_;
  FactSheet sheet_{};
};

}  // namespace

FactSheet DiffFacts(const DiffView& view) {
  return DiffFactsBuilder(view).Build();
}

}  // namespace rangefinder
