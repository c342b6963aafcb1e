#include "diff/comparison.h"

#include <algorithm>

#include <fmt/format.h>

namespace rangefinder {

std::string_view DiffVerdictName(DiffVerdict verdict) {
  return std::ranges::find(kVerdicts, verdict, &VerdictWords::verdict)->name;
}

bool IsChange(DiffVerdict verdict) {
  return verdict != DiffVerdict::kSame && verdict != DiffVerdict::kIncomparable;
}

bool Comparison::comparable() const {
  return std::ranges::none_of(caveats, &Caveat::fatal);
}

std::size_t Comparison::Count(DiffVerdict verdict) const {
  return static_cast<std::size_t>(
      std::ranges::count(regions, verdict, &RegionChange::verdict));
}

std::string VerdictSummary(const Comparison& comparison) {
  std::string text;
  for (const VerdictWords& words : kVerdicts) {
    // The whole run does not count as a region.
    const auto count =
        std::count_if(comparison.regions.begin() + 1, comparison.regions.end(),
                      [&](const RegionChange& region) {
                        return region.verdict == words.verdict;
                      });
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                          words.counted);
  }
  return text.empty() ? "no regions" : text;
}

}  // namespace rangefinder
