// Captures recorded by tests/gpu/rollup_captures.sh on one H200: every ratio
// with its inputs, and the same regions measured kernel by kernel and as a
// whole.

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

// Numerator and denominator are told apart rightly: the quotient of what ncu
// reports for them is what ncu reports for the ratio, in every kernel, and so
// is the quotient of the sums for all of them together.
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

// The value of a metric over a region's ranges measured as a whole, in the
// manner of `Amounts`: counters summed over the instances of the region.
double WholeSum(const RegionRollup& region, std::size_t column) {
  double sum = 0;
  for (const WholeRow& whole : region.measured)
    sum += whole.amounts.cells[column].value;
  return sum;
}

std::size_t ColumnOf(const Rollup& rollup, std::string_view metric) {
  for (std::size_t i = 0; i < rollup.columns.size(); ++i) {
    if (rollup.columns[i].name == metric) return i;
  }
  ADD_FAILURE() << "no column " << metric;
  return 0;
}

// What the program does, and no cache, clock or gap changes.
const std::vector<std::string> kCounted = {
    "smsp__inst_executed.sum",
    "smsp__inst_executed.avg",
    "smsp__inst_executed_op_branch.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__warps_launched.sum",
    "gr__ctas_launched.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
};
// Percentages, with the cycles they are of: their products add up.
const std::vector<std::pair<std::string, std::string>> kRates = {
    {"smsp__inst_executed.avg.per_cycle_elapsed", "smsp__cycles_elapsed.avg"},
    {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed",
     "sm__cycles_elapsed.avg"},
};
// Shown, not compared: caches stay warm and gaps count in a whole range.
const std::vector<std::string> kPhysical = {
    "gpu__time_duration.sum", "smsp__cycles_elapsed.avg", "lts__t_sectors.sum",
    "lts__t_sectors_lookup_hit.sum", "dram__bytes.sum"};

class ModesOf : public ::testing::TestWithParam<std::string> {};

TEST_P(ModesOf, KernelsRolledUpAreTheRegionMeasuredAsAWhole) {
  const Capture& kernels =
      ReadCapture("rollup/" + GetParam() + ".kernel.ncu-repz");
  const Capture& ranges =
      ReadCapture("rollup/" + GetParam() + ".range.ncu-repz");
  const Rollup rolled = Roll(kernels);
  const Rollup whole = Roll(ranges);
  std::size_t regions = 0;
  std::size_t values = 0;
  double worst = 0;
  for (const RegionId root : ranges.tree[RegionTree::kRoot].children) {
    const RegionRollup& measured = whole.scopes[0].regions[Index(root)];
    if (measured.measured.empty()) continue;
    const std::string_view name =
        ranges.profile.Name(ranges.tree[root].frame.name);
    const RegionRollup& sum =
        rolled.scopes[0].regions[Index(kernels.Find({name}))];
    const auto compare = [&](const std::string& what, double ours,
                             double theirs) {
      EXPECT_NEAR(ours, theirs, 1e-3 * theirs) << name << ": " << what;
      if (theirs != 0) worst = std::max(worst, std::abs(ours / theirs - 1));
      ++values;
    };
    for (const std::string& metric : kCounted) {
      const Cell& cell = sum.inclusive.cells[ColumnOf(rolled, metric)];
      EXPECT_LE(cell.how, How::kExact) << metric;
      compare(metric, cell.value, WholeSum(measured, ColumnOf(whole, metric)));
    }
    for (const auto& [rate, cycles] : kRates) {
      const Cells& cells = sum.inclusive.cells;
      const Cell& cell = cells[ColumnOf(rolled, rate)];
      EXPECT_LE(cell.how, How::kExact) << rate;
      double theirs = 0;
      for (const WholeRow& row : measured.measured)
        theirs += row.amounts.cells[ColumnOf(whole, rate)].value *
                  row.amounts.cells[ColumnOf(whole, cycles)].value;
      compare(rate, cell.value * cells[ColumnOf(rolled, cycles)].value, theirs);
    }
    for (const std::string& metric : kPhysical) {
      const double ours = sum.inclusive.cells[ColumnOf(rolled, metric)].value;
      const double theirs = WholeSum(measured, ColumnOf(whole, metric));
      std::cout << fmt::format("{:10} {:10} {:32} {:14.0f} {:14.0f} {:7.2f}\n",
                               GetParam(), name, metric, ours, theirs,
                               theirs / ours);
    }
    ++regions;
  }
  std::cout << fmt::format(
      "{}: {} values of {} regions compared, at most {:.2g} % apart\n",
      GetParam(), values, regions, 100 * worst);
  EXPECT_GE(regions, GetParam() == "nested" ? 2 : 4);
}

INSTANTIATE_TEST_SUITE_P(Programs, ModesOf,
                         ::testing::Values("mix", "nested", "resnet"));

}  // namespace
}  // namespace rangefinder
