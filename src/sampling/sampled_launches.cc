#include "sampling/sampled_launches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "profile/metric_facts.h"
#include "region/path.h"

namespace rangefinder {
namespace {

constexpr std::uint32_t kCopyKernels = 0x80000000;  // no StringId is as large
constexpr std::uint64_t kWarpSize = 32;             // threads
constexpr std::uint64_t kAfterKernels = ~std::uint64_t{0};

RegionId Find(const Profile& profile, const RegionTree& tree,
              const Measurement& m) {
  RegionId at = RegionTree::kRoot;
  for (const Frame& frame : PathOf(profile, m)) {
    const auto inner = tree.Find(at, frame);
    if (!inner) return kNotInTree;
    at = *inner;
  }
  return at == RegionTree::kRoot ? kNotInTree : at;
}

RegionId UnattributedOf(const RegionTree& tree) {
  for (std::size_t i = 1; i < tree.regions().size(); ++i) {
    if (tree.regions()[i].unattributed) return static_cast<RegionId>(i);
  }
  return kNotInTree;
}

// `sms`: number of the device's SMs.
LaunchSize SizeOf(const Measurement& m, double sms) {
  const double blocks = static_cast<double>(m.grid.x) *
                        static_cast<double>(m.grid.y) *
                        static_cast<double>(m.grid.z);
  const std::uint64_t threads = m.block.x * m.block.y * m.block.z;
  const auto warps = static_cast<double>((threads + kWarpSize - 1) / kWarpSize);
  return {.warps = blocks * warps,
          .block_warps = warps,
          .sms = std::min(blocks, sms)};
}

// The size of the driver's kernel that copies within a device or sets memory; 0
// for copies and short sets that need no kernel. Measured on an H200
// (docs/measured.md "Copies and sets").
LaunchSize SizeOf(const CopyActivity& copy, double sms) {
  constexpr std::uint64_t kLeastSet = 4096, kLongCopy = 1 << 20;  // bytes
  const bool is_set = copy.kind == kMemorySet;
  if (is_set ? copy.bytes < kLeastSet : copy.kind != kDeviceToDevice) return {};
  // Blocks of 8 warps. Sets are two kernels.
  const auto bytes = static_cast<double>(copy.bytes);
  const double warps = is_set || copy.bytes >= kLongCopy
                           ? std::ceil(bytes / 512)
                           : 8 * std::ceil(bytes / 1024);
  return {.warps = warps,
          .block_warps = is_set ? 16.0 : 8.0,
          .sms = std::min(std::ceil(warps / 8), sms)};
}

// Numbers launch configurations in the order in which they are seen.
class Shapes {
 public:
  std::uint32_t IdOf(const Measurement& m) {
    const auto next = static_cast<std::uint32_t>(ids_.size());
    return ids_.try_emplace({m.grid, m.block, m.dynamic_shared}, next)
        .first->second;
  }

 private:
  std::map<std::tuple<Dim3, Dim3, std::uint32_t>, std::uint32_t> ids_;
};

// Numbers the launches within their instance, in the order of the calls.
// Launches outside all ranges have no instance.
void NumberInInstances(const std::vector<std::uint64_t>& calls,
                       std::vector<SampledLaunch>& launches) {
  std::vector<std::uint32_t> order(launches.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(launches[a].instance, calls[a], launches[a].start_ns, a) <
           std::tuple(launches[b].instance, calls[b], launches[b].start_ns, b);
  });
  std::uint32_t ordinal = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    SampledLaunch& launch = launches[order[i]];
    const bool same =
        i > 0 && launches[order[i - 1]].instance == launch.instance;
    ordinal = same ? ordinal + 1 : 0;
    launch.ordinal = launch.instance == 0 ? 0 : ordinal;
  }
}

// Adds a launch or copy with its times and its place.
template <typename What>
void Append(const What& what, RegionId region, StringId kernel,
            SampledLaunch launch, SampledLaunches& all) {
  launch.start_ns = all.SinceOrigin(what.start_ns);
  launch.end_ns = all.SinceOrigin(what.end_ns);
  launch.region = static_cast<std::uint32_t>(Index(region));
  launch.instance = static_cast<std::uint32_t>(Index(what.nvtx));
  all.launches.push_back(launch);
  all.regions.push_back(region);
  all.processes.push_back(what.process);
  all.threads.push_back(what.thread);
  all.states.push_back(what.nvtx);
  all.kernels.push_back(kernel);
}

// Finds the region of copies and other work, which the tree does not list, by
// its path.
class RegionsByPath {
 public:
  RegionsByPath(const Profile& profile, const RegionTree& tree)
      : profile_(profile), tree_(tree), outside_(UnattributedOf(tree)) {}

  RegionId Of(ProcessId process, std::uint64_t thread, NvtxStateId nvtx) {
    const auto [at, is_new] = known_.try_emplace(nvtx, outside_);
    if (is_new && nvtx != NvtxStateId{})
      at->second = Find(profile_, tree_,
                        {.process = process, .thread = thread, .nvtx = nvtx});
    return at->second;
  }

 private:
  const Profile& profile_;
  const RegionTree& tree_;
  const RegionId outside_;
  std::unordered_map<NvtxStateId, RegionId> known_{};
};

}  // namespace

std::vector<RegionId> RegionsOfCopies(const Profile& profile,
                                      const RegionTree& tree) {
  RegionsByPath regions(profile, tree);
  std::vector<RegionId> of;
  of.reserve(profile.copies.size());
  for (const CopyActivity& copy : profile.copies)
    of.push_back(copy.left_out
                     ? kNotInTree
                     : regions.Of(copy.process, copy.thread, copy.nvtx));
  return of;
}

LaunchRegions::LaunchRegions(const Profile& profile, const RegionTree& tree)
    : profile_(profile), of_copy_(RegionsOfCopies(profile, tree)) {
  AddFirstRun(profile, tree);
  AddByPath(profile, tree);
  MatchRuns(profile);
  FindSpans();
}

void LaunchRegions::FindSpans() {
  constexpr auto kNever = std::numeric_limits<std::uint64_t>::max();
  spans_.assign(profile_.processes.size(), {.start_ns = kNever});
  const auto add = [&](const auto& work) {
    TimeSpan& span = spans_[Index(work.process)];
    span.start_ns = std::min(span.start_ns, work.start_ns);
    span.end_ns = std::max(span.end_ns, work.end_ns);
  };
  for (const Kernel& kernel : kernels_) add(*kernel.launch);
  for (const CopyActivity& copy : profile_.copies) add(copy);
}

void LaunchRegions::AddFirstRun(const Profile& profile,
                                const RegionTree& tree) {
  const bool apart = !profile.traced.empty();
  const auto& kernels = apart ? profile.traced : profile.measurements;
  kernels_.reserve(kernels.size() + profile.repeated.size());
  for (const Measurement& m : kernels) kernels_.push_back({&m, kNotInTree});
  for (std::size_t r = 0; r < tree.regions().size(); ++r) {
    const auto id = static_cast<RegionId>(r);
    for (const std::uint32_t index : tree.regions()[r].traced)
      kernels_[index].region = id;
    if (apart) continue;
    for (const MeasurementId kernel : tree.regions()[r].kernels)
      kernels_[Index(kernel)].region = id;
  }
  std::erase_if(kernels_, [](const Kernel& kernel) {
    return kernel.launch->mode != ReplayMode::kTrace;
  });
}

void LaunchRegions::AddByPath(const Profile& profile, const RegionTree& tree) {
  RegionsByPath regions(profile, tree);
  for (const Measurement& m : profile.left_out)
    kernels_.push_back({&m, kNotInTree});
  for (const Measurement& m : profile.repeated)
    kernels_.push_back({&m, regions.Of(m.process, m.thread, m.nvtx)});
}

void LaunchRegions::MatchRuns(const Profile& profile) {
  const std::vector<Process>& all = profile.processes;
  std::vector<bool> taken;
  for (std::size_t p = 0; p < all.size(); ++p) {
    first_of_.push_back(static_cast<ProcessId>(p));
    if (all[p].run == 0) continue;
    // Each run has its own set of matched processes.
    if (p == 0 || all[p - 1].run != all[p].run) taken.assign(all.size(), false);
    for (std::size_t f = 0; f < all.size(); ++f) {
      if (all[f].run != 0 || taken[f] || all[f].name != all[p].name ||
          all[f].rank != all[p].rank)
        continue;
      taken[f] = true;
      first_of_.back() = static_cast<ProcessId>(f);
      break;
    }
  }
}

std::int32_t LaunchRegions::IndexOfSampled(const CounterSamples& samples,
                                           ProcessId process) const {
  if (process == samples.process) return samples.device;
  const Process& one = profile_.processes[Index(samples.process)];
  const Process& other = profile_.processes[Index(process)];
  if (one.host != other.host || one.run != other.run) return -1;
  // Two runs of a program, read together, may have used the same device.
  const TimeSpan& span = spans_[Index(process)];
  if (samples.size() > 0 && (span.start_ns > samples.end_ns.back() ||
                             span.end_ns < samples.start_ns.front()))
    return -1;
  const auto sampled =
      std::ranges::find(one.devices, samples.device, &DevicePlace::index);
  if (sampled == one.devices.end()) return -1;
  const auto same =
      std::ranges::find(other.devices, sampled->bus, &DevicePlace::bus);
  return same == other.devices.end() ? -1 : same->index;
}

SampledLaunches KernelsOf(const Profile& profile,
                          const LaunchRegions& regions) {
  SampledLaunches all;
  all.origin_ns = static_cast<std::int64_t>(profile.start_ns);
  for (const LaunchRegions::Kernel& kernel : regions.kernels()) {
    const Measurement& m = *kernel.launch;
    if (profile.processes[Index(m.process)].run == 0)
      Append(m, kernel.region, m.demangled_name, {}, all);
  }
  return all;
}

SampledLaunches LaunchesOn(const Profile& profile, const LaunchRegions& regions,
                           const CounterSamples& samples) {
  std::vector<std::int32_t> devices;  // by ProcessId
  for (std::size_t p = 0; p < profile.processes.size(); ++p)
    devices.push_back(
        regions.IndexOfSampled(samples, static_cast<ProcessId>(p)));
  const auto there = [&](ProcessId process, std::int32_t device) {
    return device >= 0 && devices[Index(process)] == device;
  };
  SampledLaunches all;
  all.origin_ns = static_cast<std::int64_t>(
      samples.size() > 0 ? samples.start_ns.front() : profile.start_ns);
  all.sms = DeviceAttribute(profile, samples.device, "multiprocessor_count");
  Shapes shapes;
  std::vector<std::uint64_t> calls;
  const auto add = [&](const auto& what, RegionId region, StringId kernel,
                       std::uint64_t call, const SampledLaunch& launch) {
    Append(what, region, kernel, launch, all);
    calls.push_back(call);
  };
  for (const LaunchRegions::Kernel& kernel : regions.kernels()) {
    const Measurement& m = *kernel.launch;
    if (!there(m.process, m.device)) continue;
    add(m, kernel.region, m.demangled_name, m.api_call,
        {.kernel = static_cast<std::uint32_t>(Index(m.demangled_name)),
         .shape = shapes.IdOf(m),
         .size = SizeOf(m, all.sms)});
  }
  for (std::size_t i = 0; i < profile.copies.size(); ++i) {
    const CopyActivity& copy = profile.copies[i];
    if (!there(copy.process, copy.device)) continue;
    add(copy, regions.OfCopy(i), StringId{}, kAfterKernels,
        {.kernel = kCopyKernels | copy.kind,
         // Exact: a size class has six significant bits.
         .shape = std::bit_cast<std::uint32_t>(
             static_cast<float>(SizeClass(copy.bytes))),
         .size = SizeOf(copy, all.sms)});
  }
  NumberInInstances(calls, all.launches);
  return all;
}

}  // namespace rangefinder
