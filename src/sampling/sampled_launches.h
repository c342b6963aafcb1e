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
  std::vector<SampledLaunch> launches{};
  // Of each: the region whose own it is (SampledLaunch::region), its process
  // and the kernel's demangled name, empty for copies and sets.
  std::vector<RegionId> regions{};
  std::vector<ProcessId> processes{};
  std::vector<StringId> kernels{};
};

// Stands for the region of what the tree leaves out: it ran all the same.
inline constexpr RegionId kNotInTree{0xFFFFFFFF};

// Which region each launch of the undisturbed run is an own one of, found once
// for all devices.
class LaunchRegions {
 public:
  LaunchRegions(const Profile& profile, const RegionTree& tree);

  // The kernels of the undisturbed run.
  const std::vector<Measurement>& kernels() const { return *kernels_; }
  RegionId OfKernel(std::size_t index) const { return of_kernel_[index]; }
  RegionId OfCopy(std::size_t index) const { return of_copy_[index]; }

 private:
  const std::vector<Measurement>* kernels_;
  std::vector<RegionId> of_kernel_;  // by kernels()
  std::vector<RegionId> of_copy_;    // by Profile::copies
};

// Whether `process` counts the device of `samples` among its own, and as which
// index; -1: it does not, as far as is known.
std::int32_t IndexOfSampled(const Profile& profile,
                            const CounterSamples& samples, ProcessId process);

// All that ran on the device of `samples`.
SampledLaunches LaunchesOn(const Profile& profile, const LaunchRegions& regions,
                           const CounterSamples& samples);

}  // namespace rangefinder
