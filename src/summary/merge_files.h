// Any number of summary files as one, streaming: the totals are added up in
// memory, the ranks' sections are copied as they are, sorted.

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct MergeOutcome {
  std::size_t given = 0;   // files
  std::size_t merged = 0;  // of them, those that are in the result
  std::size_t twice = 0;   // files all of whose ranks are in others
  std::size_t ranks = 0;   // processes, each start of one
  std::vector<std::string> left_out{};   // each with why
  std::vector<std::string> restarted{};  // "rank 3: 2 starts"
};

// Writes the merged summary to `output`, beside and renamed. A file that is
// missing, damaged or no summary is left out; with `strict` it is the error
// that is returned. kCorrupt where nothing is left.
//
// The order of `files` does not show in the result. Two files with the same
// sources count once; of files that share some of their sources, only the one
// with more of them can be taken, since totals cannot be taken apart.
Result<MergeOutcome> MergeSummaries(
    std::span<const std::filesystem::path> files,
    const std::filesystem::path& output, bool strict);

}  // namespace rangefinder
