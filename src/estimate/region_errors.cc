// Estimates of sums of columns, and their errors.
//
// An estimate is a weighted sum of the samples' counts, and its error is the
// same sum of what the fit leaves, less what of that is the region's own: a
// launch that counts more than its group's mean is no error of the region's
// total. Blocks of time give the size of it, as residuals depend on each other
// within a block and hardly beyond: S. Zeger, K. Liang, Longitudinal data
// analysis using generalized linear models, Biometrika 73 (1986). What a fit
// takes out of its own residuals is put back by the leverage: R. M. Bell,
// D. F. McCaffrey, Bias reduction in standard errors for linear regression with
// multi-stage samples, Survey Methodology 28 (2002).

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

constexpr std::size_t kChunk = 64;  // queries at once
constexpr double kMostPrior = 0.5;  // of an estimate that is the samples'
constexpr std::size_t kMostSamples = 30'000;  // that errors are taken from

// What does not depend on the metric but through the noise.
struct Reach {
  Matrix columns{};     // columns x queries: follows A'y
  Vector total{};       // by query: follows the sum of all samples
  Matrix deviations{};  // deviations x queries: follows their groups' counts
  // Blocks x queries: squares of the samples' weights, the same by how noisy
  // they are, and that times leverage.
  RowMatrix squares{};
  RowMatrix noise{};
  RowMatrix levered{};
};

// The inverse times the queries' weights, of which most are none.
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

// The samples' weights by queries, one block of time after the other. Of very
// many samples some are taken for all.
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
    for (std::uint32_t k = state.design.begin[i]; k < state.design.begin[i + 1];
         ++k)
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

// The region's own part of the residuals: what it ran of all that a sample
// counted.
struct OwnPart {
  Matrix blocks{};  // blocks x metrics: of the residuals, summed
  Vector shared{};  // by metric: variance of what may be its own or not
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
    for (std::uint32_t k = state.by_cell.begin[one.cell];
         k < state.by_cell.begin[one.cell + 1]; ++k) {
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

// By query: what is not known of a metric's effects.
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

// Groups whose deviations are not fitted have them all the same: each those
// that are usual in its family, and those that share a count by time as much as
// counts lie off their times.
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

// What the tracer's own instructions may differ by from what is taken out, and
// what is counted between launches, which nobody knows whether they cause: it
// is put outside, and may be all theirs or none of it. It may also go on while
// they run.
double ExtraSquare(const FitState& state, const ColumnQuery& query, Index m) {
  GroupExtra all;
  double busy_ns = 0;
  for (const CellPart& part : query.cells) {
    if (part.cell >= state.groups.size()) continue;
    const GroupExtra& extra = state.extra[part.cell];
    all.kernels += part.share * extra.kernels;
    all.warps += part.share * extra.warps;
    all.idle_ns += part.share * extra.idle_ns;
    busy_ns += part.share * state.groups[part.cell].busy_ns;
  }
  const auto& metric = state.metrics[static_cast<std::size_t>(m)];
  const double idle_rate =
      state.x(state.x.rows() - 1, m) / state.samples.interval_ns;
  if (state.background || !metric.of_launches) busy_ns = 0;
  const double most = (all.idle_ns + busy_ns) * idle_rate;
  double square = most * most / 3;  // evenly between all of it and none
  const auto& tracer = metric.tracer;
  if (!tracer) return square;
  const double added =
      tracer->per_warp * all.warps + tracer->per_launch * all.kernels;
  return square + tracer->unsure * tracer->unsure * added * added;
}

// These, what the prior may be wrong by, and what columns are shared with
// others.
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

// The part of an estimate that is the prior's, and not the samples'.
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

CounterEstimate Absent(EstimateAbsence absence, std::string why) {
  CounterEstimate estimate;
  estimate.absence = absence;
  estimate.why = std::move(why);
  return estimate;
}

// `kernels`: from how many the windows' errors are known.
void SetInterval(CounterEstimate& estimate, double kernels) {
  const double by_time =
      StudentQuantile(estimate.degrees_of_freedom) * estimate.statistical;
  estimate.lasting = StudentQuantile(kernels) * estimate.systematic;
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
  double total = 0;
  for (const CellPart& part : query.cells)
    total += part.launches * state.counts(static_cast<Index>(part.cell), m);
  estimate.total = total;
  const double whole = reach.squares.col(q).sum();
  // Degrees of freedom are by what each block adds to the error.
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
  // What is held at 0 is below it by chance, and by no more than that.
  const double forced =
      std::max(std::abs(freed.off[q]) - estimate.statistical, 0.0);
  estimate.systematic = std::hypot(
      std::sqrt(effects + SystematicSquare(state, reach, query, q, m)), forced);
  estimate.systematic = std::hypot(
      estimate.systematic,
      state.misfit[m] * std::hypot(estimate.statistical, estimate.systematic));
  SetInterval(estimate, state.effects[static_cast<std::size_t>(m)].degrees);
  return estimate;
}

// Into `estimates`, one place a query.
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
                 Absent(EstimateAbsence::kNotSeparable,
                        "its samples cannot be told from those of other "
                        "launches that always run beside it"));
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
  // By 1 / degrees of freedom, between which it is nearly straight.
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
