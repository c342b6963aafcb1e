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

// How many passes a section adds on GH100 in the order of the `full` set, which
// they add up to. Only the sums are measured (docs/capture.md).
struct SectionPasses {
  std::string_view section;
  int passes;
};
constexpr SectionPasses kSections[] = {
    {"SpeedOfLight", 8},
    {"SpeedOfLight_RooflineChart", 3},
    {"SpeedOfLight_Hierarchical", 3},
    {"ComputeWorkloadAnalysis", 3},
    {"MemoryWorkloadAnalysis", 5},
    {"MemoryWorkloadAnalysis_Chart", 2},
    {"MemoryWorkloadAnalysis_Tables", 3},
    {"SchedulerStats", 1},
    {"WarpStateStats", 2},
    {"InstructionStats", 2},
    {"LaunchStats", 0},
    {"Occupancy", 0},
    {"WorkloadDistribution", 1},
    {"PmSampling", 2},
    {"PmSampling_WarpStates", 2},
    {"SourceCounters", 3},
};
constexpr int kOtherSection = 2;

struct SetPasses {
  std::string_view set;
  int passes;
};
constexpr SetPasses kSets[] = {
    {"basic", 9}, {"detailed", 26}, {"roofline", 21}, {"full", 37}};

int PassesOfSection(std::string_view name) {
  int passes = kOtherSection;
  std::size_t longest = 0;
  for (const SectionPasses& known : kSections) {
    // The hierarchical rooflines, one a type, begin alike.
    if (name.starts_with(known.section) && known.section.size() > longest) {
      passes = known.passes;
      longest = known.section.size();
    }
  }
  return passes;
}

int PassesOfMetrics(const std::vector<std::string>& metrics) {
  const auto any = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(metrics, [&](const std::string& metric) {
      return std::ranges::any_of(parts, [&](std::string_view part) {
        return metric.find(part) != std::string::npos;
      });
    });
  };
  int passes = metrics.empty() ? 0 : 1;
  // The largest of some hundred inputs.
  if (any({"sm__throughput", "compute_memory_throughput",
           "gpu__compute_memory"})) {
    passes = 8;
  } else if (any({"memory_throughput"})) {
    passes = 5;
  } else if (any({"lookup_hit", "hit_rate", "throughput"})) {
    passes = 2;
  }
  // Counted by patched code, in a pass of their own.
  if (any({"flop_count", "sass_", "inst_executed_op_"})) ++passes;
  return passes;
}

bool TakesCodeApart(const NcuOptions& options) {
  if (options.set && *options.set == "full") return true;
  return std::ranges::any_of(options.sections, [](const std::string& name) {
    return name == "SourceCounters" || name.starts_with("PmSampling");
  });
}

}  // namespace

CostModel ModelFor(const NcuOptions& options) {
  CostModel model;
  if (TakesCodeApart(options)) model.launch_s = 1;
  return model;
}

double EstimateSeconds(std::span<const Launch> launches, int passes,
                       const CostModel& model) {
  return Select(launches, 0, passes, model).seconds;
}

int EstimatePasses(const NcuOptions& options, std::string_view mode) {
  int passes = PassesOfMetrics(options.metrics);
  std::string_view set = options.set ? std::string_view(*options.set) : "";
  if (set.empty() && options.sections.empty() && options.metrics.empty())
    set = "basic";
  int sections = 0;
  bool whole_set = false;
  for (const SetPasses& known : kSets) {
    if (known.set != set) continue;
    sections = known.passes;
    whole_set = set == "full";
  }
  for (const std::string& section : options.sections) {
    const bool contained =
        whole_set ||
        (!set.empty() && set != "none" &&
         (section == "SpeedOfLight" || section == "WorkloadDistribution"));
    if (!contained) sections += PassesOfSection(section);
  }
  // What a section has anyway costs nothing more.
  passes = std::max({1, passes, sections});
  if (mode == "app-range") return passes;
  if (passes > 1) ++passes;       // kernel replay's own
  if (mode == "range") ++passes;  // a warm-up
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

std::string DurationText(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string BudgetText(const Budget& budget) {
  std::string text =
      fmt::format("{} of {} launches will be measured, about {}",
                  budget.measured, budget.total, DurationText(budget.seconds));
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
