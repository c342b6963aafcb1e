// Reads what Nsight Compute leaves, without NVIDIA's libraries.

#pragma once

#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

// Reports. SourceData (SASS and cubins, nearly all of a large report) is
// skipped, and its pages are never touched.
bool IsNcuReport(std::string_view bytes);
Result<Profile> ReadNcuReport(const ReaderInput& input, Notes& notes);

// raw.csv, ours and that of `ncu --import --page raw --csv`, where the report
// is gone: the values of all metrics by launch, without sections, rules and
// instances.
bool IsRawCsv(std::string_view bytes);
// Whether it is ours and has launches alone, as that of a trace: report.json
// says more.
bool HasNoMetrics(std::string_view first_bytes);
Result<Profile> ReadRawCsv(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
