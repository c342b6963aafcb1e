#include "diff/diff_sentences.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/numbers.h"
#include "report/sentences.h"

namespace rangefinder {

std::string ChangeText(double ratio) {
  const double percent = 100 * (ratio - 1);
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 100 ? 1 : 0);
}

Quantity ChangeOf(double ns) {
  return {.value = ns, .unit = "ns", .hint = Hint::kChange};
}

std::string IntervalText(const Interval& interval) {
  return fmt::format("{:+.1f} to {:+.1f} %", 100 * (interval.low - 1),
                     100 * (interval.high - 1));
}

std::string PathTextOf(const Comparison& comparison, std::size_t region) {
  const std::string& path = comparison.regions[region].path;
  return path.empty() ? "(the whole run)" : path;
}

std::string SelectionText(const Comparison& comparison) {
  std::string text;
  for (const RunSetting& setting : comparison.base_settings) {
    if ((setting.name != "regions" && setting.name != "kernels") ||
        std::ranges::none_of(
            comparison.other_settings, [&](const RunSetting& other) {
              return other.name == setting.name && other.value == setting.value;
            }))
      continue;
    text += fmt::format("{} {}: {}", text.empty() ? "Selected" : "; selected",
                        setting.name, setting.value);
  }
  return text;
}

std::string GpuTimeText(const Comparison& comparison) {
  const TimeChange& time = comparison.regions.front().time;
  if (!time.ratio) {
    if (time.base > 0) return "The new side has no GPU time of the whole run.";
    return time.other > 0 ? "The base has no GPU time of the whole run."
                          : "Neither side has a GPU time of the whole run.";
  }
  std::string text =
      fmt::format("GPU time per run {} → {}, {}", FormatNs(time.base),
                  FormatNs(time.other), ChangeText(*time.ratio));
  if (time.interval)
    text += fmt::format(" (95 %: {})", IntervalText(*time.interval));
  return text;
}

namespace {

double WallChange(const RegionChange& region) {
  return region.other_wall_ns - region.base_wall_ns;
}

// ": copies +2.9 ms, host -0.1 ms": the parts of a region's wall time with most
// of its change. Empty: unknown.
std::string WallPartsText(const RegionChange& region) {
  constexpr double kLeastShare = 0.1;
  constexpr std::size_t kMost = 3;
  const double change = WallChange(region);
  std::vector<std::size_t> parts;
  for (std::size_t part = 0; part < kWallParts; ++part) {
    if (std::abs(region.wall_change_ns[part]) >= kLeastShare * std::abs(change))
      parts.push_back(part);
  }
  std::ranges::stable_sort(
      parts, std::ranges::greater(),
      [&](std::size_t part) { return std::abs(region.wall_change_ns[part]); });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, parts.size()); ++i) {
    const double ns = region.wall_change_ns[parts[i]];
    text += fmt::format("{}{} {}{}", i == 0 ? ": " : ", ",
                        PartText(static_cast<WallPart>(parts[i])),
                        ns < 0 ? "-" : "+", FormatNs(std::abs(ns)));
  }
  return text;
}

// The innermost region with more than half of a change of the wall time, along
// a chain of such regions from the outside; 0: none. If a region now waits for
// work that another region did before, the result is not the region that waits.
std::size_t MostOfWallChange(const std::vector<RegionChange>& regions,
                             double change) {
  const auto share = [&](std::size_t i) {
    return i == 0 ? 0.5 : WallChange(regions[i]) / change;
  };
  for (std::size_t at = 0;;) {
    std::size_t most = 0;
    for (std::size_t i = 1; i < regions.size(); ++i) {
      if (regions[i].parent == at && share(i) > share(most)) most = i;
    }
    if (most == 0) return at;
    at = most;
  }
}

}  // namespace

std::string WallTimeText(const Comparison& comparison) {
  const std::vector<RegionChange>& regions = comparison.regions;
  double base = 0, other = 0;
  for (const RegionChange& region : regions) {
    if (region.depth != 1) continue;
    base += region.base_wall_ns;
    other += region.other_wall_ns;
  }
  if (base <= 0 || other <= 0) return {};
  std::string text =
      fmt::format("Wall time in regions {} → {}, {}", FormatNs(base),
                  FormatNs(other), ChangeText(other / base));
  constexpr double kWorthwhile = 0.01;  // part of the wall time
  const auto is_worthwhile = [&](double change) {
    return std::abs(change) >= kWorthwhile * base;
  };
  // Changes of regions may cancel.
  const std::size_t at =
      is_worthwhile(other - base) ? MostOfWallChange(regions, other - base) : 0;
  const auto ns_text = [](double ns) { return ns > 0 ? FormatNs(ns) : "–"; };
  if (at != 0 && is_worthwhile(WallChange(regions[at])))
    text += fmt::format(
        "; most of it in {} ({} → {}{})", PathTextOf(comparison, at),
        ns_text(regions[at].base_wall_ns), ns_text(regions[at].other_wall_ns),
        WallPartsText(regions[at]));
  return text + ". Verdicts are on GPU time alone.";
}

std::string MoreRunsText(const Comparison& comparison) {
  const std::size_t least = comparison.rules.least_runs;
  if (std::min(comparison.base_runs(), comparison.other_runs()) >= least)
    return {};
  return fmt::format(
      "Timing gates need at least {} runs per side: rangefinder compare --runs "
      "{} -- A ::: B",
      least, least);
}

}  // namespace rangefinder
