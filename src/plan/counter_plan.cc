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
// up cannot be divided, and a metric that includes the tracer's own
// instructions would be wrong.
Status CheckMetric(const std::string& metric) {
  if (!metric.ends_with(".sum") && !metric.ends_with(".avg")) {
    return Refused(metric,
                   "samples give counts, whose names end in .sum or .avg; "
                   "shares and rates are made of them (conf/derived)");
  }
  const bool corrected =
      metric == "sm__inst_executed.sum" || metric == "smsp__inst_executed.sum";
  if (metric.find("inst") != std::string::npos && !corrected) {
    return Refused(metric,
                   "tracing kernels adds instructions, which are taken out of "
                   "sm__inst_executed.sum alone; count this one with "
                   "pipeline.ncu.enable=true");
  }
  return Ok();
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
  for (const std::string& metric : counters.metrics) TRY(CheckMetric(metric));
  SamplingPlan plan{.sets = {counters.metrics},
                    .interval_ns = counters.interval_us * 1000};
  const auto host = HostOfMachine(CounterMode::kSample, plan.chip);
  // The run reports what the chip cannot do.
  if (!host) return std::optional(std::move(plan));
  const MetricSets sets =
      TRY(host->OnePassSets(counters.metrics).In(std::string(kKey)));
  if (!sets.too_large.empty()) {
    return Refused(sets.too_large.front(),
                   fmt::format("takes more than one pass on {}, and samples "
                               "have one; `rangefinder counters '{}'` lists "
                               "what is near",
                               plan.chip,
                               sets.too_large.front().substr(
                                   0, sets.too_large.front().find('.'))));
  }
  plan.sets = sets.sets;
  return std::optional(std::move(plan));
}

SampleRequest RequestOf(const SamplingPlan& plan, std::size_t set) {
  return {
      .metrics = plan.sets[set], .interval_ns = plan.interval_ns, .run = set};
}

std::string SamplingText(const SamplingPlan& plan) {
  std::size_t count = 0;
  for (const auto& set : plan.sets) count += set.size();
  return fmt::format(
      "{} counter{} every {} µs{}", count, count == 1 ? "" : "s",
      plan.interval_ns / 1000,
      plan.sets.size() > 1
          ? fmt::format(", in {} runs of the program", plan.sets.size())
          : "");
}

Result<CountedMetrics> MetricsToCount(const CounterSettings& counters) {
  CountedMetrics counted{.metrics = counters.metrics};
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
  const double samples =
      span_ns / static_cast<double>(counters.interval_us * 1000);
  if (span_ns > 0 && samples < kFewSamples) {
    return fmt::format(
        "its kernels ran for {:.1f} ms, which is too short for samples every "
        "{} µs: its regions are counted exactly instead, in a run more",
        span_ns / 1e6, counters.interval_us);
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
