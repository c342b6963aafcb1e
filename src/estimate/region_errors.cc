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

#include "base/parallel.h"
#include "estimate/fit_state.h"

namespace rangefinder {
namespace {

constexpr std::size_t kChunk = 64;  // queries at once
constexpr double kMostPrior = 0.5;  // of an estimate that is the samples'

// What does not depend on the metric but through the noise.
struct Reach {
  Matrix columns{};  // columns x queries: follows A'y
  Vector total{};    // by query: follows the sum of all samples
  Matrix squares{};  // blocks x queries: of the samples' weights
  Matrix cuts{};     // terms x queries: follows the windows' terms
  // By metric, blocks x queries: squares of weights times noise, and the same
  // times leverage.
  std::vector<Matrix> noise{};
  std::vector<Matrix> levered{};
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
}

// The mean square of a sample's noise.
double NoiseAt(const FitState& state, Index i, Index m) {
  return state.noise[m] / state.design.weight_of(static_cast<std::size_t>(i));
}

// The samples' weights by queries, one block of time after the other.
Reach ReachOf(const FitState& state, std::span<const ColumnQuery> asked) {
  const auto queries = static_cast<Index>(asked.size());
  const Index metrics = state.x.cols();
  const auto blocks = static_cast<Index>(state.blocks);
  Reach reach;
  SetReach(state, asked, reach);
  reach.squares = Matrix::Zero(blocks, queries);
  reach.noise.assign(static_cast<std::size_t>(metrics), reach.squares);
  reach.levered = reach.noise;
  const RowMatrix by_row = reach.columns;
  RowMatrix cuts =
      RowMatrix::Zero(static_cast<Index>(state.cuts.columns), queries);
  // Blocks x (metrics twice) sums, a sample's products at a time.
  std::vector<RowMatrix> sums(static_cast<std::size_t>(metrics) * 2,
                              RowMatrix::Zero(blocks, queries));
  RowMatrix squares = RowMatrix::Zero(blocks, queries);
  Eigen::RowVectorXd weight(queries), square(queries);
  for (std::size_t i = 0; i < state.design.rows(); ++i) {
    const auto row = static_cast<Index>(i);
    const auto block = static_cast<Index>(state.block[i]);
    weight.setZero();
    for (std::uint32_t k = state.design.begin[i]; k < state.design.begin[i + 1];
         ++k)
      weight += state.design.value[k] *
                by_row.row(static_cast<Index>(state.design.column[k]));
    weight *= state.design.weight_of(i);
    weight += reach.total.transpose();
    for (std::uint32_t k = state.cuts.begin[i]; k < state.cuts.begin[i + 1];
         ++k)
      cuts.row(static_cast<Index>(state.cuts.column[k])) +=
          state.cuts.value[k] * weight;
    square = weight.cwiseAbs2();
    squares.row(block) += square;
    for (Index m = 0; m < metrics; ++m) {
      const double noise = NoiseAt(state, row, m);
      const auto at = static_cast<std::size_t>(m) * 2;
      sums[at].row(block) += noise * square;
      sums[at + 1].row(block) += noise * state.leverage[row] * square;
    }
  }
  reach.squares = squares;
  reach.cuts = cuts;
  for (std::size_t m = 0; m < static_cast<std::size_t>(metrics); ++m) {
    reach.noise[m] = sums[m * 2];
    reach.levered[m] = sums[m * 2 + 1];
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
  for (const ColumnPart& one : query.parts) {
    const auto column = static_cast<Index>(one.column);
    for (std::uint32_t k = state.by_column.begin[one.column];
         k < state.by_column.begin[one.column + 1]; ++k) {
      touched.push_back(state.by_column.row[k]);
      part.row(static_cast<Index>(state.by_column.row[k])) +=
          state.by_column.value[k] * one.share * state.x.row(column);
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

// What is not known of how kernels' work lies in their windows.
double WindowSquare(const FitState& state, const Reach& reach, Index q,
                    Index m) {
  const WindowParameters& parameters = state.parameters;
  const auto metric = static_cast<std::size_t>(m);
  Vector follows = Vector::Zero(parameters.size());
  Vector others = Vector::Zero(static_cast<Index>(state.groups.size()));
  for (std::uint32_t c = 0; c < state.launch_columns(); ++c) {
    const double count = state.x(static_cast<Index>(c), m);
    const auto by = [&](std::uint32_t term) {
      return reach.cuts(static_cast<Index>(term), q) * count;
    };
    const double start = by(state.terms.start(c));
    const double end = by(state.terms.end(c));
    follows[WindowParameters::kStart] += start;
    follows[WindowParameters::kEnd] += end;
    const std::uint32_t kernel = parameters.moved[c];
    if (kernel == WindowParameters::kNone) {
      others[static_cast<Index>(state.kernel[c])] += start + end;
      continue;
    }
    follows[parameters.move(kernel)] += start + end;
    const std::uint32_t shaped = parameters.shaped[c];
    if (shaped == WindowParameters::kNone) continue;
    for (std::uint32_t j = 0; j < kShapeTerms; ++j)
      follows[parameters.rate(shaped, j)] += by(state.terms.rate(c, j));
  }
  double square = follows.dot(state.window_covariance[metric] * follows);
  for (const double move : others)
    square += move * move * state.window_error_ns[m] * state.window_error_ns[m];
  return std::max(square, 0.0);
}

// What the tracer's own instructions may differ by from what is taken out, and
// what is counted between launches, which nobody knows whether they cause: it
// is put outside, and may be all theirs or none of it.
double ExtraSquare(const FitState& state, const ColumnQuery& query, Index m) {
  ColumnExtra all;
  for (const ColumnPart& part : query.parts) {
    if (part.column >= state.launch_columns()) continue;
    const ColumnExtra& extra = state.extra[part.column];
    all.kernels += part.share * extra.kernels;
    all.warps += part.share * extra.warps;
    all.idle_ns += part.share * extra.idle_ns;
  }
  const double between =
      all.idle_ns / state.samples.interval_ns * state.x(state.x.rows() - 1, m);
  double square = between * between / 3;  // evenly between the two
  const auto& tracer = state.metrics[static_cast<std::size_t>(m)].tracer;
  if (!tracer) return square;
  const double added =
      tracer->per_warp * all.warps + tracer->per_launch * all.kernels;
  return square + tracer->unsure * tracer->unsure * added * added;
}

// That, what the prior may be wrong by, and what columns are shared with
// others.
double SystematicSquare(const FitState& state, const Reach& reach,
                        const ColumnQuery& query, Index q, Index m) {
  double square =
      WindowSquare(state, reach, q, m) + ExtraSquare(state, query, m);
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
      time += part.weight * state.duration_ns[part.column];
  }
  for (std::size_t c = 0; c < state.launch_columns(); ++c) {
    const auto column = static_cast<Index>(c);
    held += std::abs(state.prior.weight[column] * reach.columns(column, q) *
                     state.duration_ns[c]);
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
  const double by_window = StudentQuantile(kernels) * estimate.systematic;
  const double reach = std::hypot(by_time, by_window);
  estimate.error = std::hypot(estimate.statistical, estimate.systematic);
  estimate.low = std::max(*estimate.total - reach, 0.0);
  estimate.high = *estimate.total + reach;
}

CounterEstimate EstimateOne(const FitState& state, const Reach& reach,
                            const FreedReach& freed, const OwnPart& own,
                            const ColumnQuery& query, Index q, Index m) {
  CounterEstimate estimate;
  double total = 0;
  for (const ColumnPart& part : query.parts)
    total += part.weight * state.x(static_cast<Index>(part.column), m);
  estimate.total = total;
  const double whole = reach.squares.col(q).sum();
  // Degrees of freedom are by what each block adds to the error.
  const Vector noise = reach.noise[static_cast<std::size_t>(m)].col(q);
  double square = own.shared[m], before = 0;
  for (Index b = 0; b < static_cast<Index>(state.blocks); ++b) {
    const double share = whole > 0 ? reach.squares(b, q) / whole : 0;
    const double off = freed.columns.col(q).dot(
                           state.scores[static_cast<std::size_t>(m)].col(b)) +
                       reach.total[q] * state.block_residual(b, m) -
                       own.blocks(b, m);
    const double taken = std::max(
        reach.levered[static_cast<std::size_t>(m)](b, q), share * noise[b]);
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
      std::sqrt(SystematicSquare(state, reach, query, q, m)), forced);
  estimate.systematic = std::hypot(
      estimate.systematic,
      state.misfit[m] * std::hypot(estimate.statistical, estimate.systematic));
  SetInterval(estimate, state.window_degrees[m]);
  return estimate;
}

// Into `estimates`, one place a query.
void EstimateChunk(const FitState& state, std::span<const ColumnQuery> queries,
                   std::span<std::vector<CounterEstimate>> estimates) {
  const Reach reach = ReachOf(state, queries);
  const Index metrics = state.x.cols();
  std::vector<FreedReach> freed;
  for (Index m = 0; m < metrics; ++m)
    freed.push_back(FreedOf(state, reach.columns, queries, m));
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
    for (Index m = 0; m < metrics; ++m)
      row.push_back(EstimateOne(
          state, reach, freed[static_cast<std::size_t>(m)], own, query, q, m));
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
