#include "report/sentences.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "insight/times.h"
#include "report/precision.h"
#include "rollup/traced.h"
#include "sampling/counter_estimates.h"
#include "sampling/sampled_metric.h"

namespace rangefinder {
namespace {

constexpr double kNegligible = 0.005;  // of the samples

bool KeepsSums(const Artifact& artifact) {
  return artifact.format == "report-json" || artifact.format == "summary";
}

// "28 of 20,297 samples lost (0.1 %)".
std::string LossText(const CounterSamples& samples) {
  const std::uint64_t all = samples.size() + samples.lost;
  const double share =
      static_cast<double>(samples.lost) / static_cast<double>(all);
  return fmt::format("{} of {} samples lost ({}){}", FormatCount(samples.lost),
                     FormatCount(all), FormatShare(share, 1),
                     share < kNegligible ? ": negligible" : "");
}

// " (R² 0.998 or more)": the smallest of the metrics that decide the verdict.
std::string LeastR2Text(const FitQuality& fit) {
  std::optional<double> least;
  for (const MetricQuality& metric : fit.metrics)
    if (metric.decides) least = std::min(least.value_or(1), metric.r2);
  return least ? fmt::format(" (R² {:.3f} or more)", *least) : "";
}

// With a bad fit there are no estimates.
bool IsEstimated(const SampledDevice& device) {
  return device.fit && device.fit->quality().verdict != FitVerdict::kBad;
}

bool IsOf(const Scope& scope, const CounterSamples& samples) {
  return scope.aggregate ||
         (scope.process == samples.process && scope.device == samples.device);
}

std::string_view UnitOf(const Report& report, std::string_view metric) {
  const auto column = report.rollup->Find(metric);
  return column ? std::string_view(report.rollup->columns[*column].unit)
                : std::string_view();
}

// "2 × NVIDIA H200, NVIDIA L4" of "0: NVIDIA H200" and so on.
std::string DevicesText(const std::vector<std::string>& devices) {
  std::vector<std::pair<std::string, std::size_t>> names;
  for (const std::string& device : devices) {
    const std::size_t number = device.find(": ");
    const std::string name =
        number == std::string::npos ? device : device.substr(number + 2);
    const auto known = std::ranges::find(
        names, name, &std::pair<std::string, std::size_t>::first);
    if (known == names.end())
      names.emplace_back(name, 1);
    else
      ++known->second;
  }
  std::string text;
  for (const auto& [name, count] : names) {
    if (!text.empty()) text += ", ";
    text += count == 1 ? name : fmt::format("{} × {}", count, name);
  }
  return text;
}

// The kernels whose counts the region shares with other regions, and the test
// that allowed it.
std::string SharedCountsText(const Report& report, RegionId region) {
  constexpr std::size_t kMostKernels = 5, kMostRegions = 12;
  const auto shared = report.options.estimates->SharedCountsOf(region);
  std::string text;
  for (std::size_t k = 0; k < std::min(shared.size(), kMostKernels); ++k) {
    const SharedCount& one = shared[k];
    std::string regions;
    std::size_t named = 0;
    for (const RegionId id : one.regions) {
      if (id == kNotInTree || named == kMostRegions) continue;
      ++named;
      if (!regions.empty()) regions += ", ";
      regions += PathText(*report.profile, report.tree->PathTo(id));
    }
    if (named < one.regions.size())
      regions += fmt::format(" and {} more", one.regions.size() - named);
    text += fmt::format(
        "  {} counts {} in {} regions, which scatter by {:.1f} times chance: "
        "{}\n",
        Printable(report.profile->Name(one.kernel)),
        one.deviates ? "differently" : "alike", one.regions.size(), one.scatter,
        Printable(regions));
  }
  if (shared.size() > kMostKernels)
    text += fmt::format(
        "  {} more kernels share their counts with other "
        "regions\n",
        shared.size() - kMostKernels);
  return text;
}

}  // namespace

std::string RunText(const Report& report, const ScopeRollup& scope,
                    const ReportRows& rows) {
  double wall = 0, warmup = 0;
  for (const ReportRow& row : rows.rows) {
    if (row.outer != kNoRow) continue;
    wall += row.times.wall_ns.value_or(0);
    warmup += row.times.warmup_ns.value_or(0);
  }
  if (wall == 0) return {};
  std::string text = DevicesText(report.capture.devices);
  if (!text.empty()) text += " · ";
  text += FormatNs(wall) + " in regions";
  // The GPU time of several GPUs, or of work outside regions, may exceed the
  // wall time: then the share is left out.
  const auto add = [&](std::string_view what, double ns) {
    text += fmt::format(" · {} {}", what, FormatNs(ns));
    if (ns <= wall) text += fmt::format(" ({})", FormatShare(ns, wall));
  };
  if (const auto all = TimesOf(report, scope.scope, RegionTree::kRoot);
      all && all->gpu_known)
    add("GPU busy", static_cast<double>(all->gpu.busy_ns));
  if (warmup > 0) add("warm-up", warmup);
  return text;
}

std::string_view WholeText(const Report& report) {
  return report.tree->rest() ? "the selected regions" : "the run";
}

bool HasTwoRuns(const Report& report) {
  return report.traced != nullptr && report.traced->there();
}

bool HasReplay(const Report& report) {
  return HasTwoRuns(report) &&
         std::ranges::any_of(report.profile->measurements,
                             [](const Measurement& m) {
                               return m.mode != ReplayMode::kCounters;
                             });
}

std::string RunsText(const Report& report) {
  std::string text;
  for (const RunFact& run : report.options.runs) {
    text += fmt::format("{}{} ({}) {}", text.empty() ? "" : "; ", run.name,
                        run.mode, FormatNs(run.seconds * 1e9));
    if (run.passes > 0)
      text += fmt::format(", {} {}", run.passes,
                          run.passes == 1 ? "pass" : "passes");
    if (!run.outcome.empty() && run.outcome != "ok") text += ", " + run.outcome;
  }
  return text;
}

std::string CoverageText(const Report& report, const ScopeRollup& scope,
                         RegionId region) {
  if (!HasTwoRuns(report)) return {};
  const Coverage& coverage = report.traced->Of(scope, region).coverage;
  // Counters of ranges measured as a whole need no kernels.
  if (coverage.complete() || scope.totals.kernel_count == 0) return {};
  return fmt::format("{} of {} launches carry counters, {} of the {} time",
                     FormatCount(coverage.measured),
                     FormatCount(coverage.launches),
                     FormatShare(coverage.covered_ns, coverage.ns),
                     region == RegionTree::kRoot ? "run's" : "region's");
}

std::vector<std::string> SampledMetricsOf(const Report& report) {
  if (!report.options.estimates) return {};
  return report.options.estimates->metrics();
}

bool HasEstimates(const Report& report) {
  return report.options.estimates &&
         std::ranges::any_of(report.options.estimates->devices(), IsEstimated);
}

std::string PartText(WallPart part) {
  std::string text(NameOf(part));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string DataLossText(const Report& report) {
  return std::ranges::any_of(report.notes->all(),
                             [](const Note& note) {
                               return note.severity == Severity::kDataLoss &&
                                      note.kind != "lost_samples";
                             })
             ? "A part of the capture is lost (see the notes): causes and "
               "numbers are of the rest."
             : "";
}

std::string NothingStandsOut(const Report& report) {
  const bool is_empty =
      std::ranges::all_of(report.rollup->scopes, [&](const ScopeRollup& scope) {
        return scope.totals.kernel_count == 0 &&
               ReadingOrder(report, scope).empty();
      });
  if (is_empty)
    return "No cause is judged: no region and no kernel is recorded and "
           "selected.";
  std::string missing;
  if (!HasTimes(report)) missing += "; wall times were not measured";
  if (!report.rows->gpu_recorded()) missing += "; GPU work was not recorded";
  if (std::ranges::all_of(report.profile->artifacts, KeepsSums))
    missing +=
        "; reports and summaries lack the single launches and samples that "
        "most causes need";
  if (report.options.estimates && !HasEstimates(report))
    missing += "; counters could not be estimated";
  return fmt::format(
      "Nothing stands out: no cause would save 5 % of {}{}, as far as {} "
      "measurements tell{}.",
      WholeText(report), InFirstScope(report),
      report.tree->rest() ? "their" : "its", missing);
}

std::string SamplingText(const Report& report) {
  if (!report.options.estimates) return {};
  std::string text;
  for (const SampledDevice& device : report.options.estimates->devices()) {
    const CounterSamples& samples = *device.samples;
    if (!text.empty()) text += "; ";
    if (report.options.estimates->devices().size() > 1 && samples.device >= 0)
      text += fmt::format("GPU {}: ", samples.device);
    if (!device.fit) {
      text += "not sampled: " + samples.reason;
      continue;
    }
    if (!IsEstimated(device)) {
      text += fmt::format("not estimated from {} samples of {} (see the notes)",
                          FormatCount(samples.size()),
                          FormatNs(samples.interval_ns));
      continue;
    }
    text +=
        fmt::format("{} estimated from {} samples of {}, {} fit{}",
                    device.metrics.size() == 1
                        ? "one counter"
                        : FormatCount(device.metrics.size()) + " counters",
                    FormatCount(samples.size()), FormatNs(samples.interval_ns),
                    FitVerdictName(device.fit->quality().verdict),
                    LeastR2Text(device.fit->quality()));
    if (samples.lost > 0) text += ", " + LossText(samples);
  }
  return text;
}

std::string ExplainEstimate(const Report& report, const ScopeRollup& scope,
                            RegionId region, std::size_t column) {
  if (!HasEstimates(report)) return {};
  const Amounts& amounts = scope.regions[Index(region)].inclusive;
  if (!amounts.estimated || column >= amounts.cells.size()) return {};
  const Cell& cell = amounts.cells[column];
  const std::string& unit = report.rollup->columns[column].unit;
  if (cell.how == How::kAbsent)
    return fmt::format("  absent: {}\n",
                       Printable(std::string_view(cell.reason)));
  if (cell.how != How::kEstimated) return {};
  return fmt::format(
      "  {}, estimated by {} of {} launches from {} samples{}\n"
      "  95 % interval: {} to {}\n"
      "  result: {} {}, standard error {}\n{}",
      cell.bound == Bound::kUpper
          ? "at most " + FormatValue(cell.high, unit)
          : FormatEstimate(cell.value, cell.error, unit),
      std::string_view(cell.rule), FormatCount(cell.present),
      FormatCount(cell.distinct),
      cell.reason.empty() ? std::string()
                          : fmt::format(": {}", std::string_view(cell.reason)),
      FormatValue(cell.low, unit), FormatValue(cell.high, unit), cell.value,
      unit, cell.error,
      ExplainPrecision(report, scope, region, column) +
          SharedCountsText(report, region));
}

std::string DoubtText(const Report& report) {
  if (!report.options.estimates) return {};
  std::string text;
  for (const SampledDevice& device : report.options.estimates->devices()) {
    if (!device.fit) continue;
    const FitQuality& quality = device.fit->quality();
    if (quality.verdict == FitVerdict::kGood) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ",
                        FitVerdictName(quality.verdict),
                        JoinedAsList(quality.reasons, "and"));
  }
  return text;
}

std::string CheckText(const Report& report) {
  struct Agreement {
    std::uint64_t agree = 0, all = 0;
  } of_code, of_traffic;
  for (const CountCheck& check : report.options.checks) {
    const Column& column = report.rollup->columns[check.column];
    Agreement& kind = SampledMetric(column.name).of_code ? of_code : of_traffic;
    kind.agree += check.agrees ? 1 : 0;
    ++kind.all;
  }
  std::vector<std::string> kinds;
  const auto add = [&](const Agreement& kind, std::string_view metrics) {
    if (kind.all > 0)
      kinds.push_back(fmt::format("{} of {} estimates of {}",
                                  FormatCount(kind.agree),
                                  FormatCount(kind.all), metrics));
  };
  add(of_code, "instructions and pipes");
  add(of_traffic, "cycles and memory traffic");
  if (kinds.empty()) return {};
  return fmt::format(
      "{} agree with exact counts of instances, within the 95 % of both{}",
      JoinedAsList(kinds, "and"),
      of_traffic.agree < of_traffic.all
          ? "; cycles and traffic also differ from run to run"
          : "");
}

std::vector<const CountsOverTime*> FollowedIn(const Report& report,
                                              const Scope& scope, RegionId id) {
  std::vector<const CountsOverTime*> found;
  if (!report.options.estimates) return found;
  const CounterEstimates& estimates = *report.options.estimates;
  for (const CountsOverTime& one : estimates.over_time()) {
    if (one.region == id &&
        IsOf(scope, *estimates.devices()[one.device].samples))
      found.push_back(&one);
  }
  return found;
}

std::vector<CounterTrend> TrendsOf(const Report& report, const Scope& scope,
                                   RegionId id) {
  std::vector<CounterTrend> trends;
  for (const CountsOverTime* one : FollowedIn(report, scope, id)) {
    const SampledDevice& device =
        report.options.estimates->devices()[one->device];
    for (std::size_t m = 0; m < device.metrics.size(); ++m) {
      const auto trend = TrendOf(one->blocks, m);
      if (!trend) continue;
      trends.push_back({.metric = device.metrics[m],
                        .unit = std::string(UnitOf(report, device.metrics[m])),
                        .first = trend->first,
                        .last = trend->last});
    }
  }
  return trends;
}

}  // namespace rangefinder
