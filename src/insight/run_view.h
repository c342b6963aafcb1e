// A run as insight and every document see it: the profile, its tree and rollup,
// and the rows derived from them once. Everything is borrowed or shared; no
// text layout.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "insight/findings.h"
#include "insight/region_rows.h"
#include "insight/warmup.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"
#include "rollup/traced.h"

namespace rangefinder {

class Members;        // insight/imbalance.h
struct RankAnalysis;  // ranks/rank_analysis.h

struct RunView {
  const Profile* profile = nullptr;
  const RegionTree* tree = nullptr;
  const Rollup* rollup = nullptr;
  WarmupRule warmup{};
  std::shared_ptr<const TracedRun> traced{};  // the baseline run, or null
  std::shared_ptr<const RegionRows> rows{};
  std::shared_ptr<const Members> members{};
  // The ranks of a job, and the late ones among them; both null with fewer than
  // two ranks.
  std::shared_ptr<const Ranks> ranks{};
  std::shared_ptr<const RankAnalysis> rank_analysis{};
};

// All arguments must outlive the view.
RunView ViewOf(const Profile& profile, const RegionTree& tree,
               const Rollup& rollup, const WarmupRule& warmup);

// Whether there are ranks to compare.
bool HasRanks(const RunView& run);

// The regions in the order of reading: each before its inner regions, siblings
// by their time in `scope`, the longest first, then by first appearance, and
// (unattributed) last. Regions without content in the scope are left out.
// `from`: the region to start at.
std::vector<RegionId> ReadingOrder(const RunView& run, const ScopeRollup& scope,
                                   RegionId from = RegionTree::kRoot);

// The scopes to show. With one process on one device, the scope of the process
// equals the aggregate and is left out.
std::vector<const ScopeRollup*> ShownScopes(const RunView& run);

// The amounts that a row of a region shows: of its kernels or, without kernels,
// of the range that was measured as a whole.
const Amounts& ShownOf(const RegionRollup& region);

// Whether the scope (IsReported: any scope) has content in the region or its
// inner regions: a measurement, an instance, or a kernel that regions.kernels
// leaves out.
bool IsShown(const RunView& run, const ScopeRollup& scope, RegionId id);
bool IsReported(const RunView& run, RegionId id);

// "aggregate", or "process:<pid>/device:<index>".
std::string ScopeName(const RunView& run, const Scope& scope);

// The owner of a scope: "rank 3", with several hosts "rank 3 on node7"; not
// made printable. Empty if no owner is known.
std::string ScopeOwner(const RunView& run, const Scope& scope);
// The scope's name, with its owner: "process:7/device:0 (rank 3)". Of a merged
// summary: "2 processes together, device 0".
std::string ScopeTitle(const RunView& run, const Scope& scope);

// " in process:7/device:0 (rank 3)": the scope of causes if it is one of
// several, since there is no aggregate (regions.aggregate=false). Else empty.
std::string InFirstScope(const RunView& run);

// A summary of the scope in one line: "28 kernels, 1.20 ms GPU time", "3
// ranges measured as a whole", "28 kernels, 1.20 ms GPU time in the baseline
// run, 12 measured".
std::string HeadlineOf(const RunView& run, const ScopeRollup& scope);

// The findings of Nsight Compute's rules on the region's kernels in the scope,
// inner regions included.
std::vector<Finding> FindingsIn(const RunView& run, const Scope& scope,
                                RegionId id);

// The name shown for a region: its frame, or (unattributed). An empty name is
// shown as "".
std::string RegionName(const RunView& run, RegionId id);
// All frames, joined by " › ".
std::string RegionTitle(const RunView& run, RegionId id);

}  // namespace rangefinder
