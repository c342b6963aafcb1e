// A model of few columns, of a part of the run. It finds, at little cost, the
// properties that do not depend on how fine the groups are.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "estimate/design.h"
#include "estimate/estimate.h"
#include "estimate/fit_quality.h"
#include "estimate/groups.h"
#include "estimate/matrix.h"
#include "estimate/windows.h"

namespace rangefinder {

// A part of the run: some stretches of samples, and the launches around them.
struct RunPart {
  std::span<const SampledLaunch> launches{};
  // The metrics of launches (MetricsOfLaunches()).
  std::vector<EstimatedMetric> metrics{};
  LaunchWindows windows{};
  SampleWindows samples{};
  LaunchColumns columns{};
  std::vector<double> duration_ns{};  // by column
};

// The indices of the metrics of launches alone; of all, if there are none.
std::vector<std::size_t> MetricsOfLaunches(
    std::span<const EstimatedMetric> metrics);

// Takes `stretches` pieces of the samples between the fractions `from` and
// `to`, spread evenly, with at most `samples` samples together, and the
// launches up to `margin_ns` away. The `columns` busiest pools have a column
// each; the others share one by time.
struct PartChoice {
  std::size_t stretches = 8;
  std::size_t samples = 20000;
  std::size_t columns = 300;
  double margin_ns = 1e5;
  double from = 0;  // of the run, 0 to 1
  double to = 1;
};
RunPart TakePart(std::span<const SampledLaunch> launches,
                 std::span<const EstimatedMetric> metrics,
                 const LaunchWindows& windows, const SampleWindows& samples,
                 const Grouping& grouping, const PartChoice& choice);

// Where work begins and ends in the launches' windows: Gauss-Newton steps on
// all metrics together, each weighted by its residuals.
WindowEdges FitEdges(const RunPart& part);

// A sample's residual, as time at the mean rate.
double NoiseNs(const RunPart& part, const WindowEdges& edges);

// R2 by shift of the samples' clock, ascending; includes the best shift.
struct ClockScan {
  std::vector<ClockShift> shifts{};
  ClockShift best{};
};
ClockScan ScanClocks(const RunPart& part);
// Mean R2 over the metrics with the samples' clock moved.
double ShiftedR2(const RunPart& part, double shift_ns);

// Whether the device counts while no launch of ours runs, so that another
// process may count while launches run as well. False if the device is never
// idle: nothing is known then.
bool HasBackground(const RunPart& part, const WindowEdges& edges);

}  // namespace rangefinder
