// Splits of groups that the samples support.

#pragma once

#include <span>

#include "estimate/estimate.h"
#include "estimate/groups.h"
#include "estimate/windows.h"

namespace rangefinder {

// The input of the choice.
struct ChoiceInput {
  std::span<const SampledLaunch> launches{};
  std::span<const EstimatedMetric> metrics{};
  const LaunchWindows* windows = nullptr;
  const SampleWindows* samples = nullptr;
  WindowEdges edges{};
  bool background = false;
  double noise_ns = 0;
};

// Makes the splits whose classes count differently, by four standard errors and
// 15 %, if they improve how well either half of the run predicts the other, by
// a fiftieth.
Grouping ChooseSplits(const ChoiceInput& input, const Grouping& grouping);

}  // namespace rangefinder
