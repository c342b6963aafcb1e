// The launches, copies and sets of all traced processes that ran on a device
// while its counters were sampled, in the form that `estimate` reads.

#pragma once

#include <cstdint>
#include <vector>

#include "estimate/estimate.h"
#include "profile/profile.h"
#include "region/tree.h"

namespace rangefinder {

// The lists have one entry per launch, copy or set, in no particular order.
struct SampledLaunches {
  std::int64_t origin_ns = 0;  // on the profile's clock; times count from here
  // A time relative to the origin. A damaged file may have any time: the
  // subtraction wraps.
  std::int64_t SinceOrigin(std::uint64_t ns) const {
    return static_cast<std::int64_t>(ns -
                                     static_cast<std::uint64_t>(origin_ns));
  }
  double sms = 0;  // of the device; 0: unknown
  std::vector<SampledLaunch> launches{};
  // By launch: the region that it belongs to (SampledLaunch::region), its
  // process, the thread that launched it, its NVTX state, and the kernel's
  // demangled name, empty for copies and sets.
  std::vector<RegionId> regions{};
  std::vector<ProcessId> processes{};
  std::vector<std::uint64_t> threads{};
  std::vector<NvtxStateId> states{};
  std::vector<StringId> kernels{};
};

// The region of launches that the tree leaves out, although they ran.
inline constexpr RegionId kNotInTree{0xFFFFFFFF};

// The regions of copies, by Profile::copies.
std::vector<RegionId> RegionsOfCopies(const Profile& profile,
                                      const RegionTree& tree);

// The innermost region of each launch in the baseline run, found once for all
// devices. The profile must outlive it.
class LaunchRegions {
 public:
  LaunchRegions(const Profile& profile, const RegionTree& tree);

  struct Kernel {
    const Measurement* launch = nullptr;
    RegionId region = RegionTree::kRoot;
  };
  // The kernels of all baseline runs.
  const std::vector<Kernel>& kernels() const { return kernels_; }
  RegionId OfCopy(std::size_t index) const { return of_copy_[index]; }
  // The process in the first run that corresponds to a process of a further
  // run: by name and rank, in the order of appearance; the process itself if
  // there is none.
  ProcessId FirstOf(ProcessId process) const {
    return first_of_[Index(process)];
  }
  // The index by which `process` counts the device of `samples`; -1: it does
  // not use the device, not while the samples were taken, or this is unknown.
  std::int32_t IndexOfSampled(const CounterSamples& samples,
                              ProcessId process) const;

 private:
  void AddFirstRun(const Profile& profile, const RegionTree& tree);
  void AddByPath(const Profile& profile, const RegionTree& tree);
  void MatchRuns(const Profile& profile);

  void FindSpans();

  const Profile& profile_;
  std::vector<RegionId> of_copy_;  // by Profile::copies
  std::vector<Kernel> kernels_;
  std::vector<ProcessId> first_of_;  // by ProcessId
  std::vector<TimeSpan> spans_;      // of GPU work, by ProcessId
};

// All kernels of the first baseline run's processes, on any device; of
// `launches` only the times are set.
SampledLaunches KernelsOf(const Profile& profile, const LaunchRegions& regions);

// All work on the device of `samples`.
SampledLaunches LaunchesOn(const Profile& profile, const LaunchRegions& regions,
                           const CounterSamples& samples);

}  // namespace rangefinder
