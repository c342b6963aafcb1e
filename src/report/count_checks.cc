#include "report/count_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.h"

namespace rangefinder {
std::string CheckText(const Report& report) {
  const auto& checks = report.options.checks;
  if (checks.empty()) return {};
  return fmt::format(
      "{} of {} estimates agree with exact counts of instances, within the 95 "
      "% of both",
      FormatCount(static_cast<std::uint64_t>(
          std::ranges::count(checks, true, &CountCheck::agrees))),
      FormatCount(checks.size()));
}

}  // namespace rangefinder
