#include "capture/cost.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace rangefinder {
namespace {

using Class = std::pair<std::string_view, std::string_view>;

Class ClassOf(const Launch& launch) {
  return {launch.kernel, launch.config};
}

double SecondsOf(const Launch& launch, int passes, const CostModel& model) {
  return model.launch_s + passes * (model.pass_s + launch.gpu_ns * 1e-9);
}

// What is measured with the first `count` launches of each class; 0: all.
Budget Select(std::span<const Launch> launches, std::uint64_t count, int passes,
              const CostModel& model) {
  Budget budget{.launch_count = count, .total = launches.size()};
  std::map<Class, std::uint64_t> seen;
  std::set<std::string_view> covered;
  for (const Launch& launch : launches) {
    if (++seen[ClassOf(launch)] > count && count > 0) continue;
    ++budget.measured;
    budget.seconds += SecondsOf(launch, passes, model);
    covered.insert(launch.region);
  }
  std::set<std::string_view> missed;
  for (const Launch& launch : launches) {
    if (!covered.contains(launch.region) && missed.insert(launch.region).second)
      budget.uncovered.emplace_back(launch.region);
  }
  return budget;
}

std::string Duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

CostModel Calibrated(const CostModel& model, double seconds,
                     std::uint64_t launches, int passes) {
  const double predicted =
      static_cast<double>(launches) * (model.launch_s + passes * model.pass_s);
  if (predicted <= 0 || seconds <= 0) return model;
  const double factor = seconds / predicted;
  return {.launch_s = model.launch_s * factor, .pass_s = model.pass_s * factor};
}

double EstimateSeconds(std::span<const Launch> launches, int passes,
                       const CostModel& model) {
  return Select(launches, 0, passes, model).seconds;
}

int EstimatePasses(const NcuOptions& options) {
  if (options.set && *options.set == "full") return 38;
  int passes = 1;
  const bool nothing_named =
      options.sections.empty() && options.metrics.empty();
  if (options.set || nothing_named) passes = 9;
  // A throughput takes the most of its inputs, ratios of caches two.
  for (const std::string& metric : options.metrics) {
    if (metric.find("throughput") != std::string::npos)
      passes = std::max(passes, 8);
    else if (metric.find("hit_rate") != std::string::npos)
      passes = std::max(passes, 2);
  }
  if (!options.sections.empty())
    passes = std::max(passes, 8) + static_cast<int>(options.sections.size());
  return passes;
}

Budget FitBudget(std::span<const Launch> launches, int passes, double seconds,
                 const CostModel& model) {
  Budget all = Select(launches, 0, passes, model);
  if (all.seconds <= seconds) return all;
  std::map<Class, std::uint64_t> sizes;
  for (const Launch& launch : launches) ++sizes[ClassOf(launch)];
  std::uint64_t most = 1;
  for (const auto& [key, size] : sizes) most = std::max(most, size);
  // The cost grows with the count, so the largest that fits is found by
  // halving.
  std::uint64_t low = 1;
  std::uint64_t high = most;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (Select(launches, middle, passes, model).seconds <= seconds)
      low = middle;
    else
      high = middle - 1;
  }
  Budget budget = Select(launches, low, passes, model);
  budget.fits = budget.seconds <= seconds;
  return budget;
}

void ApplyBudget(const Budget& budget, NcuOptions& options) {
  if (budget.launch_count == 0) return;
  options.options["filter_mode"] = {"per-launch-config"};
  options.options["launch_count"] = {std::to_string(budget.launch_count)};
}

std::string BudgetText(const Budget& budget) {
  std::string text =
      fmt::format("{} of {} launches will be measured, about {}",
                  budget.measured, budget.total, Duration(budget.seconds));
  if (!budget.fits)
    text += "; that is more than the budget, and the least there is";
  if (!budget.uncovered.empty()) {
    text += fmt::format("; {} region{} without a launch of their own in it",
                        budget.uncovered.size(),
                        budget.uncovered.size() == 1 ? "" : "s");
  }
  return text;
}

}  // namespace rangefinder
