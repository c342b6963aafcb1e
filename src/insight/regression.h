// Costs by regression: what an instance of a region costs, as a fixed part and
// a part for each unit of work in it.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace rangefinder {

// One instance, or several in a row: means over them. In the order of time.
struct CostRow {
  double instances = 1;
  std::vector<double> units{};  // of each kind
  double cost = 0;
};

struct Coefficient {
  double value = 0;
  double error = 0;  // one standard error
};

struct CostFit {
  std::vector<Coefficient> coefficients{};  // the fixed part, then the units
  double reach = 2;  // standard errors in half of an interval of 95 %
  double sure = 4;   // the same of 99.9 %
};

// Weighted least squares of the costs on the units `kinds`; errors by leaving
// out each of up to 48 blocks of time (a jackknife), as costs near each other
// in time depend on each other. Nothing with fewer than 48 rows, and where the
// rows without a block do not tell the units apart.
std::optional<CostFit> FitCosts(std::span<const CostRow> rows,
                                std::span<const std::size_t> kinds);

// Of `kinds`, those whose values differ and are not told by the kinds before
// them, with at least three values each.
std::vector<std::size_t> SeparateKinds(std::span<const CostRow> rows,
                                       std::span<const std::size_t> kinds);

// Whether costs bend with the units of one kind: a parabola fits beyond doubt,
// and departs from the line by more than a twentieth of what the line rises.
bool Bends(std::span<const CostRow> rows, std::size_t kind);

}  // namespace rangefinder
