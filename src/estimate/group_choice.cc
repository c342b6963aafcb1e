#include "estimate/group_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace rangefinder {
namespace {

constexpr double kSplitErrors = 4;       // between two classes of a split
constexpr double kSplitPart = 0.15;      // and by how much of their count
constexpr double kWorth = 0.02;          // of the noise, less left
constexpr double kNearlyParallel = 0.9;  // cosine of columns worth a look
constexpr double kTooLittle = 0.02;      // information, by the prior's

// The equations with columns added up: `to` by column.
NormalEquations Folded(const NormalEquations& fine,
                       std::span<const std::uint32_t> to, std::size_t count) {
  const auto size = static_cast<Index>(count);
  NormalEquations folded;
  folded.products = Matrix::Zero(size, size);
  folded.right = Matrix::Zero(size, fine.right.cols());
  folded.sums = Vector::Zero(size);
  folded.counts = fine.counts;
  folded.squares = fine.squares;
  folded.samples = fine.samples;
  for (Index c = 0; c < fine.products.cols(); ++c) {
    const auto column = static_cast<Index>(to[static_cast<std::size_t>(c)]);
    folded.right.row(column) += fine.right.row(c);
    folded.sums[column] += fine.sums[c];
    for (Index r = c; r < fine.products.rows(); ++r) {
      const auto row = static_cast<Index>(to[static_cast<std::size_t>(r)]);
      // Off the diagonal a pair stands once, and twice in one folded square.
      const double times = row == column && r != c ? 2 : 1;
      folded.products(std::max(row, column), std::min(row, column)) +=
          times * fine.products(r, c);
    }
  }
  return folded;
}

// What each half's solution leaves of the other, over the noise.
double CrossValidated(const NormalEquations& one, const NormalEquations& two,
                      std::span<const double> duration_ns, double noise_ns,
                      const Vector& noise) {
  const Matrix from_one = Solve(one, PriorOf(one, duration_ns, noise_ns));
  const Matrix from_two = Solve(two, PriorOf(two, duration_ns, noise_ns));
  return (SquaresLeft(two, from_one) + SquaresLeft(one, from_two))
      .cwiseQuotient(noise)
      .sum();
}

// The design with every split taken, by halves of the run in turns of a block.
struct FineModel {
  Grouping grouping{};
  NormalEquations one{};
  NormalEquations two{};
  std::size_t columns = 0;
};

FineModel FineModelOf(const ChoiceInput& input, const Grouping& grouping,
                      std::span<const GroupSplit> splits) {
  FineModel fine{.grouping = Split(input.launches, grouping, splits)};
  const Design design =
      MakeDesign(input.launches, *input.windows, *input.samples, input.edges,
                 ColumnsOfGroups(fine.grouping), input.background);
  const RowMatrix own = OwnCounts(design, *input.samples, input.metrics);
  std::vector<std::uint32_t> block(design.rows());
  const std::size_t each = std::max<std::size_t>(design.rows() / 40, 1);
  for (std::size_t i = 0; i < block.size(); ++i)
    block[i] = static_cast<std::uint32_t>(i / each);
  fine.one = Accumulate(design, own, block, 0);
  fine.two = Accumulate(design, own, block, 1);
  fine.columns = design.columns;
  return fine;
}

// Into which column of a coarser design each of a fine one goes. The columns
// of what is no launch stay last.
struct Coarser {
  std::vector<std::uint32_t> to{};
  std::size_t columns = 0;
};

Coarser WithSplits(std::size_t fine_columns, std::size_t groups,
                   std::span<const GroupSplit> splits,
                   const std::vector<bool>& taken) {
  Coarser coarser{.to = std::vector<std::uint32_t>(fine_columns),
                  .columns = groups};
  const auto end = coarser.to.begin() + static_cast<std::ptrdiff_t>(groups);
  std::iota(coarser.to.begin(), end, 0U);
  std::size_t next = groups;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    for (std::size_t k = 1; k < splits[s].classes.size(); ++k, ++next)
      coarser.to[next] = taken[s]
                             ? static_cast<std::uint32_t>(coarser.columns++)
                             : splits[s].group;
  }
  for (; next < fine_columns; ++next)
    coarser.to[next] = static_cast<std::uint32_t>(coarser.columns++);
  return coarser;
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

// Splits of which a class counts otherwise than the first. Their other classes
// have the columns from `first_new` on, one after the other.
std::vector<bool> Differing(const NormalEquations& all,
                            const ColumnPrior& prior, const Vector& noise,
                            std::span<const GroupSplit> splits,
                            std::size_t first_new) {
  const Matrix x = Solve(all, prior);
  std::vector<Index> first, other;  // columns of each pair that is compared
  std::vector<std::size_t> split_of;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    for (std::size_t k = 1; k < splits[s].classes.size(); ++k) {
      other.push_back(static_cast<Index>(first_new + split_of.size()));
      first.push_back(static_cast<Index>(splits[s].group));
      split_of.push_back(s);
    }
  }
  const auto pairs = static_cast<Index>(split_of.size());
  Matrix unit = Matrix::Zero(x.rows(), pairs);
  for (Index p = 0; p < pairs; ++p) {
    unit(first[static_cast<std::size_t>(p)], p) = -1;
    unit(other[static_cast<std::size_t>(p)], p) = 1;
  }
  const Matrix spread = SolveFor(all, prior, unit);
  std::vector<bool> differing(splits.size(), false);
  for (std::size_t p = 0; p < split_of.size(); ++p) {
    const auto column = static_cast<Index>(p);
    const double square = unit.col(column).dot(spread.col(column));
    for (Index m = 0; m < x.cols(); ++m) {
      const double step = std::abs(x(other[p], m) - x(first[p], m));
      const double size =
          std::max(std::abs(x(other[p], m) + x(first[p], m)) / 2,
                   prior.mean(first[p], m));
      if (step > kSplitPart * size &&
          step > kSplitErrors * std::sqrt(square * noise[m]))
        differing[split_of[p]] = true;
    }
  }
  return differing;
}

std::uint32_t Root(std::vector<std::uint32_t>& parent, std::uint32_t at) {
  while (parent[at] != at) at = parent[at] = parent[parent[at]];
  return at;
}

// Roots of groups that belong together.
std::vector<std::uint32_t> AlikeColumns(const NormalEquations& equations,
                                        const ColumnPrior& prior,
                                        std::size_t count) {
  std::vector<std::uint32_t> parent(count);
  std::iota(parent.begin(), parent.end(), 0U);
  const Matrix& product = equations.products;
  const Vector& sums = equations.sums;
  for (Index b = 0; b < static_cast<Index>(count); ++b) {
    if (sums[b] <= 0) continue;
    for (Index a = b + 1; a < static_cast<Index>(count); ++a) {
      if (product(a, b) <= 0 || sums[a] <= 0) continue;
      if (product(a, b) * product(a, b) <
          kNearlyParallel * kNearlyParallel * product(a, a) * product(b, b))
        continue;
      const double apart = product(a, a) / (sums[a] * sums[a]) +
                           product(b, b) / (sums[b] * sums[b]) -
                           2 * product(a, b) / (sums[a] * sums[b]);
      const double held = prior.weight[a] / (sums[a] * sums[a]) +
                          prior.weight[b] / (sums[b] * sums[b]);
      if (apart < kTooLittle * held)
        parent[Root(parent, static_cast<std::uint32_t>(a))] =
            Root(parent, static_cast<std::uint32_t>(b));
    }
  }
  for (std::uint32_t g = 0; g < count; ++g) parent[g] = Root(parent, g);
  return parent;
}

}  // namespace

LaunchColumns ColumnsOfGroups(const Grouping& grouping) {
  LaunchColumns columns;
  columns.group = grouping.group;
  columns.count = grouping.groups.size();
  columns.column.resize(columns.count);
  std::iota(columns.column.begin(), columns.column.end(), 0U);
  return columns;
}

std::vector<double> Durations(const std::vector<FitGroup>& groups,
                              const LaunchColumns& columns) {
  std::vector<double> time(columns.count, 0), launches(columns.count, 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    time[columns.column[g]] += groups[g].busy_ns;
    launches[columns.column[g]] += static_cast<double>(groups[g].launches);
  }
  for (std::size_t c = 0; c < columns.count; ++c) time[c] /= launches[c];
  return time;
}

Grouping ChooseSplits(const ChoiceInput& input, const Grouping& grouping) {
  std::vector<GroupSplit> splits = FindSplits(input.launches, grouping);
  if (splits.empty()) return grouping;
  const FineModel fine = FineModelOf(input, grouping, splits);
  NormalEquations all = fine.one;
  all += fine.two;
  const ColumnPrior prior = PriorOf(
      all, Durations(fine.grouping.groups, ColumnsOfGroups(fine.grouping)),
      input.noise_ns);
  const Vector noise = NoiseOf(all, Solve(all, prior));
  const std::size_t groups = grouping.groups.size();
  const std::vector<bool> differing =
      Differing(all, prior, noise, splits, groups);
  std::vector<GroupSplit> chosen;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    if (differing[s]) chosen.push_back(splits[s]);
  }
  if (chosen.empty()) return grouping;

  const auto left = [&](const Grouping& by, const Coarser& coarser) {
    return CrossValidated(Folded(fine.one, coarser.to, coarser.columns),
                          Folded(fine.two, coarser.to, coarser.columns),
                          Durations(by.groups, ColumnsOfGroups(by)),
                          input.noise_ns, noise);
  };
  Grouping split = Split(input.launches, grouping, chosen);
  const std::vector<bool> none(splits.size(), false);
  const double without =
      left(grouping, WithSplits(fine.columns, groups, splits, none));
  const double with =
      left(split, WithSplits(fine.columns, groups, splits, differing));
  // Not by what is left without: what ran in one half alone, as a program's
  // beginning does, is left by both, and there may be any amount of it.
  const double all_noise =
      static_cast<double>(all.samples) * static_cast<double>(noise.size());
  return without - with > kWorth * all_noise ? split : grouping;
}

bool MergeColumns(const NormalEquations& equations, const ColumnPrior& prior,
                  std::vector<FitGroup>& groups, LaunchColumns& columns) {
  const std::vector<std::uint32_t> root =
      AlikeColumns(equations, prior, groups.size());
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    members[root[g]].push_back(g);
  if (members.size() == groups.size()) return false;
  columns.weight.assign(groups.size(), 1);
  columns.count = 0;
  for (const auto& [first, together] : members) {
    double time = 0, launches = 0;
    for (const std::uint32_t g : together) {
      time += groups[g].busy_ns;
      launches += static_cast<double>(groups[g].launches);
    }
    for (const std::uint32_t g : together) {
      columns.column[g] = static_cast<std::uint32_t>(columns.count);
      columns.weight[g] = groups[g].busy_ns /
                          static_cast<double>(groups[g].launches) * launches /
                          time;
      for (const std::uint32_t other : together) {
        if (other != g) groups[g].merged_with.push_back(other);
      }
    }
    ++columns.count;
  }
  return true;
}

}  // namespace rangefinder
