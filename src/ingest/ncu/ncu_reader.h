// Reads files of Nsight Compute without NVIDIA's libraries.

#pragma once

#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

// Whether `bytes` begin as a report. Its SourceData (SASS and cubins, nearly
// all of a large report) is skipped, and its pages are never touched.
bool IsNcuReport(std::string_view bytes);
Result<Profile> ReadNcuReport(const ReaderInput& input, Notes& notes);

// Whether `bytes` begin as raw.csv, ours or that of `ncu --import --page raw
// --csv`, which is read if the report is gone: the values of all metrics by
// launch, without sections, rules and instances.
bool IsRawCsv(std::string_view bytes);
// Whether a raw.csv is ours and has launches without metrics, as after a trace:
// report.json then has more.
bool HasNoMetrics(std::string_view first_bytes);
Result<Profile> ReadRawCsv(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
