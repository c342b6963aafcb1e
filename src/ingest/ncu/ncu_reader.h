// Reads Nsight Compute's reports, without NVIDIA's libraries.
//
// SourceData (SASS and cubins, nearly all of a large report) is skipped, and
// its pages are never touched.

#pragma once

#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

bool IsNcuReport(std::string_view bytes);
Result<Profile> ReadNcuReport(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
