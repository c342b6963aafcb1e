// Effects that are fitted besides the counts of pools, by metric.
//
// Groups of a pool may deviate from its count. Work need not lie evenly in a
// launch's window either: units count with delays of their own, kernels begin
// and end in their own ways, and long kernels go through phases. A sample that
// begins or ends within a launch then counts too much or too little. Such
// effects are small and alike. Each kind is a random effect with mean 0 (C. R.
// Henderson, Best linear unbiased estimation and prediction under a selection
// model, Biometrics 31 (1975)), whose variance is the one that the samples make
// most likely, whatever the counts (H. D. Patterson, R. Thompson, Recovery of
// inter-block information when block sizes are unequal, Biometrika 58 (1971)).
// So a kernel whose groups count alike has no deviations, and groups that truly
// differ keep their difference. The covariance of the effects becomes a
// systematic error of the estimates.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/parallel.h"
#include "estimate/effect_kinds.h"
#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

constexpr std::uint32_t kOwnMoves = 32;     // kernels with edges of their own
constexpr std::uint32_t kSharedMoves = 16;  // edges shared by all other kernels
constexpr std::size_t kMostNeighbours = 32;  // of starts, and of ends
// Least share of a kernel's launches that one neighbour has.
constexpr double kLeastBeside = 0.1;
constexpr std::uint32_t kMostShaped = 16;
constexpr double kLeastShaped = 10'000;      // ns: length of a launch
constexpr double kLeastShare = 0.005;        // of a metric's count
constexpr double kLeastEdge = 1;             // ns: least scatter of edges
constexpr double kLeastRate = 1e-4;          // least scatter of rates, relative
constexpr std::size_t kMostConcurrent = 32;  // pairs of kernels
// Least part of a kernel's time in which another one runs.
constexpr double kLeastConcurrent = 0.1;
// Least scatter of rates while another kernel runs. If two kernels mostly run
// together, such a rate and the other kernel's count explain nearly the same.
constexpr double kLeastConcurrentRate = 0.03;
constexpr double kLeastWithPrologue = 50'000;  // ns: length of a launch
constexpr double kMostWarps = 64;              // of an SM
// Standard deviations of prologues, in instructions of each warp.
constexpr double kLeastPrologue = 0.01, kFirstPrologue = 10, kMostPrologue = 50;
constexpr std::size_t kPrologues = 4;    // kind of effect
constexpr std::size_t kWindowKinds = 5;  // of effects, before the families'
// Of the count that the prior gives a launch.
constexpr double kLeastScale = 0.02;
constexpr int kRounds = 2;
constexpr int kMostRounds = 8;
// Most numbers in the covariances of the effects, over all metrics.
constexpr double kMostCovariances = 4e6;
constexpr double kMostEffects = 800;
// Groups differ from this ratio of their scatter to chance.
constexpr double kModel = 1.5;
constexpr double kWorst = 0.5;  // of the largest scatter of a family
constexpr double kFirstWidth = 0.05;
constexpr double kMostGrowth = 2;  // of the residuals' squares, by a step

struct Kernel {
  double busy_ns = 0;
  std::vector<std::uint32_t> columns{};
};

// Sorted by their time in the samples.
std::vector<Kernel> KernelsByTime(const FitState& state) {
  std::map<std::uint32_t, Kernel> kernels;
  for (std::uint32_t c = 0; c < state.launch_columns(); ++c) {
    Kernel& kernel = kernels[state.kernel[c]];
    kernel.busy_ns += state.equations.sums[static_cast<Index>(c)] *
                      state.pooled.duration_ns[c];
    kernel.columns.push_back(c);
  }
  std::vector<Kernel> longest;
  for (auto& [id, kernel] : kernels) longest.push_back(std::move(kernel));
  std::ranges::stable_sort(longest, [](const Kernel& a, const Kernel& b) {
    return a.busy_ns > b.busy_ns;
  });
  return longest;
}

// How the work of a kernel begins depends on the kernel before it, and how it
// ends on the kernel after it. Where a kernel has several neighbours, its
// launches beside each of the most frequent ones have edges of their own.
// Neighbours are in the order in which launches begin, on all streams.
void ChooseNeighbours(FitState& state, const LaunchWindows& windows) {
  EffectNumbers& numbers = state.numbers;
  const std::size_t count = windows.size();
  const auto group_of = [&](std::size_t k) {
    return state.group_of_launch[windows.launch[k]];
  };
  const auto pool_of = [&](std::size_t k) {
    return k < count ? state.pools.pool[group_of(k)] : kNone;
  };
  std::vector<double> launches(state.pools.size(), 0);
  for (std::size_t k = 0; k < count; ++k) ++launches[pool_of(k)];
  for (const std::size_t edge : {0U, 1U}) {
    const auto beside_of = [&](std::size_t k) {
      return WindowTerms::Pair(pool_of(k), pool_of(edge == 0 ? k - 1 : k + 1));
    };
    std::unordered_map<std::uint64_t, double> seen;
    for (std::size_t k = 0; k < count; ++k) ++seen[beside_of(k)];
    std::vector<std::pair<double, std::uint64_t>> frequent;
    for (const auto& [pair, times] : seen) {
      const double part = times / launches[pair >> 32];
      if (part >= kLeastBeside && part <= 1 - kLeastBeside)
        frequent.emplace_back(times, pair);
    }
    std::ranges::sort(frequent, std::ranges::greater{});
    frequent.resize(std::min(frequent.size(), kMostNeighbours));
    std::unordered_map<std::uint64_t, std::uint32_t> effects, terms;
    for (const auto& [times, pair] : frequent)
      effects[pair] = numbers.neighbours++;
    std::vector<std::uint32_t>& beside = state.terms.beside[edge];
    beside.assign(count, WindowTerms::kNoTerm);
    for (std::size_t k = 0; k < count; ++k) {
      const auto effect = effects.find(beside_of(k));
      if (effect == effects.end()) continue;
      const auto [term, is_new] = terms.try_emplace(
          WindowTerms::Pair(group_of(k), effect->second),
          static_cast<std::uint32_t>(numbers.of_pairs.size()));
      beside[k] = term->second;
      if (is_new)
        numbers.of_pairs.push_back(
            {group_of(k), numbers.neighbour(effect->second)});
    }
  }
}

// A kernel works at another rate while another one runs. The pairs of kernels
// that run together longest have a rate of their own.
void ChooseConcurrent(FitState& state, const LaunchWindows& windows) {
  EffectNumbers& numbers = state.numbers;
  std::vector<std::uint32_t>& kernel = state.terms.kernel;  // by group
  for (std::uint32_t g = 0; g < state.groups.size(); ++g)
    kernel.push_back(state.kernel[state.column(g)]);
  const auto kernel_of = [&](std::size_t k) {
    return kernel[state.group_of_launch[windows.launch[k]]];
  };
  std::unordered_map<std::uint32_t, double> busy;      // ns
  std::unordered_map<std::uint64_t, double> together;  // ns, by pair
  const ConcurrentLaunches concurrent(windows);
  for (std::size_t k = 0; k < windows.size(); ++k) {
    busy[kernel_of(k)] += windows.end_ns[k] - windows.start_ns[k];
    concurrent.ForEach(k, [&](std::size_t j) {
      together[WindowTerms::Pair(kernel_of(k), kernel_of(j))] +=
          std::min(windows.end_ns[k], windows.end_ns[j]) -
          std::max(windows.start_ns[k], windows.start_ns[j]);
    });
  }
  std::vector<std::pair<double, std::uint64_t>> longest;
  for (const auto& [pair, ns] : together) {
    if (ns > kLeastConcurrent * busy[static_cast<std::uint32_t>(pair >> 32)])
      longest.emplace_back(ns, pair);
  }
  std::ranges::sort(longest, std::ranges::greater{});
  longest.resize(std::min(longest.size(), kMostConcurrent));
  for (const auto& [ns, pair] : longest) {
    const Index effect = numbers.concurrent_rate(numbers.concurrent++);
    for (std::uint32_t g = 0; g < kernel.size(); ++g) {
      if (kernel[g] != pair >> 32) continue;
      state.terms
          .concurrent[WindowTerms::Pair(g, static_cast<std::uint32_t>(pair))] =
          static_cast<std::uint32_t>(numbers.of_pairs.size());
      numbers.of_pairs.push_back({g, effect});
    }
  }
}

// The groups that may deviate: the busiest groups of pools with two groups or
// more.
std::vector<std::uint32_t> DeviatingGroups(const FitState& state) {
  std::vector<std::uint32_t> members(state.pools.size(), 0);
  const auto is_seen = [&](std::uint32_t g) {
    return state.cell_sums[static_cast<Index>(g)] > 0;
  };
  for (std::uint32_t g = 0; g < state.groups.size(); ++g)
    members[state.pools.pool[g]] += is_seen(g) ? 1 : 0;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t g = 0; g < state.groups.size(); ++g) {
    const std::uint32_t pool = state.pools.pool[g];
    if (is_seen(g) && members[pool] > 1 && !state.pooled.by_time[pool])
      groups.push_back(g);
  }
  const double all = std::min(
      std::sqrt(kMostCovariances / static_cast<double>(state.metrics.size())),
      kMostEffects);
  const double windows = static_cast<double>(state.numbers.windows());
  const auto most = static_cast<std::size_t>(std::max(all - windows, 64.0));
  if (groups.size() <= most) return groups;
  std::ranges::stable_sort(
      groups, std::ranges::greater{},
      [&](std::uint32_t g) { return state.groups[g].busy_ns; });
  groups.resize(most);
  std::ranges::sort(groups);
  return groups;
}

double MeanDuration(const FitState& state) {
  double time = 0, launches = 0;
  for (const FitGroup& group : state.groups) {
    time += group.busy_ns;
    launches += static_cast<double>(group.launches);
  }
  return time / launches;
}

// The warps of a launch that begin at once, as a mean over a group's launches.
double FirstWarps(const FitState& state, std::size_t group) {
  const LaunchSize& size = state.extra[group].size;
  return std::min(size.warps, kMostWarps * size.sms) /
         static_cast<double>(state.groups[group].launches);
}

// Samples x windows' effects: derivatives of the predicted counts.
Design SlopesOf(const FitState& state, Index metric) {
  const EffectNumbers& numbers = state.numbers;
  struct TermPlace {
    Index group = 0;
    Index all = -1;  // effect of all launches
    Index own = -1;  // of its kernel
    Index prologue = -1;
    double warps_ns = 0;  // warps that begin at once, times the mean length
  };
  const bool of_code = state.metrics[static_cast<std::size_t>(metric)].of_code;
  std::vector<TermPlace> places(state.terms.size());
  for (std::uint32_t g = 0; g < state.groups.size(); ++g) {
    const std::uint32_t c = state.column(g);
    const std::uint32_t kernel = numbers.moved[c], shaped = numbers.shaped[c];
    places[state.terms.start(g)] = {g, EffectNumbers::kStart,
                                    numbers.start(kernel)};
    if (of_code && numbers.prologue_of[c] != kNone) {
      TermPlace& start = places[state.terms.start(g)];
      start.prologue = numbers.prologue(numbers.prologue_of[c]);
      start.warps_ns = FirstWarps(state, g) * state.groups[g].busy_ns /
                       static_cast<double>(state.groups[g].launches);
    }
    places[state.terms.end(g)] = {g, EffectNumbers::kEnd, numbers.end(kernel)};
    for (std::uint32_t j = 0; shaped != kNone && j < kShapeTerms; ++j)
      places[state.terms.rate(g, j)] = {g, -1, numbers.rate(shaped, j)};
  }
  for (std::uint32_t term = 0; term < numbers.of_pairs.size(); ++term) {
    const auto& [group, effect] = numbers.of_pairs[term];
    places[state.terms.of_pair(term)] = {group, -1, effect};
  }
  std::vector<DesignEntry> entries;
  for (std::uint32_t i = 0; i < state.cuts.rows(); ++i) {
    for (const std::uint32_t k : state.cuts.Entries(i)) {
      const TermPlace& place = places[state.cuts.column[k]];
      // A prologue of a count is a start that is earlier by the time in which
      // the launch counts as much at its mean rate.
      if (place.warps_ns > 0)
        entries.push_back({i, static_cast<std::uint32_t>(place.prologue),
                           -state.cuts.value[k] * place.warps_ns});
      const double value =
          state.cuts.value[k] * state.counts(place.group, metric);
      if (value == 0) continue;
      for (const Index effect : {place.all, place.own}) {
        if (effect >= 0)
          entries.push_back({i, static_cast<std::uint32_t>(effect), value});
      }
    }
  }
  Design slopes;
  slopes.columns = static_cast<std::size_t>(numbers.windows());
  ToRows(entries, state.design.rows(), slopes);
  return slopes;
}

// Calls visit(place of a deviation, launches of its group) for the groups of a
// sample that may deviate.
template <typename Visit>
void ForEachDeviation(const FitState& state, std::size_t sample, Visit visit) {
  for (const std::uint32_t k : state.cells.Entries(sample)) {
    const std::uint32_t cell = state.cells.column[k];
    if (cell < state.groups.size() && state.numbers.deviates[cell] != kNone)
      visit(static_cast<Index>(state.numbers.deviates[cell]),
            state.cells.value[k]);
  }
}

// Sums over samples, before the part that counts can make up for is removed.
struct EffectSums {
  Matrix squares{};    // effects squared
  RowMatrix scores{};  // blocks x effects
  Vector totals{};     // by effect: slopes over all samples
};

// Removes the effects' own totals, because the hardware's total stays as it is:
// counts that an effect adds are taken from all columns, in proportion to how
// they follow the total. `left`: ScoresOf the metric.
void KeepTotals(const FitState& state, Index metric, const Matrix& left,
                EffectSums& sums, Matrix& product) {
  const Vector follow = HeldReach(state, state.toward_total, metric);
  const Vector shared =
      state.equations.products.selfadjointView<Eigen::Lower>() * follow;
  const Vector common = product.transpose() * follow;
  sums.scores -= (left.transpose() * follow) * sums.totals.transpose();
  sums.squares -=
      common * sums.totals.transpose() +
      sums.totals * (common - follow.dot(shared) * sums.totals).transpose();
  product -= shared * sums.totals.transpose();
}

EffectSums SumsOf(const FitState& state, const Design& slopes,
                  const Vector& scale, Index metric, Matrix& product) {
  const EffectNumbers& numbers = state.numbers;
  const Index windows = numbers.windows(), size = numbers.size();
  product = Matrix::Zero(static_cast<Index>(state.design.columns), size);
  EffectSums sums{
      .squares = Matrix::Zero(size, size),
      .scores = RowMatrix::Zero(static_cast<Index>(state.blocks), size)};
  std::vector<std::pair<Index, double>> deviations;  // of a sample
  for (std::size_t i = 0; i < slopes.rows(); ++i) {
    const double weight = state.design.weight_of(i);
    const double left = state.residual(static_cast<Index>(i), metric);
    const auto block = static_cast<Index>(state.block[i]);
    deviations.clear();
    ForEachDeviation(state, i, [&](Index place, double value) {
      deviations.emplace_back(windows + place, value * scale[place]);
      sums.scores(block, windows + place) +=
          weight * left * deviations.back().second;
    });
    for (const std::uint32_t a : slopes.Entries(i)) {
      const auto one = static_cast<Index>(slopes.column[a]);
      const double value = weight * slopes.value[a];
      sums.scores(block, one) += left * value;
      for (const std::uint32_t b : slopes.Entries(i))
        sums.squares(static_cast<Index>(slopes.column[b]), one) +=
            slopes.value[b] * value;
      for (const auto& [other, part] : deviations)
        sums.squares(other, one) += part * value;
      for (const std::uint32_t k : state.design.Entries(i))
        product(static_cast<Index>(state.design.column[k]), one) +=
            state.design.value[k] * value;
    }
  }
  const Index rest = size - windows;
  sums.squares.topRightCorner(windows, rest) =
      sums.squares.bottomLeftCorner(rest, windows).transpose();
  sums.squares.bottomRightCorner(rest, rest) =
      scale.asDiagonal() * state.deviation_squares * scale.asDiagonal();
  product.rightCols(rest) = state.deviation_product * scale.asDiagonal();
  sums.totals = Vector::Zero(size);
  for (std::size_t k = 0; k < slopes.value.size(); ++k)
    sums.totals[static_cast<Index>(slopes.column[k])] += slopes.value[k];
  for (Index d = 0; d < rest; ++d)
    sums.totals[windows + d] =
        scale[d] * state.cell_sums[static_cast<Index>(
                       numbers.group[static_cast<std::size_t>(d)])];
  return sums;
}

// The residuals already contain the effects with their `value`.
EffectEquations EquationsOf(const FitState& state, const Design& slopes,
                            const Vector& scale, Index metric,
                            const Vector& value) {
  EffectEquations equations;
  EffectSums sums = SumsOf(state, slopes, scale, metric, equations.product);
  equations.totals = sums.totals.head(state.numbers.windows());
  Matrix product = equations.product;
  const Matrix left = ScoresOf(state, metric);
  KeepTotals(state, metric, left, sums, product);
  const Matrix explained = HeldReach(state, state.inverse * product, metric);
  equations.information = sums.squares;
  equations.information.noalias() -= product.transpose() * explained;
  equations.scores =
      sums.scores.colwise().sum().transpose() + equations.information * value;
  // Columns do not explain traffic well, which depends on the launches before:
  // its larger noise, with the columns' part, holds more often.
  RowMatrix own = sums.scores;
  if (state.metrics[static_cast<std::size_t>(metric)].of_code)
    own.noalias() -= left.transpose() * explained;
  equations.noise = equations.own_noise = Vector::Zero(equations.scores.size());
  for (Index k = 0; k < equations.scores.size(); ++k) {
    const double information = equations.information(k, k);
    const double square = sums.scores.col(k).squaredNorm();
    if (information <= 1e-6 * sums.squares(k, k) || square <= 0) continue;
    equations.known.push_back(k);
    equations.noise[k] = square / information;
    equations.own_noise[k] = own.col(k).squaredNorm() / information;
  }
  equations.usual_noise = UsualNoise(state, metric);
  return equations;
}

// The kinds of effects; the deviations of each family are one kind.
std::vector<EffectKind> KindsOf(const FitState& state, Index metric) {
  const EffectNumbers& numbers = state.numbers;
  std::vector<EffectKind> kinds(kWindowKinds + state.pools.families);
  kinds[0] = {.least = 1, .most = 2000, .variance = 100 * 100};
  kinds[1] = {.least = kLeastEdge,
              .most = std::max(MeanDuration(state) / 4, kLeastEdge),
              .variance = 100 * 100};
  kinds[2] = {.least = kLeastRate, .most = 2, .variance = 0.1 * 0.1};
  kinds[3] = {.least = kLeastConcurrentRate, .most = 2, .variance = 0.1 * 0.1};
  const double of_warp =
      state.metrics[static_cast<std::size_t>(metric)].of_instruction;
  kinds[kPrologues] = {.least = kLeastPrologue * of_warp,
                       .most = kMostPrologue * of_warp,
                       .variance = std::pow(kFirstPrologue * of_warp, 2)};
  const Index firsts[] = {numbers.start(0), numbers.rate(0, 0),
                          numbers.concurrent_rate(0), numbers.prologue(0)};
  for (Index k = 0; k < numbers.windows(); ++k) {
    const auto kind = std::ranges::upper_bound(firsts, k) - std::begin(firsts);
    kinds[static_cast<std::size_t>(kind)].effects.push_back(k);
  }
  const double alike = state.metrics[static_cast<std::size_t>(metric)].alike;
  for (std::size_t f = 0; f < state.pools.families; ++f)
    kinds[kWindowKinds + f] = {
        .least = alike, .most = 2, .variance = alike * alike, .is_free = false};
  std::map<std::uint32_t, std::vector<Index>> pools;
  for (std::uint32_t d = 0; d < numbers.group.size(); ++d)
    pools[state.pools.pool[numbers.group[d]]].push_back(numbers.deviation(d));
  for (const auto& [pool, effects] : pools) {
    EffectKind& kind = kinds[kWindowKinds + state.pools.family[pool]];
    kind.effects.insert(kind.effects.end(), effects.begin(), effects.end());
    kind.pools.push_back(effects);
  }
  std::vector<double> counts(state.pools.families, 0);
  for (std::uint32_t g = 0; g < state.groups.size(); ++g)
    counts[state.pools.family[state.pools.pool[g]]] +=
        state.cell_sums[static_cast<Index>(g)] *
        state.counts(static_cast<Index>(g), metric);
  for (std::size_t f = 0; f < counts.size(); ++f)
    kinds[kWindowKinds + f].counted =
        counts[f] > kLeastShare * state.equations.counts[metric];
  return kinds;
}

// Sets the effects and their covariance.
void SetEffects(const EffectEquations& equations, const KnownEffects& known,
                std::span<const EffectKind> kinds, Effects& effects) {
  const Index size = equations.scores.size();
  const Vector variance = VariancesOf(kinds, size);
  effects.value = Vector::Zero(size);
  effects.covariance = variance.asDiagonal();
  const Vector more =
      (equations.own_noise(equations.known) / equations.usual_noise)
          .cwiseSqrt();
  for (std::size_t a = 0; a < equations.known.size(); ++a) {
    const auto one = static_cast<Index>(a);
    effects.value[equations.known[a]] = known.value[one];
    for (std::size_t b = 0; b < equations.known.size(); ++b)
      effects.covariance(equations.known[a], equations.known[b]) =
          more[one] * more[static_cast<Index>(b)] *
          known.covariance(one, static_cast<Index>(b));
  }
}

// Deviations are relative to the pool's count plus a small part of the prior's,
// since the pool's count may be 0. The absolute deviations stay as they are.
void SetScale(const FitState& state, Index m, Effects& effects) {
  const EffectNumbers& numbers = state.numbers;
  for (std::uint32_t d = 0; d < numbers.group.size(); ++d) {
    const std::uint32_t g = numbers.group[d];
    const auto column = static_cast<Index>(state.column(g));
    const double scale =
        state.weight(g) *
        (state.x(column, m) + kLeastScale * state.prior.mean(column, m));
    double& value = effects.value[numbers.deviation(d)];
    value = scale > 0 ? value * effects.scale[d] / scale : 0;
    effects.scale[d] = scale;
  }
}

// The part of a fit that FitEffects changes for a metric.
struct MetricFit {
  MetricFit(const FitState& state, Index m)
      : effects(state.effects[static_cast<std::size_t>(m)]),
        zero(state.zero[static_cast<std::size_t>(m)]),
        x(state.x.col(m)),
        counts(state.counts.col(m)),
        fitted(state.fitted.col(m)),
        residual(state.residual.col(m)) {}
  void Restore(FitState& state, Index m) && {
    state.effects[static_cast<std::size_t>(m)] = std::move(effects);
    state.zero[static_cast<std::size_t>(m)] = std::move(zero);
    state.x.col(m) = x;
    state.counts.col(m) = counts;
    state.fitted.col(m) = fitted;
    state.residual.col(m) = residual;
  }

  Effects effects{};
  HeldColumns zero{};
  Vector x{}, counts{}, fitted{}, residual{};
};

// One step towards a metric's effects; solves the counts with them.
void FitEffects(FitState& state, Index m) {
  const EffectNumbers& numbers = state.numbers;
  Effects& effects = state.effects[static_cast<std::size_t>(m)];
  const double square = WeightedSquare(state, m);
  MetricFit before(state, m);
  SetScale(state, m, effects);
  const Design slopes = SlopesOf(state, m);
  const EffectEquations equations =
      EquationsOf(state, slopes, effects.scale, m, effects.value);
  std::vector<EffectKind> kinds = KindsOf(state, m);
  KnownEffects known(equations, numbers.size());
  for (std::size_t f = 0; f < state.pools.families; ++f) {
    if (!state.deviates[f]) continue;
    const double width = std::max(effects.width[f], kFirstWidth);
    kinds[kWindowKinds + f].is_free = true;
    kinds[kWindowKinds + f].variance = width * width;
  }
  FindVariances(known, kinds);
  known.HoldPositive(kinds[kPrologues].effects);
  for (std::size_t f = 0; f < state.pools.families; ++f)
    effects.scatter[f] = ScatterOf(known, kinds[kWindowKinds + f]);
  SetEffects(equations, known, kinds, effects);
  effects.decided = 0;
  for (const EffectKind& kind : kinds)
    effects.decided += known.Of(kind).decided;
  effects.degrees = std::max(
      static_cast<double>(std::ranges::count_if(
          equations.known, [&](Index k) { return k < numbers.prologue(0); })),
      2.0);
  for (std::size_t f = 0; f < state.pools.families; ++f)
    effects.width[f] = std::sqrt(kinds[kWindowKinds + f].variance);
  effects.product = equations.product.leftCols(numbers.windows());
  effects.sums = equations.totals;
  Vector moved = Predicted(slopes, effects.value.head(numbers.windows()));
  for (std::size_t i = 0; i < state.cells.rows(); ++i) {
    ForEachDeviation(state, i, [&](Index place, double value) {
      moved[static_cast<Index>(i)] += value * effects.scale[place] *
                                      effects.value[numbers.windows() + place];
    });
  }
  SolveAgain(state, m,
             state.equations.right.col(m) - equations.product * effects.value,
             moved);
  // Effects multiply counts, so that a step may go too far. The next steps then
  // go further still: in a recorded graph, residuals grew threefold, then to
  // 1e9 times as much. Such a step is not taken, unless it is the first one.
  if (before.effects.covariance.size() > 0 &&
      WeightedSquare(state, m) > kMostGrowth * square)
    std::move(before).Restore(state, m);
}

// Lets families deviate whose groups scatter by more than chance, those with
// the largest scatter first, because the deviations of one family raise the
// residuals of the others. The scatter has to show in two of the metrics that
// count the family: in a single metric, groups that are alike may scatter,
// since the part of a window's shape that the model lacks is the same in every
// step of a captured graph. Returns whether any family was added.
bool LetFamiliesDeviate(FitState& state) {
  std::vector<double> scatter(state.pools.families, 0);
  const auto most_metrics = static_cast<std::size_t>(std::ranges::count_if(
      state.metrics,
      [](const EstimatedMetric& metric) { return metric.judges(); }));
  const std::size_t least = std::min<std::size_t>(most_metrics, 2);
  for (std::size_t f = 0; f < scatter.size(); ++f) {
    std::vector<double> of_metrics;
    for (std::size_t m = 0; m < state.metrics.size(); ++m) {
      if (state.metrics[m].judges() && state.effects[m].scatter[f] > 0)
        of_metrics.push_back(state.effects[m].scatter[f]);
    }
    if (state.deviates[f] || of_metrics.empty() || of_metrics.size() < least)
      continue;
    std::ranges::sort(of_metrics, std::ranges::greater{});
    scatter[f] = of_metrics[least - 1];
  }
  const double most = scatter.empty() ? 0 : std::ranges::max(scatter);
  for (std::size_t f = 0; f < scatter.size(); ++f) {
    if (!state.deviates[f]) state.scatter[f] = scatter[f];
  }
  if (most <= kModel) return false;
  for (std::size_t f = 0; f < scatter.size(); ++f) {
    if (scatter[f] >= kWorst * most) state.deviates[f] = true;
  }
  return true;
}

// Products of the deviating groups with columns and with each other; all
// metrics share them.
void MultiplyDeviations(FitState& state) {
  const EffectNumbers& numbers = state.numbers;
  const Index count = numbers.deviations();
  state.deviation_product =
      Matrix::Zero(static_cast<Index>(state.design.columns), count);
  state.deviation_squares = Matrix::Zero(count, count);
  std::vector<std::pair<Index, double>> deviations;  // of a sample
  for (std::size_t i = 0; i < state.cells.rows() && count > 0; ++i) {
    deviations.clear();
    ForEachDeviation(state, i, [&](Index place, double value) {
      deviations.emplace_back(place, value);
    });
    const double weight = state.design.weight_of(i);
    for (const auto& [one, value] : deviations) {
      for (const auto& [other, part] : deviations)
        state.deviation_squares(other, one) += weight * part * value;
      for (const std::uint32_t k : state.design.Entries(i))
        state.deviation_product(static_cast<Index>(state.design.column[k]),
                                one) += weight * state.design.value[k] * value;
    }
  }
}

}  // namespace

void ChooseEffects(FitState& state, const LaunchWindows& windows) {
  const std::vector<Kernel> kernels = KernelsByTime(state);
  EffectNumbers& numbers = state.numbers;
  numbers = {};
  numbers.moved.assign(state.launch_columns(), 0);
  numbers.shaped.assign(state.launch_columns(), kNone);
  numbers.prologue_of.assign(state.launch_columns(), kNone);
  const bool any_code =
      std::ranges::any_of(state.metrics, &EstimatedMetric::of_code);
  for (std::uint32_t k = 0; k < kernels.size(); ++k) {
    const std::uint32_t move = k < kOwnMoves ? k : kOwnMoves + k % kSharedMoves;
    numbers.moves = std::max(numbers.moves, move + 1);
    double longest = 0;
    for (const std::uint32_t c : kernels[k].columns) {
      numbers.moved[c] = move;
      longest = std::max(longest, state.pooled.duration_ns[c]);
    }
    if (any_code && longest >= kLeastWithPrologue && k < kOwnMoves) {
      for (const std::uint32_t c : kernels[k].columns)
        numbers.prologue_of[c] = numbers.prologues;
      ++numbers.prologues;
    }
    if (longest < kLeastShaped || numbers.shapes == kMostShaped) continue;
    for (const std::uint32_t c : kernels[k].columns)
      numbers.shaped[c] = numbers.shapes;
    ++numbers.shapes;
  }
  const auto groups = static_cast<std::uint32_t>(state.groups.size());
  state.terms = {.columns = groups};
  state.terms.shape.assign(groups, WindowTerms::kNoTerm);
  for (std::uint32_t g = 0; g < groups; ++g) {
    if (numbers.shaped[state.column(g)] != kNone)
      state.terms.shape[g] = state.terms.shaped++;
  }
  ChooseNeighbours(state, windows);
  ChooseConcurrent(state, windows);
  state.terms.pairs = static_cast<std::uint32_t>(numbers.of_pairs.size());
  numbers.group = DeviatingGroups(state);
  numbers.deviates.assign(groups, kNone);
  for (std::uint32_t d = 0; d < numbers.group.size(); ++d)
    numbers.deviates[numbers.group[d]] = d;
}

void FitEffects(FitState& state) {
  const EffectNumbers& numbers = state.numbers;
  MultiplyDeviations(state);
  const Effects none{.value = Vector::Zero(numbers.size()),
                     .scale = Vector::Zero(numbers.deviations()),
                     .width = std::vector<double>(state.pools.families, 0),
                     .scatter = std::vector<double>(state.pools.families, 0)};
  state.effects.assign(state.metrics.size(), none);
  state.deviates.resize(state.pools.families, false);
  state.scatter.resize(state.pools.families, 0);
  for (int round = 0; round < kMostRounds; ++round) {
    InParallel(state.metrics.size(), [&](std::size_t m, std::size_t) {
      FitEffects(state, static_cast<Index>(m));
    });
    if (!LetFamiliesDeviate(state) && round + 1 >= kRounds) break;
  }
  AddScores(state);
}

}  // namespace rangefinder
