// Nsight Compute's reports, read without any library of NVIDIA's.
//
// SourceData (SASS and cubins, nearly all of a large report) is stepped over
// and its pages are never touched.

#pragma once

#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

bool IsNcuReport(std::string_view bytes);
Result<Profile> ReadNcuReport(const ReaderInput& input, Notes& notes);

// `.ncu-repz`: the same bytes in one zstd stream, or those of a trace. What a
// stream holds is known only once it is opened, so a zstd file that is none is
// kCorrupt there.
bool IsCompressedNcuReport(std::string_view bytes);
Result<Profile> ReadCompressedNcuReport(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
