// The names that documents give to ranks and to the regions of ranks. Texts are
// as in the file: a writer makes them safe.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profile/rank_record.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {

// Both are borrowed. Indices are into Ranks::records and RankAnalysis::regions.
class RankNames {
 public:
  RankNames(const Ranks& ranks, const RankAnalysis& analysis);

  std::size_t size() const { return ranks_.records.size(); }

  // "rank 5"; with several hosts "rank 5 on node7"; for a rank that was started
  // again "rank 5, process 77"; without a rank "process 77".
  std::string Who(std::size_t record) const;
  // The same for a cell of a table: "5", "process 77".
  std::string ShortWho(std::size_t record) const;

  // The innermost frame, after the next outer frame if other regions have the
  // same innermost frame; for [0] "the run".
  std::string Region(std::size_t region) const;
  // The innermost frame alone.
  std::string Frame(std::size_t region) const;

 private:
  const Ranks& ranks_;
  const RankAnalysis& analysis_;
  bool several_hosts_ = false;
  std::vector<bool> is_again_{};    // by record: others have its rank and host
  std::vector<bool> ends_alike_{};  // by region
};

}  // namespace rangefinder
