// Captures that tests/gpu/rollup_captures.sh recorded on one H200: every ratio
// with its inputs, and the same regions measured kernel by kernel and as a
// whole.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "profile/metric_facts.h"
#include "profile/metric_name.h"
#include "tests/captures/capture.h"

namespace rangefinder {
namespace {

using testing::Capture;
using testing::ReadCapture;
using testing::Roll;

// Numerators and denominators are the right ones: in every kernel their
// quotient is the ratio that ncu reports, and the quotient of their sums is the
// ratio of all kernels together.
TEST(ModesCaptures, EveryRatioIsTheQuotientThatTheFactsSay) {
  const Capture& capture = ReadCapture("rollup/ratios.ncu-repz");
  const Profile& profile = capture.profile;
  const Rollup rollup = Roll(capture);
  const Cells& cells = rollup.scopes[0].totals.cells;
  std::size_t confirmed = 0;
  std::size_t zero = 0;
  double worst_mean = 0;
  for (std::size_t c = 0; c < rollup.columns.size(); ++c) {
    const Column& column = rollup.columns[c];
    const MetricName name = ParseMetricName(column.name);
    if (name.form != Form::kRatio && name.form != Form::kPct) continue;
    const auto facts = FindMetricFacts("GH100", column.name);
    ASSERT_TRUE(facts && !facts->over.empty()) << column.name;
    const auto over = profile.FindMetric(facts->over + ".sum");
    const auto under = profile.FindMetric(facts->under + ".sum");
    ASSERT_TRUE(over && under) << column.name;
    const double scale = name.form == Form::kPct ? 100 : 1;
    double sum_over = 0;
    double sum_under = 0;
    double mean = 0;
    for (const Measurement& m : profile.measurements) {
      const double a = profile.ValueOf(m, *over).number().value();
      const double b = profile.ValueOf(m, *under).number().value();
      sum_over += a;
      sum_under += b;
      if (b == 0) continue;
      const double value = profile.ValueOf(m, column.metric).number().value();
      EXPECT_NEAR(value, scale * a / b, 1e-9 * std::abs(value)) << column.name;
      mean += value / static_cast<double>(profile.measurements.size());
    }
    ++(sum_over != 0 ? confirmed : zero);
    if (sum_under == 0) continue;
    EXPECT_EQ(cells[c].how, How::kExact) << column.name;
    EXPECT_NEAR(cells[c].value, scale * sum_over / sum_under,
                1e-12 * std::abs(cells[c].value))
        << column.name;
    if (cells[c].value > 0)
      worst_mean = std::max(worst_mean, std::abs(mean / cells[c].value - 1));
  }
  std::cout << fmt::format(
      "{} ratios confirmed, {} were 0 in every kernel; the unweighted mean is "
      "up to {:.0f} % off\n",
      confirmed, zero, 100 * worst_mean);
  EXPECT_GE(confirmed, 115);
}

// Metrics that the program's control flow decides, by the names in
// tests/gpu/compare_modes.py, which has the reasons. Range replay has no
// metrics of patched instructions.
bool IsDecided(const MetricName& name) {
  constexpr std::string_view kDecided[] = {
      "sm__inst_executed",          "smsp__inst_executed",
      "smsp__thread_inst_executed", "smsp__branch_targets_threads",
      "sm__ops_path_tensor",        "smsp__warps_launched",
      "sm__ctas_launched",          "gr__ctas_launched",
      "l1tex__t_requests_pipe_lsu", "l1tex__t_sectors_pipe_lsu",
      "l1tex__lsuin_requests"};
  const auto has = [&](std::string_view part) {
    return name.base.find(part) != std::string_view::npos;
  };
  // The pipe may issue these instructions again, so two launches of one kernel
  // differ.
  if (has("_pipe_adu") || has("_pipe_cbu_pred_on_any")) return false;
  if (has("lookup") || has("hit_rate")) return false;
  return std::ranges::any_of(kDecided, [&](std::string_view prefix) {
    return name.base.starts_with(prefix);
  });
}

// The denominator of a rate: a counter is the rate times this metric. Empty:
// none.
std::string DivisorOf(const MetricName& name) {
  const std::string unit(name.unit);
  switch (name.form) {
    case Form::kPerSecond:
      return std::string(kTimeWeight);
    case Form::kPctActive:
    case Form::kPerCycleActive:
      return unit + "__cycles_active.avg";
    case Form::kPctElapsed:
    case Form::kPerCycleElapsed:
      return unit + "__cycles_elapsed.avg";
    default:
      return "";
  }
}

bool IsCount(const MetricName& name) {
  return (name.across == Across::kSum || name.across == Across::kAvg) &&
         (name.form == Form::kCounter || !DivisorOf(name).empty());
}

class ModesOf : public ::testing::TestWithParam<std::string> {};

TEST_P(ModesOf, KernelsRolledUpAreTheRegionMeasuredAsAWhole) {
  const Capture& kernels =
      ReadCapture("rollup/" + GetParam() + ".kernel.ncu-repz");
  const Capture& ranges =
      ReadCapture("rollup/" + GetParam() + ".range.ncu-repz");
  const Rollup rolled = Roll(kernels);
  const Rollup whole = Roll(ranges);
  const auto column = [](const Rollup& rollup, std::string_view metric) {
    const auto at = std::ranges::find(rollup.columns, metric, &Column::name);
    return static_cast<std::size_t>(at - rollup.columns.begin());
  };
  std::size_t regions = 0;
  std::size_t values = 0;
  std::size_t nonzero = 0;
  double worst = 0;
  for (const RegionId root : ranges.tree[RegionTree::kRoot].children) {
    const RegionRollup& measured = whole.scopes[0].regions[Index(root)];
    if (measured.measured.empty()) continue;
    ++regions;
    const std::string_view region =
        ranges.profile.Name(ranges.tree[root].frame.name);
    const Cells& cells =
        rolled.scopes[0].regions[Index(kernels.Find({region}))].inclusive.cells;
    for (std::size_t c = 0; c < rolled.columns.size(); ++c) {
      const std::string& metric = rolled.columns[c].name;
      const MetricName name = ParseMetricName(metric);
      if (!IsDecided(name) || !IsCount(name)) continue;
      const std::size_t there = column(whole, metric);
      if (there == whole.columns.size()) continue;
      EXPECT_LE(cells[c].how, How::kExact) << metric;
      const std::string divisor = DivisorOf(name);
      double ours = cells[c].value;
      double theirs = 0;
      if (!divisor.empty()) ours *= cells[column(rolled, divisor)].value;
      for (const WholeRow& row : measured.measured) {
        const Cells& in = row.amounts.cells;
        theirs += in[there].value *
                  (divisor.empty() ? 1 : in[column(whole, divisor)].value);
      }
      ++values;
      if (theirs != 0 || ours != 0) ++nonzero;
      EXPECT_NEAR(ours, theirs, 1e-12 * std::abs(theirs))
          << region << ": " << metric;
      if (theirs != 0) worst = std::max(worst, std::abs(ours / theirs - 1));
    }
  }
  std::cout << fmt::format(
      "{}: {} values ({} not 0) of {} regions compared, at most {:.2g} % "
      "apart\n",
      GetParam(), values, nonzero, regions, 100 * worst);
  EXPECT_GE(regions, GetParam() == "nested" ? 2 : 4);
  EXPECT_GE(values, 420 * regions);
  EXPECT_GE(nonzero, 55 * regions);
}

// Launch attributes of a range are those of its kernels: all of them or none.
TEST_P(ModesOf, LaunchesOfARangeSpreadAsItsKernelsDo) {
  const Capture& kernels =
      ReadCapture("rollup/" + GetParam() + ".kernel.ncu-repz");
  const Capture& ranges =
      ReadCapture("rollup/" + GetParam() + ".range.ncu-repz");
  const std::vector<std::string> attributes = {
      "launch__grid_size", "launch__block_size", "launch__registers_per_thread",
      "launch__thread_count"};
  const Rollup rolled = Roll(kernels, {.metrics = attributes});
  const Rollup whole = Roll(ranges, {.metrics = attributes});
  std::size_t compared = 0;
  std::size_t differing = 0;
  for (const RegionId root : ranges.tree[RegionTree::kRoot].children) {
    const auto& measured = whole.scopes[0].regions[Index(root)].measured;
    if (measured.empty()) continue;
    const std::string_view name =
        ranges.profile.Name(ranges.tree[root].frame.name);
    const Cells& ours =
        rolled.scopes[0].regions[Index(kernels.Find({name}))].inclusive.cells;
    for (std::size_t c = 0; c < attributes.size(); ++c) {
      const Cell& theirs = measured[0].amounts.cells[c];
      EXPECT_EQ(ours[c].how == How::kAbsent, theirs.how == How::kAbsent)
          << name << ": " << attributes[c];
      EXPECT_EQ(ours[c].value, theirs.value) << name << ": " << attributes[c];
      ++compared;
      if (theirs.how != How::kAbsent) continue;
      ++differing;
      EXPECT_EQ(ours[c].low, theirs.low) << name << ": " << attributes[c];
      EXPECT_EQ(ours[c].high, theirs.high) << name << ": " << attributes[c];
      EXPECT_EQ(ours[c].distinct, theirs.distinct);
    }
  }
  std::cout << GetParam() << ": " << compared << " attributes compared, "
            << differing << " differ between launches\n";
  EXPECT_GE(compared, 8);
}

INSTANTIATE_TEST_SUITE_P(Programs, ModesOf,
                         ::testing::Values("mix", "nested", "resnet"));

}  // namespace
}  // namespace rangefinder
