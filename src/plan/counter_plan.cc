#include "plan/counter_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "counters/counter_host.h"
#include "counters/cuda_driver.h"
#include "counters/cupti_library.h"
#include "region/path.h"
#include "region/pattern.h"

namespace rangefinder {

// ---- Counted instances -----------------------------------------------------

namespace {

// More instances of a region add little.
constexpr std::uint64_t kMostInstances = 32;
constexpr std::size_t kMostRegions = 512;
// More than any plan counts; limits the conversion of a budget to a number.
constexpr double kMostRanges = 1e15;
// First instances, which are still warming up.
constexpr std::uint64_t kSkipped = 2;
constexpr std::uint64_t kInstancesOfPass = 16;
// Seconds to read the counters and continue, with the same pass or the next.
constexpr double kReadingSeconds = 20e-3;
// A smaller budget is not worth planning: starting takes as long.
constexpr double kLeastBudget = 0.5;
// Levels take turns if the outermost region has this many instances for each.
constexpr std::uint64_t kTurns = 3;

using Path = std::vector<std::pair<std::string, std::string>>;

struct KnownRegion {
  std::string label{};
  std::vector<FrameName> names{};  // merged, for patterns
  std::map<ProcessId, std::uint64_t> instances{};
  double gpu_ns = 0;
};

Path PathFrom(const Profile& profile, const std::vector<Frame>& frames) {
  Path path;
  for (const FrameName& name : FrameNames(profile, frames))
    path.emplace_back(std::string(name.domain), std::string(name.name));
  return path;
}

bool HasStartEnd(const std::vector<Frame>& frames) {
  return std::ranges::any_of(frames, [](const Frame& frame) {
    return frame.kind == FrameKind::kStartEnd;
  });
}

// Whether `outer` is the beginning of `path`, and shorter.
bool IsInside(const Path& path, const Path& outer) {
  return outer.size() < path.size() &&
         std::equal(outer.begin(), outer.end(), path.begin());
}

class Planner {
 public:
  Planner(const Profile& traced, const CountingRequest& request)
      : profile_(traced), request_(request) {
    plan_.passes = std::max<std::size_t>(request.passes, 1);
    plan_.budget_s = std::max(request.budget_s, kLeastBudget);
  }

  CountingPlan Plan() {
    Collect();
    Choose();
    FindLevels();
    Spend();
    Settle();
    return std::move(plan_);
  }

 private:
  bool IsWanted(const KnownRegion& region) const {
    const auto matches = [&](const Pattern& pattern) {
      return pattern.Matches(region.names);
    };
    return region.gpu_ns > 0 &&
           (request_.include.empty() ||
            std::ranges::any_of(request_.include, matches)) &&
           std::ranges::none_of(request_.exclude, matches);
  }

  void Collect() {
    std::uint64_t start_end = 0;
    for (const RangeVisits& row : profile_.visits) {
      const Measurement inside = LaunchIn(row);
      const std::vector<Frame> frames = GivenPathOf(profile_, inside);
      if (frames.empty()) continue;
      if (HasStartEnd(frames)) {
        ++start_end;
        continue;
      }
      KnownRegion& region = known_[PathFrom(profile_, frames)];
      region.instances[row.process] += row.instances;
      if (!region.label.empty()) continue;
      const std::vector<Frame> merged = PathOf(profile_, inside);
      region.label = RegionLabel(profile_, merged);
      region.names = FrameNames(profile_, merged);
    }
    for (const RegionUse& row : profile_.uses) {
      const auto region =
          known_.find(PathFrom(profile_, GivenPathOf(profile_, LaunchIn(row))));
      if (region == known_.end()) continue;
      for (const GpuUse& use : row.gpu)
        region->second.gpu_ns +=
            static_cast<double>(use.kernel_ns + use.copy_ns + use.set_ns);
    }
    if (start_end > 0) {
      plan_.notes.Add(
          Severity::kInfo, "not_counted",
          "start/end ranges and the regions in them are not counted", "",
          start_end);
    }
  }

  // The regions with the most time, as many as the budget has ranges.
  void Choose() {
    for (const auto& [path, region] : known_) {
      if (!IsWanted(region)) continue;
      std::uint64_t instances = 0;
      for (const auto& [process, count] : region.instances)
        instances = std::max(instances, count);
      if (instances < request_.least_instances) continue;
      plan_.regions.push_back({.path = path,
                               .label = region.label,
                               .instances = instances,
                               .gpu_ns = region.gpu_ns});
    }
    std::ranges::stable_sort(plan_.regions, std::ranges::greater(),
                             &RegionToCount::gpu_ns);
    affordable_ = static_cast<std::uint64_t>(
        std::min(plan_.budget_s / kCountedRangeSeconds, kMostRanges));
    const std::size_t most = std::min<std::size_t>(affordable_, kMostRegions);
    if (plan_.regions.size() > most) {
      plan_.notes.Add(Severity::kInfo, "not_counted",
                      "regions of less GPU time are not counted: the budget "
                      "does not reach for them",
                      "", plan_.regions.size() - most);
      plan_.regions.resize(most);
    }
    if (plan_.regions.empty()) {
      plan_.notes.Add(Severity::kWarning, "nothing_to_count",
                      "no region is counted: none that is wanted used the GPU "
                      "in the trace");
    }
  }

  // Sorts by path, so that outer regions come before their inner regions.
  void FindLevels() {
    std::ranges::sort(plan_.regions, {}, &RegionToCount::path);
    std::vector<RegionToCount>& all = plan_.regions;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      while (end < all.size() && IsInside(all[end].path, all[i].path)) ++end;
      SetLevels(i, end);
      i = end;
    }
    std::erase_if(all, [](const RegionToCount& r) { return r.slots == 0; });
  }

  // Levels of the regions in one outermost region, from `first` to `end`.
  void SetLevels(std::size_t first, std::size_t end) {
    std::vector<RegionToCount>& all = plan_.regions;
    std::uint64_t slots = 1;
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t outer = first; outer < i; ++outer)
        all[i].slot += IsInside(all[i].path, all[outer].path);
      slots = std::max(slots, all[i].slot + 1);
    }
    const bool in_turns = all[first].instances >= kTurns * slots;
    const bool in_parts = slots > 1 && !in_turns && plan_.passes == 1;
    if (slots > 1 && !in_turns && !in_parts) {
      plan_.notes.Add(
          Severity::kInfo, "not_counted",
          "regions within others are not counted: several passes cannot be had "
          "of one instance, and there are too few instances to take turns",
          all[first].label, end - first - 1);
    }
    for (std::size_t i = first; i < end; ++i) {
      all[i].split = in_parts;
      all[i].slots = in_turns ? slots : i == first || in_parts ? 1 : 0;
      if (!in_turns) all[i].slot = 0;
      SkipFirst(all[first], all[i]);
    }
  }

  // Skips as many instances as run in the first instances of the outermost
  // region.
  static void SkipFirst(const RegionToCount& outermost, RegionToCount& region) {
    if (outermost.instances <= kSkipped) return;
    const double share = static_cast<double>(region.instances) /
                         static_cast<double>(outermost.instances);
    region.skip = static_cast<std::uint64_t>(
        std::min(std::ceil(share * kSkipped), kMostRanges));
    if (region.skip >= region.instances) region.skip = 0;
  }

  // Instances that can be counted.
  static std::uint64_t Eligible(const RegionToCount& region) {
    return std::max<std::uint64_t>(
        (region.instances - region.skip) / region.slots, 1);
  }

  std::uint64_t CostOf(const RegionToCount& region) const {
    // The outer range is closed before the inner one, and reopened after it.
    return region.split ? 2 : 1;
  }

  // One more instance for each region in turn, while budget is left.
  void Spend() {
    std::vector<RegionToCount*> order;
    for (RegionToCount& region : plan_.regions) order.push_back(&region);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [](const auto* region) { return region->gpu_ns; });
    const std::uint64_t most = kMostInstances * plan_.passes;
    std::uint64_t left = affordable_;
    for (bool any = true; any;) {
      any = false;
      for (RegionToCount* region : order) {
        const std::uint64_t cost = CostOf(*region);
        const std::uint64_t so_far = region->expected;
        if (so_far >= most || so_far >= Eligible(*region)) continue;
        if (cost > left && so_far > 0) continue;
        left -= std::min(cost, left);
        ++region->expected;
        any = true;
      }
    }
  }

  // The step between counted instances, and the cost of the plan.
  void Settle() {
    std::uint64_t ranges = 0, most = 0;
    for (RegionToCount& region : plan_.regions) {
      region.every = std::max<std::uint64_t>(
          Eligible(region) / std::max<std::uint64_t>(region.expected, 1), 1);
      region.most = region.expected;
      ranges += region.expected * CostOf(region);
      most = std::max(most, region.expected);
    }
    plan_.instances =
        std::clamp<std::uint64_t>(most / plan_.passes, 1, kInstancesOfPass);
    std::uint64_t readings = ranges / (plan_.ranges - 1);
    if (plan_.passes > 1) {
      readings = std::max(readings, most / plan_.instances);
    }
    plan_.seconds = static_cast<double>(ranges) * kCountedRangeSeconds +
                    static_cast<double>(readings) * kReadingSeconds;
  }

  const Profile& profile_;
  const CountingRequest& request_;
  std::map<Path, KnownRegion> known_;
  std::uint64_t affordable_ = 0;  // ranges
  CountingPlan plan_;
};

std::string Escaped(const std::string& text) {
  constexpr std::string_view kSpecial = "\t\n\r\\";
  constexpr std::string_view kLetters = "tnr\\";
  std::string escaped;
  for (const char c : text) {
    const std::size_t at = kSpecial.find(c);
    if (at != std::string_view::npos) escaped += '\\';
    escaped += at != std::string_view::npos ? kLetters[at] : c;
  }
  return escaped;
}

std::string Times(std::uint64_t count, std::string_view one,
                  std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string Milliseconds(double seconds) {
  return seconds < 1 ? fmt::format("{:.0f} ms", seconds * 1e3)
                     : fmt::format("{:.1f} s", seconds);
}

}  // namespace

std::uint64_t CountingPlan::expected() const {
  std::uint64_t sum = 0;
  for (const RegionToCount& region : regions) sum += region.expected;
  return sum;
}

CountingPlan PlanCounting(const Profile& traced,
                          const CountingRequest& request) {
  return Planner(traced, request).Plan();
}

std::string CountingFile(const CountingPlan& plan) {
  std::string text =
      fmt::format("rangefinder-count\t1\nranges\t{}\ninstances\t{}\n",
                  plan.ranges, plan.instances);
  for (const RegionToCount& region : plan.regions) {
    text += fmt::format("row\t{}\t{}\t{}\t{}\t{}\t{}", region.skip,
                        region.every, region.most, region.slot, region.slots,
                        region.split ? "split" : "whole");
    for (const auto& [domain, name] : region.path)
      text += fmt::format("\t{}\t{}", Escaped(domain), Escaped(name));
    text += '\n';
  }
  return text;
}

std::string CountingText(const CountingPlan& plan) {
  return fmt::format(
      "counting {} of {}{}: about {} of the program's time (the budget is {}), "
      "and {:.1f} s to start",
      Times(plan.expected(), "instance", "instances"),
      Times(plan.regions.size(), "region", "regions"),
      plan.passes > 1 ? fmt::format(" in {} passes", plan.passes) : "",
      Milliseconds(plan.seconds), Milliseconds(plan.budget_s),
      kCountingStartSeconds);
}

std::string CountingTable(const CountingPlan& plan) {
  std::string text;
  for (const RegionToCount& region : plan.regions) {
    text += fmt::format("   {}: {} of {}", region.label, region.expected,
                        Times(region.instances, "instance", "instances"));
    if (region.every > 1) text += fmt::format(", one in {}", region.every);
    if (region.skip > 0)
      text += fmt::format(", without the first {}", region.skip);
    if (region.slots > 1)
      text += fmt::format(", in turn with {} more level{} of nesting",
                          region.slots - 1, region.slots > 2 ? "s" : "");
    if (region.split) text += ", in the parts around the counted regions in it";
    text += '\n';
  }
  return text;
}

std::string CountedText(const CountingPlan& plan, const Profile& counted) {
  std::uint64_t instances = 0;
  std::set<Path> regions;
  std::set<ProcessId> processes;
  for (const Measurement& m : counted.measurements) {
    if (m.mode != ReplayMode::kCounters) continue;
    instances += m.counted;
    processes.insert(m.process);
    regions.insert(PathFrom(counted, GivenPathOf(counted, m)));
  }
  std::string text = fmt::format("counted {} of {}; planned were {} of {}",
                                 Times(instances, "instance", "instances"),
                                 Times(regions.size(), "region", "regions"),
                                 plan.expected(), plan.regions.size());
  if (processes.size() > 1)
    text += fmt::format(" in each of {} processes", processes.size());
  return text;
}

namespace {

constexpr std::string_view kMetricsKey = "pipeline.counters.metrics";

// Without a working GPU, the driver may take long to fail.
constexpr double kChipTimeout = 10;  // seconds
// Fewer samples give no estimates of regions.
constexpr double kFewSamples = 50;

Error Refused(const std::string& metric, std::string_view why) {
  return Error(ErrorCode::kUsage,
               fmt::format("{}: {}: {}", kMetricsKey, Printable(metric), why));
}

// Samples are divided among the launches: this is impossible for metrics that
// do not add up. The tracer's instructions are known as sums only.
Status CheckMetric(const std::string& metric) {
  const bool is_average = metric.ends_with(".avg");
  if (is_average && metric.find("inst_") != std::string::npos)
    return Refused(metric, "instructions are sampled as .sum");
  if (metric.ends_with(".sum") || is_average) return Ok();
  return Refused(metric,
                 "samples give counts, whose names end in .sum or .avg; shares "
                 "and rates are made of them (conf/derived)");
}

// The metrics for chips of no family, and for exact counts.
const std::vector<std::string>& UsualMetrics(const CounterSettings& counters) {
  return counters.metrics.empty() && !counters.sets.empty()
             ? counters.sets.back().metrics
             : counters.metrics;
}

// 21 counters lost 5 % of the samples at 200 µs and none at 400 µs, 6 counters
// none at 200 µs (docs/measured.md).
constexpr std::size_t kCountersOfStep = 12;
constexpr std::uint64_t kIntervalStepUs = 200;

std::uint64_t IntervalNs(const CounterSettings& counters, std::size_t sampled) {
  const std::uint64_t steps = std::max<std::size_t>(
      (sampled + kCountersOfStep - 1) / kCountersOfStep, 1);
  return 1000 * counters.interval_us.value_or(steps * kIntervalStepUs);
}

bool IsOnePass(const CounterHost& host,
               const std::vector<std::string>& metrics) {
  const auto passes = host.Passes(metrics);
  return passes.ok() && passes.value() == 1;
}

// The first set that the chip has in one pass; nothing: the usual metrics.
const CounterSet* SetOfChip(const CounterSettings& counters,
                            const CounterHost& host) {
  if (!counters.metrics.empty()) return nullptr;
  const auto set = std::ranges::find_if(
      counters.sets,
      [&](const CounterSet& one) { return IsOnePass(host, one.metrics); });
  return set != counters.sets.end() ? &*set : nullptr;
}

// pipeline.counters.optional, if one pass can measure these metrics together
// with `metrics`.
std::vector<std::string> OptionalOf(const CounterSettings& counters,
                                    const CounterHost& host,
                                    std::vector<std::string> metrics) {
  metrics.insert(metrics.end(), counters.optional.begin(),
                 counters.optional.end());
  return IsOnePass(host, metrics) ? counters.optional
                                  : std::vector<std::string>();
}

// CUPTI's knowledge of this machine's first chip; nothing without CUPTI or GPU.
std::optional<CounterHost> HostOfMachine(CounterMode mode) {
  const auto library = CuptiLibrary::Open();
  if (!library.ok()) return std::nullopt;
  const auto chips = ChipsOfMachine(kChipTimeout);
  if (!chips.ok()) return std::nullopt;
  auto host =
      CounterHost::Open(library.value(), chips.value().front().chip, mode);
  if (!host.ok()) return std::nullopt;
  return std::move(host).value();
}

// From the first kernel's start to the last one's end.
double KernelSpanNs(const Profile& profile) {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (const Measurement& m : profile.measurements) {
    if (m.kind != MeasurementKind::kKernel) continue;
    first = std::min(first, m.start_ns);
    last = std::max(last, m.end_ns);
  }
  return last > first ? static_cast<double>(last - first) : 0;
}

bool WasSampled(const Profile& profile) {
  return std::ranges::any_of(
      profile.counter_samples,
      [](const CounterSamples& samples) { return samples.started_ns != 0; });
}

}  // namespace

Result<std::optional<SamplingPlan>> PlanSampling(
    const CounterSettings& counters, const TraceSettings& trace) {
  if (!counters.is(CounterMode::kSample) || !trace.has_kernels())
    return std::optional<SamplingPlan>();
  const auto host = HostOfMachine(CounterMode::kSample);
  return std::optional(TRY(PlanSamplingOn(counters, host ? &*host : nullptr)));
}

Result<SamplingPlan> PlanSamplingOn(const CounterSettings& counters,
                                    const CounterHost* host) {
  for (const CounterSet& set : counters.sets)
    for (const std::string& metric : set.metrics) TRY(CheckMetric(metric));
  for (const std::string& metric : counters.metrics) TRY(CheckMetric(metric));
  const std::vector<std::string>& usual = UsualMetrics(counters);
  SamplingPlan plan{.sets = {usual},
                    .interval_ns = IntervalNs(counters, usual.size()),
                    .widens = !counters.interval_us};
  // The run reports metrics that the chip lacks.
  if (host == nullptr) return plan;
  if (const CounterSet* set = SetOfChip(counters, *host)) {
    plan.sets = {set->metrics};
    plan.optional = OptionalOf(counters, *host, set->metrics);
    plan.interval_ns =
        IntervalNs(counters, set->metrics.size() + plan.optional.size());
    return plan;
  }
  const MetricSets sets =
      TRY(host->OnePassSets(usual).In(std::string(kMetricsKey)));
  if (!sets.too_large.empty()) {
    const std::string& metric = sets.too_large.front();
    return Refused(
        metric, fmt::format("takes more than one pass on {}, and samples "
                            "have one; `rangefinder counters '{}'` lists "
                            "similar names",
                            host->chip(), metric.substr(0, metric.rfind('.'))));
  }
  plan.sets = sets.sets;
  return plan;
}

SampleRequest RequestOf(const SamplingPlan& plan, std::size_t set) {
  return {.metrics = plan.sets[set],
          .optional = plan.optional,
          .interval_ns = plan.interval_ns,
          .widens = plan.widens,
          .run = set};
}

std::string SamplingText(const SamplingPlan& plan) {
  std::size_t count = 0;
  for (const auto& set : plan.sets) count += set.size() + plan.optional.size();
  return fmt::format(
      "{} counter{} every {} µs{}", count, count == 1 ? "" : "s",
      plan.interval_ns / 1000,
      plan.sets.size() > 1
          ? fmt::format(", in {} runs of the program", plan.sets.size())
          : "");
}

Result<CountedMetrics> MetricsToCount(const CounterSettings& counters) {
  CountedMetrics counted{.metrics = UsualMetrics(counters)};
  const auto host = HostOfMachine(CounterMode::kCount);
  // The run reports metrics that the chip lacks.
  if (!host) return counted;
  counted.passes =
      TRY(host->Passes(counted.metrics).In(std::string(kMetricsKey)));
  if (counted.passes < 2) return counted;
  for (const std::string& metric : counted.metrics) {
    if (metric.find("throughput") == std::string::npos) continue;
    return Error(
        ErrorCode::kUsage,
        fmt::format("{}: {}: the metrics take {} passes, and a throughput is "
                    "the largest of inputs that no single one of them has; "
                    "count its inputs, or it alone with pipeline.ncu",
                    kMetricsKey, Printable(metric), counted.passes));
  }
  return counted;
}

std::optional<std::string> WhyToCount(const CounterSettings& counters,
                                      const Profile& sampled) {
  if (!counters.is(CounterMode::kSample) || !WasSampled(sampled))
    return std::nullopt;
  const double span_ns = KernelSpanNs(sampled);
  const auto interval_ns =
      static_cast<double>(sampled.counter_samples.front().interval_ns);
  if (span_ns > 0 && span_ns < kFewSamples * interval_ns) {
    return fmt::format(
        "its kernels ran for {:.1f} ms, which is too short for samples every "
        "{:g} µs: its regions are counted exactly instead, in a run more",
        span_ns / 1e6, interval_ns / 1e3);
  }
  if (counters.check) {
    return "some instances are counted exactly in a run more, to check the "
           "estimates";
  }
  return std::nullopt;
}

Result<CountingPlan> PlanCountingRun(const CounterSettings& counters,
                                     const SelectionOptions& selection,
                                     const CountedMetrics& metrics,
                                     const Profile& traced, double seconds,
                                     std::uint64_t least_instances) {
  const CounterBudget& budget = counters.budget;
  CountingRequest request{
      .budget_s = budget.is_share ? budget.value * seconds : budget.value,
      .passes = metrics.passes,
      .least_instances = least_instances};
  request.include = TRY(ParsePatterns(selection.include).In("regions.include"));
  request.exclude = TRY(ParsePatterns(selection.exclude).In("regions.exclude"));
  return PlanCounting(traced, request);
}

}  // namespace rangefinder
