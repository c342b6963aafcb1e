#include "capture/cost.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace rangefinder {

namespace {

// Passes of a section on GH100. For counters of a section's own table, NVIDIA's
// scheduler gives the passes (tools/metric_facts/passes.cc); sections share
// most of them. Charts and tables have further counters; their passes are
// fitted to the passes of `full` (docs/measured.md#how-long-an-ncu-run-takes).
struct SectionPasses {
  std::string_view section;
  double alone;  // of the section alone
  double more;   // added to a section with more passes
};
constexpr SectionPasses kSections[] = {
    {"SpeedOfLight", 9, 9},
    {"SpeedOfLight_RooflineChart", 2, 2},
    {"SpeedOfLight_Hierarchical", 2, 2},  // with a type behind the name
    {"ComputeWorkloadAnalysis", 8, 0},
    {"MemoryWorkloadAnalysis", 7, 0},
    {"MemoryWorkloadAnalysis_Chart", 3, 3},
    {"MemoryWorkloadAnalysis_Tables", 9, 9},
    {"SchedulerStats", 1, 0.5},
    {"WarpStateStats", 2, 0.5},
    {"InstructionStats", 1, 0},
    {"LaunchStats", 0, 0},
    {"NumaAffinity", 0, 0},
    {"Nvlink", 0, 0},
    {"Occupancy", 1, 0.5},
    {"WorkloadDistribution", 1, 0},
    {"PmSampling", 2, 2},
    {"PmSampling_WarpStates", 2, 2},
    {"SourceCounters", 2, 0.5},
};
constexpr SectionPasses kOtherSection = {"", 2, 1};

struct SetPasses {
  std::string_view set;
  int passes;
};
constexpr SetPasses kSets[] = {
    {"basic", 9}, {"detailed", 25}, {"roofline", 19}, {"full", 37}};

const SectionPasses& FindSection(std::string_view name) {
  const SectionPasses* found = &kOtherSection;
  for (const SectionPasses& known : kSections) {
    if (name.starts_with(known.section) &&
        known.section.size() > found->section.size())
      found = &known;
  }
  return *found;
}

// The passes of the largest section, and the passes that the others add.
int PassesOfSections(const std::vector<std::string>& sections, double most) {
  double shared = 0;
  for (const std::string& name : sections) {
    const SectionPasses& section = FindSection(name);
    if (section.more != section.alone || section.section == "SpeedOfLight")
      most = std::max(most, section.alone);
  }
  for (const std::string& name : sections) {
    const SectionPasses& section = FindSection(name);
    if (section.section != "SpeedOfLight" && section.alone < most)
      shared += section.more;
  }
  return static_cast<int>(most + shared);
}

int PassesOfMetrics(const std::vector<std::string>& metrics) {
  const auto count = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::count_if(metrics, [&](const std::string& metric) {
      return std::ranges::any_of(parts, [&](std::string_view part) {
        return metric.find(part) != std::string::npos;
      });
    });
  };
  int passes = metrics.empty() ? 0 : 1;
  // Throughput metrics have many inputs; the largest one decides.
  if (count({"sm__throughput"}) > 0) {
    passes = 8;
  } else if (count({"compute_memory_throughput"}) > 0) {
    passes = 5;
  } else if (count({"l1tex__throughput", "lts__throughput"}) > 0) {
    passes = 4;
  } else if (count({"compute_memory_"}) > 0) {
    passes = 3;
  } else if (count({"lookup_hit", "lts__t_sector_hit_rate"}) > 0) {
    passes = 2;
  }
  // Metrics of patched code: two per pass.
  return passes + static_cast<int>(count({"flop_count", "sass_"}) + 1) / 2;
}

bool Disassembles(const NcuOptions& options) {
  if (options.set && *options.set == "full") return true;
  return std::ranges::any_of(options.sections, [](const std::string& name) {
    return name == "SourceCounters" || name.starts_with("PmSampling");
  });
}

}  // namespace

CostModel ModelFor(const NcuOptions& options) {
  CostModel model;
  if (Disassembles(options)) model.launch_s = 1;
  return model;
}

double EstimateSeconds(std::span<const Launch> launches, int passes,
                       const CostModel& model) {
  double seconds = 0;
  for (const Launch& launch : launches)
    seconds += model.launch_s + passes * (model.pass_s + launch.gpu_ns * 1e-9);
  return seconds;
}

int EstimatePasses(const NcuOptions& options, std::string_view mode) {
  std::string_view set = options.set ? std::string_view(*options.set) : "";
  if (set.empty() && options.sections.empty() && options.metrics.empty())
    set = "basic";
  double of_set = 0;
  for (const SetPasses& known : kSets) {
    if (known.set == set) of_set = known.passes;
  }
  const int sections = set == "full"
                           ? static_cast<int>(of_set)
                           : PassesOfSections(options.sections, of_set);
  // Metrics that a section contains cost nothing more.
  int passes = std::max({1, PassesOfMetrics(options.metrics), sections});
  if (mode == "app-range") return passes;
  if (passes > 1) ++passes;       // kernel replay adds one
  if (mode == "range") ++passes;  // a warm-up
  return passes;
}

std::string DurationText(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// ---- Budget ----------------------------------------------------------------

namespace {

// Kernel and launch configuration.
using Configuration = std::pair<std::string_view, std::string_view>;
// Region, kernel and launch configuration.
using Class = std::tuple<std::string_view, std::string_view, std::string_view>;

// Sets the sums of `budget` from its `launch_count` and `numbers`.
void Sum(std::span<const Launch> launches, int passes, const CostModel& model,
         Budget& budget) {
  const std::vector<Launch> measured = WithinBudget(launches, budget);
  budget.measured = measured.size();
  budget.total = launches.size();
  budget.seconds = EstimateSeconds(measured, passes, model);
  std::set<std::string_view> covered;
  for (const Launch& launch : measured) covered.insert(launch.region);
  for (const Launch& launch : launches) {
    if (covered.insert(launch.region).second)
      budget.uncovered.push_back(launch.region);
  }
}

// The largest number from `low` to `high` that fits; `low` if none does. If a
// number fits, all smaller numbers fit.
template <typename Fits>
std::uint64_t Largest(std::uint64_t low, std::uint64_t high, Fits fits) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// The numbers of each region's launches, by kernel and configuration.
class ByRegion {
 public:
  ByRegion(std::span<const Launch> launches, int passes, const CostModel& model)
      : launches_(launches), passes_(passes), model_(model) {
    std::map<Class, std::size_t> index;
    for (const Launch& launch : launches) {
      const auto [at, is_new] = index.try_emplace(
          {launch.region, launch.kernel, launch.config}, classes_.size());
      if (is_new) classes_.emplace_back();
      Members& members = classes_[at->second];
      members.numbers.push_back(launch.number);
      members.gpu_ns += launch.gpu_ns;
      most_ = std::max<std::uint64_t>(most_, members.numbers.size());
    }
    // Classes with few launches leave no choice, so they choose first.
    std::ranges::stable_sort(classes_, {}, [](const Members& members) {
      return members.numbers.size();
    });
  }

  Budget Fit(double seconds) {
    const auto cost = [&](const std::set<std::uint64_t>& numbers) {
      return Of(numbers, 1).seconds;
    };
    std::set<std::uint64_t> numbers = Numbers(1);
    if (cost(numbers) <= seconds) {
      const std::uint64_t count = Largest(1, most_, [&](std::uint64_t n) {
        return cost(Numbers(n)) <= seconds;
      });
      return Of(Numbers(count), count);
    }
    std::ranges::stable_sort(classes_, std::greater<>(), &Members::gpu_ns);
    const std::uint64_t classes = Largest(
        1, classes_.size(),
        [&](std::uint64_t n) { return cost(Numbers(1, n)) <= seconds; });
    return Of(Numbers(1, classes), 1);
  }

 private:
  struct Members {
    std::vector<std::uint64_t> numbers{};  // increasing
    double gpu_ns = 0;
  };

  // `count` launches of each of the first `classes`: numbers that other classes
  // have chosen, then the earliest.
  std::set<std::uint64_t> Numbers(std::uint64_t count,
                                  std::uint64_t classes = UINT64_MAX) const {
    std::set<std::uint64_t> numbers;
    for (const Members& members : classes_) {
      if (classes-- == 0) break;
      auto missing = static_cast<std::int64_t>(count) -
                     std::ranges::count_if(members.numbers, [&](auto number) {
                       return numbers.contains(number);
                     });
      for (const std::uint64_t number : members.numbers) {
        if (missing <= 0) break;
        if (numbers.insert(number).second) --missing;
      }
    }
    return numbers;
  }

  Budget Of(const std::set<std::uint64_t>& numbers, std::uint64_t count) const {
    Budget budget{.launch_count = count,
                  .numbers = {numbers.begin(), numbers.end()}};
    Sum(launches_, passes_, model_, budget);
    return budget;
  }

  std::span<const Launch> launches_;
  int passes_;
  const CostModel& model_;
  std::vector<Members> classes_{};
  std::uint64_t most_ = 1;
};

Budget ByConfiguration(std::span<const Launch> launches, int passes,
                       double seconds, const CostModel& model) {
  std::map<Configuration, std::uint64_t> sizes;
  std::uint64_t most = 1;
  for (const Launch& launch : launches)
    most = std::max(most, ++sizes[{launch.kernel, launch.config}]);
  const auto of = [&](std::uint64_t count) {
    Budget budget{.launch_count = count};
    Sum(launches, passes, model, budget);
    return budget;
  };
  return of(Largest(1, most, [&](std::uint64_t count) {
    return of(count).seconds <= seconds;
  }));
}

}  // namespace

Budget FitBudget(std::span<const Launch> launches, int passes, double seconds,
                 const CostModel& model) {
  Budget budget;
  Sum(launches, passes, model, budget);
  if (budget.seconds <= seconds) return budget;
  const bool numbered = std::ranges::all_of(
      launches, [](const Launch& launch) { return launch.number > 0; });
  budget = numbered ? ByRegion(launches, passes, model).Fit(seconds)
                    : ByConfiguration(launches, passes, seconds, model);
  budget.fits = budget.seconds <= seconds;
  return budget;
}

std::vector<Launch> WithinBudget(std::span<const Launch> launches,
                                 const Budget& budget) {
  std::map<Configuration, std::uint64_t> seen;
  const auto is_measured = [&](const Launch& launch) {
    if (!budget.numbers.empty())
      return std::ranges::binary_search(budget.numbers, launch.number);
    return budget.launch_count == 0 ||
           ++seen[{launch.kernel, launch.config}] <= budget.launch_count;
  };
  std::vector<Launch> measured;
  std::ranges::copy_if(launches, std::back_inserter(measured), is_measured);
  return measured;
}

void ApplyBudget(const Budget& budget, NcuOptions& options) {
  if (budget.launch_count == 0 || !budget.numbers.empty()) return;
  options.options["filter_mode"] = {"per-launch-config"};
  options.options["launch_count"] = {std::to_string(budget.launch_count)};
}

std::string BudgetText(const Budget& budget) {
  std::string text =
      fmt::format("{} of {} launches will be measured, about {}",
                  budget.measured, budget.total, DurationText(budget.seconds));
  if (!budget.fits) text += "; the minimum exceeds the budget";
  if (!budget.uncovered.empty()) {
    text += fmt::format("; {} region{} without a measured launch",
                        budget.uncovered.size(),
                        budget.uncovered.size() == 1 ? "" : "s");
  }
  return text;
}

}  // namespace rangefinder
