// Compares any two reports by any files of `diff`, writes every document of the
// comparison, and checks the laws: equal runs are the same, a calibration reads
// back, valid documents, at most linear growth, the same bytes twice.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder::testing {

// The input is the files of a `diff`, with a line of kNextFile between them:
// report.json of the base, of the new side, diff.match, diff.accepted,
// diff.calibration. Missing files are not given.
inline constexpr std::string_view kNextFile = "\n=====\n";

// Returns whether the two reports could be compared.
bool DiffOfAnyBytes(std::string_view input);

// Changes one of the files in its own way.
std::string ChangedDiff(std::string_view input, std::uint32_t seed);

}  // namespace rangefinder::testing
