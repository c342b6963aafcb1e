#include "rollup/rollup.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/rollup_fixture.h"

namespace rangefinder {
namespace {

TEST_F(RollUpTest, CountersAddInclusiveAndExclusive) {
  const RegionId a = Region("A");
  const RegionId inner = Region(a, "A1");
  Kernel(a, {{kTime, 10}, {"dram__bytes.sum", 100}});
  Kernel(inner, {{kTime, 20}, {"dram__bytes.sum", 200}});
  Kernel(inner, {{kTime, 30}, {"dram__bytes.sum", 300}});

  const Rollup rollup = Roll();
  const ScopeRollup& scope = rollup.scopes[0];
  const RegionRollup& outer = scope.regions[Index(a)];
  EXPECT_EQ(outer.inclusive.kernel_count, 3);
  EXPECT_EQ(outer.exclusive.kernel_count, 1);
  EXPECT_EQ(outer.inclusive.gpu_time_ns, 60);
  EXPECT_EQ(outer.exclusive.gpu_time_ns, 10);
  EXPECT_EQ(Draw(outer.inclusive.cells[1]), "600 exact sum");
  EXPECT_EQ(Draw(outer.exclusive.cells[1]), "100 measured sum");
  EXPECT_EQ(scope.totals.gpu_time_ns, 60);
  ASSERT_EQ(scope.regions[Index(inner)].kernels.size(), 1);
  const KernelRow& row = scope.regions[Index(inner)].kernels[0];
  EXPECT_EQ(row.calls, 2);
  EXPECT_EQ(row.min_ns, 20);
  EXPECT_EQ(row.max_ns, 30);
  EXPECT_EQ(Draw(row.amounts.cells[1]), "500 exact sum");
}

TEST_F(RollUpTest, RatesAreWeightedByTheirDivisors) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 10},
             {"dram__bytes.sum.per_second", 5},
             {"sm__cycles_active.avg", 100},
             {"sm__cycles_elapsed.avg", 400},
             {"sm__inst_executed.avg.per_cycle_active", 2},
             {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", 50}});
  Kernel(a, {{kTime, 30},
             {"dram__bytes.sum.per_second", 1},
             {"sm__cycles_active.avg", 300},
             {"sm__cycles_elapsed.avg", 600},
             {"sm__inst_executed.avg.per_cycle_active", 4},
             {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", 10}});

  EXPECT_EQ(Draw("dram__bytes.sum.per_second", a),
            "2 exact weighted_mean by gpu__time_duration.sum");
  EXPECT_EQ(Draw("sm__inst_executed.avg.per_cycle_active", a),
            "3.5 exact weighted_mean by sm__cycles_active.avg");
  EXPECT_EQ(Draw("sm__inst_executed.avg.pct_of_peak_sustained_elapsed", a),
            "26 exact weighted_mean by sm__cycles_elapsed.avg");
}

TEST_F(RollUpTest, ARateWithoutItsCyclesIsApproximateByTime) {
  const RegionId a = Region("A");
  const std::string metric = "l1tex__x.avg.pct_of_peak_sustained_active";
  Kernel(a, {{kTime, 10}, {metric, 20}});
  Kernel(a, {{kTime, 30}, {metric, 40}});
  EXPECT_EQ(Draw(metric, a),
            "35 approx weighted_mean by gpu__time_duration.sum "
            "(weighted by a stand-in for its own weight)");
}

TEST_F(RollUpTest, ARateWhoseCyclesLackSomewhereFallsBackToTime) {
  const RegionId a = Region("A");
  const std::string metric = "sm__x.avg.per_cycle_active";
  Kernel(a, {{kTime, 10}, {metric, 20}, {"sm__cycles_active.avg", 1}});
  Kernel(a, {{kTime, 30}, {metric, 40}});
  EXPECT_EQ(Draw(metric, a),
            "35 approx weighted_mean by gpu__time_duration.sum "
            "(weighted by a stand-in for its own weight)");
}

TEST_F(RollUpTest, ARateWithoutAnyWeightIsAbsent) {
  const RegionId a = Region("A");
  Kernel(a, {{"dram__bytes.sum.per_second", 20}});
  Kernel(a, {{"dram__bytes.sum.per_second", 40}});
  EXPECT_EQ(Draw("dram__bytes.sum.per_second", a),
            "20..40 absent weighted_mean "
            "(no duration or cycles to weight it by)");
}

TEST_F(RollUpTest, MaximaAndMinimaOverInstancesAreBounds) {
  const RegionId a = Region("A");
  Kernel(a, {{"sm__inst_executed.max", 10}, {"sm__inst_executed.min", 1}});
  Kernel(a, {{"sm__inst_executed.max", 20}, {"sm__inst_executed.min", 2}});
  EXPECT_EQ(Draw("sm__inst_executed.max", a),
            "30 bound sum upper (of maxima over hardware instances)");
  EXPECT_EQ(Draw("sm__inst_executed.min", a),
            "3 bound sum lower (of minima over hardware instances)");
}

TEST_F(RollUpTest, AThroughputIsTheLargestOfItsCombinedInputs) {
  const RegionId a = Region("A");
  const std::string pct = ".avg.pct_of_peak_sustained_elapsed";
  const MetricId id = profile_.InternMetric("sm__throughput" + pct);
  profile_.metrics[Index(id)].breakdown = {
      profile_.InternMetric("sm__p" + pct),
      profile_.InternMetric("sm__q" + pct)};
  Kernel(a, {{"sm__cycles_elapsed.avg", 100},
             {"sm__throughput" + pct, 80},
             {"sm__p" + pct, 80},
             {"sm__q" + pct, 40}});
  Kernel(a, {{"sm__cycles_elapsed.avg", 300},
             {"sm__throughput" + pct, 60},
             {"sm__p" + pct, 20},
             {"sm__q" + pct, 60}});
  // p: 35, q: 55; the mean of the throughput itself is 65.
  EXPECT_EQ(Draw("sm__throughput" + pct, a), "55 exact largest");

  const RegionId b = Region("B");
  Kernel(b, {{"sm__cycles_elapsed.avg", 100}, {"sm__throughput" + pct, 80}});
  Kernel(b, {{"sm__cycles_elapsed.avg", 300}, {"sm__throughput" + pct, 60}});
  EXPECT_EQ(Draw("sm__throughput" + pct, b),
            "65 bound weighted_mean upper by sm__cycles_elapsed.avg "
            "(breakdown inputs were not collected)");
}

// The numerator of this ratio has no name; its denominator has.
TEST_F(RollUpTest, ARatioWithADenominatorAloneIsWeightedByIt) {
  const RegionId a = Region("A");
  for (const auto& [blocks, latency] : {std::pair(10.0, 300.0), {30.0, 100.0}})
    Kernel(a, {{kTime, 5},
               {"gr__ctas_launched.sum", blocks},
               {"tpc__average_cta_latency.ratio", latency}});
  EXPECT_EQ(Draw("tpc__average_cta_latency.ratio", a),
            "150 exact weighted_mean by gr__ctas_launched.sum");
}

// An input that is not exact counts with its largest possible value.
TEST_F(RollUpTest, AnInputThatCouldBeTheLargestMakesAThroughputUncertain) {
  const std::string pct = ".avg.pct_of_peak_sustained_elapsed";
  const MetricId id = profile_.InternMetric("sm__throughput" + pct);
  profile_.metrics[Index(id)].breakdown = {
      profile_.InternMetric("sm__p" + pct),
      profile_.InternMetric("xyz__r" + pct)};  // a unit without cycles
  const auto with = [&](const char* name, double most) {
    const RegionId region = Region(name);
    for (const auto& [p, r] : {std::pair(50.0, most), {60.0, 10.0}}) {
      Kernel(region, {{kTime, 100},
                      {"sm__cycles_elapsed.avg", 100},
                      {"sm__throughput" + pct, 70},
                      {"sm__p" + pct, p},
                      {"xyz__r" + pct, r}});
    }
    return Draw("sm__throughput" + pct, region);
  };
  // r is 32.5 as weighted, and 55 at most.
  EXPECT_EQ(with("below", 55), "55 exact largest");
  // r is 50, and could be up to 90.
  EXPECT_EQ(with("above", 90),
            "55 approx largest by sm__cycles_elapsed.avg (weighted by a "
            "stand-in for its own weight)");
}

// A hostile file may have inputs of inputs without end; each is computed once.
TEST_F(RollUpTest, InputsNestedByAHostileFileComeToAnEnd) {
  const auto name = [](int level) {
    return fmt::format("x__throughput_{}.avg.pct_of_peak_sustained_elapsed",
                       level);
  };
  Values values = {{kTime, 1}, {"sm__cycles_elapsed.avg", 5}};
  constexpr int kLevels = 5000;
  for (int level = 0; level < kLevels; ++level) {
    const MetricId inner = profile_.InternMetric(name(level + 1));
    profile_.metrics[Index(profile_.InternMetric(name(level)))].breakdown = {
        inner, inner, profile_.InternMetric(name(level / 2))};
    values.emplace_back(name(level), level);
  }
  const RegionId a = Region("A");
  Kernel(a, values);
  Kernel(a, values);
  const Rollup rollup = Roll();
  EXPECT_EQ(rollup.columns.size(), kLevels + 2);
  EXPECT_NE(rollup.scopes[0].totals.cells[2].how, How::kMeasured);
}

TEST_F(RollUpTest, AttributesOfLaunchesSpreadAndAttributesOfDevicesAgree) {
  const RegionId a = Region("A");
  Kernel(a, {{"launch__block_size", 128}, {"device__attribute_x", 7}});
  Kernel(a, {{"launch__block_size", 256}, {"device__attribute_x", 7}});
  Kernel(a, {{"launch__block_size", 128}, {"device__attribute_x", 7}});
  EXPECT_EQ(Draw("launch__block_size", a),
            "128..256 absent spread (differs between the measurements)");
  EXPECT_EQ(Roll({"launch__block_size"}).scopes[0].totals.cells[0].distinct, 2);
  EXPECT_EQ(Draw("device__attribute_x", a), "7 exact same");
}

TEST_F(RollUpTest, TextMustAgree) {
  const RegionId a = Region("A");
  const auto text = [&](const char* word) {
    const MeasurementId id = Measure({{"launch__func_cache_config", 0}});
    Sample& sample =
        profile_.samples[profile_.measurements[Index(id)].first_sample];
    const Value value = Value::Text(profile_.strings.Intern(word));
    sample.kind = value.kind;
    sample.bits = value.bits;
    tree_[a].kernels.push_back(id);
  };
  text("PreferNone");
  text("PreferNone");
  EXPECT_EQ(Draw("launch__func_cache_config", a), "PreferNone exact spread");
  text("PreferL1");
  EXPECT_EQ(Draw("launch__func_cache_config", a),
            "- absent spread (differs between the measurements)");
}

TEST_F(RollUpTest, AMetricThatSomeKernelsLackCountsThem) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 1}, {"dram__bytes.sum", 5}, {"x__y.avg.per_second", 1}});
  Kernel(a, {{kTime, 1}});
  Kernel(a, {{kTime, 1}, {"dram__bytes.sum", 7}, {"x__y.avg.per_second", 3}});
  EXPECT_EQ(Draw("dram__bytes.sum", a),
            "12 bound sum lower 2/3 (not every measurement has it)");
  EXPECT_EQ(Draw("x__y.avg.per_second", a),
            "2 approx weighted_mean by gpu__time_duration.sum 2/3 "
            "(not every measurement has it)");
  EXPECT_EQ(Draw("never__seen.sum", a), "- absent sum 0/3 (not collected)");
}

TEST_F(RollUpTest, OneMeasurementKeepsItsOwnValueToTheLastBit) {
  const RegionId a = Region("A");
  const double third = 0.1 + 0.2;
  const std::vector<std::string> names = {
      "a__b.sum",         "a__b.max",
      "a__b.ratio",       "sm__throughput.avg.pct_of_peak_sustained_elapsed",
      "launch__x",        "a__b.avg.per_cycle_active",
      "derived__anything"};
  Values values;
  for (const std::string& name : names) values.emplace_back(name, third);
  Kernel(a, values);
  for (const std::string& name : names) {
    const Rollup rollup = Roll({name});
    const Cell& cell = rollup.scopes[0].totals.cells[0];
    EXPECT_EQ(cell.how, How::kMeasured) << name;
    EXPECT_EQ(cell.value, third) << name;
  }
}

TEST_F(RollUpTest, ARangeMeasuredAsAWholeIsNeverAdded) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 10}});
  Range(a, {{kTime, 50}});
  const Rollup rollup = Roll();
  const RegionRollup& region = rollup.scopes[0].regions[Index(a)];
  EXPECT_EQ(region.inclusive.gpu_time_ns, 10);
  ASSERT_EQ(region.measured.size(), 1);
  EXPECT_EQ(Draw(region.measured[0].amounts.cells[0]), "50 measured sum");
}

// ncu gives a range the attribute of some launch, and a list of all.
TEST_F(RollUpTest, ARangeWhoseLaunchesDifferHasASpreadAndNoValue) {
  const RegionId a = Region("A");
  const auto range = [&](std::vector<double> launches, const char* metric) {
    Range(a, {{metric, launches.front()}});
    Measurement& m = profile_.measurements.back();
    m.instances.push_back(
        {.metric = profile_.InternMetric(metric),
         .list = static_cast<std::uint32_t>(profile_.instance_lists.size())});
    auto& list = profile_.instance_lists.emplace_back();
    for (const double value : launches)
      list.push_back({.key = list.size(), .value = Value::Number(value)});
  };
  range({64, 32, 64}, "launch__block_size");
  range({64, 64, 64}, "launch__block_size");
  range({64, 32, 16}, "launch__occupancy_per_block_size");
  range({64, 32, 16}, "sm__cycles_active.avg");
  const Rollup rollup = Roll();
  std::vector<std::string> drawn;
  for (const WholeRow& row : rollup.scopes[0].regions[Index(a)].measured) {
    for (const Cell& cell : row.amounts.cells) {
      if (cell.present > 0)
        drawn.push_back(fmt::format("{} of {}", Draw(cell), cell.distinct));
    }
  }
  EXPECT_EQ(drawn, (std::vector<std::string>{
                       "32..64 absent spread (differs between the launches of "
                       "the range) of 2",
                       "64 measured spread of 0", "64 measured spread of 0",
                       "64 measured sum of 0"}));
}

TEST_F(RollUpTest, TheOnlyScopeIsListedBesideTheAggregate) {
  Kernel(Region("A"), {{kTime, 10}});
  const auto scopes = [&](bool aggregate) {
    std::string drawn;
    const RollupOptions options{.aggregate = aggregate};
    for (const ScopeRollup& scope :
         RollUp(profile_, tree_, options, notes_).scopes) {
      drawn += fmt::format("{} {}; ",
                           scope.scope.aggregate
                               ? std::string("all")
                               : fmt::format("device {}", scope.scope.device),
                           scope.totals.gpu_time_ns);
    }
    return drawn;
  };
  EXPECT_EQ(scopes(true), "all 10; device 0 10; ");
  EXPECT_EQ(scopes(false), "device 0 10; ");
}

TEST_F(RollUpTest, ScopesAreProcessesOnDevicesInOrderOfAppearance) {
  const RegionId a = Region("A");
  process_ = ProcessId{1};
  Kernel(a, {{kTime, 10}});
  process_ = ProcessId{0};
  Kernel(a, {{kTime, 20}});
  device_ = 1;
  Kernel(Region("B"), {{kTime, 40}});

  const Rollup rollup = Roll();
  ASSERT_EQ(rollup.scopes.size(), 4);
  EXPECT_EQ(rollup.scopes[0].totals.gpu_time_ns, 70);
  EXPECT_EQ(rollup.scopes[1].totals.gpu_time_ns, 10);
  EXPECT_EQ(rollup.scopes[1].scope.process, ProcessId{1});
  EXPECT_EQ(rollup.scopes[3].totals.gpu_time_ns, 40);
  EXPECT_TRUE(rollup.scopes[3].regions[Index(a)].empty);
  EXPECT_FALSE(rollup.scopes[1].regions[Index(a)].empty);
  Notes notes;
  EXPECT_EQ(RollUp(profile_, tree_, {.aggregate = false}, notes).scopes.size(),
            3);
}

TEST_F(RollUpTest, AKernelWithoutDurationCountsAndIsNoted) {
  Kernel(Region("A"), {{"dram__bytes.sum", 1}});
  const Rollup rollup = Roll();
  EXPECT_EQ(rollup.scopes[0].totals.without_time, 1);
  ASSERT_EQ(notes_.all().size(), 1);
  EXPECT_EQ(notes_.all()[0].kind, "no_duration");
}

TEST_F(RollUpTest, RatiosAreDividedAgainOrWeightedByTheirDenominator) {
  const RegionId a = Region("A");
  const std::string rate = "lts__t_sector_hit_rate.pct";
  const std::string hits = "lts__t_sectors_lookup_hit.sum";
  const std::string all = "lts__t_sectors.sum";
  Kernel(a, {{rate, 50}, {hits, 1}, {all, 2}, {kTime, 9}});
  Kernel(a, {{rate, 100}, {hits, 8}, {all, 8}, {kTime, 1}});
  EXPECT_EQ(Draw(rate, a), "90 exact ratio");
  const RegionId b = Region("B");
  Kernel(b, {{rate, 50}, {all, 2}, {kTime, 9}});
  Kernel(b, {{rate, 100}, {all, 8}, {kTime, 1}});
  EXPECT_EQ(Draw(rate, b), "90 exact weighted_mean by lts__t_sectors.sum");
  const RegionId c = Region("C");
  Kernel(c, {{rate, 50}, {kTime, 9}});
  Kernel(c, {{rate, 100}, {kTime, 1}});
  EXPECT_EQ(Draw(rate, c),
            "55 approx weighted_mean by gpu__time_duration.sum (inputs of the "
            "ratio were not collected)");
}

TEST_F(RollUpTest, RatiosAreDividedFromRatesTimesTheirCycles) {
  const RegionId a = Region("A");
  const std::string ratio = "smsp__average_warps_active_per_issue_active.ratio";
  const auto kernel = [&](double warps, double issued, double cycles) {
    Kernel(a, {{ratio, warps / issued},
               {"smsp__warps_active.avg.per_cycle_active", warps},
               {"smsp__issue_active.avg.per_cycle_active", issued},
               {"smsp__cycles_active.avg", cycles}});
  };
  kernel(8, 0.5, 100);
  kernel(4, 1, 300);
  EXPECT_EQ(Draw(ratio, a),
            fmt::format("{:.10g} exact ratio", (800. + 1200) / (50 + 300)));
}

TEST_F(RollUpTest, RulesOfAUserComeFirst) {
  const RegionId a = Region("A");
  Kernel(a, {{"my__x.avg", 1}, {"w", 1}});
  Kernel(a, {{"my__x.avg", 4}, {"w", 2}});
  const auto draw = [&](const std::vector<UserRule>& rules) {
    const Rollup rollup = RollUp(
        profile_, tree_, {.metrics = {"my__x.avg"}, .rules = rules}, notes_);
    return Draw(rollup.scopes[0].totals.cells[0]);
  };
  const UserRule mean{.match = "my__*", .rule = "mean", .weight = "w"};
  EXPECT_EQ(draw({mean}), "3 exact weighted_mean by w");
  // The first match counts.
  EXPECT_EQ(draw({{.match = "my__x.av?", .rule = "sum"}, mean}), "5 exact sum");
  EXPECT_EQ(draw({{.match = "my__x", .rule = "sum"}, mean}),
            "3 exact weighted_mean by w");
  EXPECT_EQ(draw({{.match = "regex:^my__[xy]", .rule = "sum"}, mean}),
            "5 exact sum");
}

TEST(UserRules, AFaultNamesTheKey) {
  const auto fault = [](const UserRule& rule) {
    const auto found = FaultOf(rule);
    return found ? fmt::format("{}: {}", found->key, found->text) : "";
  };
  EXPECT_EQ(fault({.match = "a", .rule = "sum"}), "");
  EXPECT_EQ(fault({.match = "a", .rule = "best"}),
            "rule: expected one of sum, mean, ratio, same, spread, none, got "
            "'best'");
  EXPECT_EQ(fault({.rule = "sum"}),
            "match: a rule needs the metrics it is for");
  EXPECT_EQ(fault({.match = "regex:(", .rule = "sum"}),
            "match: no regular expression: missing ): (");
  EXPECT_EQ(fault({.match = "a", .rule = "ratio", .over = "b"}),
            "under: a ratio needs a denominator");
  EXPECT_EQ(fault({.match = "a", .rule = "ratio", .under = "b"}),
            "over: a ratio needs a numerator");
  EXPECT_EQ(fault({.match = "a", .rule = "ratio", .over = "b", .under = "c"}),
            "");
  EXPECT_EQ(fault({.match = "a", .over = "b"}),
            "rule: expected one of sum, mean, ratio, same, spread, none");
}

TEST_F(RollUpTest, EachRuleOfAUserIsApplied) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 1}, {"x", 2}, {"over", 1}, {"under", 2}, {"w", 1}});
  Kernel(a, {{kTime, 3}, {"x", 6}, {"over", 2}, {"under", 10}, {"w", 1}});
  const auto draw = [&](UserRule rule) {
    rule.match = "x";
    const std::vector<UserRule> rules = {rule};
    const Rollup rollup =
        RollUp(profile_, tree_, {.metrics = {"x"}, .rules = rules}, notes_);
    return Draw(rollup.scopes[0].totals.cells[0]);
  };
  EXPECT_EQ(draw({.rule = "sum"}), "8 exact sum");
  EXPECT_EQ(draw({.rule = "mean"}),
            "5 exact weighted_mean by gpu__time_duration.sum");
  EXPECT_EQ(draw({.rule = "mean", .weight = kTime}),
            "5 exact weighted_mean by gpu__time_duration.sum");
  EXPECT_EQ(draw({.rule = "mean", .weight = "w"}),
            "4 exact weighted_mean by w");
  EXPECT_EQ(draw({.rule = "ratio", .over = "over", .under = "under"}),
            "0.25 exact ratio");
  EXPECT_EQ(
      draw({.rule = "ratio", .over = "over", .under = "under", .scale = 100}),
      "25 exact ratio");
  EXPECT_EQ(draw({.rule = "same"}),
            "2..6 absent same (differs between the measurements)");
  EXPECT_EQ(draw({.rule = "spread"}),
            "2..6 absent spread (differs between the measurements)");
  EXPECT_EQ(draw({.rule = "none"}),
            "2..6 absent none (left out by a rule of the user's)");
}

TEST_F(RollUpTest, DerivedMetricsAreEvaluatedOnRolledUpInputs) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 1}, {"dram__bytes.sum", 100}});
  Kernel(a, {{kTime, 3}, {"dram__bytes.sum", 20}});
  const std::vector<DerivedMetric> derived = {
      {"bandwidth", "byte/ns", "dram__bytes.sum / gpu__time_duration.sum", "d"},
      {"twice", "", "2 * bandwidth", ""},
      {"never", "", "nobody__has.sum", ""},
      {"half", "", "nobody__has.sum / gpu__time_duration.sum", ""},
      {"either", "", "first(nobody__has.sum, dram__bytes.sum)", ""},
      {"loop", "", "loop + bandwidth", ""}};
  const Rollup rollup = RollUp(profile_, tree_, {.derived = derived}, notes_);
  // Derived metrics without their inputs make no columns.
  std::vector<std::string> names;
  for (const Column& column : rollup.columns) names.push_back(column.name);
  ASSERT_EQ(names, (std::vector<std::string>{kTime, "dram__bytes.sum",
                                             "bandwidth", "twice", "either"}));
  EXPECT_EQ(rollup.columns[2].unit, "byte/ns");
  const Cells& cells = rollup.scopes[0].totals.cells;
  EXPECT_EQ(Draw(cells[2]), "30 exact formula");
  EXPECT_EQ(Draw(cells[3]), "60 exact formula");
  EXPECT_EQ(Draw(cells[4]), "120 exact formula");
}

TEST_F(RollUpTest, RegionsOfOneNameAddUpAndCountAKernelOnce) {
  const RegionId step = Region("step");
  const RegionId layer = Region(step, "layer");
  const RegionId nested = Region(layer, "layer");  // the name inside itself
  const RegionId other = Region(Region("warm-up"), "layer");
  Kernel(step, {{kTime, 1}, {"dram__bytes.sum", 1000}});
  Kernel(layer, {{kTime, 10}, {"dram__bytes.sum", 100}});
  Kernel(nested, {{kTime, 20}, {"dram__bytes.sum", 200}});
  Kernel(other, {{kTime, 5}, {"dram__bytes.sum", 50}});

  const Rollup rollup = Roll();
  ASSERT_EQ(rollup.scopes[0].names.size(),
            1);  // no other region has the name of step
  const NameRow& row = rollup.scopes[0].names[0];
  EXPECT_EQ(row.regions, (std::vector{layer, nested, other}));
  EXPECT_EQ(row.amounts.kernel_count, 3);
  EXPECT_EQ(row.amounts.gpu_time_ns, 35);
  EXPECT_EQ(Draw(row.amounts.cells[1]), "350 exact sum");
}

TEST_F(RollUpTest, AMeasurementOfManyLaunchesCountsAsMany) {
  const RegionId a = Region("A");
  const RegionId inner = Region(a, "A1");
  Kernel(a, {{kTime, 10}});
  Kernel(inner, {{kTime, 90}, {"dram__bytes.sum", 200}});
  profile_.folded.push_back({.launches = 3, .min_ns = 20, .max_ns = 40});
  profile_.measurements.back().folded = 1;

  const Rollup rollup = Roll();
  const ScopeRollup& scope = rollup.scopes[0];
  EXPECT_EQ(scope.regions[Index(a)].inclusive.kernel_count, 4);
  EXPECT_EQ(scope.regions[Index(a)].inclusive.gpu_time_ns, 100);
  const RegionRollup& many = scope.regions[Index(inner)];
  EXPECT_EQ(many.exclusive.kernel_count, 3);
  EXPECT_EQ(many.exclusive.without_time, 0);
  EXPECT_EQ(Draw(many.exclusive.cells[1]), "200 exact sum");
  ASSERT_EQ(many.kernels.size(), 1);
  EXPECT_EQ(many.kernels[0].calls, 3);
  EXPECT_EQ(many.kernels[0].min_ns, 20);
  EXPECT_EQ(many.kernels[0].max_ns, 40);
}

TEST_F(RollUpTest, RegionsWithoutMeasurementsShareOneListOfCells) {
  const RegionId step = Region("step");
  const RegionId measured = Region(step, "measured");
  Kernel(measured, {{kTime, 10}, {"dram__bytes.sum", 100}});
  const RegionId first = Region(step, "first");
  const RegionId second = Region("second");

  const Rollup rollup = Roll();
  ASSERT_EQ(rollup.scopes.size(), 2);
  const ScopeRollup& scope = rollup.scopes[0];
  const auto& nothing = scope.regions[Index(first)].inclusive;
  EXPECT_EQ(nothing.kernel_count, 0);
  EXPECT_EQ(Draw(nothing.cells[0]),
            "- absent sum (no value in any "
            "measurement)");
  for (const ScopeRollup& each : rollup.scopes) {
    for (const RegionId id : {first, second}) {
      const RegionRollup& region = each.regions[Index(id)];
      EXPECT_EQ(region.inclusive.cells.begin(), nothing.cells.begin());
      EXPECT_EQ(region.exclusive.cells.begin(), nothing.cells.begin());
    }
  }
  const RegionRollup& outer = scope.regions[Index(step)];
  EXPECT_EQ(outer.exclusive.cells.begin(), nothing.cells.begin());
  EXPECT_EQ(outer.inclusive.gpu_time_ns, 10);
}

}  // namespace

}  // namespace rangefinder
