// Makes every document from any bytes, as `report` does, and checks the laws:
// conservation, valid documents, at most linear growth, the same bytes twice,
// no file outside the run directory, errors as specified.

#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"

namespace rangefinder::testing {

// Returns whether a report could be made of the bytes. `name` is the file name.
bool ReportOfAnyBytes(std::string_view bytes,
                      std::string_view name = "any.ncu-rep");

// Does the same with files or a run directory that exist; `bytes` is their
// total size.
bool ReportOfPaths(const std::vector<std::string>& paths, std::size_t bytes,
                   bool twice, bool with_files);

// Texts for people and for other programs have no character that controls a
// terminal.
void DemandPlain(std::string_view text);
// A file that cannot be read gives a documented exit status and a message.
void DemandAnError(const Error& error);

}  // namespace rangefinder::testing
