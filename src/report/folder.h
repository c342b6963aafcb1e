// The folder of a region's own files: its path made safe for a file name.

#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"
#include "report/report.h"

namespace rangefinder {

// One name per RegionId (the root's is empty). Unique also where case does not
// count, made of letters, digits, `.`, `_`, `-` alone, never hidden, at most
// 100 bytes: other bytes become `_`, frames are joined by `__`, and a frame
// that begins with its parent's name and `::` is not led in by the parent again
// (A, A::A1: `A__A1`). What would be taken, too long or the name of a report
// (`report.md`) ends with a hash of the path.
std::vector<std::string> RegionFolders(const Profile& profile,
                                       const RegionTree& tree);

// The folders of a report by RegionId; empty: the region has none. The regions
// with the most GPU time have folders, at most ReportOptions::max_folders.
std::vector<std::string> FoldersOf(const Report& report);
// The number of reported regions that have no folder of their own.
std::size_t WithoutFolder(const Report& report);

}  // namespace rangefinder
