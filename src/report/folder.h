// The folder for the files of a region: its path, made safe for a file name.

#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"
#include "report/report.h"

namespace rangefinder {

// One name per RegionId; the root's is empty. Names are unique even if case is
// ignored, consist of letters, digits, `.`, `_`, `-`, are never hidden, and
// have at most 100 bytes. Other bytes become `_`, frames are joined by `__`,
// and a frame that begins with its parent's name and `::` is not preceded by
// the parent again (A, A::A1: `A__A1`). A name that is taken, too long or the
// name of a report (`report.md`) ends with a hash of the path.
std::vector<std::string> RegionFolders(const Profile& profile,
                                       const RegionTree& tree);

// The folders of a report by RegionId; empty: the region has none. The regions
// with the most GPU time have folders, at most ReportOptions::max_folders.
std::vector<std::string> FoldersOf(const Report& report);
// The number of reported regions that have no folder of their own.
std::size_t WithoutFolder(const Report& report);

}  // namespace rangefinder
