// Summaries of ranks, as `rangefinder summarize` and `merge` write them
// (docs/summary-format.md): a measurement for each kernel of each region, that
// stands for all of its launches, and the records of the ranks.

#pragma once

#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

bool IsRangefinderSummary(std::string_view bytes);

// Of a file that is cut or damaged, the totals and the ranks before that.
Result<Profile> ReadRangefinderSummary(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
