// The pure half of every command: captures to a region tree, rolled up.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "base/notes.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "report/report.h"
#include "rollup/rollup.h"

namespace rangefinder {

struct Analysis {
  Profile profile{};
  RegionTree tree{};
  Rollup rollup{};
  Notes notes{};
  std::vector<RunFact> runs{};  // that were made for it, where that is known
};

// Reads `files`, places and rolls up. On the heap, since reports borrow it.
// `ranks` as for ReadArtifacts(). kUsage for a selection that is none;
// reading's errors.
Result<std::unique_ptr<Analysis>> Analyze(
    std::span<const std::filesystem::path> files, const Settings& settings,
    const std::map<std::string, int>& ranks = {});

// What `paths` hold; a run directory in which nothing was measured is an
// answer, too.
Result<std::unique_ptr<Analysis>> AnalyzePaths(
    const std::vector<std::string>& paths, const Settings& settings);

// Of a capture that measured nothing: a report that says so.
std::unique_ptr<Analysis> EmptyAnalysis();

// For what is needed to the end of the program: it is never taken apart, which
// takes a profile of millions of kernels half a second, and the system nothing.
const Analysis& KeepToTheEnd(std::unique_ptr<Analysis> analysis);

// What the configuration asked of the capture itself. It holds for reports on a
// run directory, and not on loose files, whose capture it did not make.
enum class Asked { kByTheseSettings, kBySomebody };

Report MakeReport(const Analysis& analysis, const Settings& settings,
                  Asked asked = Asked::kBySomebody);

// Now, or SOURCE_DATE_EPOCH where the environment sets it: ISO 8601 in UTC.
std::string Timestamp();

}  // namespace rangefinder
