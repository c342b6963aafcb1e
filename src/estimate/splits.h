// Which splits of groups the samples bear out.

#pragma once

#include <span>

#include "estimate/estimate.h"
#include "estimate/groups.h"
#include "estimate/windows.h"

namespace rangefinder {

// What a choice is made with.
struct ChoiceInput {
  std::span<const SampledLaunch> launches{};
  std::span<const EstimatedMetric> metrics{};
  const LaunchWindows* windows = nullptr;
  const SampleWindows* samples = nullptr;
  WindowEdges edges{};
  bool background = false;
  double noise_ns = 0;
};

// Takes the splits whose classes count differently, by four standard errors and
// 15 %, if with them either half of the run predicts the other better
// than without, by a fiftieth.
Grouping ChooseSplits(const ChoiceInput& input, const Grouping& grouping);

}  // namespace rangefinder
