// Costs by regression: the cost of a region's instance as a fixed part and a
// part for each unit of work in it.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sampling/unit_rows.h"

namespace rangefinder {

struct Coefficient {
  double value = 0;
  double error = 0;  // one standard error
};

struct CostFit {
  std::vector<Coefficient> coefficients{};  // the fixed part, then the units
  double reach = 2;  // standard errors in half of a 95 % interval
  double sure = 4;   // standard errors in half of a 99.9 % interval
};

// Weighted least squares of the costs on the units `kinds`. Errors by leaving
// out each of up to 48 blocks of time (a jackknife), as costs near each other
// in time depend on each other. Nothing with fewer than 48 rows, or if the
// units cannot be separated without one of the blocks.
std::optional<CostFit> FitCosts(std::span<const UnitRow> rows,
                                std::span<const Covariate> kinds);

// The kinds whose values differ and do not follow from the kinds before them,
// with at least three values each.
std::vector<Covariate> SeparateKinds(std::span<const UnitRow> rows,
                                     std::span<const Covariate> kinds);

// Whether costs are nonlinear in the units of one kind: a parabola fits
// significantly better, and departs from the line by more than a twentieth of
// the line's rise.
bool Bends(std::span<const UnitRow> rows, Covariate kind);

}  // namespace rangefinder
