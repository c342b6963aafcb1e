// Estimates of sums of columns, and their errors.
//
// An estimate is a weighted sum of the samples' counts. Its error is the same
// weighted sum of the fit's residuals, without the region's own part of them: a
// launch that counts more than the mean of its group is no error of the
// region's total. Blocks of time give the size of the error, because residuals
// depend on each other within a block and hardly beyond (S. Zeger, K. Liang,
// Longitudinal data analysis using generalized linear models, Biometrika 73
// (1986)). A fit makes its own residuals smaller; the leverage puts this part
// back (R. M. Bell, D. F. McCaffrey, Bias reduction in standard errors for
// linear regression with multi-stage samples, Survey Methodology 28 (2002)).

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

constexpr std::size_t kChunk = 64;  // queries of one pass
constexpr double kMostPrior = 0.5;  // largest share of the prior in an estimate
constexpr std::size_t kMostSamples = 30'000;  // samples used for errors

// The parts of an error that depend on the metric only through its noise.
struct Reach {
  Matrix columns{};     // columns x queries: follows A'y
  Vector total{};       // by query: follows the sum of all samples
  Matrix deviations{};  // deviations x queries: follows their groups' counts
  // Blocks x queries, summed over the samples of a block: squares of the
  // samples' weights; the squares times the relative noise of the samples; this
  // times the leverage.
  RowMatrix squares{};
  RowMatrix noise{};
  RowMatrix levered{};
};

// The inverse times the queries' weights, most of which are 0.
void SetReach(const FitState& state, std::span<const ColumnQuery> queries,
              Reach& reach) {
  const auto count = static_cast<Index>(queries.size());
  reach.columns = Matrix::Zero(state.inverse.rows(), count);
  reach.total = Vector::Zero(count);
  for (Index q = 0; q < count; ++q) {
    for (const ColumnPart& part : queries[static_cast<std::size_t>(q)].parts) {
      const auto column = static_cast<Index>(part.column);
      reach.columns.col(q) += part.weight * state.inverse.col(column);
      reach.total[q] += part.weight * state.toward_total[column];
    }
  }
  reach.deviations = state.deviation_product.transpose() * reach.columns;
  for (Index d = 0; d < reach.deviations.rows(); ++d) {
    const std::uint32_t group =
        state.numbers.group[static_cast<std::size_t>(d)];
    reach.deviations.row(d) +=
        state.cell_sums[static_cast<Index>(group)] * reach.total.transpose();
  }
  for (Index q = 0; q < count; ++q) {
    for (const CellPart& part : queries[static_cast<std::size_t>(q)].cells) {
      if (part.cell >= state.groups.size()) continue;
      const std::uint32_t d = state.numbers.deviates[part.cell];
      if (d != kNone) reach.deviations(d, q) -= part.launches;
    }
  }
}

// The mean square of a sample's noise.
double NoiseAt(const FitState& state, Index i, Index m) {
  return state.noise[m] / state.design.weight_of(static_cast<std::size_t>(i));
}

// The samples' weights by query, one block of time after the other. Of more
// than kMostSamples samples, some stand for all.
Reach ReachOf(const FitState& state, std::span<const ColumnQuery> asked) {
  const auto queries = static_cast<Index>(asked.size());
  const auto blocks = static_cast<Index>(state.blocks);
  Reach reach;
  SetReach(state, asked, reach);
  reach.squares = RowMatrix::Zero(blocks, queries);
  reach.noise = reach.levered = reach.squares;
  const RowMatrix by_row = reach.columns;
  const std::size_t step = state.design.rows() / kMostSamples + 1;
  Eigen::RowVectorXd weight(queries);
  for (std::size_t i = step / 2; i < state.design.rows(); i += step) {
    const auto row = static_cast<Index>(i);
    const auto block = static_cast<Index>(state.block[i]);
    weight.setZero();
    for (const std::uint32_t k : state.design.Entries(i))
      weight += state.design.value[k] *
                by_row.row(static_cast<Index>(state.design.column[k]));
    weight *= state.design.weight_of(i);
    weight += reach.total.transpose();
    weight = weight.cwiseAbs2() * static_cast<double>(step);
    reach.squares.row(block) += weight;
    weight /= state.design.weight_of(i);
    reach.noise.row(block) += weight;
    reach.levered.row(block) += state.leverage[row] * weight;
  }
  return reach;
}

// The region's own part of the residuals: in proportion to its share of each
// sample's count.
struct OwnPart {
  Matrix blocks{};  // residuals by blocks x metrics, summed
  // By metric: variance of the part that may be the region's or not.
  Vector shared{};
};

OwnPart OwnPartOf(const FitState& state, const ColumnQuery& query,
                  RowMatrix& part, std::vector<std::uint32_t>& touched) {
  const Index metrics = state.x.cols();
  OwnPart own;
  own.blocks = Matrix::Zero(static_cast<Index>(state.blocks), metrics);
  own.shared = Vector::Zero(metrics);
  touched.clear();
  for (const CellPart& one : query.cells) {
    const auto count =
        one.share * state.counts.row(static_cast<Index>(one.cell));
    for (const std::uint32_t k : state.by_cell.Entries(one.cell)) {
      touched.push_back(state.by_cell.row[k]);
      part.row(static_cast<Index>(state.by_cell.row[k])) +=
          state.by_cell.value[k] * count;
    }
  }
  for (const std::uint32_t i : touched) {
    const auto row = static_cast<Index>(i);
    const auto block = static_cast<Index>(state.block[i]);
    for (Index m = 0; m < metrics; ++m) {
      if (part(row, m) <= 0) continue;
      const double share =
          std::min(part(row, m) / std::max(state.fitted(row, m), 1e-300), 1.0);
      const double left = state.residual(row, m);
      own.blocks(block, m) += share * left;
      own.shared[m] +=
          share * (1 - share) *
          (left * left + state.leverage[row] * NoiseAt(state, row, m));
    }
    part.row(row).setZero();
  }
  return own;
}

// By query: the variance that the uncertain effects of a metric add.
Vector EffectSquares(const FitState& state, const Reach& reach, Index m) {
  const Effects& effects = state.effects[static_cast<std::size_t>(m)];
  const Index windows = state.numbers.windows();
  Matrix follows(state.numbers.size(), reach.columns.cols());
  follows.topRows(windows).noalias() =
      effects.product.transpose() * reach.columns;
  follows.topRows(windows) += effects.sums * reach.total.transpose();
  follows.bottomRows(state.numbers.deviations()) =
      effects.scale.asDiagonal() * reach.deviations;
  const Matrix unknown = effects.covariance * follows;
  return follows.cwiseProduct(unknown)
      .colwise()
      .sum()
      .cwiseMax(0.0)
      .transpose();
}

// Variance from deviations that are not fitted. A group without a fitted
// deviation is taken to deviate as far as is usual in its family; a group with
// a count by time, as far as counts scatter about their times.
double DeviationSquare(const FitState& state, const ColumnQuery& query,
                       Index m) {
  const Effects& effects = state.effects[static_cast<std::size_t>(m)];
  double square = 0;
  std::map<std::uint32_t, double> by_time;  // by pool, as they are alike
  for (const CellPart& part : query.cells) {
    if (part.cell >= state.groups.size()) continue;
    const std::uint32_t pool = state.pools.pool[part.cell];
    const double count =
        part.launches * state.counts(static_cast<Index>(part.cell), m);
    if (state.pooled.by_time[pool]) {
      by_time[pool] += count;
    } else if (state.pool_groups[pool] > 1 &&
               state.numbers.deviates[part.cell] == kNone) {
      const double off = effects.width[state.pools.family[pool]] * count;
      square += off * off;
    }
  }
  for (const auto& [pool, count] : by_time)
    square += count * count * state.prior_spread[m] * state.prior_spread[m];
  return square;
}

// Variance from work that may or may not belong to the launches: errors of the
// tracer's work, and counts while the device was idle. These are counted as
// outside, but the launches may cause any part of them, and the same work may
// go on while launches run.
double ExtraSquare(const FitState& state, const ColumnQuery& query, Index m) {
  GroupExtra all;
  double busy_ns = 0;
  for (const CellPart& part : query.cells) {
    if (part.cell >= state.groups.size()) continue;
    const GroupExtra& extra = state.extra[part.cell];
    all.size.Add(extra.size, part.share);
    all.idle_ns += part.share * extra.idle_ns;
    busy_ns += part.share * state.groups[part.cell].busy_ns;
  }
  const auto& metric = state.metrics[static_cast<std::size_t>(m)];
  const double idle_rate =
      state.x(state.x.rows() - 1, m) / state.samples.interval_ns;
  if (state.background || !metric.of_launches) busy_ns = 0;
  const double most = (all.idle_ns + busy_ns) * idle_rate;
  double square = most * most / 3;  // evenly distributed between none and all
  if (metric.tracer) square += metric.tracer->Variance(all.size);
  return square;
}

// Variance of the systematic error: deviations, extra work, errors of the
// prior, and columns shared with other pools.
double SystematicSquare(const FitState& state, const Reach& reach,
                        const ColumnQuery& query, Index q, Index m) {
  double square =
      DeviationSquare(state, query, m) + ExtraSquare(state, query, m);
  for (Index c = 0; c < static_cast<Index>(state.launch_columns()); ++c) {
    if (state.x(c, m) <= 0) continue;
    const double off = state.prior.weight[c] * reach.columns(c, q) *
                       state.prior.mean(c, m) * state.prior_spread[m];
    square += off * off;
  }
  for (std::size_t p = 0; p < query.parts.size(); ++p) {
    const double unsure = query.unsure_launches[p] *
                          state.x(static_cast<Index>(query.parts[p].column), m);
    square += unsure * unsure;
  }
  return square;
}

// The share of an estimate that comes from the prior instead of the samples.
double PriorShare(const FitState& state, const Reach& reach,
                  const ColumnQuery& query, Index q) {
  double time = 0, held = 0;
  for (const ColumnPart& part : query.parts) {
    if (part.column < state.launch_columns())
      time += part.weight * state.pooled.duration_ns[part.column];
  }
  for (std::size_t c = 0; c < state.launch_columns(); ++c) {
    const auto column = static_cast<Index>(c);
    held += std::abs(state.prior.weight[column] * reach.columns(column, q) *
                     state.pooled.duration_ns[c]);
  }
  return time > 0 ? held / time : 0;
}

// `effects`: the part of the systematic error's square that the effects add.
// `kernels`: how many kernels the effects are derived from. If fewer
// blocks decide the estimate, the effects' part has their larger quantile.
void SetInterval(CounterEstimate& estimate, double effects, double kernels) {
  const double blocks = estimate.degrees_of_freedom;
  const double by_time = StudentQuantile(blocks) * estimate.statistical;
  const double usual = StudentQuantile(kernels);
  const double larger = StudentQuantile(std::min(kernels, blocks));
  estimate.lasting =
      std::hypot(usual * estimate.systematic,
                 std::sqrt((larger * larger - usual * usual) * effects));
  const double reach = std::hypot(by_time, estimate.lasting);
  estimate.error = std::hypot(estimate.statistical, estimate.systematic);
  estimate.low = std::max(*estimate.total - reach, 0.0);
  estimate.high = *estimate.total + reach;
}

CounterEstimate EstimateOne(const FitState& state, const Reach& reach,
                            const FreedReach& freed, const OwnPart& own,
                            const ColumnQuery& query, double effects, Index q,
                            Index m) {
  CounterEstimate estimate;
  double total = 0, change = 0;  // by the last weights of the samples
  for (const CellPart& part : query.cells) {
    const auto cell = static_cast<Index>(part.cell);
    total += part.launches * state.counts(cell, m);
    if (state.earlier.size() > 0)
      change +=
          part.launches * (state.counts(cell, m) - state.earlier(cell, m));
  }
  estimate.total = total;
  const double whole = reach.squares.col(q).sum();
  // A block weighs in the degrees of freedom by its share of the error.
  const Vector noise = state.noise[m] * reach.noise.col(q);
  double square = own.shared[m], before = 0;
  for (Index b = 0; b < static_cast<Index>(state.blocks); ++b) {
    const double share = whole > 0 ? reach.squares(b, q) / whole : 0;
    const double off = freed.columns.col(q).dot(
                           state.scores[static_cast<std::size_t>(m)].col(b)) +
                       reach.total[q] * state.block_residual(b, m) -
                       own.blocks(b, m);
    const double taken =
        std::max(state.noise[m] * reach.levered(b, q), share * noise[b]);
    square += (off - before) * (off - before) / 2 + taken;
    before = off;
  }
  square += before * before / 2;
  estimate.statistical = std::sqrt(square) * state.inflation[m];
  const double shares = noise.squaredNorm();
  estimate.degrees_of_freedom =
      shares > 0 ? std::max(noise.sum() * noise.sum() / shares - 1, 1.0) : 1;
  // A column held at 0 would be below 0 by chance alone. The force beyond the
  // statistical error counts as a systematic error.
  const double forced =
      std::max(std::abs(freed.off[q]) - estimate.statistical, 0.0);
  estimate.systematic = std::hypot(
      std::sqrt(effects + SystematicSquare(state, reach, query, q, m)),
      std::hypot(kModelError * total, change), forced);
  estimate.systematic = std::hypot(
      estimate.systematic,
      state.misfit[m] * std::hypot(estimate.statistical, estimate.systematic));
  SetInterval(estimate, effects,
              state.effects[static_cast<std::size_t>(m)].degrees);
  return estimate;
}

// Fills `estimates`, one entry per query.
void EstimateChunk(const FitState& state, std::span<const ColumnQuery> queries,
                   std::span<std::vector<CounterEstimate>> estimates) {
  const Reach reach = ReachOf(state, queries);
  const Index metrics = state.x.cols();
  std::vector<FreedReach> freed;
  std::vector<Vector> effects;
  for (Index m = 0; m < metrics; ++m) {
    freed.push_back(FreedOf(state, reach.columns, queries, m));
    effects.push_back(EffectSquares(state, reach, m));
  }
  RowMatrix part =
      RowMatrix::Zero(static_cast<Index>(state.design.rows()), metrics);
  std::vector<std::uint32_t> touched;
  for (std::size_t at = 0; at < queries.size(); ++at) {
    const ColumnQuery& query = queries[at];
    const auto q = static_cast<Index>(at);
    std::vector<CounterEstimate>& row = estimates[at];
    if (query.unsure > 0.5 || PriorShare(state, reach, query, q) > kMostPrior) {
      row.assign(static_cast<std::size_t>(metrics),
                 {.absence = EstimateAbsence::kNotSeparable,
                  .why = "other launches always run beside it, in the same "
                         "samples"});
      continue;
    }
    const OwnPart own = OwnPartOf(state, query, part, touched);
    for (Index m = 0; m < metrics; ++m) {
      const auto metric = static_cast<std::size_t>(m);
      row.push_back(EstimateOne(state, reach, freed[metric], own, query,
                                effects[metric][q], q, m));
    }
  }
}

}  // namespace

double StudentQuantile(double degrees_of_freedom) {
  // By 1 / degrees of freedom; between the rows the quantile is nearly linear.
  static constexpr double kTable[][2] = {
      {1, 12.7062},  {1.25, 8.0387}, {1.5, 6.0270}, {2, 4.3027},
      {2.5, 3.5583}, {3, 3.1824},    {4, 2.7764},   {5, 2.5706},
      {6, 2.4469},   {8, 2.3060},    {10, 2.2281},  {15, 2.1314},
      {20, 2.0860},  {30, 2.0423},   {60, 2.0003},  {1e9, 1.959964}};
  const double wanted = std::max(degrees_of_freedom, 1.0);
  for (std::size_t k = 1; k < std::size(kTable); ++k) {
    if (wanted > kTable[k][0]) continue;
    const double below = 1 / kTable[k - 1][0], above = 1 / kTable[k][0];
    const double part = (1 / wanted - above) / (below - above);
    return kTable[k][1] + part * (kTable[k - 1][1] - kTable[k][1]);
  }
  return kTable[std::size(kTable) - 1][1];
}

std::vector<std::vector<CounterEstimate>> EstimateColumns(
    const FitState& state, std::span<const ColumnQuery> queries) {
  std::vector<std::vector<CounterEstimate>> estimates(queries.size());
  if (queries.empty()) return estimates;
  InParallel(
      (queries.size() - 1) / kChunk + 1, [&](std::size_t chunk, std::size_t) {
        const std::size_t from = chunk * kChunk;
        const std::size_t count = std::min(kChunk, queries.size() - from);
        EstimateChunk(state, queries.subspan(from, count),
                      std::span(estimates).subspan(from, count));
      });
  return estimates;
}

}  // namespace rangefinder
