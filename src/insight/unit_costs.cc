#include "insight/unit_costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <tuple>
#include <utility>

#include "insight/regression.h"

namespace rangefinder {
namespace {

constexpr std::array<std::string_view, 3> kMetrics = {
    "dram__bytes_read.sum", "dram__bytes_write.sum",
    "sm__pipe_tensor_cycles_active.avg"};
constexpr std::size_t kMostBins = 8;
// A certain cost below this part of the mean is not stated.
constexpr double kMatters = 0.001;

StatedCost Stated(const Coefficient& coefficient, double reach,
                  double systematic) {
  constexpr double kNormal = 1.959964;
  const double more = systematic * coefficient.value;
  const double half = std::hypot(reach * coefficient.error, kNormal * more);
  return {.value = coefficient.value,
          .error = std::hypot(coefficient.error, more),
          .low = coefficient.value - half,
          .high = coefficient.value + half};
}

class Costs {
 public:
  Costs(const UnitRows& found, std::string unit)
      : found_(found), rows_(found.rows) {
    out_.region = found.region;
    out_.metric = found.metric;
    out_.unit = std::move(unit);
    for (const UnitRow& row : rows_) {
      instances_ += row.instances;
      total_ += row.instances * row.cost;
    }
  }

  // Nothing if no cost is certain.
  std::optional<UnitCosts> Find() {
    if (!(instances_ > 0) || !(total_ > 0)) return std::nullopt;
    out_.instances = static_cast<std::uint64_t>(instances_);
    out_.mean = total_ / instances_;
    const std::vector<Covariate> separate = SeparateKinds(rows_, found_.kinds);
    std::vector<Covariate> kinds = separate;
    // Without an uncertain cost, the others may become certain.
    for (;;) {
      if (kinds.empty()) return std::nullopt;
      const auto fit = FitCosts(rows_, kinds);
      if (!fit) return std::nullopt;
      const auto worst = LeastCertain(*fit, kinds);
      if (!worst) {
        State(*fit, kinds);
        break;
      }
      kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(*worst));
    }
    // The cost may be nonlinear in the only number that it depends on.
    if (kinds.size() == 1 && separate.size() == 1 && Bends(rows_, kinds[0])) {
      out_.bends = kinds[0];
      out_.costs.clear();
      out_.fixed.reset();
      AddBins(kinds[0]);
    }
    return std::move(out_);
  }

 private:
  // The index of the least certain or least important kind; nothing if all are
  // certain.
  std::optional<std::size_t> LeastCertain(
      const CostFit& fit, const std::vector<Covariate>& kinds) const {
    std::optional<std::size_t> worst;
    double least = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const Coefficient& one = fit.coefficients[k + 1];
      const auto [low, high] = RangeOf(kinds[k]);
      const bool matters =
          std::abs(one.value) * (high - low) > kMatters * out_.mean;
      const double ratio =
          one.error > 0 ? std::abs(one.value) / one.error : INFINITY;
      if (matters && ratio > fit.sure) continue;
      if (worst && ratio >= least) continue;
      worst = k;
      least = ratio;
    }
    return worst;
  }

  std::pair<double, double> RangeOf(Covariate kind) const {
    const auto [low, high] = std::ranges::minmax(
        rows_ | std::views::transform([&](const UnitRow& row) {
          return row.numbers[Index(kind)];
        }));
    return {low, high};
  }

  void State(const CostFit& fit, const std::vector<Covariate>& kinds) {
    out_.fixed = Stated(fit.coefficients[0], fit.reach, found_.systematic);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const std::size_t kind = Index(kinds[k]);
      UnitCost one{.unit = kinds[k]};
      one.cost = Stated(fit.coefficients[k + 1], fit.reach, found_.systematic);
      std::tie(one.from, one.to) = RangeOf(kinds[k]);
      for (const Covariate other : found_.kinds) {
        if (other != kinds[k] &&
            std::ranges::all_of(rows_, [&](const UnitRow& row) {
              return row.numbers[Index(other)] == row.numbers[kind];
            }))
          one.same.push_back(other);
      }
      double units = 0;
      for (const UnitRow& row : rows_)
        units += row.instances * row.numbers[kind];
      if (kinds.size() == 1 && units > 0) one.mean = total_ / units;
      out_.costs.push_back(std::move(one));
    }
  }

  void AddBins(Covariate kind) {
    const auto number = [&](const UnitRow* row) {
      return row->numbers[Index(kind)];
    };
    std::vector<const UnitRow*> order;
    for (const UnitRow& row : rows_) order.push_back(&row);
    std::ranges::stable_sort(order, {}, number);
    const std::size_t most = std::min(kMostBins, order.size());
    for (std::size_t b = 0, i = 0; b < most; ++b) {
      UnitBin bin;
      const std::size_t end = (b + 1) * order.size() / most;
      // Equal numbers are in one bin.
      for (; i < order.size() &&
             (i < end || (i > 0 && number(order[i]) == number(order[i - 1])));
           ++i) {
        bin.instances += order[i]->instances;
        bin.units += order[i]->instances * number(order[i]);
        bin.cost += order[i]->instances * order[i]->cost;
      }
      if (bin.instances == 0) continue;
      bin.units /= bin.instances;
      bin.cost /= bin.instances;
      out_.bins.push_back(bin);
    }
  }

  const UnitRows& found_;
  const std::vector<UnitRow>& rows_;
  double instances_ = 0;
  double total_ = 0;
  UnitCosts out_{};
};

std::string UnitOf(const Rollup& rollup, const std::string& metric) {
  if (metric.empty()) return "ns";
  const auto column = rollup.Find(metric);
  return column ? rollup.columns[*column].unit : std::string();
}

}  // namespace

std::vector<UnitCosts> FindUnitCosts(const RunView& run,
                                     const KnownNames& names,
                                     const CounterEstimates* estimates) {
  std::vector<UnitCosts> all;
  for (const UnitRows& found :
       FindUnitRows(*run.profile, *run.tree, names, estimates, kMetrics)) {
    if (auto costs = Costs(found, UnitOf(*run.rollup, found.metric)).Find())
      all.push_back(std::move(*costs));
  }
  return all;
}

}  // namespace rangefinder
