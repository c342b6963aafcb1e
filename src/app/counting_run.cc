#include "app/counting_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "base/write_file.h"
#include "capture/rank.h"
#include "counters/counter_host.h"
#include "counters/cupti_library.h"
#include "counters/machine_chips.h"
#include "ingest/reader.h"
#include "region/merged_names.h"
#include "region/pattern.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKey = "pipeline.counters.metrics";
// The driver of a machine without a working GPU may take long to say so.
constexpr double kChipTimeout = 10;  // seconds
// Fewer samples than these tell nothing of regions.
constexpr double kFewSamples = 50;

std::optional<CounterHost> HostOfMachine() {
  const auto library = CuptiLibrary::Open();
  if (!library.ok()) return std::nullopt;
  const auto chips = ChipsOfMachine(kChipTimeout);
  if (!chips.ok()) return std::nullopt;
  auto host = CounterHost::Open(library.value(), chips.value().front().chip,
                                CounterMode::kCount);
  if (!host.ok()) return std::nullopt;
  return std::move(host).value();
}

Result<std::vector<Pattern>> PatternsOf(const std::vector<std::string>& texts,
                                        const std::string& key) {
  std::vector<Pattern> patterns;
  for (const std::string& text : texts)
    patterns.push_back(TRY(Pattern::Parse(text).In(key)));
  return patterns;
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

// Why a sampled run is to be counted, too, by what its profile says. Nothing:
// it is not.
std::optional<std::string> WhyToCount(const Settings& settings,
                                      const Profile& sampled) {
  const CounterSettings& counters = settings.counters;
  if (!counters.enable || counters.mode != CounterMode::kSample ||
      !WasSampled(sampled))
    return std::nullopt;
  const double span_ns = KernelSpanNs(sampled);
  const double samples = span_ns / static_cast<double>(std::max<std::uint64_t>(
                                       counters.interval_ns, 1));
  if (span_ns > 0 && samples < kFewSamples) {
    return fmt::format(
        "its kernels ran for {:.1f} ms, which is too short for samples every "
        "{} µs: its regions are counted exactly instead, in a run more",
        span_ns / 1e6, counters.interval_ns / 1000);
  }
  if (counters.check) {
    return "some instances are counted exactly in a run more, to check the "
           "estimates";
  }
  return std::nullopt;
}

// What the traces of a run say, its names merged as the report merges them.
Result<Profile> ReadForPlan(const Settings& settings,
                            const TracerOutcome& traced) {
  Notes said_by_the_report;
  Profile profile = TRY(ReadArtifacts(traced.traces, said_by_the_report));
  MergeNames(TRY(NameMerging::Make(settings.regions.merge)), profile);
  return profile;
}

Result<CountingPlan> PlanFrom(const Settings& settings,
                              const CountedMetrics& metrics,
                              const Profile& traced, double seconds) {
  const CounterBudget& budget = settings.counters.budget;
  CountingRequest request{
      .budget_s = budget.is_share ? budget.value * seconds : budget.value,
      .passes = metrics.passes};
  request.include =
      TRY(PatternsOf(settings.regions.include, "regions.include"));
  request.exclude =
      TRY(PatternsOf(settings.regions.exclude, "regions.exclude"));
  return PlanCounting(traced, request);
}

// Runs the program once and counts; says what is done and what came of it.
Result<TracerOutcome> RunCounting(const Settings& settings,
                                  const ProgramToStart& start,
                                  const CountedMetrics& metrics,
                                  const CountingPlan& plan,
                                  ProcessRunner& runner,
                                  const Console& console) {
  const fs::path run_dir(settings.run_dir);
  const fs::path folder = fs::path("trace") / "count";
  // Ranks of a job write theirs side by side.
  const fs::path file = folder / fmt::format("{}.plan", ::getpid());
  TRY(WriteBelow(run_dir, file, CountingFile(plan)));
  console.Say(CountingText(plan));
  console.Detail(CountingTable(plan));
  console.SayNotes(plan.notes);
  TracerOutcome outcome =
      TRY(RunTracer({.program = start.argv,
                     .trace_dir = run_dir / folder,
                     .counts = CountRequest{.metrics = metrics.metrics,
                                            .plan = run_dir / file},
                     .cwd = start.cwd},
                    std::getenv, runner));
  if (outcome.traces.empty()) return outcome;
  Notes said_by_the_report;
  const auto counted = ReadArtifacts(outcome.traces, said_by_the_report);
  if (counted.ok()) console.Say(CountedText(plan, counted.value()));
  return outcome;
}

}  // namespace

Result<CountedMetrics> MetricsToCount(const Settings& settings) {
  CountedMetrics counted{.metrics = settings.counters.metrics};
  const auto host = HostOfMachine();
  // What the chip cannot do, the run will say.
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

Result<CountingPlan> PlanCountingRun(const Settings& settings,
                                     const CountedMetrics& metrics,
                                     const TracerOutcome& traced) {
  const Profile profile = TRY(ReadForPlan(settings, traced));
  return PlanFrom(settings, metrics, profile, traced.program.seconds);
}

Status CountToo(const Settings& settings, const ProgramToStart& start,
                const StandardInput& input,
                std::optional<CountedMetrics> metrics, ProcessRunner& runner,
                const Console& console, TracerOutcome& outcome) {
  const CounterSettings& counters = settings.counters;
  if (!counters.enable || !counters.mode || settings.trace.mode != "trace" ||
      outcome.traces.empty())
    return Ok();
  const Profile profile = TRY(ReadForPlan(settings, outcome));
  if (counters.mode == CounterMode::kSample) {
    const auto why = WhyToCount(settings, profile);
    if (!why) return Ok();
    console.Say(*why);
  }
  if (!metrics) {
    auto found = MetricsToCount(settings);
    if (!found.ok()) {
      console.Say("nothing is counted: " + found.error().message());
      return Ok();
    }
    metrics = std::move(found).value();
  }
  const CountingPlan plan =
      TRY(PlanFrom(settings, *metrics, profile, outcome.program.seconds));
  if (plan.regions.empty()) {
    console.SayNotes(plan.notes);
    return Ok();
  }
  if (!input.CanBeReadAgain() || DetectLauncher(std::getenv).starts_once) {
    console.Say(
        "nothing is counted: the program cannot be started again (its standard "
        "input is a pipe, or its launcher starts it once)");
    return Ok();
  }
  input.ReadAgain();
  TracerOutcome counted =
      TRY(RunCounting(settings, start, *metrics, plan, runner, console));
  std::ranges::move(counted.traces, std::back_inserter(outcome.traces));
  if (counted.program.status == 0) return Ok();
  return Error(counted.program.ending == Ending::kInterrupted
                   ? ErrorCode::kInterrupted
                   : ErrorCode::kTarget,
               fmt::format("the program ended with status {} in the run that "
                           "counts",
                           counted.program.status));
}

}  // namespace rangefinder
