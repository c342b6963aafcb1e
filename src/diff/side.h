// The runs of one side together: every region that any run has, with the facts
// of each run.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diff/run_facts.h"

namespace rangefinder {

// A number over the runs of a side that have it.
struct Over {
  std::vector<double> values{};  // of the runs that have a value
  double mean() const;
  double median() const;
  // Whether all runs have it, and the same.
  std::optional<double> same(std::size_t runs) const;
};

struct SideRegion {
  std::string frame{};
  std::size_t parent = 0;
  std::size_t depth = 0;
  std::vector<std::size_t> children{};  // in order of first appearance
  std::vector<const RegionFacts*>
      runs{};  // by run; null: it has no such region
};

class Side {
 public:
  // `runs` must outlive it; at least one.
  explicit Side(std::span<const RunFacts> runs);

  std::span<const RunFacts> runs() const { return runs_; }
  // [0] is the whole; each region before its inner ones.
  std::span<const SideRegion> regions() const { return regions_; }
  const SideRegion& operator[](std::size_t region) const {
    return regions_[region];
  }
  // "LLM/decode"; of the whole "".
  std::string PathOf(std::size_t region) const;
  // The kernels of a region in any run, with the launches and time of a run in
  // the mean; a run that lacks one launched it never.
  struct Kernel {
    double launches = 0;
    double time_ns = 0;
    std::map<LaunchShape, std::uint64_t> shapes{};  // of the first run with it
    Over counts{};                                  // launches, by run
  };
  std::map<std::string, Kernel> KernelsOf(std::size_t region) const;

  template <typename Member>
  Over Take(std::size_t region, Member member) const {
    Over over;
    for (const RegionFacts* facts : regions_[region].runs) {
      if (facts == nullptr) continue;
      if (const auto value = facts->*member)
        over.values.push_back(static_cast<double>(*value));
    }
    return over;
  }

 private:
  std::span<const RunFacts> runs_;
  std::vector<SideRegion> regions_{};
};

}  // namespace rangefinder
