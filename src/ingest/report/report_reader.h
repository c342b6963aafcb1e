// Reads a report.json back into a Profile if its captures are missing: regions,
// their instances and times, and the launches of each kernel as one
// measurement. A report has neither single launches nor samples.

#pragma once

#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

// Whether `bytes` begin as a report.json of any version does.
bool IsReportJson(std::string_view bytes);
// kUnsupported: the report.json is of a version that this build cannot read.
Status CheckReportVersion(std::string_view bytes);
Result<Profile> ReadReportJson(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
