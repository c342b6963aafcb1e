#include "report/estimates.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {
namespace {

// Of the metrics that launches are to explain.
double LeastR2(const SampledDevice& device) {
  double least = 1;
  for (std::size_t m = 0; m < device.metrics.size(); ++m) {
    if (!ComesLater(device.metrics[m]))
      least = std::min(least, device.fit->quality().metrics[m].r2);
  }
  return least;
}

}  // namespace

std::vector<std::string> SampledMetricsOf(const Report& report) {
  if (!report.options.estimates) return {};
  return report.options.estimates->metrics();
}

bool HasEstimates(const Report& report) {
  return report.options.estimates &&
         std::ranges::any_of(report.options.estimates->devices(),
                             [](const auto& device) { return !!device.fit; });
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
    text += fmt::format(
        "{} estimated from {} samples of {}, {} fit (R² {:.3f} or more)",
        device.metrics.size() == 1
            ? "one counter"
            : FormatCount(device.metrics.size()) + " counters",
        FormatCount(samples.size()),
        FormatNs(static_cast<double>(samples.interval_ns)),
        FitVerdictName(device.fit->quality().verdict), LeastR2(device));
    if (samples.lost > 0)
      text += fmt::format(", {} samples lost", FormatCount(samples.lost));
  }
  return text;
}

std::string ExplainEstimate(const Report& report, RegionId region,
                            std::size_t column) {
  if (!HasEstimates(report) || report.rollup->scopes.empty()) return {};
  const Amounts& amounts =
      report.rollup->scopes.front().regions[Index(region)].inclusive;
  if (!amounts.estimated || column >= amounts.cells.size()) return {};
  const Cell& cell = amounts.cells[column];
  const std::string& unit = report.rollup->columns[column].unit;
  if (cell.how == How::kAbsent)
    return fmt::format("  absent: {}\n",
                       Printable(std::string_view(cell.reason)));
  if (cell.how != How::kEstimated) return {};
  return fmt::format(
      "  {}, estimated by {} of {} launches from {} samples\n"
      "  95 % interval: {} to {}\n"
      "  result: {} {}, standard error {}\n",
      FormatEstimate(cell.value, cell.error, unit), std::string_view(cell.rule),
      FormatCount(cell.present), FormatCount(cell.distinct),
      FormatValue(cell.low, unit), FormatValue(cell.high, unit), cell.value,
      unit, cell.error);
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

}  // namespace rangefinder
