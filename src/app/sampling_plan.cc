#include "app/sampling_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "counters/counter_host.h"
#include "counters/cupti_library.h"
#include "counters/machine_chips.h"

namespace rangefinder {
namespace {

constexpr std::string_view kKey = "pipeline.counters.metrics";

// The driver of a machine without a working GPU may take long to say so.
constexpr double kChipTimeout = 10;  // seconds

Error Refused(const std::string& metric, std::string_view why) {
  return Error(ErrorCode::kUsage,
               fmt::format("{}: {}: {}", kKey, Printable(metric), why));
}

// Samples are divided among the launches as counts: what does not add up cannot
// be, and what the tracer's own instructions are part of would be wrong.
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

std::optional<std::string> ChipOfMachine() {
  auto chips = ChipsOfMachine(kChipTimeout);
  if (!chips.ok()) return std::nullopt;
  return std::move(chips).value().front().chip;
}

}  // namespace

Result<std::optional<SamplingPlan>> PlanSampling(const Settings& settings) {
  const CounterSettings& counters = settings.counters;
  if (!counters.is(CounterMode::kSample) || !settings.trace.has_kernels())
    return std::optional<SamplingPlan>();
  for (const std::string& metric : counters.metrics) TRY(CheckMetric(metric));
  SamplingPlan plan{.sets = {counters.metrics},
                    .interval_ns = counters.interval_us * 1000};
  const auto library = CuptiLibrary::Open();
  const auto chip = library.ok() ? ChipOfMachine() : std::nullopt;
  if (!chip) return std::optional(std::move(plan));
  const auto host =
      CounterHost::Open(library.value(), *chip, CounterMode::kSample);
  // What the chip cannot do, the run will say.
  if (!host.ok()) return std::optional(std::move(plan));
  plan.chip = *chip;
  const MetricSets sets =
      TRY(host.value().OnePassSets(counters.metrics).In(std::string(kKey)));
  if (!sets.too_large.empty()) {
    return Refused(sets.too_large.front(),
                   fmt::format("takes more than one pass on {}, and samples "
                               "have one; `rangefinder counters '{}'` lists "
                               "what is near",
                               *chip,
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

}  // namespace rangefinder
