// Which splits of groups the samples bear out, and which groups they cannot
// tell apart.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/design.h"
#include "estimate/estimate.h"
#include "estimate/groups.h"
#include "estimate/normal_equations.h"
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

// One column a group, and launches' mean durations by column.
LaunchColumns ColumnsOfGroups(const Grouping& grouping);
std::vector<double> Durations(const std::vector<FitGroup>& groups,
                              const LaunchColumns& columns);

// Joins the columns of groups between which the samples say less than a
// fiftieth of what the prior does, and notes it in the groups. True if any.
bool MergeColumns(const NormalEquations& equations, const ColumnPrior& prior,
                  std::vector<FitGroup>& groups, LaunchColumns& columns);

}  // namespace rangefinder
