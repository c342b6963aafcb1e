// A run as insight and every document see it: the profile, its tree and rollup,
// and the rows that were derived from the three once. All of it is borrowed or
// shared; no text layout.

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
  std::shared_ptr<const TracedRun> traced{};  // of two runs: the baseline run
  std::shared_ptr<const RegionRows> rows{};
  std::shared_ptr<const Members> members{};
  // The ranks of a job and which of them are late; both null with fewer than
  // two ranks.
  std::shared_ptr<const Ranks> ranks{};
  std::shared_ptr<const RankAnalysis> rank_analysis{};
};

// `profile` and the rest must outlive the view.
RunView ViewOf(const Profile& profile, const RegionTree& tree,
               const Rollup& rollup, const WarmupRule& warmup);

// Whether there are ranks to compare.
bool HasRanks(const RunView& run);

// The regions in the order of reading: each before its inner ones,
// siblings by the time of their row in `scope`, most first, then by first
// appearance;
// (unattributed) last. Regions with nothing in the scope are left out. Of one
// region and its inner ones where `from` is not the root.
std::vector<RegionId> ReadingOrder(const RunView& run, const ScopeRollup& scope,
                                   RegionId from = RegionTree::kRoot);

// The scopes that people want to see: where one process on one device is all
// there is, the aggregate says the same and stands for both.
std::vector<const ScopeRollup*> ShownScopes(const RunView& run);

// What a row of a region tells people: what its kernels amount to, or, where it
// has none, the range that was measured over it as a whole.
struct ShownAmounts {
  const Amounts* amounts = nullptr;
  const WholeRow* whole = nullptr;  // set: not a sum of kernels
};
ShownAmounts ShownOf(const RegionRollup& region);

// Whether the scope, or any scope, has anything in the region or inside it, saw
// it run, or would have, had its kernels been selected.
bool IsShown(const RunView& run, const ScopeRollup& scope, RegionId id);
bool IsReported(const RunView& run, RegionId id);

// "aggregate", or "process:<pid>/device:<index>".
std::string ScopeName(const RunView& run, const Scope& scope);

// Whose a scope is, where that is known: "rank 3", with the host where there
// are several: "rank 3 on node7". As it is in the file; empty: nobody's.
std::string ScopeOwner(const RunView& run, const Scope& scope);
// The scope's name, with its owner: "process:7/device:0 (rank 3)".
std::string ScopeTitle(const RunView& run, const Scope& scope);

// What a scope amounts to, in one line: "28 kernels, 1.20 ms GPU time", "3
// ranges measured as a whole", "28 kernels, 1.20 ms GPU time undisturbed, 12
// measured".
std::string HeadlineOf(const RunView& run, const ScopeRollup& scope);

// What Nsight Compute's rules said of the region's kernels in the scope, inner
// regions included.
std::vector<Finding> FindingsIn(const RunView& run, const Scope& scope,
                                RegionId id);

// The name shown for a region: its frame, or (unattributed); "" stands for a
// name that is empty.
std::string RegionName(const RunView& run, RegionId id);
// All frames, joined by " › ".
std::string RegionTitle(const RunView& run, RegionId id);

}  // namespace rangefinder
