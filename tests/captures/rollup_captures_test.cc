// Laws of every metric, on real captures of one H200.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "insight/findings.h"
#include "profile/metric_facts.h"
#include "profile/metric_name.h"
#include "rollup/inputs.h"
#include "tests/captures/capture.h"

namespace rangefinder {
namespace {

using testing::Capture;
using testing::CaptureNames;
using testing::ReadCapture;
using testing::Roll;

std::optional<double> ValueOf(const Profile& profile, const Measurement& m,
                              std::string_view metric) {
  const auto id = profile.FindMetric(metric);
  return id ? profile.ValueOf(m, *id).number() : std::nullopt;
}

// sum(value) or sum(value * weight) over all measurements; nothing where a
// measurement lacks the value.
std::optional<double> Total(const Profile& profile, std::string_view metric,
                            std::string_view weight = {}) {
  double total = 0;
  for (const Measurement& m : profile.measurements) {
    const auto value = ValueOf(profile, m, metric);
    const auto factor =
        weight.empty() ? std::optional(1.0) : ValueOf(profile, m, weight);
    if (!value || !factor) return std::nullopt;
    total += *value * *factor;
  }
  return total;
}

TEST(RollupCaptures, OneKernelAloneKeepsEveryValueToTheLastBit) {
  std::size_t numbers = 0;
  std::size_t texts = 0;
  for (const std::string& name : CaptureNames()) {
    const Capture& capture = ReadCapture(name);
    const Profile& profile = capture.profile;
    for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
      RegionTree tree;
      tree[RegionTree::kRoot].kernels = {static_cast<MeasurementId>(i)};
      Notes notes;
      const Rollup rollup = RollUp(profile, tree, {}, notes);
      const Cells& cells = rollup.scopes[0].totals.cells;
      for (std::size_t c = 0; c < rollup.columns.size(); ++c) {
        const Value value =
            profile.ValueOf(profile.measurements[i], rollup.columns[c].metric);
        if (const auto text = value.text()) {
          ASSERT_TRUE(cells[c].is_text) << rollup.columns[c].name;
          ASSERT_EQ(cells[c].text, *text);
          ++texts;
        } else if (const auto number = value.number();
                   number && !std::isnan(*number)) {
          ASSERT_EQ(cells[c].how, How::kMeasured) << rollup.columns[c].name;
          ASSERT_EQ(cells[c].value, *number) << rollup.columns[c].name;
          ++numbers;
        }
      }
    }
  }
  std::cout << numbers << " numbers and " << texts << " texts compared\n";
  EXPECT_GT(numbers, 30000);
}

TEST(RollupCaptures, EveryThroughputIsTheLargestOfItsInputs) {
  std::size_t compared = 0;
  for (const std::string& name : CaptureNames()) {
    const Profile& profile = ReadCapture(name).profile;
    for (std::size_t i = 0; i < profile.metrics.size(); ++i) {
      const auto& inputs = profile.metrics[i].breakdown;
      if (inputs.empty()) continue;
      for (const Measurement& m : profile.measurements) {
        const auto value =
            profile.ValueOf(m, static_cast<MetricId>(i)).number();
        if (!value) continue;
        double largest = 0;
        for (const MetricId input : inputs)
          largest =
              std::max(largest, profile.ValueOf(m, input).number().value_or(0));
        EXPECT_EQ(*value, largest) << profile.Name(profile.metrics[i].name);
        ++compared;
      }
    }
  }
  std::cout << compared << " throughputs compared\n";
  EXPECT_GT(compared, 200);
}

TEST(RollupCaptures, ThroughputsAreCombinedFromTheirCombinedInputs) {
  const Profile& profile = ReadCapture("nested_full_A.ncu-repz").profile;
  const Rollup rollup = Roll(ReadCapture("nested_full_A.ncu-repz"));
  std::size_t compared = 0;
  for (std::size_t c = 0; c < rollup.columns.size(); ++c) {
    const Column& column = rollup.columns[c];
    if (!column.name.ends_with(".avg.pct_of_peak_sustained_elapsed")) continue;
    const auto& inputs = profile.metrics[Index(column.metric)].breakdown;
    if (inputs.empty()) continue;
    double largest = 0;
    for (const MetricId input : inputs) {
      const std::string_view metric = profile.MetricName(input);
      const std::string_view unit = ParseMetricName(metric).unit;
      // The units idc and gpu count no cycles in this capture; the SM's cycles
      // stand for them, and those of lts for fbpa.
      const std::string cycles = fmt::format(
          "{}__cycles_elapsed.avg", unit == "idc" || unit == "gpu" ? "sm"
                                    : unit == "fbpa"               ? "lts"
                                                                   : unit);
      const auto over = Total(profile, metric, cycles);
      const auto under = Total(profile, cycles);
      ASSERT_TRUE(over && under) << metric;
      largest = std::max(largest, *over / *under);
    }
    const Cell& cell = rollup.scopes[0].totals.cells[c];
    EXPECT_EQ(cell.how, How::kExact) << column.name;
    EXPECT_NEAR(cell.value, largest, 1e-12 * largest) << column.name;
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

TEST(RollupCaptures, TheFactsNameTheInputsThatReportsName) {
  const Profile& profile = ReadCapture("nested_full_A.ncu-repz").profile;
  const std::string chip = ChipOf(profile);
  EXPECT_EQ(chip, "GH100");
  for (const MetricDefinition& metric : profile.metrics) {
    if (metric.breakdown.empty()) continue;
    const std::string name(profile.Name(metric.name));
    std::vector<std::string> wanted = {name};
    std::vector<std::string> inputs = InputsFor(chip, wanted);
    for (const MetricId input : metric.breakdown)
      EXPECT_NE(std::ranges::find(inputs, profile.MetricName(input)),
                inputs.end())
          << profile.MetricName(input) << " of " << name;
    std::erase_if(inputs, [](const std::string& input) {
      return input.ends_with("__cycles_elapsed.avg") ||
             input == "gpu__time_duration.sum";
    });
    EXPECT_EQ(inputs.size(), metric.breakdown.size()) << name;
  }
}

// Recomputes each ratio from the raw counters that the facts name. A ratio that
// differs must not be called exact.
TEST(RollupCaptures, EveryRatioIsRecomputedOrSaysThatItIsNot) {
  const Capture& capture = ReadCapture("nested_full_A.ncu-repz");
  const Profile& profile = capture.profile;
  const Rollup rollup = Roll(capture);
  std::size_t divided = 0;
  std::size_t weighted = 0;
  std::size_t constant = 0;
  std::size_t approximate = 0;
  double worst_mean = 0;
  for (std::size_t c = 0; c < rollup.columns.size(); ++c) {
    const Column& column = rollup.columns[c];
    const MetricName name = ParseMetricName(column.name);
    if (name.form != Form::kRatio && name.form != Form::kPct) continue;
    const Cell& cell = rollup.scopes[0].totals.cells[c];
    if (cell.how == How::kAbsent) continue;
    if (cell.how == How::kApprox) {
      EXPECT_FALSE(cell.reason.empty());
      ++approximate;
      continue;
    }
    ASSERT_EQ(cell.how, How::kExact) << column.name;
    const auto facts = FindMetricFacts("GH100", column.name);
    ASSERT_TRUE(facts);
    const double scale = name.form == Form::kPct ? 100 : 1;
    const auto over = Total(profile, facts->over + ".sum");
    const auto under = Total(profile, facts->under + ".sum");
    if (cell.low == cell.high) {
      EXPECT_EQ(cell.value, cell.low);
      ++constant;
      continue;
    }
    if (over && under) {
      EXPECT_NEAR(cell.value, scale * *over / *under, 1e-12 * cell.value)
          << column.name;
      ++divided;
    } else {
      // The denominator alone, from a counter or from its rate.
      std::optional<double> weight = under;
      std::optional<double> product =
          Total(profile, column.name, facts->under + ".sum");
      if (!weight) {
        const std::string rate = facts->under + ".sum.per_cycle_active";
        weight = Total(profile, rate, "smsp__cycles_active.avg");
        product = 0;
        for (const Measurement& m : profile.measurements)
          *product += *ValueOf(profile, m, column.name) *
                      *ValueOf(profile, m, rate) *
                      *ValueOf(profile, m, "smsp__cycles_active.avg");
      }
      ASSERT_TRUE(weight && product) << column.name;
      EXPECT_NEAR(cell.value, *product / *weight, 1e-12 * cell.value)
          << column.name;
      ++weighted;
    }
    const double mean = *Total(profile, column.name) /
                        static_cast<double>(profile.measurements.size());
    worst_mean = std::max(worst_mean, std::abs(mean / cell.value - 1));
  }
  std::cout << fmt::format(
      "ratios: {} divided again, {} weighted by their denominator, {} the same "
      "everywhere, {} approximate; the unweighted mean is up to {:.0f} % off\n",
      divided, weighted, constant, approximate, 100 * worst_mean);
  EXPECT_GE(divided, 3);
  EXPECT_GE(weighted, 20);
  EXPECT_LE(approximate, 10);
}

// The mean weighted by cycles is the value of one measurement over all kernels,
// up to the idle cycles between them: sum(pct * cycles) is the same on both
// sides.
TEST(RollupCaptures, CyclesTimesRatesAddUpToTheCounters) {
  const Capture& capture = ReadCapture("nested_full_A.ncu-repz");
  const Rollup rollup = Roll(capture);
  const auto column = [&](std::string_view name) {
    const auto at = std::ranges::find(rollup.columns, name, &Column::name);
    return static_cast<std::size_t>(at - rollup.columns.begin());
  };
  const Cells& cells = rollup.scopes[0].totals.cells;
  std::size_t compared = 0;
  for (std::size_t c = 0; c < rollup.columns.size(); ++c) {
    const std::string& name = rollup.columns[c].name;
    const MetricName parsed = ParseMetricName(name);
    if (parsed.across != Across::kSum || IsSampled(parsed) ||
        parsed.form != Form::kPerCycleElapsed)
      continue;
    const std::size_t counter = column(std::string(parsed.base) + ".sum");
    const std::size_t cycles =
        column(std::string(parsed.unit) + "__cycles_elapsed.avg");
    if (counter == rollup.columns.size() || cycles == rollup.columns.size())
      continue;
    EXPECT_EQ(cells[c].how, How::kExact);
    EXPECT_NEAR(cells[c].value * cells[cycles].value, cells[counter].value,
                1e-12 * cells[counter].value)
        << name;
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

// ---- Success criteria of the predecessor ------------------------------------

std::vector<std::string> KernelNamesOf(const Capture& capture,
                                       const RegionRollup& region) {
  std::vector<std::string> names;
  for (const KernelRow& row : region.kernels)
    names.push_back(
        fmt::format("{} x{}", capture.profile.Name(row.name), row.calls));
  std::ranges::sort(names);
  return names;
}

// SC-001: distinct sections for A, A::A1 and B, and no kernel from outside.
TEST(RollupCaptures, RegionsHoldTheirOwnKernelsAndNoOthers) {
  const Capture& capture = ReadCapture("nested_basic.ncu-rep");
  const Rollup rollup = Roll(capture);
  const auto region = [&](std::vector<std::string_view> path) -> const auto& {
    return rollup.scopes[0].regions[Index(capture.Find(std::move(path)))];
  };
  const RegionRollup& a = region({"A"});
  const RegionRollup& inner = region({"A", "A::A1"});
  const RegionRollup& b = region({"B"});
  EXPECT_EQ(a.inclusive.kernel_count, 6);
  EXPECT_EQ(a.exclusive.kernel_count, 3);
  EXPECT_EQ(inner.inclusive.kernel_count, 3);
  EXPECT_EQ(b.inclusive.kernel_count, 2);
  using Names = std::vector<std::string>;
  EXPECT_EQ(KernelNamesOf(capture, a),
            (Names{"saxpy(int, float, const float *, float *) x2",
                   "void burn<(int)256>(int, float *) x1"}));
  EXPECT_EQ(KernelNamesOf(capture, inner),
            (Names{"stencil(int, const float *, float *) x3"}));
  EXPECT_EQ(KernelNamesOf(capture, b),
            (Names{"void burn<(int)256>(int, float *) x2"}));
}

// SC-002: exactly the configured metrics, in the requested order.
TEST(RollupCaptures, OnlyTheMetricsAskedForAreColumns) {
  const std::vector<std::string> asked = {
      "sm__throughput.avg.pct_of_peak_sustained_elapsed",
      "gpu__time_duration.sum", "nobody__has.sum"};
  const Rollup rollup =
      Roll(ReadCapture("nested_basic.ncu-rep"), {.metrics = asked});
  ASSERT_EQ(rollup.columns.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_EQ(rollup.columns[i].name, asked[i]);
  const Cells& cells = rollup.scopes[0].totals.cells;
  EXPECT_NE(cells[0].how, How::kAbsent);
  EXPECT_EQ(rollup.columns[1].unit, "ns");
  EXPECT_EQ(cells[2].how, How::kAbsent);
  EXPECT_EQ(std::string_view(cells[2].reason), "not collected");
}

// SC-003: a selection reduces the kernels, and the metrics are of the
// selection.
TEST(RollupCaptures, AMetricIsThatOfTheSelectedKernels) {
  const Capture& capture = ReadCapture("nested_basic.ncu-rep");
  const auto selection = Selection::Make(
      {.kernels_include = {"regex:saxpy|burn"}, .kernels_exclude = {"*burn*"}});
  ASSERT_TRUE(selection.ok());
  Notes notes;
  const RegionTree tree =
      BuildRegionTree(capture.profile, selection.value(), notes);
  const Rollup rollup = RollUp(capture.profile, tree, {}, notes);
  double time = 0;
  std::uint64_t kernels = 0;
  for (const Measurement& m : capture.profile.measurements) {
    if (capture.profile.Name(m.demangled_name).find("saxpy") ==
        std::string_view::npos)
      continue;
    time += *ValueOf(capture.profile, m, "gpu__time_duration.sum");
    ++kernels;
  }
  EXPECT_EQ(rollup.scopes[0].totals.kernel_count, kernels);
  EXPECT_EQ(rollup.scopes[0].totals.gpu_time_ns, time);
  EXPECT_LT(kernels, capture.profile.measurements.size());
}

// SC-004 allows 1 %; the counters agree to the last bit.
TEST(RollupCaptures, InnerRegionsAndOwnKernelsAddUpToEveryRegion) {
  std::size_t compared = 0;
  for (const std::string& name : CaptureNames()) {
    const Capture& capture = ReadCapture(name);
    const Rollup rollup = Roll(capture);
    for (const ScopeRollup& scope : rollup.scopes) {
      for (std::size_t r = 0; r < scope.regions.size(); ++r) {
        const RegionRollup& region = scope.regions[r];
        const Region& node = capture.tree.regions()[r];
        for (std::size_t c = 0; c < rollup.columns.size(); ++c) {
          const MetricName metric = ParseMetricName(rollup.columns[c].name);
          if (metric.form != Form::kCounter || metric.across != Across::kSum ||
              IsSampled(metric) || metric.unit == "profiler")
            continue;
          double sum = region.exclusive.cells[c].value;
          for (const RegionId child : node.children)
            sum += scope.regions[Index(child)].inclusive.cells[c].value;
          EXPECT_NEAR(region.inclusive.cells[c].value, sum, 1e-12 * sum)
              << rollup.columns[c].name;
          ++compared;
        }
        std::uint64_t kernels = region.exclusive.kernel_count;
        for (const RegionId child : node.children)
          kernels += scope.regions[Index(child)].inclusive.kernel_count;
        EXPECT_EQ(region.inclusive.kernel_count, kernels);
      }
    }
  }
  std::cout << compared << " sums reconciled\n";
  EXPECT_GT(compared, 2000);
}

}  // namespace
}  // namespace rangefinder
