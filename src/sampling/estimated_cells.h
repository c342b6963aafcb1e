// Estimates as cells of a rollup: their columns, and metrics derived from them.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "rollup/formula.h"
#include "rollup/rollup.h"

namespace rangefinder {

// Marks an estimate whose interval reaches down to 0 as a bound: only the upper
// end is known.
void MarkBound(Cell& estimated);

// How many times longer a run would have to be until half of an estimate's 95 %
// interval is `precision` of its value; 1 if it is already. Nothing for bounds,
// and if no run is long enough.
std::optional<double> TimesAsLong(const Cell& estimated, double precision);

// The estimates of some launches.
struct EstimatedRow {
  std::uint64_t launches = 0;  // of kernels
  std::uint64_t samples = 0;
  double time_ns = 0;         // of the kernels, one after the other
  std::vector<Cell> cells{};  // by metric: kEstimated, or absent with a reason
};

// The columns of a rollup that estimates can fill, and formulas of device
// attributes alone.
class EstimatedColumns {
 public:
  // `metrics`: the estimated metrics. Borrows all arguments.
  EstimatedColumns(const Profile& profile, std::span<const Column> columns,
                   std::span<const std::string> metrics,
                   std::span<const DerivedMetric> derived);

  // `measured`, with estimates in place of absent cells; and the estimates of
  // the other cells. `kernel_count`: number of measured kernels.
  std::pair<Cells, std::vector<EstimateBeside>> Fill(
      const Cells& measured, std::uint64_t kernel_count,
      const EstimatedRow& row) const;

 private:
  // A column with an estimated metric, or with a metric derived from one.
  struct Place {
    std::size_t column = 0;
    std::optional<std::size_t> metric{};  // into EstimatedRow::cells
    std::string_view derived{};           // name; empty: none
  };
  // The input values of a formula; one of them may be moved.
  struct Given {
    const EstimatedRow& row;
    std::optional<std::size_t> moved{};  // into EstimatedRow::cells
    double by = 0;
    std::set<std::size_t>* used = nullptr;
    bool* by_zero = nullptr;  // whether the formula divided by 0
  };

  bool IsKnown(std::string_view metric);
  std::optional<double> DeviceAttribute(std::string_view name) const;
  Cell Derive(std::string_view name, const EstimatedRow& row) const;
  std::optional<double> Evaluate(std::string_view name, const Given& given,
                                 int depth) const;

  const Profile& profile_;
  std::span<const Column> columns_;
  std::map<std::string, std::size_t, std::less<>> metrics_;  // by name
  std::map<std::string, Formula, std::less<>> formulas_;   // of derived metrics
  std::map<std::string, bool, std::less<>> is_known_;      // of derived metrics
  std::map<std::string, double, std::less<>> attributes_;  // of all devices
  std::vector<Place> places_;
};

}  // namespace rangefinder
