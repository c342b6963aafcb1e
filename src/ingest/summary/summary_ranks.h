// The ranks of a summary, as many of their regions as a report can hold.

#pragma once

#include <string_view>

#include "base/notes.h"
#include "profile/rank_record.h"
#include "summary/summary_file.h"

namespace rangefinder {

// Of ten thousand ranks with a thousand regions each, the records alone would
// be a gigabyte: where there are more than `most` regions of ranks, each tree
// is cut to those that took the most time over all of its ranks, outer ones
// first, with a note. What cannot be read is left out, with a note.
struct MostOfRanks {
  std::size_t regions = 3'000'000;
  // Shared by the ranks alike: of each the first ones, the others count as
  // lost.
  std::size_t collectives = 4'000'000;
};
Ranks ReadRanks(const SummaryFile& file, const MostOfRanks& most, Notes& notes,
                std::string_view where);

}  // namespace rangefinder
