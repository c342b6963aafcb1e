#include "estimate/splits.h"

#include <algorithm>
#include <cmath>

#include "estimate/design.h"
#include "estimate/normal_equations.h"
#include "estimate/pools.h"

namespace rangefinder {
namespace {

// Least difference of two classes, in standard errors.
constexpr double kSplitErrors = 4;
constexpr double kSplitPart = 0.15;  // and as a part of their count
// Least improvement, as a part of the noise.
constexpr double kWorth = 0.02;
constexpr std::size_t kMostColumnsToSplit = 500;

// The samples' equations with the pools of some groups, by halves of the run
// that alternate by blocks.
struct HalfModels {
  PoolColumns pooled{};
  NormalEquations one{};
  NormalEquations two{};
};

HalfModels ModelsOf(const ChoiceInput& input, const Grouping& grouping) {
  HalfModels models{.pooled =
                        ColumnsOfPools(grouping, FindPools(grouping.groups),
                                       kMostColumnsToSplit)};
  const Design design =
      MakeDesign(input.launches, *input.windows, *input.samples, input.edges,
                 models.pooled.columns, input.background);
  const RowMatrix own = OwnCounts(design, *input.samples, input.metrics);
  std::vector<std::uint32_t> block(design.rows());
  const std::size_t each = std::max<std::size_t>(design.rows() / 40, 1);
  for (std::size_t i = 0; i < block.size(); ++i)
    block[i] = static_cast<std::uint32_t>(i / each);
  models.one = Accumulate(design, own, block, 0);
  models.two = Accumulate(design, own, block, 1);
  return models;
}

// Squared residuals of each half under the solution of the other, over the
// noise.
double CrossValidated(const ChoiceInput& input, const HalfModels& models,
                      const Vector& noise) {
  const auto solved = [&](const NormalEquations& half) {
    return Solve(half, PriorOf(half, models.pooled.duration_ns, input.noise_ns,
                               RatesOf(half, models.pooled.duration_ns)));
  };
  return (SquaresLeft(models.two, solved(models.one)) +
          SquaresLeft(models.one, solved(models.two)))
      .cwiseQuotient(noise)
      .sum();
}

Vector NoiseOf(const NormalEquations& equations, const Matrix& x) {
  Vector noise =
      SquaresLeft(equations, x) /
      static_cast<double>(std::max<std::size_t>(equations.samples, 1));
  for (Index m = 0; m < noise.size(); ++m) {
    if (noise[m] <= 0) noise[m] = 1;
  }
  return noise;
}

// Two columns that a split separates.
struct Pair {
  std::size_t split = 0;
  Index first = 0;
  Index other = 0;
};

// Splits with a class that counts differently from the first. Their other
// classes are the groups from `first_new` on, in order.
std::vector<bool> Differing(const HalfModels& models,
                            const NormalEquations& all, double noise_ns,
                            std::span<const GroupSplit> splits,
                            std::size_t first_new, Vector& noise) {
  const ColumnPrior prior = PriorOf(all, models.pooled.duration_ns, noise_ns,
                                    RatesOf(all, models.pooled.duration_ns));
  const Matrix x = Solve(all, prior);
  noise = NoiseOf(all, x);
  std::vector<Pair> pairs;
  const auto column = [&](std::size_t group) {
    return static_cast<Index>(models.pooled.columns.column[group]);
  };
  std::size_t next = first_new;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    for (std::size_t k = 1; k < splits[s].classes.size(); ++k)
      pairs.push_back({s, column(splits[s].group), column(next++)});
  }
  Matrix unit = Matrix::Zero(x.rows(), static_cast<Index>(pairs.size()));
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    unit(pairs[p].first, static_cast<Index>(p)) -= 1;
    unit(pairs[p].other, static_cast<Index>(p)) += 1;
  }
  const Matrix spread = SolveFor(all, prior, unit);
  std::vector<bool> differing(splits.size(), false);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto& [split, first, other] = pairs[p];
    const auto at = static_cast<Index>(p);
    const double square = unit.col(at).dot(spread.col(at));
    for (Index m = 0; m < x.cols(); ++m) {
      const double step = std::abs(x(other, m) - x(first, m));
      const double size = std::max(std::abs(x(other, m) + x(first, m)) / 2,
                                   prior.mean(first, m));
      if (step > kSplitPart * size &&
          step > kSplitErrors * std::sqrt(square * noise[m]))
        differing[split] = true;
    }
  }
  return differing;
}

}  // namespace

Grouping ChooseSplits(const ChoiceInput& input, const Grouping& grouping) {
  const std::vector<GroupSplit> splits = FindSplits(input.launches, grouping);
  if (splits.empty()) return grouping;
  const HalfModels fine =
      ModelsOf(input, Split(input.launches, grouping, splits));
  NormalEquations all = fine.one;
  all += fine.two;
  Vector noise;
  const std::vector<bool> differing = Differing(
      fine, all, input.noise_ns, splits, grouping.groups.size(), noise);
  std::vector<GroupSplit> chosen;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    if (differing[s]) chosen.push_back(splits[s]);
  }
  if (chosen.empty()) return grouping;
  Grouping split = Split(input.launches, grouping, chosen);
  const double without =
      CrossValidated(input, ModelsOf(input, grouping), noise);
  const double with = CrossValidated(input, ModelsOf(input, split), noise);
  // The threshold is the noise and not the residuals without the split: work
  // that ran in one half alone, as at a program's beginning, is a residual with
  // and without it, of any size.
  const double all_noise =
      static_cast<double>(all.samples) * static_cast<double>(noise.size());
  return without - with > kWorth * all_noise ? split : grouping;
}

}  // namespace rangefinder
