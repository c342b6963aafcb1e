// Reads the ranks of a summary, with at most as many regions as a report can
// hold.

#pragma once

#include <string_view>

#include "base/notes.h"
#include "profile/rank_record.h"
#include "summary/summary_file.h"

namespace rangefinder {

// Limits for all ranks together: the records of ten thousand ranks with a
// thousand regions each would take a gigabyte.
struct MostOfRanks {
  // Beyond this limit, each tree keeps the regions with the most time over all
  // of its ranks, and the regions around them, with a note.
  std::size_t regions = 3'000'000;
  // Beyond this limit, each rank keeps the same number of its first
  // collectives; the others count as lost.
  std::size_t collectives = 4'000'000;
};
// Ranks that cannot be read are left out, with a note.
Ranks ReadRanks(const SummaryFile& file, const MostOfRanks& most, Notes& notes,
                std::string_view where);

}  // namespace rangefinder
