#include "report/estimates.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "base/text.h"
#include "report/json_cells.h"
#include "writers/markdown/markup.h"
#include "report/region_facts.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {
namespace {

class SamplingJson {
 public:
  SamplingJson(JsonStream& json, const Report& report)
      : json_(json), profile_(*report.profile) {}

  void Write(const SampledDevice& device) {
    const CounterSamples& samples = *device.samples;
    json_.BeginObject();
    json_.CountField("process", profile_.processes[Index(samples.process)].pid);
    json_.NumberField("device", samples.device);
    json_.TextField("chip", profile_.Name(samples.chip));
    json_.CountField("interval_ns", samples.interval_ns);
    json_.CountField("samples", samples.size());
    json_.CountField("lost", samples.lost);
    json_.CountField("held_up_ns", samples.held_up_ns);
    if (!samples.reason.empty()) json_.TextField("reason", samples.reason);
    WriteGaps(samples);
    if (device.fit) WriteFit(device);
    json_.EndObject();
  }

 private:
  void WriteGaps(const CounterSamples& samples) {
    constexpr std::size_t kMost = 100;
    json_.Key("gaps");
    json_.BeginArray();
    for (std::size_t i = 0; i < std::min(samples.gaps.size(), kMost); ++i) {
      const SampleGap& gap = samples.gaps[i];
      json_.BeginLineObject();
      json_.CountField("start_ns", Since(gap.from_ns));
      json_.CountField("end_ns", Since(gap.to_ns));
      json_.CountField("samples", gap.samples);
      json_.TextField("reason", SampleGapText(gap.reason));
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteFit(const SampledDevice& device) {
    const FitQuality& fit = device.fit->quality();
    json_.Key("fit");
    json_.BeginObject();
    json_.TextField("verdict", FitVerdictName(fit.verdict));
    json_.TextsField("reasons", fit.reasons);
    json_.CountField("samples_used", fit.samples_used);
    json_.CountField("samples_damaged", fit.samples_damaged);
    json_.CountField("launches", fit.launches);
    json_.CountField("groups", fit.groups);
    json_.CountField("groups_split", fit.groups_split);
    json_.CountField("groups_merged", fit.groups_merged);
    json_.NumberField("start_offset_ns", fit.start_offset_ns);
    json_.NumberField("end_offset_ns", fit.end_offset_ns);
    json_.NumberField("clock_shift_ns", fit.clock_shift_ns);
    json_.NumberField("clock_drift_ns", fit.clock_drift_ns);
    json_.Key("metrics");
    json_.BeginObject();
    for (std::size_t m = 0; m < device.metrics.size(); ++m)
      WriteMetric(device.metrics[m], fit.metrics[m], device.outside[m]);
    json_.EndObject();
    json_.EndObject();
  }

  void WriteMetric(std::string_view name, const MetricQuality& quality,
                   const CounterEstimate& outside) {
    json_.Key(name);
    json_.BeginLineObject();
    json_.TextField("verdict", FitVerdictName(quality.verdict));
    json_.NumberField("r2", quality.r2);
    json_.NumberField("residual", quality.residual);
    json_.NumberField("hardware", quality.hardware);
    json_.NumberField("launches", quality.launches);
    json_.NumberField("tracer", quality.tracer);
    json_.NumberField("outside", quality.outside);
    json_.NumberField("outside_standard_error", outside.error);
    json_.NumberField("unexplained", quality.unexplained);
    json_.NumberField("halves", quality.halves);
    json_.EndObject();
  }

  std::uint64_t Since(std::uint64_t ns) const {
    return ns > profile_.start_ns ? ns - profile_.start_ns : 0;
  }

  JsonStream& json_;
  const Profile& profile_;
};

void WriteBeside(JsonStream& json, const Report& report, std::string_view key,
                 const std::vector<EstimateBeside>& list) {
  json.Key(key);
  json.BeginObject();
  for (const EstimateBeside& one : list) {
    const Column& column = report.rollup->columns[one.column];
    std::string fields = "{";
    AppendCell(*report.profile, one.cell, column.unit, CellDetail::kAll,
               fields);
    fields += ",\"agrees\":";
    fields += !one.comparable ? "null" : one.agrees ? "true" : "false";
    fields += '}';
    json.Key(column.name);
    json.Value([&](std::string& out) { out += fields; });
  }
  json.EndObject();
}

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

void WriteSamplingJson(JsonStream& json, const Report& report) {
  if (!report.options.estimates) return;
  json.Key("sampling");
  json.BeginArray();
  for (const SampledDevice& device : report.options.estimates->devices())
    SamplingJson(json, report).Write(device);
  json.EndArray();
}

void WriteBesideJson(JsonStream& json, const Report& report,
                     const RegionRollup& rolled) {
  if (rolled.inclusive_beside.empty() && rolled.exclusive_beside.empty())
    return;
  json.Key("estimated");
  json.BeginObject();
  WriteBeside(json, report, "inclusive", rolled.inclusive_beside);
  WriteBeside(json, report, "exclusive", rolled.exclusive_beside);
  json.EndObject();
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

void WriteBesideMarkdown(std::ostream& out, const Report& report,
                         const RegionRollup& rolled) {
  if (rolled.inclusive_beside.empty()) return;
  out << "\nMeasured, and estimated of the undisturbed run:\n\n"
         "| Metric | Measured | Estimated | |\n|:--|--:|--:|:--|\n";
  for (const EstimateBeside& one : rolled.inclusive_beside) {
    const Column& column = report.rollup->columns[one.column];
    fmt::print(out, "| {} | {} | {} | {} |\n", MarkdownCode(column.name),
               FormatCell(*report.profile, rolled.inclusive.cells[one.column],
                          column.unit),
               FormatCell(*report.profile, one.cell, column.unit),
               !one.comparable ? "not of the same launches"
               : one.agrees    ? "agree"
                               : "differ beyond the error");
  }
}

}  // namespace rangefinder
