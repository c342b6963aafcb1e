#include "insight/warmup.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// The warm-up consists of the first instances, as many as give the largest sum
// of their times above kTimes median times. Together they must exceed the
// median time by kNoticeableNs and by this share of the region's time.
constexpr double kTimes = 1.5;
constexpr double kNoticeableNs = 100e3;
constexpr double kNoticeableShare = 0.02;
// Where long instances recur, the first instances are no warm-up: their sum
// must exceed what as many of the other instances take by this many standard
// deviations of such a sum.
constexpr double kDeviations = 5;
// With fewer instances, the usual time is unknown.
constexpr std::uint64_t kFewest = 4;

// The instances of one process, of all threads.
struct InProcess {
  std::vector<InstanceTimes> first{};
  std::uint64_t instances = 0;
  Spread cpu_ns{};
  Spread gpu_ns{};
};

// Whether the instances of `start` are longer than the others of `all`, which
// has them as well.
bool StandsOut(const Spread& start, const Spread& all) {
  const auto sum = [](const Spread& spread) {
    return static_cast<double>(spread.sum());
  };
  const auto squares = [&](const Spread& spread) {
    return spread.squares() + sum(spread) * spread.mean();
  };
  const auto count = static_cast<double>(start.count());
  double others = static_cast<double>(all.count()) - count;
  double rest = sum(all) - sum(start),
         rest_squares = squares(all) - squares(start);
  // A single longer instance is an accident.
  if (all.max() > start.max()) {
    const auto longest = static_cast<double>(all.max());
    others -= 1;
    rest -= longest;
    rest_squares -= longest * longest;
  }
  if (count == 0 || others < 1) return false;
  const double mean = rest / others;
  const double variance = rest_squares / others - mean * mean;
  return sum(start) - count * mean >=
         kDeviations *
             std::sqrt(std::max(0.0, variance) * count * (1 + count / others));
}

// The number of instances, among the first `most`, whose time above kTimes
// medians is largest in total. A total, so that an instance of usual length
// between long ones does not end the warm-up.
std::size_t LongestStart(const std::vector<InstanceTimes>& first,
                         std::size_t most, std::uint64_t InstanceTimes::*time,
                         const Spread& spread) {
  const double median = spread.median().value_or(0);
  double above = 0, excess = 0, best = 0;
  Spread start, chosen;
  std::size_t count = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const auto ns = static_cast<double>(first[i].*time);
    if (!first[i].closed || ns == 0) continue;
    above += ns - kTimes * median;
    excess += ns - median;
    start.Add(first[i].*time);
    if (above <= best || excess < kNoticeableNs ||
        excess < kNoticeableShare * static_cast<double>(spread.sum()))
      continue;
    best = above;
    count = i + 1;
    chosen = start;
  }
  return StandsOut(chosen, spread) ? count : 0;
}

// The number of instances in `first`, by start, that are warm-up. Never all
// instances, and with kAuto at most a quarter of them: a more frequent time is
// usual.
std::size_t CountOf(const InProcess& process, const WarmupRule& rule) {
  const std::uint64_t n = process.instances;
  if (rule.kind == WarmupRule::Kind::kCount)
    return std::min<std::uint64_t>({rule.count, process.first.size(), n - 1});
  if (n < kFewest) return 0;
  const std::size_t most = std::min<std::uint64_t>(process.first.size(), n / 4);
  return std::max(
      LongestStart(process.first, most, &InstanceTimes::cpu_ns, process.cpu_ns),
      LongestStart(process.first, most, &InstanceTimes::gpu_ns,
                   process.gpu_ns));
}

std::map<ProcessId, InProcess> ProcessesOf(const Profile& profile,
                                           const Region& region,
                                           const Scope& scope) {
  std::map<ProcessId, InProcess> processes;
  for (const std::uint32_t index :
       RowsIn(scope, region.visits, profile.visits)) {
    const RangeVisits& visits = profile.visits[index];
    InProcess& process = processes[visits.process];
    process.instances += visits.instances;
    process.cpu_ns.Merge(visits.cpu_ns);
    process.gpu_ns.Merge(visits.gpu_ns);
    process.first.insert(process.first.end(), visits.first.begin(),
                         visits.first.end());
  }
  return processes;
}

// Whether no instance can be warm-up by LongestStart(), in whatever order the
// instances ran, and whatever their median in each process of a summary is.
bool IsEven(const Spread& spread) {
  const auto most = static_cast<double>(spread.max());
  const auto least = static_cast<double>(spread.min());
  return most <= kTimes * least ||
         static_cast<double>(spread.count() / kFewest) * (most - least) <
             kNoticeableNs;
}

// Whether the instances took longer only because of this profiler.
bool IsOfProfiler(const Warmup& warmup) {
  return warmup.wall[WallPart::kProfiler] > 0 &&
         static_cast<double>(warmup.program_ns()) <=
             kTimes * static_cast<double>(warmup.instances) *
                 warmup.steady_cpu_ns.value_or(0);
}

}  // namespace

Result<WarmupRule> ParseWarmup(std::string_view text) {
  if (text == "auto") return WarmupRule{};
  if (text == "off") return WarmupRule{.kind = WarmupRule::Kind::kOff};
  const auto count = ParseNumber<std::size_t>(text);
  if (!count || *count > RangeVisits::kFirst) {
    return Error{ErrorCode::kUsage,
                 fmt::format("'{}' is none of auto, off and a number of "
                             "instances up to {}",
                             Printable(text), RangeVisits::kFirst)};
  }
  return WarmupRule{
      .kind = *count == 0 ? WarmupRule::Kind::kOff : WarmupRule::Kind::kCount,
      .count = *count};
}

std::optional<Warmup> WarmupOf(const Profile& profile, const Region& region,
                               const Scope& scope, const WarmupRule& rule) {
  if (rule.kind == WarmupRule::Kind::kOff) return std::nullopt;
  std::map<ProcessId, InProcess> processes =
      ProcessesOf(profile, region, scope);
  Warmup warmup;
  std::uint64_t cpu = 0, closed = 0, gpu = 0, launched = 0;
  for (auto& [id, process] : processes) {
    if (process.instances == 0) continue;
    std::ranges::stable_sort(process.first, {}, &InstanceTimes::start_ns);
    const std::size_t count = CountOf(process, rule);
    cpu += process.cpu_ns.sum();
    closed += process.cpu_ns.count();
    gpu += process.gpu_ns.sum();
    launched += process.gpu_ns.count();
    warmup.instances += count;
    warmup.steady += process.instances - count;
    for (std::size_t i = 0; i < count; ++i) {
      const InstanceTimes& one = process.first[i];
      if (one.closed) {
        warmup.cpu_ns += one.cpu_ns;
        warmup.wall += one.wall;
        --closed;
      }
      warmup.gpu_ns += one.gpu_ns;
      launched -= one.span_ns > 0;
    }
  }
  if (warmup.instances == 0 || warmup.steady == 0) return std::nullopt;
  const auto mean = [](std::uint64_t sum, std::uint64_t of) {
    return of > 0 ? std::optional(static_cast<double>(sum) /
                                  static_cast<double>(of))
                  : std::nullopt;
  };
  warmup.steady_cpu_ns = mean(cpu - warmup.cpu_ns, closed);
  warmup.steady_gpu_ns = mean(gpu - warmup.gpu_ns, launched);
  return warmup;
}

bool MayHideWarmup(const Profile& profile, const Region& region,
                   const Scope& scope, const WarmupRule& rule) {
  const auto has_first = [&](std::uint32_t index) {
    return !profile.visits[index].first.empty();
  };
  if (rule.kind == WarmupRule::Kind::kOff ||
      std::ranges::all_of(RowsIn(scope, region.visits, profile.visits),
                          has_first))
    return false;
  return std::ranges::any_of(
      ProcessesOf(profile, region, scope), [&](const auto& one) {
        const InProcess& process = one.second;
        if (!process.first.empty()) return false;
        if (rule.kind == WarmupRule::Kind::kCount) return process.instances > 1;
        return process.instances >= kFewest &&
               !(IsEven(process.cpu_ns) && IsEven(process.gpu_ns));
      });
}

void NoteWarmup(const Profile& profile, const RegionTree& tree,
                const WarmupRule& rule, Notes& notes) {
  if (rule.kind != WarmupRule::Kind::kAuto) return;
  std::uint64_t regions = 0;
  for (const Region& region : tree.regions()) {
    const auto warmup = WarmupOf(profile, region, Scope{}, rule);
    regions += warmup && !IsOfProfiler(*warmup);
  }
  if (regions == 0) return;
  notes.Add(Severity::kInfo, "warmup",
            fmt::format(
                "the first instances of {} took longer than usual (lazy "
                "loading, autotuning): all totals include them, figures of the "
                "steady state do not (regions.warmup=off)",
                regions == 1 ? std::string("a region")
                             : fmt::format("{} regions", regions)));
}

}  // namespace rangefinder
