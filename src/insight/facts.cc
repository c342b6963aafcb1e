#include "insight/facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "insight/late_ranks.h"
#include "insight/occupancy.h"
#include "profile/metric_facts.h"
#include "profile/short_name.h"
#include "ranks/rank_records.h"
#include "region/path.h"

namespace rangefinder {
namespace {

// CUPTI's number of the legacy default stream.
constexpr std::uint64_t kLegacyDefaultStream = 7;

// The function with the most time among calls of a part, or of all parts.
const CallUse* LongestCall(const std::vector<CallUse>& calls, WallPart part) {
  const CallUse* longest = nullptr;
  for (const CallUse& call : calls) {
    if (call.part == part && (longest == nullptr || call.ns > longest->ns))
      longest = &call;
  }
  return longest;
}

// Of one process on one device.
struct DefaultStreamUse {
  std::uint64_t work = 0;     // kernels, copies and sets in the default stream
  std::uint64_t streams = 0;  // that ran kernels
  auto operator<=>(const DefaultStreamUse&) const = default;
};

// That of the process and device with most such work.
DefaultStreamUse DefaultStreamUseOf(const RegionTimes& times) {
  std::map<std::pair<ProcessId, std::int32_t>, DefaultStreamUse> all;
  DefaultStreamUse most;
  for (const auto& [process, device, use] : times.streams) {
    DefaultStreamUse& sum = all[{process, device}];
    sum.streams += use.kernels > 0;
    if (use.stream == kLegacyDefaultStream)
      sum.work += use.kernels + use.copies + use.sets;
    most = std::max(most, sum);
  }
  return most;
}

// Nothing for a divisor that is not above 0.
std::optional<double> OptionalOver(double value, double divisor) {
  if (!(divisor > 0)) return std::nullopt;
  return value / divisor;
}

double Sum(const WallTime& wall, WallPart first, WallPart last) {
  double sum = 0;
  for (auto i = static_cast<std::size_t>(first);
       i <= static_cast<std::size_t>(last); ++i)
    sum += static_cast<double>(wall.ns[i]);
  return sum;
}

}  // namespace

void LaunchSums::Add(const LaunchSums& more) {
  ns += more.ns;
  small_grid_ns += more.small_grid_ns;
  tail_ns += more.tail_ns;
  occupancy_ns += more.occupancy_ns;
  if (more.longest_ns <= longest_ns) return;
  longest_ns = more.longest_ns;
  kernel = more.kernel;
  blocks = more.blocks;
  threads = more.threads;
  limiter = more.limiter;
  multiprocessors = more.multiprocessors;
}

LaunchSums FactsOfRegions::SumOf(const Measurement& m, double ns) const {
  const auto chip = chips_.find(m.device);
  const double sms = chip != chips_.end() ? chip->second.multiprocessors : 0;
  const auto blocks = static_cast<double>(m.grid.x * m.grid.y * m.grid.z);
  // The blocks of a collective are its channels.
  if (sms <= 0 || blocks <= 0 ||
      kinds_[KernelKind::kCollective].contains(m.demangled_name))
    return {};
  LaunchSums sums{.ns = ns,
                  .kernel = m.demangled_name,
                  .blocks = m.grid.x * m.grid.y * m.grid.z,
                  .threads = m.block.x * m.block.y * m.block.z,
                  .longest_ns = ns,
                  .multiprocessors = sms};
  if (blocks < sms) sums.small_grid_ns = ns * (1 - blocks / sms);
  const auto& [multiprocessors, major, minor] = chip->second;
  const auto resident = ResidentBlocksOf(m, major, minor);
  if (!resident) return sums;
  const auto held = static_cast<double>(resident->blocks);
  const double wave = sms * held;
  // SMs without a block in the last wave. An SM with fewer blocks than it can
  // hold may be fully busy.
  const double last = std::fmod(blocks, wave);
  if (blocks > wave && last > 0 && last < sms)
    sums.tail_ns = ns * (1 - last / sms) / std::ceil(blocks / wave);
  const double of_sm = std::min(held, std::ceil(blocks / sms));
  sums.limiter = of_sm < held ? "few blocks" : resident->limiter;
  sums.occupancy_ns = ns * of_sm * resident->warp_slots_of_one;
  return sums;
}

FactsOfRegions::FactsOfRegions(const RunView& run, const ScopeRollup& scope)
    : run_(run),
      scope_(scope),
      kinds_(*run.profile),
      launches_(run.tree->regions().size()),
      overlaps_ns_(KernelOverlaps(run, scope.scope)),
      excess_(run.tree->regions().size()),
      has_only_sums_(std::ranges::any_of(run.profile->processes,
                                         &Process::has_only_sums)) {
  const Profile& profile = *run.profile;
  for (const Device& device : profile.devices) {
    const auto attribute = [&](std::string_view name) {
      return DeviceAttribute(profile, device, name);
    };
    // A damaged report may have any number.
    const auto version = [&](std::string_view name) {
      return static_cast<int>(std::clamp(attribute(name), 0.0, 1000.0));
    };
    chips_.try_emplace(device.index, Chip{attribute("multiprocessor_count"),
                                          version("compute_capability_major"),
                                          version("compute_capability_minor")});
  }
  for (std::size_t i = launches_.size(); i-- > 0;) {
    const Region& region = run.tree->regions()[i];
    const auto add = [&](const Measurement& m) {
      if (!scope.scope.Has(m)) return;
      if (const auto ns = DurationNs(profile, m))
        launches_[i].Add(SumOf(m, *ns));
    };
    if (run.traced && run.traced->there()) {
      for (const std::uint32_t index : region.traced)
        add(profile.traced[index]);
    } else {
      for (const MeasurementId id : region.kernels)
        add(profile.measurements[Index(id)]);
    }
    if (i > 0) launches_[Index(region.parent)].Add(launches_[i]);
    AddExcess(static_cast<RegionId>(i));
  }
  if (const auto all = TimesOf(run, scope.scope, RegionTree::kRoot)) {
    const auto busy = static_cast<double>(all->gpu.busy_ns);
    const auto kernels = static_cast<double>(all->gpu.kernel_ns);
    copies_alone_ns_ = std::max(busy - kernels, 0.0);
  }
  FindRanks();
}

void FactsOfRegions::FindRanks() {
  if (!HasRanks(run_) || !scope_.scope.aggregate) return;
  const RankAnalysis& analysis = *run_.rank_analysis;
  std::map<std::pair<RegionId, std::string>, RegionId> by_frame;
  const std::span<const Region> regions = run_.tree->regions();
  for (std::size_t i = 1; i < regions.size(); ++i) {
    by_frame.emplace(std::pair(regions[i].parent,
                               FrameText(*run_.profile, regions[i].frame)),
                     static_cast<RegionId>(i));
  }
  // Outer regions come before their inner ones.
  std::vector<std::optional<RegionId>> ids(analysis.regions.size());
  if (!ids.empty()) ids[0] = RegionTree::kRoot;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const RegionOverRanks& region = analysis.regions[i];
    if (!ids[region.parent]) continue;
    const auto found = by_frame.find({*ids[region.parent], region.path.back()});
    if (found == by_frame.end()) continue;
    ids[i] = found->second;
    if (region.waiting) waiting_ns_[found->second] = region.waiting->sum;
  }
  // The first finding of a region is the costliest.
  for (const LateRank& late : analysis.late) {
    if (late.region > 0 && ids[late.region])
      late_.emplace(*ids[late.region], &late);
  }
}

void FactsOfRegions::AddExcess(RegionId id) {
  const Region& region = (*run_.tree)[id];
  WallTime& excess = excess_[Index(id)];
  const Profile& profile = *run_.profile;
  if (const auto warmup =
          WarmupOf(profile, region, scope_.scope, run_.warmup)) {
    WallTime steady;
    std::uint64_t closed = 0;
    for (const std::uint32_t row :
         RowsIn(scope_.scope, region.visits, profile.visits)) {
      const RangeVisits& visits = profile.visits[row];
      steady += visits.wall;
      closed += visits.cpu_ns.count();
    }
    steady -= warmup->wall;
    for (std::size_t part = 0; part < kWallTimes && closed > warmup->instances;
         ++part) {
      const std::uint64_t usual =
          steady.ns[part] * warmup->instances / (closed - warmup->instances);
      const std::uint64_t warm = warmup->wall.ns[part];
      excess.ns[part] = warm > usual ? warm - usual : 0;
    }
  }
  excess[WallPart::kProfiler] = 0;
  if (excess.total() == 0) {
    for (const RegionId inner : region.children)
      excess += excess_[Index(inner)];
  }
}

FactsOfRegions::One::One(const FactsOfRegions& all, RegionId id)
    : all_(all),
      id_(id),
      times_(TimesOf(all.run_, all.scope_.scope, id)),
      row_(all.run_.rows->Of(all.scope_, id)) {
  if (!times_ || all.has_only_sums_) return;
  // This profiler's own time is no fact of the program.
  wall_ns_ = times_->wall.total() - times_->wall[WallPart::kProfiler];
  steady_ = times_->steady_wall();
  steady_[WallPart::kProfiler] = 0;
  // Warm-up of inner regions is not part of the steady time.
  const WallTime& excess = all.excess_[Index(id)];
  for (std::size_t part = 0; part < kWallTimes && !times_->warmup; ++part)
    steady_.ns[part] -= std::min(steady_.ns[part], excess.ns[part]);
  steady_ns_ = static_cast<double>(steady_.total());
}

// The facts of a region that are no metrics, by name; each gives nothing if it
// was not measured.
class FactsOfRegions::One::Named {
 public:
  using Fact = std::function<std::optional<double>(const One&)>;

  static const Fact* Find(std::string_view name) {
    static const Named kAll;
    const auto fact = kAll.facts_.find(name);
    return fact == kAll.facts_.end() ? nullptr : &fact->second;
  }

 private:
  Named() {
    AddWall();
    AddWork();
    AddKinds();
    AddCopies();
    AddCalls();
    AddLaunches();
    AddRanks();
  }

  void Add(const std::string& name, Fact fact) {
    facts_.emplace(name, std::move(fact));
  }

  // ---- Wall time ----

  template <typename Get>
  void AddOfWall(const std::string& name, Get get) {
    Add(name, [get](const One& one) -> std::optional<double> {
      if (one.wall_ns_ == 0) return std::nullopt;
      return std::invoke(get, one);
    });
  }

  void AddWall() {
    for (std::size_t i = 0; i < kWallTimes; ++i) {
      const auto part = static_cast<WallPart>(i);
      AddOfWall(std::string(NameOf(part)), [part](const One& one) {
        return static_cast<double>(one.steady_[part]);
      });
    }
    AddOfWall("instances", &One::Instances);
    AddOfWall("processes", &One::Processes);
    AddOfWall("wall", [](const One& one) { return one.steady_ns_; });
    AddOfWall("wall_each", [](const One& one) {
      return OptionalOver(one.steady_ns_, one.Instances());
    });
    AddOfWall("idle", [](const One& one) -> std::optional<double> {
      if (!one.times_->gpu_recorded) return std::nullopt;
      return Sum(one.steady_, WallPart::kPageMigration, WallPart::kUnknown);
    });
    AddOfWall("cpu", [](const One& one) {
      return Sum(one.steady_, WallPart::kLoading, WallPart::kUnknown);
    });
    AddOfWall("all_wall",
              [](const One& one) { return static_cast<double>(one.wall_ns_); });
    AddOfWall("deferred", [](const One& one) {
      return static_cast<double>(one.times_->deferred_ns);
    });
    AddOfWall("migrating", [](const One& one) {
      return static_cast<double>(one.times_->migrating_ns);
    });
    AddOfWall("launches_beside", [](const One& one) {
      return static_cast<double>(one.times_->launches_beside);
    });
    AddOfWall("copying", &One::CopyingNs);
    AddWarmup();
    const auto add_growth = [&](const std::string& name,
                                double Growth::*number) {
      AddOfWall(name, [number](const One& one) -> std::optional<double> {
        const auto growth = one.GrowthOfInstances();
        return growth ? std::optional((*growth).*number) : std::nullopt;
      });
    };
    add_growth("growth", &Growth::ns);
    add_growth("growth_ratio", &Growth::ratio);
    AddOfWall("longest_foreign", [](const One& one) {
      std::uint64_t most = 0;
      for (const ForeignWork& work : one.times_->foreign)
        most = std::max(most, work.ns);
      return static_cast<double>(most);
    });
  }

  // 0 without warm-up.
  template <typename Get>
  void AddOfWarmup(const std::string& name, Get get) {
    AddOfWall(name, [get](const One& one) {
      const auto& warmup = one.times_->warmup;
      return warmup ? static_cast<double>(std::invoke(get, *warmup)) : 0;
    });
  }

  void AddWarmup() {
    AddOfWarmup("warmup_instances", &Warmup::instances);
    AddOfWarmup("warmup_wall", &Warmup::program_ns);
    AddOfWarmup("warmup_loading", [](const Warmup& warmup) {
      return warmup.wall[WallPart::kLoading];
    });
    AddOfWall("warmup", [](const One& one) {
      const auto& warmup = one.times_->warmup;
      const auto each = OptionalOver(one.steady_ns_, one.Instances());
      if (!warmup || !each) return 0.0;
      return static_cast<double>(warmup->program_ns()) -
             static_cast<double>(warmup->instances) * *each;
    });
  }

  // ---- GPU work ----

  template <typename Get>
  void AddOfTimes(const std::string& name, Get get) {
    Add(name, [get](const One& one) -> std::optional<double> {
      if (!one.times_ || !one.times_->gpu_known) return std::nullopt;
      return std::invoke(get, *one.times_);
    });
  }

  void AddWork() {
    Add("gpu", [](const One& one) {
      if (one.wall_ns_ == 0) return one.row_.time_ns;
      const double ns =
          Sum(one.times_->wall, WallPart::kKernels, WallPart::kRankWait) +
          static_cast<double>(one.times_->deferred_ns);
      // The parts of the wall time are without the work of other threads.
      return std::optional(one.times_->gpu_known
                               ? ns
                               : std::max(ns, one.row_.time_ns.value_or(0)));
    });
    Add("kernel_time", [](const One& one) { return one.row_.time_ns; });
    Add("launches", &One::Launches);
    Add("mean_kernel", [](const One& one) -> std::optional<double> {
      if (one.HasOwnLaunches())
        return OptionalOver(static_cast<double>(one.times_->gpu.kernel_ns),
                            static_cast<double>(one.times_->gpu.kernels));
      if (!one.row_.time_ns) return std::nullopt;
      return OptionalOver(*one.row_.time_ns, one.Launches().value_or(0));
    });
    Add("longest_kernel_share", &One::LongestKernelShare);
    Add("run_gpu_work", [](const One& one) {
      const Profile& profile = *one.all_.run_.profile;
      return static_cast<double>(profile.measurements.size() +
                                 profile.traced.size() + profile.uses.size());
    });
    AddOfTimes("concurrency", &RegionTimes::concurrency);
    Add("overlap", [](const One& one) -> std::optional<double> {
      if (one.all_.has_only_sums_ || (one.times_ && !one.times_->gpu_known))
        return std::nullopt;
      return one.all_.overlaps_ns_[Index(one.id_)];
    });
    Add("gpu_span", [](const One& one) -> std::optional<double> {
      if (!one.times_ || one.id_ != RegionTree::kRoot) return std::nullopt;
      return static_cast<double>(one.times_->span_ns);
    });
    Add("copies_alone", [](const One& one) -> std::optional<double> {
      if (one.id_ != RegionTree::kRoot || !one.times_ || !one.times_->gpu_known)
        return std::nullopt;
      return one.all_.copies_alone_ns_;
    });
    AddOfTimes("latency", [](const RegionTimes& times) {
      return times.gpu.latency_ns.median();
    });
    AddOfTimes("streams", [](const RegionTimes& times) {
      return static_cast<double>(DefaultStreamUseOf(times).streams);
    });
    AddOfTimes("default_stream_work", [](const RegionTimes& times) {
      return static_cast<double>(DefaultStreamUseOf(times).work);
    });
  }

  // simt_gemm_time, simt_gemm_launches ...
  void AddKinds() {
    for (const auto& [name, kind] :
         {std::pair("simt_gemm", KernelKind::kFp32Product),
          {"tensor_copy", KernelKind::kTensorCopy},
          {"elementwise", KernelKind::kElementWise},
          {"unaligned_gemm", KernelKind::kUnalignedProduct},
          {"narrow_gemm", KernelKind::kNarrowProduct},
          {"index_add", KernelKind::kIndexAdd}}) {
      Add(fmt::format("{}_time", name),
          [kind](const One& one) { return one.SumOf(kind).ns; });
      Add(fmt::format("{}_launches", name), [kind](const One& one) {
        return static_cast<double>(one.SumOf(kind).count);
      });
    }
    Add("collective_time", &One::CollectiveNs);
  }

  // copy_time, h2d_bytes, pageable_count ...
  void AddCopies() {
    AddCopies("copy", [](const CopyUse&) { return true; });
    for (const auto& [name, kind] : {std::pair("h2d", kHostToDevice),
                                     {"d2h", kDeviceToHost},
                                     {"d2d", kDeviceToDevice}})
      AddCopies(name,
                [kind](const CopyUse& copies) { return copies.kind == kind; });
    AddCopies("pageable", [](const CopyUse& copies) {
      return copies.from == MemoryKind::kPageable ||
             copies.to == MemoryKind::kPageable;
    });
    const auto add_set = [&](const std::string& name,
                             std::uint64_t GpuUse::*number) {
      AddOfTimes(name, [number](const RegionTimes& times) {
        return static_cast<double>(times.gpu.*number);
      });
    };
    add_set("set_time", &GpuUse::set_ns);
    add_set("set_bytes", &GpuUse::set_bytes);
    add_set("set_count", &GpuUse::sets);
  }

  template <typename IsCounted>
  void AddCopies(const std::string& which, IsCounted is_counted) {
    const auto add = [&](std::string_view what, auto CopyUse::*number) {
      AddOfTimes(fmt::format("{}_{}", which, what),
                 [=](const RegionTimes& times) -> std::optional<double> {
                   double sum = 0;
                   std::uint64_t all = 0;
                   for (const CopyUse& copies : times.gpu.copies_by_kind) {
                     all += copies.count;
                     if (is_counted(copies))
                       sum += static_cast<double>(copies.*number);
                   }
                   // Reports that are read again do not tell copies apart.
                   if (all != times.gpu.copies) return std::nullopt;
                   return sum;
                 });
    };
    add("count", &CopyUse::count);
    add("time", &CopyUse::ns);
    add("bytes", &CopyUse::bytes);
  }

  // ---- Calls ----

  void AddCalls() {
    const auto of_part = [](WallPart part) {
      return [part](const CallUse& call, std::string_view) {
        return call.part == part;
      };
    };
    AddCalls("sync", of_part(WallPart::kSynchronising));
    AddCalls("alloc", of_part(WallPart::kAllocating));
    AddCalls("load", of_part(WallPart::kLoading));
    AddCalls("other_call", of_part(WallPart::kOtherCalls));
    AddCalls("sync_copy", [](const CallUse& call, std::string_view function) {
      return call.part == WallPart::kSynchronising &&
             (function.starts_with("cudaMemcpy") ||
              function.starts_with("cuMemcpy"));
    });
    AddCalls("instantiate", [](const CallUse&, std::string_view function) {
      return function.find("GraphInstantiate") != std::string_view::npos;
    });
  }

  template <typename IsCounted>
  void AddCalls(const std::string& which, IsCounted is_counted) {
    const auto add = [&](std::string_view what,
                         std::uint64_t CallUse::*number) {
      AddOfWall(
          fmt::format("{}_{}", which, what),
          [=](const One& one) -> std::optional<double> {
            if (one.times_->wall[WallPart::kUnknown] == one.wall_ns_)
              return std::nullopt;
            std::uint64_t sum = 0;
            for (const CallUse& call : one.times_->calls) {
              if (is_counted(call, one.all_.run_.profile->Name(call.function)))
                sum += call.*number;
            }
            return static_cast<double>(sum);
          });
    };
    add(which == "other_call" ? "count" : "calls", &CallUse::count);
    add("time", &CallUse::ns);
  }

  // ---- Launch configurations ----

  template <typename Get>
  void AddOfLaunches(const std::string& name, Get get) {
    Add(name, [get](const One& one) -> std::optional<double> {
      const LaunchSums& sums = one.all_.launches_[Index(one.id_)];
      if (sums.ns <= 0) return std::nullopt;
      return get(sums);
    });
  }

  void AddLaunches() {
    const auto add = [&](const std::string& name, auto LaunchSums::*number) {
      AddOfLaunches(name, [number](const LaunchSums& sums) {
        return static_cast<double>(sums.*number);
      });
    };
    add("small_grid_time", &LaunchSums::small_grid_ns);
    add("tail_time", &LaunchSums::tail_ns);
    add("configured_time", &LaunchSums::ns);
    add("blocks", &LaunchSums::blocks);
    add("threads", &LaunchSums::threads);
    add("multiprocessors", &LaunchSums::multiprocessors);
    AddOfLaunches("occupancy_limit",
                  [](const LaunchSums& sums) -> std::optional<double> {
                    if (sums.occupancy_ns <= 0) return std::nullopt;
                    return sums.occupancy_ns / sums.ns;
                  });
  }

  // ---- Ranks ----

  void AddRanks() {
    Add("late_rank_time", [](const One& one) -> std::optional<double> {
      const auto late = one.all_.late_.find(one.id_);
      if (late == one.all_.late_.end()) return std::nullopt;
      return LostNs(*one.all_.run_.rank_analysis, *late->second);
    });
    Add("collective_wait", [](const One& one) -> std::optional<double> {
      const auto waiting = one.all_.waiting_ns_.find(one.id_);
      if (waiting == one.all_.waiting_ns_.end()) return std::nullopt;
      return waiting->second;
    });
  }

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Fact, Hash, std::equal_to<>> facts_{};
};

double FactsOfRegions::One::Instances() const {
  return static_cast<double>(times_->steady_instances());
}

double FactsOfRegions::One::CopyingNs() const {
  const auto copies =
      static_cast<double>(times_->gpu.copy_ns + times_->gpu.set_ns);
  const double share =
      copies > 0 ? copies / static_cast<double>(times_->work_ns()) : 0;
  // Deferred copies may run beside kernels of any region.
  return static_cast<double>(steady_[WallPart::kCopies]) +
         std::min(share * static_cast<double>(times_->deferred_ns),
                  all_.copies_alone_ns_);
}

double FactsOfRegions::One::Processes() const {
  std::set<ProcessId> processes;
  const Profile& profile = *all_.run_.profile;
  for (const std::uint32_t index :
       RowsIn(all_.scope_.scope, (*all_.run_.tree)[id_].visits, profile.visits))
    processes.insert(profile.visits[index].process);
  return static_cast<double>(processes.size());
}

bool FactsOfRegions::One::HasOwnLaunches() const {
  return times_ && times_->gpu_known && !all_.run_.profile->uses.empty();
}

std::optional<double> FactsOfRegions::One::Launches() const {
  if (HasOwnLaunches()) return static_cast<double>(times_->gpu.kernels);
  if (!row_.launches) return std::nullopt;
  return static_cast<double>(*row_.launches);
}

std::optional<Growth> FactsOfRegions::One::GrowthOfInstances() const {
  const Profile& profile = *all_.run_.profile;
  std::vector<TimeSpan> spans;
  for (const std::uint32_t index : RowsIn(
           all_.scope_.scope, (*all_.run_.tree)[id_].visits, profile.visits)) {
    const RangeVisits& visits = profile.visits[index];
    spans.insert(spans.end(), visits.spans.begin(), visits.spans.end());
  }
  std::ranges::stable_sort(spans, {}, &TimeSpan::start_ns);
  const std::size_t warm = times_->warmup ? times_->warmup->instances : 0;
  return GrowthOf(std::span(spans).subspan(std::min(warm, spans.size())));
}

const std::vector<KernelRow>& FactsOfRegions::One::Kernels() const {
  return all_.scope_.regions[Index(id_)].all_kernels();
}

std::optional<double> FactsOfRegions::One::LongestKernelShare() const {
  // A kernel has a row for each device. A row of a graph is of many kernels.
  std::map<StringId, double> by_name;
  double sum = 0, most = 0;
  for (const KernelRow& row : Kernels()) {
    if (!row.measurements.empty() &&
        all_.run_.profile->measurements[Index(row.measurements.front())].kind ==
            MeasurementKind::kGraph)
      return std::nullopt;
    double& of_name = by_name[row.name];
    of_name += row.total_ns;
    sum += row.total_ns;
    most = std::max(most, of_name);
  }
  return OptionalOver(most, sum);
}

LaunchSum FactsOfRegions::One::SumOf(KernelKind kind) const {
  const std::set<StringId>& kernels = all_.kinds_[kind];
  LaunchSum sum;
  if (kernels.empty()) return sum;
  const auto add = [&](StringId name, std::uint64_t count, double ns) {
    if (!kernels.contains(name)) return;
    sum.count += count;
    sum.ns += ns;
  };
  if (all_.run_.traced && all_.run_.traced->there()) {
    const TracedRegion& region = all_.run_.traced->Of(all_.scope_, id_);
    for (const TracedKernel& kernel : region.all_kernels())
      add(kernel.name, kernel.traced.count, kernel.traced.ns);
    return sum;
  }
  for (const KernelRow& row : Kernels()) add(row.name, row.calls, row.total_ns);
  return sum;
}

double FactsOfRegions::One::CollectiveNs() const {
  const std::set<StringId>& kernels = all_.kinds_[KernelKind::kCollective];
  double ns = 0;
  if (kernels.empty()) return ns;
  for (const KernelRow& row : Kernels()) {
    if (kernels.contains(row.name)) ns += row.total_ns;
  }
  return ns;
}

std::optional<CauseFact> FactsOfRegions::One::OfMetric(
    std::string_view name) const {
  if (row_.counters == nullptr) return std::nullopt;
  // Counters of collectives describe kernels that wait.
  if (row_.time_ns && *row_.time_ns > 0 && CollectiveNs() >= *row_.time_ns / 2)
    return std::nullopt;
  if (name == "compute_peak" || name == "memory_peak") {
    const LimitVerdict verdict = VerdictOf(*all_.run_.rollup, *row_.counters);
    if (verdict.text.empty()) return std::nullopt;
    return name == "compute_peak"
               ? CauseFact{verdict.compute_percent, verdict.compute_error,
                           verdict.is_bound}
               : CauseFact{verdict.memory_percent, verdict.memory_error,
                           verdict.is_bound};
  }
  const auto column = all_.run_.rollup->Find(name);
  if (!column) return std::nullopt;
  const Cell& cell = row_.counters->cells[*column];
  if (cell.how == How::kAbsent || cell.is_text) return std::nullopt;
  CauseFact fact{.value = cell.value, .is_bound = cell.how == How::kBound};
  if (cell.how == How::kEstimated) {
    // Half of the 95 % interval, which may be wider than two errors.
    fact.error = std::max<double>(
        cell.error,
        std::max(cell.high - cell.value, cell.value - cell.low) / 1.96);
  }
  return fact;
}

std::optional<CauseFact> FactsOfRegions::One::Number(
    std::string_view name) const {
  const Named::Fact* const fact = Named::Find(name);
  if (fact == nullptr) return OfMetric(name);
  const std::optional<double> value = (*fact)(*this);
  if (!value) return std::nullopt;
  // The CPU may have done anything where most of its calls were not recorded.
  return CauseFact{
      .value = *value,
      .is_bound = name == NameOf(WallPart::kUnknown) &&
                  steady_[WallPart::kUnknown] >
                      steady_[WallPart::kLaunching] + steady_[WallPart::kHost]};
}

std::string FactsOfRegions::One::Text(std::string_view name) const {
  const Profile& profile = *all_.run_.profile;
  if (name == "region") return RegionTitle(all_.run_, id_);
  if (name == "kernel") {
    const auto longest =
        std::ranges::max_element(Kernels(), {}, &KernelRow::total_ns);
    return longest == Kernels().end()
               ? "no kernel"
               : Printable(ShortKernelName(profile.Name(longest->name)));
  }
  if (name == "longest_launch")
    return Printable(
        ShortKernelName(profile.Name(all_.launches_[Index(id_)].kernel)));
  if (name == "occupancy_limiter")
    return std::string(all_.launches_[Index(id_)].limiter);
  if (name == "late_rank") {
    const auto late = all_.late_.find(id_);
    if (late == all_.late_.end()) return "–";
    const RankNames names(*all_.run_.ranks, *all_.run_.rank_analysis);
    return Printable(LateText(names, *late->second));
  }
  if (!times_) return "–";
  if (name == "waits_for") {
    if (times_->foreign.empty()) return "another region";
    const auto path = AwaitedPath();
    if (path.empty()) return "launches in no region";
    return Printable(profile.Name(path.back().name));
  }
  constexpr std::array<std::pair<std::string_view, WallPart>, 4> kFunctions = {
      {{"sync_function", WallPart::kSynchronising},
       {"alloc_function", WallPart::kAllocating},
       {"load_function", WallPart::kLoading},
       {"other_function", WallPart::kOtherCalls}}};
  for (const auto& [key, part] : kFunctions) {
    if (key != name) continue;
    const CallUse* call = LongestCall(times_->calls, part);
    return call == nullptr ? "–" : Printable(profile.Name(call->function));
  }
  return "–";
}

// Empty also if the work was launched in no region.
std::vector<Frame> FactsOfRegions::One::AwaitedPath() const {
  if (!times_ || times_->foreign.empty()) return {};
  const ForeignWork& most =
      *std::ranges::max_element(times_->foreign, {}, &ForeignWork::ns);
  return PathOf(*all_.run_.profile,
                {.thread = most.thread, .nvtx = most.launched_in});
}

std::optional<RegionId> FactsOfRegions::One::Awaited() const {
  RegionId at = RegionTree::kRoot;
  for (const Frame& frame : AwaitedPath()) {
    const auto inner = all_.run_.tree->Find(at, frame);
    if (!inner) return std::nullopt;
    at = *inner;
  }
  return at == RegionTree::kRoot ? std::nullopt : std::optional(at);
}

CauseFacts FactsOfRegions::One::AsFacts() const {
  return {.number = [this](std::string_view name) { return Number(name); },
          .text = [this](std::string_view name) { return Text(name); }};
}

}  // namespace rangefinder
