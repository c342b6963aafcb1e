// Rolling up 100,000 kernels with 200 metrics: the target is under 2 s on two
// cores (docs/performance.md). Growth in kernels, metrics and depth beside it,
// and the same with the derived metrics of the house and all that they are made
// of.

#include <random>
#include <set>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "app/settings.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/formula.h"
#include "rollup/rollup.h"

namespace rangefinder {
namespace {

struct Input {
  Profile profile;
  RegionTree tree;
};

// The metrics that a collection of many has: mostly rates of the SM, some
// counters, a few attributes of the launch.
std::vector<std::string> MetricNames(
    std::size_t count, const std::vector<DerivedMetric>& derived) {
  std::vector<std::string> names = {
      "gpu__time_duration.sum", "sm__cycles_elapsed.avg",
      "sm__cycles_active.avg", "launch__grid_size", "launch__block_size"};
  std::set<std::string> known(names.begin(), names.end());
  for (const DerivedMetric& metric : derived) known.insert(metric.name);
  for (const DerivedMetric& metric : derived) {
    const Formula formula = Formula::Parse(metric.formula).value();
    for (const std::string& name : formula.metrics()) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  for (std::size_t i = 0; names.size() < count; ++i) {
    switch (i % 4) {
      case 0:
        names.push_back(fmt::format("sm__counter_{}.sum", i));
        break;
      case 1:
        names.push_back(
            fmt::format("sm__rate_{}.avg.pct_of_peak_sustained_elapsed", i));
        break;
      case 2:
        names.push_back(fmt::format("sm__rate_{}.avg.per_cycle_active", i));
        break;
      default:
        names.push_back(fmt::format("dram__rate_{}.sum.per_second", i));
    }
  }
  names.resize(count);
  return names;
}

// `regions` regions in a chain of `depth` each, ten kernels' names.
Input Make(std::size_t kernels, std::size_t metrics, std::size_t regions,
           std::size_t depth, const std::vector<DerivedMetric>& derived) {
  Input input;
  std::mt19937_64 random(7);
  std::vector<MetricId> ids;
  for (const std::string& name : MetricNames(metrics, derived))
    ids.push_back(input.profile.InternMetric(name));
  std::vector<StringId> kernel_names;
  for (int i = 0; i < 10; ++i)
    kernel_names.push_back(
        input.profile.strings.Intern(fmt::format("kernel_{}", i)));
  std::vector<RegionId> leaves;
  for (std::size_t i = 0; leaves.size() * depth < regions; ++i) {
    RegionId at = RegionTree::kRoot;
    for (std::size_t d = 0; d < depth; ++d)
      at = input.tree.FindOrAdd(
          at,
          {.name = input.profile.strings.Intern(fmt::format("r{}_{}", i, d))});
    leaves.push_back(at);
  }
  input.profile.devices.push_back({.index = 0});
  input.profile.samples.reserve(kernels * metrics);
  for (std::size_t k = 0; k < kernels; ++k) {
    Measurement m;
    m.device = 0;
    m.demangled_name = kernel_names[k % kernel_names.size()];
    m.first_sample = input.profile.samples.size();
    m.sample_count = metrics;
    for (const MetricId id : ids) {
      const Value value =
          Value::Number(static_cast<double>(random() % 1000000 + 1));
      input.profile.samples.push_back(
          {.metric = id, .kind = value.kind, .bits = value.bits});
    }
    input.tree[leaves[k * leaves.size() / kernels]].kernels.push_back(
        static_cast<MeasurementId>(k));
    input.profile.measurements.push_back(m);
  }
  return input;
}

// The memory of the cells of a rollup, each shared list once.
double CellMegabytes(const Rollup& rollup) {
  std::set<const Cell*> lists;
  std::size_t cells = 0;
  const auto add = [&](const Amounts& amounts) {
    if (lists.insert(amounts.cells.begin()).second)
      cells += amounts.cells.size();
  };
  for (const ScopeRollup& scope : rollup.scopes) {
    for (const RegionRollup& region : scope.regions) {
      add(region.inclusive);
      add(region.exclusive);
      for (const KernelRow& row : region.kernels) add(row.amounts);
    }
  }
  return static_cast<double>(cells * sizeof(Cell)) / 1e6;
}

void RollUpWith(benchmark::State& state, const RollupOptions& options) {
  const auto kernels = static_cast<std::size_t>(state.range(0));
  const auto metrics = static_cast<std::size_t>(state.range(1));
  const Input input =
      Make(kernels, metrics, static_cast<std::size_t>(state.range(2)),
           static_cast<std::size_t>(state.range(3)), options.derived);
  double megabytes = 0;
  for (auto _ : state) {
    Notes notes;
    const Rollup rollup = RollUp(input.profile, input.tree, options, notes);
    benchmark::DoNotOptimize(rollup.scopes.data());
    megabytes = CellMegabytes(rollup);
  }
  state.counters["cells_MB"] = megabytes;
  state.counters["per_value"] =
      benchmark::Counter(static_cast<double>(kernels * metrics),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

void BM_RollUp(benchmark::State& state) {
  RollUpWith(state, {});
}
BENCHMARK(BM_RollUp)
    ->ArgNames({"kernels", "metrics", "regions", "depth"})
    ->Args({100000, 200, 1000, 2})
    ->Args({100000, 200, 1000, 10})
    ->Args({100000, 20, 10000, 4})
    ->Args({10000, 200, 1000, 2})
    ->Args({1000, 200, 100, 2})
    ->Unit(benchmark::kMillisecond);

void BM_RollUpWithDerived(benchmark::State& state) {
  RollUpWith(state, ShippedSettings().analysis.rollup);
}
BENCHMARK(BM_RollUpWithDerived)
    ->ArgNames({"kernels", "metrics", "regions", "depth"})
    ->Args({100000, 200, 1000, 2})
    ->Args({100000, 200, 1000, 10})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rangefinder

BENCHMARK_MAIN();
