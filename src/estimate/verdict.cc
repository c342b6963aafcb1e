// Whether a fit is reliable: its halves against each other, and the sentences
// that callers show first.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/median.h"
#include "estimate/fit_steps.h"
#include "estimate/small_model.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostRegions = 32;
// Least difference of the halves that makes a fit doubtful, as a part of their
// counts. The errors cover smaller ones.
constexpr double kMuchApart = 0.02;
// The median of the squares of a normal variable, over their mean.
constexpr double kMedianByChance = 0.4549;

// The groups of the regions that run longest.
std::vector<ColumnQuery> LongestRegions(const FitState& state) {
  std::map<std::uint32_t, double> busy;
  std::map<std::uint32_t, std::vector<CellPart>> groups;
  for (std::uint32_t g = 0; g < state.groups.size(); ++g) {
    const FitGroup& group = state.groups[g];
    busy[group.region] += group.busy_ns;
    groups[group.region].push_back({g, static_cast<double>(group.launches), 1});
  }
  std::vector<std::uint32_t> order;
  for (const auto& [region, time] : busy) order.push_back(region);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return busy[a] > busy[b];
  });
  if (order.size() > kMostRegions) order.resize(kMostRegions);
  std::vector<ColumnQuery> longest;
  for (const std::uint32_t region : order)
    longest.push_back(ColumnsOf(state, std::move(groups[region])));
  return longest;
}

double Total(const ColumnQuery& query, const Matrix& x, Index m) {
  double total = 0;
  for (const ColumnPart& part : query.parts)
    total += part.weight * x(static_cast<Index>(part.column), m);
  return total;
}

// Whether both halves contain enough of a query's launches.
bool IsInBoth(const FitState& state, const ColumnQuery& query,
              const NormalEquations& one) {
  double time = 0, uneven = 0;
  for (const ColumnPart& part : query.parts) {
    const auto column = static_cast<Index>(part.column);
    const double all = state.equations.sums[column];
    const double share = all > 0 ? one.sums[column] / all : 0;
    const double busy = part.weight * state.pooled.duration_ns[part.column];
    time += busy;
    uneven += share < 0.2 || share > 0.8 ? busy : 0;
  }
  return uneven <= 0.05 * time;
}

// A half's solution that keeps the total of its samples, without the limit at
// 0.
Matrix Kept(const NormalEquations& equations, const ColumnPrior& prior,
            const NormalEquations& totals) {
  Matrix right(equations.right.rows(), equations.right.cols() + 1);
  right.leftCols(equations.right.cols()) = RightWithPrior(equations, prior);
  right.rightCols(1) = totals.sums;
  const Matrix solved = SolveFor(equations, prior, right);
  Matrix x = solved.leftCols(equations.right.cols());
  const Vector follow = solved.rightCols(1);
  const double whole = totals.sums.dot(follow);
  if (whole > 0)
    x += follow * (totals.counts.transpose() - totals.sums.transpose() * x) /
         whole;
  return x;
}

// The change of a half's solution if all its samples weigh alike (`which`: 0 or
// 1). Least squares weigh samples by the noise at their borders. If launches
// explain samples as the model says, any other weights give the same estimates
// but for chance. If they do not, as where the counts of a kernel depend on the
// kernel before it, each weighting has errors of its own (J. A. Hausman,
// Specification tests in econometrics, Econometrica 46 (1978)). `counts` are
// those of the equations.
Matrix WeighedAlike(const FitState& state, const NormalEquations& half,
                    const RowMatrix& counts, int which) {
  Design design = state.design;
  design.weight.clear();
  const NormalEquations other = Accumulate(design, counts, state.block, which);
  return Kept(other, state.prior, half) - Kept(half, state.prior, half);
}

// Sets the changes by other sample weights on which both halves agree, over the
// errors, of metrics that may depend on what ran before. Where instructions
// change by other weights, the other weights are wrong: in a graph, samples
// that begin and end within large kernels say little of the small ones.
void MeasureMisfit(FitState& state, std::span<const ColumnQuery> queries,
                   std::span<const std::vector<CounterEstimate>> estimates,
                   const Matrix& one, const Matrix& two) {
  for (Index m = 0; m < state.x.cols(); ++m) {
    if (state.metrics[static_cast<std::size_t>(m)].of_code) continue;
    std::vector<double> agreed;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const CounterEstimate& estimate =
          estimates[q][static_cast<std::size_t>(m)];
      if (!estimate.total || estimate.error <= 0 ||
          estimate.degrees_of_freedom < 5)
        continue;
      agreed.push_back(Total(queries[q], one, m) * Total(queries[q], two, m) /
                       (estimate.error * estimate.error));
    }
    if (agreed.size() < 2) continue;
    // By chance alone the changes have either sign, and the median is 0.
    state.misfit[m] = std::sqrt(std::max(LowerMedian(agreed), 0.0));
  }
}

// By sample, in ns: how long launches run in it.
Vector BusyTimes(const FitState& state) {
  Vector busy(static_cast<Index>(state.samples.size()));
  for (std::size_t i = 0; i < state.samples.size(); ++i)
    busy[static_cast<Index>(i)] =
        state.samples.end_ns[i] - state.samples.start_ns[i];
  const auto outside = static_cast<std::size_t>(state.cells.columns - 1);
  for (const std::uint32_t k : state.by_cell.Entries(outside))
    busy[state.by_cell.row[k]] -=
        state.by_cell.value[k] * state.samples.interval_ns;
  return busy;
}

// How well the launches explain a metric's counts in some of the samples.
struct Explanation {
  double r2 = 0;
  // Root mean squares of the residuals and the counts, and the counts' mean.
  double residual = 0;
  double count = 0;
  double mean = 0;
};

Explanation ExplanationOf(const FitState& state, Index m,
                          std::span<const Index> samples) {
  const auto n = static_cast<double>(samples.size());
  double left = 0, own = 0, squares = 0, counts = 0, scatter = 0;
  for (const Index i : samples) {
    left += state.residual(i, m) * state.residual(i, m);
    own += state.own(i, m) / n;
    squares += state.own(i, m) * state.own(i, m);
    counts += state.samples.counts(i, m);
  }
  for (const Index i : samples)
    scatter += (state.own(i, m) - own) * (state.own(i, m) - own);
  return {.r2 = scatter > 0 ? 1 - left / scatter : 0,
          .residual = std::sqrt(left / n),
          .count = std::sqrt(squares / n),
          .mean = counts / n};
}

std::vector<Index> AllSamples(const FitState& state) {
  std::vector<Index> samples(state.samples.size());
  std::iota(samples.begin(), samples.end(), Index{0});
  return samples;
}

// Of all samples or, if launches explain these better, of all but the worst
// hundredth of those with launches: a few launches that differ from the rest of
// their group, as where a program initializes its data, say nothing about the
// others.
Explanation BestExplanation(const FitState& state, Index m) {
  std::vector<Index> samples = AllSamples(state);
  const Explanation all = ExplanationOf(state, m, samples);
  const auto busy = std::ranges::partition(samples, [&](Index i) {
    return !state.is_busy(static_cast<std::size_t>(i));
  });
  const auto kept = samples.end() - std::ssize(busy) / 100;
  std::ranges::nth_element(busy.begin(), kept, samples.end(), {}, [&](Index i) {
    return std::abs(state.residual(i, m));
  });
  const Explanation most = ExplanationOf(state, m, {samples.begin(), kept});
  return most.r2 > all.r2 ? most : all;
}

// The parts of the used samples' counts. `busy`: see BusyTimes.
void Account(const FitState& state, const Vector& busy, Index m,
             MetricQuality& quality) {
  quality.hardware = state.samples.counts.col(m).sum();
  quality.tracer = quality.hardware - state.own.col(m).sum();
  for (Index c = 0; c < state.counts.rows(); ++c) {
    const double count = state.cell_sums[c] * state.counts(c, m);
    (c < static_cast<Index>(state.groups.size()) ? quality.launches
                                                 : quality.outside) += count;
  }
  quality.unexplained =
      quality.hardware - quality.tracer - quality.launches - quality.outside;
  const Explanation explained = BestExplanation(state, m);
  quality.r2 = explained.r2;
  quality.residual =
      explained.mean > 0 ? explained.residual / explained.mean : 0;
  const EstimatedMetric& metric = state.metrics[static_cast<std::size_t>(m)];
  const double little =
      metric.little *
      std::sqrt(busy.squaredNorm() / static_cast<double>(busy.size()));
  quality.decides =
      metric.judges() && quality.hardware > 0 && explained.count >= little;
}

// Good if little of the samples' scatter is left, or little of the samples'
// mean, as in a program that does the same all the time.
FitVerdict VerdictOf(const MetricQuality& quality) {
  // Of metrics that do not decide, the errors already say all that is known.
  if (!quality.decides) return FitVerdict::kGood;
  if (quality.r2 >= 0.9 || quality.residual <= 0.05) return FitVerdict::kGood;
  if (quality.r2 >= 0.5 || quality.residual <= 0.2)
    return FitVerdict::kDoubtful;
  return FitVerdict::kBad;
}

// Why a fit is not good, each with the verdict that follows.
using Reasons = std::vector<std::pair<FitVerdict, std::string>>;

// The worst first.
void Give(Reasons reasons, FitQuality& quality) {
  std::ranges::stable_sort(reasons, std::ranges::greater{},
                           &Reasons::value_type::first);
  for (auto& [verdict, why] : reasons) {
    quality.verdict = std::max(quality.verdict, verdict);
    quality.reasons.push_back(std::move(why));
  }
}

void JudgeSamples(const FitQuality& quality, Reasons& reasons) {
  const auto used = static_cast<double>(quality.samples_used);
  const auto lost = static_cast<double>(quality.samples_lost);
  const double share = lost / std::max(used + lost, 1.0);
  if (share > 0.02)
    reasons.emplace_back(
        share > 0.5 ? FitVerdict::kBad : FitVerdict::kDoubtful,
        fmt::format("{:.0f} % of the samples were lost; longer "
                    "intervals lose fewer "
                    "(pipeline.counters.interval_us)",
                    share * 100));
  if (quality.samples_used < 100)
    reasons.emplace_back(
        FitVerdict::kDoubtful,
        fmt::format("there are only {} samples; a longer run has more, "
                    "or shorter intervals "
                    "(pipeline.counters.interval_us)",
                    quality.samples_used));
  const auto launches = static_cast<double>(quality.launches);
  const auto left_out = static_cast<double>(quality.launches_left_out);
  if (left_out > launches / 2)
    reasons.emplace_back(
        FitVerdict::kDoubtful,
        fmt::format("{:.0f} % of the launches ran while no sample was "
                    "taken",
                    left_out / launches * 100));
}

// How much the fit explains: the mean R2 of the metrics that the small model
// has.
double Explained(const FitState& state) {
  const std::vector<Index> samples = AllSamples(state);
  double sum = 0, count = 0;
  for (const std::size_t m : MetricsOfLaunches(state.metrics)) {
    if (!(state.quality.metrics[m].hardware > 0)) continue;
    sum += ExplanationOf(state, static_cast<Index>(m), samples).r2;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

// The share of the launches' time in groups whose launches take less than `ns`
// on average.
double ShareOfShorter(std::span<const FitGroup> groups, double ns) {
  double all = 0, shorter = 0;
  for (const FitGroup& group : groups) {
    all += group.busy_ns;
    if (group.busy_ns < ns * static_cast<double>(group.launches))
      shorter += group.busy_ns;
  }
  return all > 0 ? shorter / all : 0;
}

// The clocks are right if the fit explains more with them as they are than the
// small model does with them moved. In a loop of identical steps, the small
// model, which knows little of how work lies in launches, may explain more with
// a launch in the place of its neighbour.
void JudgeClocks(const FitState& state, Reasons& reasons) {
  const FitQuality& quality = state.quality;
  if (Explained(state) >= quality.moved_r2) return;
  constexpr double kAllowed = 2000;  // ns
  // Ratio of the residuals with and without a shift.
  constexpr double kSure = 0.97;
  // A shift of this part of a sample's interval, or of a launch, misplaces as
  // small a part of the work.
  constexpr double kSmall = 0.1;
  const double drift = std::abs(quality.clock_drift_ns);
  if (drift > kAllowed)
    reasons.emplace_back(
        drift > kSmall * quality.interval_ns ? FitVerdict::kBad
                                             : FitVerdict::kDoubtful,
        fmt::format("the clocks of samples and launches drift apart, "
                    "by {:.1f} us within the run",
                    quality.clock_drift_ns / 1000));
  if (std::abs(quality.clock_shift_ns) <= kAllowed) return;
  double still = 0, best = -1e300;
  for (const ClockShift& shift : quality.shifts) {
    if (shift.shift_ns == 0) still = shift.r2;
    best = std::max(best, shift.r2);
  }
  // A long kernel whose blocks do most of their work at its beginning looks
  // moved as well.
  const bool small =
      ShareOfShorter(state.groups, std::abs(quality.clock_shift_ns) / kSmall) <=
      kSmall;
  if (1 - best < kSure * (1 - still))
    reasons.emplace_back(
        small ? FitVerdict::kDoubtful : FitVerdict::kBad,
        fmt::format("samples and launches agree best with the samples' "
                    "clock moved by {:.1f} us",
                    quality.clock_shift_ns / 1000));
}

// The share of a metric that no launch counted.
double OutsideShare(const MetricQuality& metric) {
  return metric.hardware > 0 ? metric.outside / metric.hardware : 0;
}

// Describes counts outside the launches: for how much of the sampled time
// launches ran, and whether launches are few. The samples do not tell whose the
// counts are: an idle device counts, and other processes do.
std::string OutsideText(const FitState& state, const Vector& busy_ns) {
  constexpr std::uint64_t kFew = 100;  // launches
  double length = 0;
  for (std::size_t i = 0; i < state.samples.size(); ++i)
    length += state.samples.end_ns[i] - state.samples.start_ns[i];
  const double busy = length > 0 ? 100 * busy_ns.sum() / length : 0;
  const std::string time = fmt::format(
      "launches ran {:.{}f} % of the sampled time", busy, busy < 10 ? 1 : 0);
  return state.quality.launches < kFew
             ? fmt::format("there are few launches ({}), and {}",
                           state.quality.launches, time)
             : time;
}

// A fault that metrics may share. One reason names the worst of them.
struct MetricFault {
  FitVerdict verdict = FitVerdict::kGood;
  std::string text{};
  double worst = 0;
  std::size_t metrics = 0;

  void Add(FitVerdict of_metric, double size, std::string says) {
    verdict = std::max(verdict, of_metric);
    if (metrics++ > 0 && size <= worst) return;
    worst = size;
    text = std::move(says);
  }
  void Give(Reasons& reasons) {
    if (metrics > 1)
      text += fmt::format("; of {} such counters this is the worst", metrics);
    if (metrics > 0) reasons.emplace_back(verdict, std::move(text));
  }
};

void JudgeMetrics(const FitState& state, const Vector& busy_ns,
                  Reasons& reasons) {
  const FitQuality& quality = state.quality;
  // A single metric may be unexplained; if none is explained, the fit is bad.
  const bool any =
      std::ranges::any_of(quality.metrics, [](const MetricQuality& metric) {
        return metric.decides && metric.verdict != FitVerdict::kBad;
      });
  MetricFault unexplained, halves, outside;
  for (std::size_t m = 0; m < quality.metrics.size(); ++m) {
    const MetricQuality& metric = quality.metrics[m];
    if (!metric.decides) continue;
    const std::string& name = state.metrics[m].name;
    if (metric.verdict != FitVerdict::kGood)
      unexplained.Add(any ? FitVerdict::kDoubtful : metric.verdict, -metric.r2,
                      fmt::format("the launches explain {} badly: R2 {:.3f}, "
                                  "residual {:.0f} % of the mean",
                                  name, metric.r2, metric.residual * 100));
    if (metric.halves > 9 && metric.halves_part > kMuchApart)
      halves.Add(FitVerdict::kDoubtful, metric.halves,
                 fmt::format("two halves of the run differ in {} by {:.1f} "
                             "times their errors ({:.0f} % of the counts)",
                             name, std::sqrt(metric.halves),
                             100 * metric.halves_part));
    if (const double share = OutsideShare(metric); share > 0.1)
      outside.Add(FitVerdict::kDoubtful, share,
                  fmt::format("{:.0f} % of {} was counted outside the "
                              "program's launches: {}",
                              share * 100, name, OutsideText(state, busy_ns)));
  }
  for (MetricFault* const fault : {&unexplained, &halves, &outside})
    fault->Give(reasons);
}

}  // namespace

const char* FitVerdictName(FitVerdict verdict) {
  constexpr std::array kNames{"good", "doubtful", "bad"};
  return kNames[static_cast<std::size_t>(verdict)];
}

void CompareHalves(FitState& state) {
  if (state.blocks < 8) return;
  // How work lies in kernels' windows is taken from the whole run.
  const RowMatrix counts = state.residual + Predicted(state.design, state.x);
  const NormalEquations two = Accumulate(state.design, counts, state.block, 1);
  const Matrix from_two = SolveKept(two, state.prior).x;
  const NormalEquations one = Accumulate(state.design, counts, state.block, 0);
  const Matrix from_one = SolveKept(one, state.prior).x;
  std::vector<ColumnQuery> queries;
  for (ColumnQuery& query : LongestRegions(state)) {
    if (IsInBoth(state, query, one)) queries.push_back(std::move(query));
  }
  const auto estimates = EstimateColumns(state, queries);
  MeasureMisfit(state, queries, estimates, WeighedAlike(state, one, counts, 0),
                WeighedAlike(state, two, counts, 1));
  state.quality.metrics.resize(state.metrics.size());
  for (std::size_t m = 0; m < state.metrics.size(); ++m) {
    const auto metric = static_cast<Index>(m);
    std::vector<double> squares, parts;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const CounterEstimate& estimate = estimates[q][m];
      if (!estimate.total || estimate.statistical <= 0 ||
          estimate.degrees_of_freedom < 5)
        continue;
      const double apart = Total(queries[q], from_one, metric) -
                           Total(queries[q], from_two, metric);
      const double off =
          apart /
          (2 * std::hypot(estimate.statistical, kModelError * *estimate.total));
      squares.push_back(off * off);
      if (*estimate.total > 0)
        parts.push_back(std::abs(apart) / *estimate.total);
    }
    if (squares.empty()) continue;
    // The mean, without one query in eight, or the median if that is less. A
    // few queries may count differently in the halves, as at a program's
    // beginning; they raise the mean, and say nothing of the others. Queries
    // that share columns differ together, and may raise the median by chance.
    std::ranges::sort(squares);
    squares.resize(squares.size() - squares.size() / 8);
    const auto count = static_cast<double>(squares.size());
    const double mean =
        std::min(std::accumulate(squares.begin(), squares.end(), 0.0) / count,
                 squares[(squares.size() - 1) / 2] / kMedianByChance);
    state.quality.metrics[m].halves = mean;
    if (!parts.empty())
      state.quality.metrics[m].halves_part = LowerMedian(parts);
    // The errors are too small by this factor, if it is more than chance.
    if (mean > 1 + 3 * std::sqrt(2 / count))
      state.inflation[metric] = std::sqrt(mean);
  }
}

void Judge(FitState& state) {
  FitQuality& quality = state.quality;
  quality.metrics.resize(state.metrics.size());
  Reasons reasons;
  if (state.x.size() == 0) {
    reasons.emplace_back(
        FitVerdict::kBad,
        fmt::format("{} samples and {} launches are too few for a fit",
                    quality.samples_used, quality.launches));
    for (MetricQuality& metric : quality.metrics)
      metric.verdict = FitVerdict::kBad;
    Give(std::move(reasons), quality);
    return;
  }
  const Vector busy = BusyTimes(state);
  for (std::size_t m = 0; m < quality.metrics.size(); ++m)
    Account(state, busy, static_cast<Index>(m), quality.metrics[m]);
  // If no metric counts more than a little, all decide that count at all.
  const bool none =
      std::ranges::none_of(quality.metrics, &MetricQuality::decides);
  for (std::size_t m = 0; m < quality.metrics.size(); ++m) {
    MetricQuality& metric = quality.metrics[m];
    if (none) metric.decides = state.metrics[m].judges() && metric.hardware > 0;
    metric.verdict = VerdictOf(metric);
  }
  JudgeSamples(quality, reasons);
  JudgeClocks(state, reasons);
  JudgeMetrics(state, busy, reasons);
  Give(std::move(reasons), quality);
}

}  // namespace rangefinder
