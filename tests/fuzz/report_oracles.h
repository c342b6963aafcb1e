// From any bytes to every document, as `report` does it, held to the laws:
// conservation, valid documents, growth no faster than linear, the same bytes
// twice, no file outside the run directory, an error that the contract has.

#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

namespace rangefinder::testing {

// Whether a report could be made of the bytes. `name` is that of their file.
bool ReportOfAnyBytes(std::string_view bytes,
                      std::string_view name = "any.ncu-rep");

// The same of files or a run directory that are there already, whose sizes
// amount to `bytes`.
bool ReportOfPaths(const std::vector<std::string>& paths, std::size_t bytes,
                   bool twice, bool with_files);

}  // namespace rangefinder::testing
