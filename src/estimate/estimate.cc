#include "estimate/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "estimate/damaged_samples.h"
#include "estimate/fit_state.h"
#include "estimate/group_choice.h"
#include "estimate/small_model.h"

namespace rangefinder {
namespace {

constexpr std::size_t kLeastSamples = 20;
constexpr int kClockParts = 7;

// Which samples each launch lies in, and how much of it.
void FindPlaces(FitState& state, const LaunchWindows& windows,
                std::size_t launches) {
  state.places.assign(launches, {});
  for (std::size_t k = 0; k < windows.size(); ++k) {
    LaunchPlace& place = state.places[windows.launch[k]];
    place.start_ns = windows.start_ns[k];
    place.end_ns = windows.end_ns[k];
  }
  VisitOverlaps(windows, state.samples, state.edges,
                [&](std::size_t i, std::size_t k, double part) {
                  LaunchPlace& place = state.places[windows.launch[k]];
                  if (place.samples == 0)
                    place.first_sample = static_cast<std::uint32_t>(i);
                  ++place.samples;
                  place.covered += static_cast<float>(part);
                });
}

// The places by launches whose times cannot be compared with any sample.
std::uint64_t LeftOut(const FitState& state) {
  std::uint64_t left_out = 0;
  for (const LaunchPlace& place : state.places)
    left_out += place.samples == 0 ? 1 : 0;
  return left_out;
}

struct Run {
  std::span<const SampledLaunch> launches{};
  LaunchWindows windows{};
  Grouping grouping{};
  double noise_ns = 0;
};

// The samples' clock moved by `first_ns` in the middle of the run's first
// third, by `last_ns` in that of its last, and evenly in between.
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
  if (state.samples.size() < 10 * kLeastSamples) return;
  if (whole.best.shift_ns != 0) {
    // A shift is one only if most of the run has it: a program's beginning,
    // with a few large kernels that never run again, may outweigh all else.
    std::vector<double> shifts;
    for (int p = 0; p < kClockParts; ++p)
      shifts.push_back(ScanClocks(part(static_cast<double>(p) / kClockParts,
                                       (p + 1.0) / kClockParts, 1500))
                           .best.shift_ns);
    std::ranges::nth_element(shifts, shifts.begin() + kClockParts / 2);
    state.quality.clock_shift_ns = shifts[kClockParts / 2];
  }
  const RunPart first = part(0, 1.0 / 3, 4000);
  const RunPart last = part(2.0 / 3, 1, 4000);
  const ClockScan at_first = ScanClocks(first);
  const ClockScan at_last = ScanClocks(last);
  // Only where each part of the run is sure that the other's shift is not its.
  constexpr double kSure = 0.97;  // of what the other's shift leaves
  const auto explains = [&](double better, double worse) {
    return 1 - better < kSure * (1 - worse);
  };
  if (!explains(at_first.best.r2, ShiftedR2(first, at_last.best.shift_ns)) ||
      !explains(at_last.best.r2, ShiftedR2(last, at_first.best.shift_ns)))
    return;
  // And where the whole is explained better by it: at its beginning a program
  // does what it never does again, and a shift may stand in for that.
  const SampleWindows drifted =
      Drifted(state.samples, at_first.best.shift_ns, at_last.best.shift_ns);
  windows = &drifted;
  const double drifted_r2 = ShiftedR2(part(0, 1, 8000), 0);
  if (!explains(drifted_r2, whole.best.r2)) return;
  state.quality.moved_r2 = drifted_r2;
  state.quality.clock_drift_ns = at_last.best.shift_ns - at_first.best.shift_ns;
}

// What does not depend on how fine the groups are, then the groups.
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
  state.quality.groups_split = run.grouping.groups.size() - coarse;
  if (state.quality.groups_split == 0) return;
  const RunPart finer = TakePart(run.launches, state.metrics, run.windows,
                                 state.samples, run.grouping, {});
  if (options.fit_edges) state.edges = FitEdges(finer);
  run.noise_ns = NoiseNs(finer, state.edges);
}

void SetDesign(FitState& state, const Run& run) {
  state.design = MakeDesign(run.launches, run.windows, state.samples,
                            state.edges, state.columns, state.background);
  state.design.weight = WeightsOf(state.design);
  state.own = OwnCounts(state.design, state.samples, state.metrics);
  state.equations = Accumulate(state.design, state.own, {}, 2);
  state.duration_ns = Durations(state.groups, state.columns);
  state.prior = PriorOf(state.equations, state.duration_ns, run.noise_ns);
}

void LeaveOutDamaged(FitState& state, const Run& run) {
  const std::vector<bool> damaged =
      FindDamaged(state.design, state.own, Solve(state.equations, state.prior),
                  state.metrics);
  state.quality.samples_damaged = LeaveOut(damaged, state.samples);
  if (state.quality.samples_damaged > 0) SetDesign(state, run);
}

// Launches of one kernel and shape, and of one class where they are told apart,
// do their work alike in every region.
void DescribeColumns(FitState& state) {
  using Alike = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t,
                           std::vector<LaunchKind>>;
  std::map<Alike, std::uint32_t> known;
  state.kernel.assign(state.columns.count, 0);
  state.region.assign(state.columns.count, 0);
  state.launches.assign(state.columns.count, 0);
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    const std::uint32_t column = state.columns.column[g];
    const FitGroup& group = state.groups[g];
    state.region[column] = group.region;
    state.kernel[column] =
        known
            .try_emplace({group.kernel, group.shape, group.mode, group.kinds},
                         static_cast<std::uint32_t>(known.size()))
            .first->second;
    state.launches[column] +=
        static_cast<double>(state.groups[g].launches) *
        (state.columns.weight.empty() ? 1 : state.columns.weight[g]);
  }
}

// At most one sample's interval before each launch is taken to be its own.
void DescribeExtras(FitState& state, const Run& run) {
  state.extra.assign(state.columns.count, {});
  double busy_until = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < run.windows.size(); ++k) {
    const std::uint32_t l = run.windows.launch[k];
    ColumnExtra& extra =
        state.extra[state.columns.column[state.columns.group[l]]];
    if (run.launches[l].warps > 0) {
      extra.kernels += 1;
      extra.warps += run.launches[l].warps;
    }
    extra.idle_ns += std::clamp(run.windows.start_ns[k] - busy_until, 0.0,
                                state.samples.interval_ns);
    busy_until = std::max(busy_until, run.windows.end_ns[k]);
  }
}

void CountGroupSamples(FitState& state) {
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    const std::uint32_t column = state.columns.column[g];
    state.groups[g].samples =
        state.by_column.begin[column + 1] - state.by_column.begin[column];
  }
}

// The whole fit, where there is enough to fit.
void Fit(FitState& state, Run& run, const EstimateOptions& options) {
  FindModel(state, run, options);
  state.columns = ColumnsOfGroups(run.grouping);
  state.groups = run.grouping.groups;
  SetDesign(state, run);
  LeaveOutDamaged(state, run);
  // The noise of the groups that are used.
  run.noise_ns = NoiseOf(state.equations, Solve(state.equations, state.prior),
                         state.duration_ns);
  state.prior = PriorOf(state.equations, state.duration_ns, run.noise_ns);
  const std::size_t columns = state.columns.count;
  if (MergeColumns(state.equations, state.prior, state.groups, state.columns)) {
    state.quality.groups_merged = columns - state.columns.count;
    SetDesign(state, run);
  }
  DescribeColumns(state);
  DescribeExtras(state, run);
  ChooseWindowParameters(state);
  state.cuts = MakeCuts(run.windows, state.samples, state.edges, state.columns,
                        state.terms);
  MakeBlocks(state, options.blocks);
  FindPlaces(state, run.windows, run.launches.size());
  SolveFully(state);
  CountGroupSamples(state);
  FitWindows(state);
  CompareHalves(state);
}

void Describe(FitState& state, const DeviceSamples& samples,
              std::size_t launches) {
  FitQuality& quality = state.quality;
  quality.samples = samples.start_ns.size();
  quality.samples_used = state.samples.size();
  quality.samples_lost = state.samples.lost;
  quality.gaps = state.samples.gaps;
  quality.interval_ns = state.samples.interval_ns;
  quality.launches = launches;
  quality.launches_left_out = state.places.empty() ? launches : LeftOut(state);
  quality.groups = state.groups.size();
  quality.background = state.background;
  quality.start_offset_ns = state.edges.start_ns;
  quality.end_offset_ns = state.edges.end_ns;
  quality.operations = state.design.operations + state.equations.operations;
}

}  // namespace

CounterFit::CounterFit(std::unique_ptr<const FitState> state)
    : state_(std::move(state)) {}
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
  state->groups = run.grouping.groups;
  state->columns.group = run.grouping.group;
  if (state->samples.size() >= kLeastSamples && !state->groups.empty() &&
      !metrics.empty())
    Fit(*state, run, options);
  else
    FindPlaces(*state, run.windows, launches.size());
  Describe(*state, samples, launches.size());
  Judge(*state);
  return CounterFit(std::move(state));
}

const FitQuality& CounterFit::quality() const {
  return state_->quality;
}

const std::vector<FitGroup>& CounterFit::groups() const {
  return state_->groups;
}

std::span<const std::uint32_t> CounterFit::group_of_launch() const {
  return state_->columns.group;
}

std::vector<RegionEstimate> CounterFit::Estimate(
    std::span<const RegionQuery> queries) const {
  return EstimateRegions(*state_, queries);
}

std::vector<CounterEstimate> CounterFit::Outside() const {
  return EstimateOutside(*state_);
}

std::vector<RegionBlock> CounterFit::OverTime(
    std::span<const RegionQuery> instances, std::size_t blocks) const {
  return EstimateOverTime(*state_, instances, blocks);
}

}  // namespace rangefinder
