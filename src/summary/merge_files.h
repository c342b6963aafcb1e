// Merges any number of summary files, streaming: totals are added in memory;
// the ranks' sections are copied from file to file, sorted.

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct MergeOutcome {
  std::size_t given = 0;                 // files
  std::size_t merged = 0;                // files with a part in the result
  std::size_t twice = 0;                 // files whose content is in others
  std::size_t ranks = 0;                 // starts of processes
  std::vector<std::string> left_out{};   // each with the reason
  std::vector<std::string> replaced{};   // each with the reason
  std::vector<std::string> restarted{};  // "rank 3: 2 processes or starts"
};

// Writes the merged summary next to `output` and renames it. A file that is
// missing, damaged or no summary is left out or, with `strict`, the returned
// error. kCorrupt: no file is left.
//
// The result does not depend on the order of `files`, nor on the tree of merges
// that made them, as long as intermediate merges have few sources (kMostApart).
// If two summaries of one source differ, the later summary counts; with
// `strict`, the difference is an error. If totals that cannot be separated
// share sources, only the totals with the most sources count.
Result<MergeOutcome> MergeSummaries(
    std::span<const std::filesystem::path> files,
    const std::filesystem::path& output, bool strict);

}  // namespace rangefinder
