// CounterFit::Make(): the order of the steps from samples to counters of
// regions.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/median.h"
#include "estimate/damaged_samples.h"
#include "estimate/estimate.h"
#include "estimate/fit_steps.h"
#include "estimate/small_model.h"
#include "estimate/splits.h"

namespace rangefinder {
namespace {

constexpr std::size_t kLeastSamplesOfFit = 20;
constexpr int kClockParts = 7;
constexpr int kWeighings = 8;
constexpr int kWeighingsOfCode = 6;
constexpr double kFirstQuiet = 1e-3;  // Weighing::quiet of the first of them
constexpr std::size_t kMostColumnsOfFit = 1000;

// The samples that each launch lies in.
void FindPlaces(FitState& state, const LaunchWindows& windows,
                std::size_t launches) {
  state.places.assign(launches, {});
  for (std::size_t k = 0; k < windows.size(); ++k) {
    LaunchPlace& place = state.places[windows.launch[k]];
    place.start_ns = windows.start_ns[k];
    place.end_ns = windows.end_ns[k];
  }
  VisitOverlaps(windows, state.samples, state.edges,
                [&](std::size_t i, std::size_t k, double /*part*/) {
                  LaunchPlace& place = state.places[windows.launch[k]];
                  if (place.samples == 0)
                    place.first_sample = static_cast<std::uint32_t>(i);
                  ++place.samples;
                });
}

struct Run {
  std::span<const SampledLaunch> launches{};
  LaunchWindows windows{};
  Grouping grouping{};
  double noise_ns = 0;
  Vector rates{};  // mean rates, by metric
};

// The samples' clock moved by `first_ns` in the middle of the run's first
// third, by `last_ns` in the middle of its last third, and linearly in between.
SampleWindows Drifted(SampleWindows samples, double first_ns, double last_ns) {
  const double begin = samples.start_ns.front();
  const double length = samples.end_ns.back() - begin;
  const auto moved = [&](double time) {
    const double place = ((time - begin) / length - 1.0 / 6) / (2.0 / 3);
    return time + first_ns + place * (last_ns - first_ns);
  };
  std::ranges::transform(samples.start_ns, samples.start_ns.begin(), moved);
  std::ranges::transform(samples.end_ns, samples.end_ns.begin(), moved);
  return samples;
}

void CheckClocks(FitState& state, const Run& run) {
  const SampleWindows* windows = &state.samples;
  const auto part = [&](double from, double to, std::size_t samples) {
    return TakePart(run.launches, state.metrics, run.windows, *windows,
                    run.grouping,
                    {.stretches = 4,
                     .samples = samples,
                     .columns = 30,
                     .margin_ns = 1.2e7,
                     .from = from,
                     .to = to});
  };
  const ClockScan whole = ScanClocks(part(0, 1, 8000));
  state.quality.shifts = whole.shifts;
  state.quality.clock_shift_ns = whole.best.shift_ns;
  state.quality.moved_r2 = whole.best.r2;
  if (state.samples.size() < 10 * kLeastSamplesOfFit) return;
  if (whole.best.shift_ns != 0) {
    // A shift counts only if most of the run has it: a program's beginning,
    // with a few large kernels that never run again, may outweigh all else.
    std::vector<double> shifts;
    for (int p = 0; p < kClockParts; ++p)
      shifts.push_back(ScanClocks(part(static_cast<double>(p) / kClockParts,
                                       (p + 1.0) / kClockParts, 1500))
                           .best.shift_ns);
    state.quality.clock_shift_ns = LowerMedian(shifts);
  }
  const RunPart first = part(0, 1.0 / 3, 4000);
  const RunPart last = part(2.0 / 3, 1, 4000);
  const ClockScan at_first = ScanClocks(first);
  const ClockScan at_last = ScanClocks(last);
  // Both parts of the run have to reject the other's shift. A loop of kernels
  // that do more work at their beginning, in step with the samples, looks a
  // little better with any shift; a wrong shift between drifting clocks leaves
  // residuals several times as large.
  constexpr double kSure = 0.7;  // of what the other's shift leaves
  const auto explains = [&](double better, double worse) {
    return 1 - better < kSure * (1 - worse);
  };
  if (!explains(at_first.best.r2, ShiftedR2(first, at_last.best.shift_ns)) ||
      !explains(at_last.best.r2, ShiftedR2(last, at_first.best.shift_ns)))
    return;
  // The drift also has to explain the whole run better: a shift may stand in
  // for work that a program does only at its beginning.
  const SampleWindows drifted =
      Drifted(state.samples, at_first.best.shift_ns, at_last.best.shift_ns);
  windows = &drifted;
  const double drifted_r2 = ShiftedR2(part(0, 1, 8000), 0);
  if (!explains(drifted_r2, whole.best.r2)) return;
  // A clock that is being corrected is off by 5e-4 at most. If the program
  // repeats at nearly the samples' interval, a wrong, larger drift may fit too.
  constexpr double kFastest = 1e-3;  // of the time between the two shifts
  const double drift_ns = at_last.best.shift_ns - at_first.best.shift_ns;
  const double between_ns =
      (state.samples.end_ns.back() - state.samples.start_ns.front()) * 2 / 3;
  if (std::abs(drift_ns) > kFastest * between_ns) return;
  state.quality.moved_r2 = drifted_r2;
  state.quality.clock_drift_ns = drift_ns;
}

// Finds the properties that do not depend on how fine the groups are, then the
// groups.
void FindModel(FitState& state, Run& run, const EstimateOptions& options) {
  const RunPart part = TakePart(run.launches, state.metrics, run.windows,
                                state.samples, run.grouping, {});
  if (options.fit_edges) state.edges = FitEdges(part);
  if (options.scan_clocks) CheckClocks(state, run);
  state.background = HasBackground(part, state.edges);
  run.noise_ns = NoiseNs(part, state.edges);
  if (!options.split_groups) return;
  const std::size_t coarse = run.grouping.groups.size();
  run.grouping = ChooseSplits({.launches = run.launches,
                               .metrics = state.metrics,
                               .windows = &run.windows,
                               .samples = &state.samples,
                               .edges = state.edges,
                               .background = state.background,
                               .noise_ns = run.noise_ns},
                              run.grouping);
  if (run.grouping.groups.size() == coarse) return;
  const RunPart finer = TakePart(run.launches, state.metrics, run.windows,
                                 state.samples, run.grouping, {});
  if (options.fit_edges) state.edges = FitEdges(finer);
  run.noise_ns = NoiseNs(finer, state.edges);
}

void SetPrior(FitState& state, const Run& run) {
  state.prior = PriorOf(state.equations, state.pooled.duration_ns, run.noise_ns,
                        run.rates);
}

// Sets the columns' rows, equations and prior, from the cells.
void SetColumns(FitState& state, Run& run) {
  state.design = Folded(state.cells, state.pooled.columns);
  state.design.weight = WeightsOf(state.design);
  state.own = OwnCounts(state.design, state.samples, state.metrics);
  state.equations = Accumulate(state.design, state.own, {}, 2);
  run.rates = RatesOf(state.equations, state.pooled.duration_ns);
  SetPrior(state, run);
}

void SetCells(FitState& state, const Run& run) {
  state.cells =
      MakeDesign(run.launches, run.windows, state.samples, state.edges,
                 ColumnsOfGroups(run.grouping), state.background);
}

// Leaves out samples that lack counters, before any fit uses them: a model of
// few columns finds them, and is fitted again without them.
void LeaveOutDamaged(FitState& state, const Run& run) {
  constexpr std::size_t kColumnsOfSearch = 300;
  constexpr int kMostSearches = 3;
  const PoolColumns pooled = ColumnsOfPools(
      run.grouping, FindPools(run.grouping.groups), kColumnsOfSearch);
  for (int round = 0; round < kMostSearches; ++round) {
    Design design = MakeDesign(run.launches, run.windows, state.samples, {},
                               pooled.columns, false);
    design.weight = WeightsOf(design);
    const RowMatrix own = OwnCounts(design, state.samples, state.metrics);
    const NormalEquations equations = Accumulate(design, own, {}, 2);
    const ColumnPrior prior =
        PriorOf(equations, pooled.duration_ns, 0.02 * state.samples.interval_ns,
                RatesOf(equations, pooled.duration_ns));
    const std::size_t damaged = LeaveOut(
        FindDamaged(design, own, Solve(equations, prior), state.metrics),
        state.samples);
    state.quality.samples_damaged += damaged;
    if (damaged == 0) break;
  }
}

// Launches of one kernel and shape (and class, where they are split) are taken
// to work alike in every region.
void DescribeColumns(FitState& state) {
  const std::size_t columns = state.launch_columns();
  state.kernel.assign(columns, 0);
  state.launches.assign(columns, 0);
  state.pool_groups.assign(state.pools.size(), 0);
  state.pools_of_column.assign(columns, {});
  for (std::uint32_t g = 0; g < state.groups.size(); ++g) {
    const std::uint32_t pool = state.pools.pool[g], column = state.column(g);
    if (state.pool_groups[pool]++ == 0)
      state.pools_of_column[column].push_back(pool);
    state.kernel[column] = pool;
    state.launches[column] +=
        static_cast<double>(state.groups[g].launches) * state.weight(g);
  }
}

// Up to one interval of idle time before a launch counts as the launch's own.
void DescribeExtras(FitState& state, const Run& run) {
  state.extra.assign(state.groups.size(), {});
  double busy_until = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < run.windows.size(); ++k) {
    const std::uint32_t l = run.windows.launch[k];
    GroupExtra& extra = state.extra[state.group_of_launch[l]];
    extra.size.Add(run.launches[l].size);
    extra.idle_ns += std::clamp(run.windows.start_ns[k] - busy_until, 0.0,
                                state.samples.interval_ns);
    busy_until = std::max(busy_until, run.windows.end_ns[k]);
  }
}

void DescribePools(FitState& state) {
  state.described.resize(state.pools.size());
  for (std::uint32_t g = 0; g < state.groups.size(); ++g) {
    const std::uint32_t pool = state.pools.pool[g];
    const std::uint32_t family = state.pools.family[pool];
    FitPool& described = state.described[pool];
    state.groups[g].pool = pool;
    described.groups.push_back(g);
    described.scatter = state.scatter[family];
    described.deviates = state.deviates[family];
  }
}

// Describes the groups that share a count by time because of the limit of
// columns.
void DescribeBounds(FitState& state) {
  FitQuality& quality = state.quality;
  quality.columns = state.launch_columns();
  double all = 0;
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    const double busy = state.groups[g].busy_ns;
    all += busy;
    if (!state.pooled.by_time[state.pools.pool[g]]) continue;
    ++quality.groups_by_time;
    quality.share_by_time += busy;
  }
  quality.share_by_time /= all;
}

// Keeps the windows' effects only.
void LeaveOutDeviations(EffectNumbers& numbers) {
  numbers.group.clear();
  std::ranges::fill(numbers.deviates, kNone);
}

// Weighs the samples by the residuals, and solves with these weights.
void SolveWeighed(FitState& state, Run& run,
                  std::span<const SampleBorder> borders,
                  const Weighing& weighing) {
  WeighSamples(state, borders, weighing);
  state.equations = Accumulate(state.design, state.own, {}, 2);
  run.noise_ns =
      NoiseOf(WeightedSquares(state), state.samples.size(), run.rates);
  SetPrior(state, run);
  SolveFully(state);
}

// The fit of the groups, in pools.
void FitPools(FitState& state, Run& run) {
  state.pools = FindPools(state.groups);
  state.pooled = ColumnsOfPools(run.grouping, state.pools, kMostColumnsOfFit);
  SetColumns(state, run);
  // The noise with the final columns.
  run.noise_ns =
      NoiseOf(SquaresLeft(state.equations, Solve(state.equations, state.prior)),
              state.samples.size(), run.rates);
  SetPrior(state, run);
  state.quality.groups_merged =
      JoinColumns(state.equations, state.prior, state.pooled);
  if (state.quality.groups_merged > 0) SetColumns(state, run);
  DescribeColumns(state);
  SolveFully(state);
  ChooseEffects(state, run.windows);
  state.cuts = MakeCuts(run.windows, state.samples, state.edges,
                        ColumnsOfGroups(run.grouping), state.terms);
  const EffectNumbers all = state.numbers;
  LeaveOutDeviations(state.numbers);
  const std::vector<SampleBorder> borders =
      BordersOf(state, run.windows, false);
  for (int round = 0; round < kWeighings; ++round) {
    if (round > 0) FitEffects(state);
    SolveWeighed(state, run, borders, {});
  }
  state.numbers = all;
  FitEffects(state);
}

// The places of the metrics of code, which have a fit of their own.
std::vector<Index> CodeOf(std::span<const EstimatedMetric> metrics) {
  std::vector<Index> places;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (metrics[m].of_code && metrics[m].judges())
      places.push_back(static_cast<Index>(m));
  }
  return places;
}

// Fits the metrics of code again, with the weights that they alone give the
// samples. Starts from the fit of all metrics, and sets their halves in its
// quality. Null if there are none.
std::unique_ptr<FitState> FitCode(FitState& state, Run& run) {
  const std::vector<Index> chosen = CodeOf(state.metrics);
  if (chosen.empty()) return nullptr;
  auto code = std::make_unique<FitState>(state);
  code->metrics.clear();
  for (const Index m : chosen)
    code->metrics.push_back(state.metrics[static_cast<std::size_t>(m)]);
  code->samples.counts = state.samples.counts(Eigen::all, chosen);
  code->own = state.own(Eigen::all, chosen);
  code->residual = state.residual(Eigen::all, chosen);
  code->counts = state.counts(Eigen::all, chosen);
  run.rates = Vector(run.rates(chosen));
  const std::vector<SampleBorder> borders = BordersOf(state, run.windows, true);
  for (int round = 0; round < kWeighingsOfCode; ++round) {
    const double quiet = round == 0 ? kFirstQuiet : 1;
    code->earlier = code->counts;
    SolveWeighed(*code, run, borders, {.of_code = true, .quiet = quiet});
    FitEffects(*code);
  }
  code->quality.metrics.clear();
  CompareHalves(*code);
  for (std::size_t k = 0; k < code->quality.metrics.size(); ++k) {
    const MetricQuality& from = code->quality.metrics[k];
    MetricQuality& to =
        state.quality.metrics[static_cast<std::size_t>(chosen[k])];
    to.halves = from.halves;
    to.halves_part = from.halves_part;
  }
  return code;
}

// The whole fit, if there are enough samples. Returns that of the metrics of
// code.
std::unique_ptr<FitState> Fit(FitState& state, Run& run,
                              const EstimateOptions& options) {
  LeaveOutDamaged(state, run);
  FindModel(state, run, options);
  state.groups = run.grouping.groups;
  state.group_of_launch = run.grouping.group;
  SetCells(state, run);
  DescribeExtras(state, run);
  MakeBlocks(state, options.blocks);
  FindPlaces(state, run.windows, run.launches.size());
  FitPools(state, run);
  DescribePools(state);
  DescribeBounds(state);
  CompareHalves(state);
  return FitCode(state, run);
}

// The rows that `of` makes of a fit, with the values of the metrics of code
// from their own fit, if there is one. `values` is the member of a row with its
// values by metric; a row without an estimate has no values.
template <typename Of, typename Values>
auto WithCode(const FitState& state, const FitState* code_fit, Of of,
              Values values) {
  auto rows = of(state);
  if (code_fit == nullptr) return rows;
  const std::vector<Index> places = CodeOf(state.metrics);
  auto own = of(*code_fit);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    auto& all = std::invoke(values, rows[r]);
    auto& code = std::invoke(values, own[r]);
    for (std::size_t k = 0; !all.empty() && k < code.size(); ++k)
      all[static_cast<std::size_t>(places[k])] = std::move(code[k]);
  }
  return rows;
}

void Describe(FitState& state, std::size_t launches) {
  FitQuality& quality = state.quality;
  quality.samples_used = state.samples.size();
  quality.samples_lost = state.samples.lost;
  quality.interval_ns = state.samples.interval_ns;
  quality.launches = launches;
  quality.launches_left_out = static_cast<std::uint64_t>(
      std::ranges::count(state.places, 0U, &LaunchPlace::samples));
  quality.groups = state.groups.size();
  quality.background = state.background;
  quality.start_offset_ns = state.edges.start_ns;
  quality.end_offset_ns = state.edges.end_ns;
  quality.operations = state.design.operations + state.equations.operations;
}

}  // namespace

CounterFit::CounterFit(std::unique_ptr<const FitState> state,
                       std::unique_ptr<const FitState> code)
    : state_(std::move(state)), code_(std::move(code)) {}
CounterFit::CounterFit(CounterFit&&) noexcept = default;
CounterFit& CounterFit::operator=(CounterFit&&) noexcept = default;
CounterFit::~CounterFit() = default;

CounterFit CounterFit::Make(std::span<const SampledLaunch> launches,
                            const DeviceSamples& samples,
                            std::span<const EstimatedMetric> metrics,
                            const EstimateOptions& options) {
  auto state = std::make_unique<FitState>();
  state->metrics.assign(metrics.begin(), metrics.end());
  state->samples = WindowsOf(samples, metrics.size());
  Run run{.launches = launches,
          .windows = WindowsOf(launches, state->samples.origin_ns),
          .grouping = GroupCoarsely(launches)};
  const std::size_t coarse = run.grouping.groups.size();
  if (options.split_groups)
    run.grouping = SplitByLength(launches, run.grouping);
  state->groups = run.grouping.groups;
  state->group_of_launch = run.grouping.group;
  std::unique_ptr<FitState> code;
  if (state->samples.size() >= kLeastSamplesOfFit && !state->groups.empty() &&
      !metrics.empty())
    code = Fit(*state, run, options);
  else
    FindPlaces(*state, run.windows, launches.size());
  Describe(*state, launches.size());
  state->quality.groups_split = state->groups.size() - coarse;
  Judge(*state);
  return CounterFit(std::move(state), std::move(code));
}

const FitQuality& CounterFit::quality() const {
  return state_->quality;
}

const std::vector<FitGroup>& CounterFit::groups() const {
  return state_->groups;
}

const std::vector<FitPool>& CounterFit::pools() const {
  return state_->described;
}

std::span<const std::uint32_t> CounterFit::group_of_launch() const {
  return state_->group_of_launch;
}

std::vector<RegionEstimate> CounterFit::Estimate(
    std::span<const RegionQuery> queries) const {
  return WithCode(
      *state_, code_.get(),
      [&](const FitState& state) { return EstimateRegions(state, queries); },
      &RegionEstimate::metrics);
}

std::vector<CounterEstimate> CounterFit::Outside() const {
  return WithCode(
             *state_, code_.get(),
             [](const FitState& state) {
               return std::vector(1, EstimateOutside(state));
             },
             std::identity())
      .front();
}

std::vector<RegionBlock> CounterFit::OverTime(
    std::span<const RegionQuery> instances, std::size_t blocks) const {
  return WithCode(
      *state_, code_.get(),
      [&](const FitState& state) {
        return EstimateOverTime(state, instances, blocks);
      },
      &RegionBlock::per_instance);
}

std::vector<InstanceCounts> CounterFit::PerInstance(
    std::span<const RegionQuery> instances) const {
  return WithCode(
      *state_, code_.get(),
      [&](const FitState& state) { return CountInstances(state, instances); },
      &InstanceCounts::counts);
}

}  // namespace rangefinder
