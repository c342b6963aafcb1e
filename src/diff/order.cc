#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.h"
#include "diff/writers.h"

namespace rangefinder {
namespace {

bool Changed(const RegionChange& region) {
  return (region.verdict != DiffVerdict::kSame &&
          region.verdict != DiffVerdict::kIncomparable) ||
         !region.facts.empty();
}

double Weight(const RegionChange& region, const std::string& sort) {
  if (sort == "change") return std::abs(region.change_ns());
  if (sort == "ratio")
    return region.time.ratio ? std::abs(std::log(*region.time.ratio)) : 0;
  return std::max(region.base_mean_ns, region.other_mean_ns);
}

}  // namespace

std::vector<std::size_t> DiffOrder(const Comparison& comparison,
                                   const DiffTableOptions& options) {
  const auto& regions = comparison.regions;
  std::vector<bool> kept(regions.size(), !options.only_changed);
  std::vector<std::vector<std::size_t>> inner(regions.size());
  for (std::size_t i = regions.size(); i-- > 1;) {
    if (Changed(regions[i])) kept[i] = true;
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

std::string ChangeText(const TimeChange& time) {
  if (!time.ratio) return "–";
  const double percent = 100 * (*time.ratio - 1);
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 100 ? 1 : 0);
}

std::string MedianText(const std::vector<double>& runs, double median) {
  return runs.empty() ? "–" : FormatNs(median);
}

std::string SignedNs(double ns) {
  return (ns < 0 ? "-" : "+") + FormatNs(std::abs(ns));
}

std::string VerdictSummary(const Comparison& comparison) {
  constexpr std::pair<DiffVerdict, std::string_view> kWords[] = {
      {DiffVerdict::kSlower, "slower"},
      {DiffVerdict::kFaster, "faster"},
      {DiffVerdict::kAmbiguous, "ambiguous"},
      {DiffVerdict::kNew, "new"},
      {DiffVerdict::kGone, "gone"},
      {DiffVerdict::kRenamed, "renamed"},
      {DiffVerdict::kIncomparable, "incomparable"},
      {DiffVerdict::kSame, "the same"}};
  std::string text;
  for (const auto& named : kWords) {
    const DiffVerdict verdict = named.first;
    // The whole is no region.
    const auto count = std::count_if(
        comparison.regions.begin() + 1, comparison.regions.end(),
        [&](const RegionChange& r) { return r.verdict == verdict; });
    if (count > 0)
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", count, named.second);
  }
  return text.empty() ? "no regions" : text;
}

}  // namespace rangefinder
