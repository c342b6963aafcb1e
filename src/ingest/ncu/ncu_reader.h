// Reads files of Nsight Compute without NVIDIA's libraries.

#pragma once

#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

// Whether `bytes` begin as a report. The reader skips a report's SourceData
// (SASS and cubins, nearly all of a large report) without touching its pages.
bool IsNcuReport(std::string_view bytes);
Result<Profile> ReadNcuReport(const ReaderInput& input, Notes& notes);

// Whether `bytes` begin as a raw.csv: rangefinder's, or that of `ncu --import
// --page raw --csv`. It has the values of all metrics by launch, but no
// sections, rules and instances, so it is read only if the report is gone.
bool IsRawCsv(std::string_view bytes);
// Whether a raw.csv of rangefinder has launches without metrics, as after a
// trace. The report.json beside it then has more.
bool HasNoMetrics(std::string_view first_bytes);
Result<Profile> ReadRawCsv(const ReaderInput& input, Notes& notes);

// The factor from a unit that ncu prints to the base unit. Rates have seconds
// as base. Where a denominator has a prefix (%/Kbyte), ncu multiplies although
// it should divide, and so does this function.
double ToBaseUnit(std::string_view unit);

}  // namespace rangefinder
