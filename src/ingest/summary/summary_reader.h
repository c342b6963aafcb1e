// Reads summaries of ranks, which `rangefinder summarize` and `merge` write
// (docs/summary-format.md). The profile has one measurement for all launches of
// a kernel in a region, and the records of the ranks.

#pragma once

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

// A cut or damaged file gives the totals, and the ranks before the damage.
Result<Profile> ReadRangefinderSummary(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
