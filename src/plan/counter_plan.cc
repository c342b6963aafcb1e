#include "plan/counter_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "counters/counter_host.h"
#include "counters/cupti_library.h"
#include "counters/machine_chips.h"
#include "region/pattern.h"

namespace rangefinder {
namespace {

constexpr std::string_view kKey = "pipeline.counters.metrics";

// The driver of a machine without a working GPU may take long to say so.
constexpr double kChipTimeout = 10;  // seconds
// Fewer samples than these tell nothing of regions.
constexpr double kFewSamples = 50;

Error Refused(const std::string& metric, std::string_view why) {
  return Error(ErrorCode::kUsage,
               fmt::format("{}: {}: {}", kKey, Printable(metric), why));
}

// Samples are divided among the launches as counts: a metric that does not add
// up cannot be divided. The tracer's instructions are known as sums.
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

// pipeline.counters.optional, if one pass has these metrics beside `metrics`.
std::vector<std::string> OptionalOf(const CounterSettings& counters,
                                    const CounterHost& host,
                                    std::vector<std::string> metrics) {
  metrics.insert(metrics.end(), counters.optional.begin(),
                 counters.optional.end());
  return IsOnePass(host, metrics) ? counters.optional
                                  : std::vector<std::string>();
}

// CUPTI's knowledge of this machine's first chip; nothing without CUPTI or GPU.
std::optional<CounterHost> HostOfMachine(CounterMode mode, std::string& chip) {
  const auto library = CuptiLibrary::Open();
  if (!library.ok()) return std::nullopt;
  const auto chips = ChipsOfMachine(kChipTimeout);
  if (!chips.ok()) return std::nullopt;
  chip = chips.value().front().chip;
  auto host = CounterHost::Open(library.value(), chip, mode);
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
  std::string chip;
  const auto host = HostOfMachine(CounterMode::kSample, chip);
  SamplingPlan plan = TRY(PlanSamplingOn(counters, host ? &*host : nullptr));
  plan.chip = chip;
  return std::optional(std::move(plan));
}

Result<SamplingPlan> PlanSamplingOn(const CounterSettings& counters,
                                    const CounterHost* host) {
  for (const CounterSet& set : counters.sets)
    for (const std::string& metric : set.metrics) TRY(CheckMetric(metric));
  for (const std::string& metric : counters.metrics) TRY(CheckMetric(metric));
  const std::vector<std::string>& usual = UsualMetrics(counters);
  SamplingPlan plan{.sets = {usual},
                    .interval_ns = IntervalNs(counters, usual.size())};
  // The run reports what the chip cannot do.
  if (host == nullptr) return plan;
  if (const CounterSet* set = SetOfChip(counters, *host)) {
    plan.sets = {set->metrics};
    plan.optional = OptionalOf(counters, *host, set->metrics);
    plan.interval_ns =
        IntervalNs(counters, set->metrics.size() + plan.optional.size());
    return plan;
  }
  const MetricSets sets = TRY(host->OnePassSets(usual).In(std::string(kKey)));
  if (!sets.too_large.empty()) {
    const std::string& metric = sets.too_large.front();
    return Refused(
        metric, fmt::format("takes more than one pass on {}, and samples "
                            "have one; `rangefinder counters '{}'` lists "
                            "what is near",
                            host->chip(), metric.substr(0, metric.rfind('.'))));
  }
  plan.sets = sets.sets;
  return plan;
}

SampleRequest RequestOf(const SamplingPlan& plan, std::size_t set) {
  return {.metrics = plan.sets[set],
          .optional = plan.optional,
          .interval_ns = plan.interval_ns,
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
  std::string chip;
  const auto host = HostOfMachine(CounterMode::kCount, chip);
  // The run reports what the chip cannot do.
  if (!host) return counted;
  counted.passes = TRY(host->Passes(counted.metrics).In(std::string(kKey)));
  if (counted.passes < 2) return counted;
  for (const std::string& metric : counted.metrics) {
    if (metric.find("throughput") == std::string::npos) continue;
    return Error(
        ErrorCode::kUsage,
        fmt::format("{}: {}: the metrics take {} passes, and a throughput is "
                    "the largest of inputs that no single one of them has; "
                    "count its inputs, or it alone with pipeline.ncu",
                    kKey, Printable(metric), counted.passes));
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
                                     const Profile& traced, double seconds) {
  const CounterBudget& budget = counters.budget;
  CountingRequest request{
      .budget_s = budget.is_share ? budget.value * seconds : budget.value,
      .passes = metrics.passes};
  request.include = TRY(ParsePatterns(selection.include).In("regions.include"));
  request.exclude = TRY(ParsePatterns(selection.exclude).In("regions.exclude"));
  return PlanCounting(traced, request);
}

}  // namespace rangefinder
