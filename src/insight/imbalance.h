// How evenly the GPU time of a region is distributed over its members: the
// ranks of a job, or the processes of a run without ranks.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "insight/region_rows.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"
#include "rollup/traced.h"

namespace rangefinder {

// Over all members, including members without work in the region. Times are
// inclusive, in ns, summed over a member's devices.
struct Imbalance {
  bool over_ranks = false;
  std::size_t count = 0;  // members
  double max_ns = 0;
  double mean_ns = 0;
  std::string who{};  // the member with the most time: "rank 3", "process 1655"

  double ratio() const { return max_ns / mean_ns; }
};

// The members of a run, made once as RunView::members. Successive runs of ncu
// are no members, though each is a process; neither are processes outside the
// ranks of a job.
class Members {
 public:
  Members(const Profile& profile, const RegionTree& tree, const Rollup& rollup,
          const RegionRows& rows, const TracedRun& traced);

  // Whether there are at least two members.
  bool several() const { return names_.size() > 1; }
  bool over_ranks() const { return over_ranks_; }
  // Nothing with fewer than two members, or without any GPU time.
  std::optional<Imbalance> Of(RegionId region) const;
  // Whether some region has an imbalance.
  bool HasAny() const;
  // Whether any measured process is known to have run on another host.
  bool OnOtherHostsThan(StringId host) const;

 private:
  void AddTimes(const RegionTree& tree, const Rollup& rollup,
                const RegionRows& rows, const TracedRun& traced);

  bool over_ranks_ = false;
  std::vector<std::string> names_{};
  // By Rollup::scopes: the member that the scope belongs to, if any.
  std::vector<std::optional<std::size_t>> member_of_{};
  // Times of a region: by member, and their sum.
  struct Times {
    std::map<std::size_t, double> ns{};
    double sum_ns = 0;
  };
  std::vector<Times> times_{};     // by RegionId
  std::vector<StringId> hosts_{};  // the first two known hosts
};

}  // namespace rangefinder
