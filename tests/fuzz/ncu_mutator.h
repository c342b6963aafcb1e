// Makes ncu reports that are wrong in their meaning and right in their lengths.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder::testing {

// Another report like `report`; `report` itself where it is no report.
std::string ChangedNcuReport(std::string_view report, std::uint32_t seed);

}  // namespace rangefinder::testing
