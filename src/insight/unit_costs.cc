#include "insight/unit_costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "insight/regression.h"
#include "sampling/unit_rows.h"

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
  Costs(const UnitRows& found, std::string unit) : found_(found) {
    out_.region = found.region;
    out_.metric = found.metric;
    out_.unit = std::move(unit);
    for (const UnitRow& row : found.rows) {
      CostRow& one = rows_.emplace_back();
      one.instances = row.instances;
      one.units.assign(row.numbers.begin(), row.numbers.end());
      one.cost = row.cost;
      instances_ += row.instances;
      total_ += row.instances * row.cost;
    }
  }

  // Nothing if no cost is certain.
  std::optional<UnitCosts> Find() {
    if (!(instances_ > 0) || !(total_ > 0)) return std::nullopt;
    out_.instances = static_cast<std::uint64_t>(instances_);
    out_.mean = total_ / instances_;
    std::vector<std::size_t> asked;
    for (const Covariate kind : found_.kinds)
      asked.push_back(static_cast<std::size_t>(kind));
    const std::vector<std::size_t> separate = SeparateKinds(rows_, asked);
    std::vector<std::size_t> kinds = separate;
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
      out_.bends = static_cast<Covariate>(kinds[0]);
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
      const CostFit& fit, const std::vector<std::size_t>& kinds) const {
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

  std::pair<double, double> RangeOf(std::size_t kind) const {
    const auto [low, high] = std::ranges::minmax(
        rows_, {}, [&](const CostRow& row) { return row.units[kind]; });
    return {low.units[kind], high.units[kind]};
  }

  void State(const CostFit& fit, const std::vector<std::size_t>& kinds) {
    out_.fixed = Stated(fit.coefficients[0], fit.reach, found_.systematic);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      UnitCost one{.unit = static_cast<Covariate>(kinds[k])};
      one.cost = Stated(fit.coefficients[k + 1], fit.reach, found_.systematic);
      std::tie(one.from, one.to) = RangeOf(kinds[k]);
      for (const Covariate other : found_.kinds) {
        const auto place = static_cast<std::size_t>(other);
        if (place != kinds[k] &&
            std::ranges::all_of(rows_, [&](const CostRow& row) {
              return row.units[place] == row.units[kinds[k]];
            }))
          one.same.push_back(other);
      }
      double units = 0;
      for (const CostRow& row : rows_)
        units += row.instances * row.units[kinds[k]];
      if (kinds.size() == 1 && units > 0) one.mean = total_ / units;
      out_.costs.push_back(std::move(one));
    }
  }

  void AddBins(std::size_t kind) {
    std::vector<const CostRow*> order;
    for (const CostRow& row : rows_) order.push_back(&row);
    std::ranges::stable_sort(
        order, {}, [&](const CostRow* row) { return row->units[kind]; });
    const std::size_t most = std::min(kMostBins, order.size());
    for (std::size_t b = 0, i = 0; b < most; ++b) {
      UnitBin bin;
      const std::size_t end = (b + 1) * order.size() / most;
      // Equal numbers are in one bin.
      for (; i < order.size() &&
             (i < end ||
              (i > 0 && order[i]->units[kind] == order[i - 1]->units[kind]));
           ++i) {
        bin.instances += order[i]->instances;
        bin.units += order[i]->instances * order[i]->units[kind];
        bin.cost += order[i]->instances * order[i]->cost;
      }
      if (bin.instances == 0) continue;
      bin.units /= bin.instances;
      bin.cost /= bin.instances;
      out_.bins.push_back(bin);
    }
  }

  const UnitRows& found_;
  std::vector<CostRow> rows_{};
  double instances_ = 0;
  double total_ = 0;
  UnitCosts out_{};
};

std::string UnitOf(const Rollup& rollup, const std::string& metric) {
  if (metric.empty()) return "ns";
  for (const Column& column : rollup.columns) {
    if (column.name == metric) return column.unit;
  }
  return {};
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
