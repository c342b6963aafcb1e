// What ran on a device while its counters were sampled: the launches, copies
// and sets of all traced processes, as the estimate wants them.

#pragma once

#include <cstdint>
#include <vector>

#include "estimate/estimate.h"
#include "profile/profile.h"
#include "region/tree.h"

namespace rangefinder {

// One list entry a launch, copy or set, in no particular order.
struct SampledLaunches {
  std::int64_t origin_ns = 0;  // on the profile's clock; times count from here
  // Of a time on the profile's clock. Any may be in a file: this one wraps.
  std::int64_t SinceOrigin(std::uint64_t ns) const {
    return static_cast<std::int64_t>(ns -
                                     static_cast<std::uint64_t>(origin_ns));
  }
  std::vector<SampledLaunch> launches{};
  // Of each: the region whose own it is (SampledLaunch::region), its process,
  // the thread that launched it, what was open there, and the kernel's
  // demangled name, empty for copies and sets.
  std::vector<RegionId> regions{};
  std::vector<ProcessId> processes{};
  std::vector<std::uint64_t> threads{};
  std::vector<NvtxStateId> states{};
  std::vector<StringId> kernels{};
};

// Stands for the region of what the tree leaves out: it ran all the same.
inline constexpr RegionId kNotInTree{0xFFFFFFFF};

// By Profile::copies.
std::vector<RegionId> RegionsOfCopies(const Profile& profile,
                                      const RegionTree& tree);

// Which region each launch of the undisturbed run is an own one of, found once
// for all devices.
class LaunchRegions {
 public:
  LaunchRegions(const Profile& profile, const RegionTree& tree);

  struct Kernel {
    const Measurement* launch = nullptr;
    RegionId region = RegionTree::kRoot;
  };
  // The kernels of all undisturbed runs.
  const std::vector<Kernel>& kernels() const { return kernels_; }
  RegionId OfCopy(std::size_t index) const { return of_copy_[index]; }
  // The process of the first run that a process of a further one is again: by
  // name and rank, in the order of appearance; itself where there is none.
  ProcessId FirstOf(ProcessId process) const {
    return first_of_[Index(process)];
  }

 private:
  void AddFirstRun(const Profile& profile, const RegionTree& tree);
  void AddByPath(const Profile& profile, const RegionTree& tree);
  void MatchRuns(const Profile& profile);

  std::vector<RegionId> of_copy_;  // by Profile::copies
  std::vector<Kernel> kernels_;
  std::vector<ProcessId> first_of_;  // by ProcessId
};

// Whether `process` counts the device of `samples` among its own, and as which
// index; -1: it does not, as far as is known.
std::int32_t IndexOfSampled(const Profile& profile,
                            const CounterSamples& samples, ProcessId process);

// All kernels of the undisturbed run's first processes, on any device; of the
// launches only their times are filled.
SampledLaunches KernelsOf(const Profile& profile, const LaunchRegions& regions);

// All that ran on the device of `samples`.
SampledLaunches LaunchesOn(const Profile& profile, const LaunchRegions& regions,
                           const CounterSamples& samples);

}  // namespace rangefinder
