#include "capture/budget.h"

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
