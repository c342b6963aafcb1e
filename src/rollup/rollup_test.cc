#include "rollup/rollup.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace rangefinder {
namespace {

using Values = std::vector<std::pair<std::string, double>>;

// Profiles by hand: kernels in regions, in the order of the calls.
class RollUpTest : public testing::Test {
 protected:
  RegionId Region(RegionId parent, std::string_view name) {
    return tree_.FindOrAdd(parent, {.name = profile_.strings.Intern(name)});
  }
  RegionId Region(std::string_view name) {
    return Region(RegionTree::kRoot, name);
  }

  MeasurementId Measure(const Values& values, std::string_view kernel = "k") {
    Measurement m;
    m.demangled_name = profile_.strings.Intern(kernel);
    m.device = device_;
    m.process = process_;
    m.first_sample = profile_.samples.size();
    m.sample_count = values.size();
    for (const auto& [name, value] : values) {
      const Value number = Value::Number(value);
      profile_.samples.push_back({.metric = profile_.InternMetric(name),
                                  .kind = number.kind,
                                  .bits = number.bits});
    }
    profile_.measurements.push_back(m);
    return static_cast<MeasurementId>(profile_.measurements.size() - 1);
  }
  void Kernel(RegionId region, const Values& values,
              std::string_view kernel = "k") {
    tree_[region].kernels.push_back(Measure(values, kernel));
  }
  void Range(RegionId region, const Values& values) {
    const MeasurementId id = Measure(values, "range");
    profile_.measurements[Index(id)].kind = MeasurementKind::kRange;
    tree_[region].ranges.push_back(id);
  }

  Rollup Roll(std::vector<std::string> metrics = {}) {
    return RollUp(profile_, tree_, {.metrics = std::move(metrics)}, notes_);
  }

  // "16 exact sum", "2..5 absent spread (differs ...)"
  std::string Draw(const Cell& cell) {
    std::string text;
    if (cell.is_text) {
      text = profile_.Name(cell.text);
    } else if (cell.how != How::kAbsent) {
      text = fmt::format("{:.10g}", cell.value);
    } else if (cell.has_spread) {
      text = fmt::format("{:g}..{:g}", cell.low, cell.high);
    } else {
      text = "-";
    }
    text +=
        fmt::format(" {} {}", HowName(cell.how), std::string_view(cell.rule));
    if (cell.bound != Bound::kNone)
      text += fmt::format(" {}", BoundName(cell.bound));
    if (!cell.weight.empty())
      text += fmt::format(" by {}", std::string_view(cell.weight));
    if (cell.missing != 0)
      text += fmt::format(" {}/{}", cell.present, cell.present + cell.missing);
    if (!cell.reason.empty())
      text += fmt::format(" ({})", std::string_view(cell.reason));
    return text;
  }
  std::string Draw(const std::string& metric, RegionId region) {
    const Rollup rollup = Roll({metric});
    return Draw(rollup.scopes[0].regions[Index(region)].inclusive.cells[0]);
  }

  Profile profile_;
  RegionTree tree_;
  Notes notes_;
  ProcessId process_{};
  std::int32_t device_ = 0;
};

const std::string kTime = "gpu__time_duration.sum";

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

TEST_F(RollUpTest, RatesAreWeightedByWhatTheyAreRatesOf) {
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

TEST_F(RollUpTest, ARateWithoutItsCyclesIsWeightedByTimeAndSaysSo) {
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

TEST_F(RollUpTest, NothingToWeightByIsAbsent) {
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

TEST_F(RollUpTest, AttributesOfLaunchesSpreadAndThoseOfDevicesAgree) {
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

TEST_F(RollUpTest, AMetricThatSomeKernelsLackSaysHowMany) {
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

TEST_F(RollUpTest, RatiosAreDividedAgainOrWeightedByWhatTheyAreDividedBy) {
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

TEST_F(RollUpTest, RulesOfTheUsersComeFirst) {
  const RegionId a = Region("A");
  Kernel(a, {{"my__x.avg", 1}, {"w", 1}});
  Kernel(a, {{"my__x.avg", 4}, {"w", 2}});
  const auto rules =
      ParseUserRules("- {match: 'my__*', rule: mean, weight: w}");
  ASSERT_TRUE(rules.ok());
  const Rollup rollup =
      RollUp(profile_, tree_,
             {.metrics = {"my__x.avg"}, .rules = rules.value()}, notes_);
  EXPECT_EQ(Draw(rollup.scopes[0].totals.cells[0]),
            "3 exact weighted_mean by w");
  EXPECT_EQ(ParseUserRules("- {match: a, rule: best}").error().message(),
            "line 1, column 3: rule: must be sum, mean, ratio, same, spread or "
            "none, not 'best'");
  EXPECT_EQ(ParseUserRules("- {match: a, rul: sum}").error().message(),
            "line 1, column 14: unknown key 'rul'; a rule has match, rule, "
            "weight, over, under, scale");
}

TEST_F(RollUpTest, DerivedMetricsAreEvaluatedOnWhatTheirInputsAmountTo) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 1}, {"dram__bytes.sum", 100}});
  Kernel(a, {{kTime, 3}, {"dram__bytes.sum", 20}});
  const auto derived = ParseDerived(
      "- {name: bandwidth, unit: byte/ns, doc: d,\n"
      "   formula: dram__bytes.sum / gpu__time_duration.sum}\n"
      "- {name: twice, formula: 2 * bandwidth}\n"
      "- {name: never, formula: nobody__has.sum}\n"
      "- {name: loop, formula: loop + bandwidth}\n");
  ASSERT_TRUE(derived.ok()) << derived.error().message();
  const Rollup rollup =
      RollUp(profile_, tree_, {.derived = derived.value()}, notes_);
  ASSERT_EQ(rollup.columns.size(), 5);
  EXPECT_EQ(rollup.columns[2].name, "bandwidth");
  EXPECT_EQ(rollup.columns[2].unit, "byte/ns");
  const Cells& cells = rollup.scopes[0].totals.cells;
  EXPECT_EQ(Draw(cells[2]), "30 exact formula");
  EXPECT_EQ(Draw(cells[3]), "60 exact formula");
  EXPECT_EQ(cells[4].how, How::kAbsent);
  EXPECT_EQ(ParseDerived("- {name: a, formula: 1 +}").error().message(),
            "line 1, column 22: formula of a: column 4: expected a number, a "
            "metric or '('");
}

TEST_F(RollUpTest, TheDerivedMetricsOfTheHouseCanBeRead) {
  const auto text =
      ReadFile(RANGEFINDER_SOURCE_DIR "/conf/derived/default.yaml");
  ASSERT_TRUE(text.ok());
  const auto derived = ParseDerived(text.value());
  ASSERT_TRUE(derived.ok()) << derived.error().message();
  const std::string op = "smsp__sass_thread_inst_executed_op_f";
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 2000},
             {"dram__bytes.sum", 100},
             {op + "add_pred_on.sum", 10},
             {op + "mul_pred_on.sum", 20},
             {op + "fma_pred_on.sum", 35}});
  const auto value = [&](const std::string& name) {
    const Rollup rollup =
        RollUp(profile_, tree_, {.metrics = {name}, .derived = derived.value()},
               notes_);
    return Draw(rollup.scopes[0].totals.cells[0]);
  };
  EXPECT_EQ(value("flop_fp32"), "100 exact formula");
  EXPECT_EQ(value("flop"), "100 exact formula");
  EXPECT_EQ(value("arithmetic_intensity"), "1 exact formula");
  EXPECT_EQ(value("flops_fp32"), "50000000 exact formula");
  EXPECT_EQ(value("dram_bandwidth"), "50000000 exact formula");
  EXPECT_EQ(value("flop_tensor"),
            "- absent formula (inputs of the formula are missing)");
  const auto rules =
      ReadFile(RANGEFINDER_SOURCE_DIR "/conf/rollup/default.yaml");
  ASSERT_TRUE(rules.ok());
  EXPECT_TRUE(ParseUserRules(rules.value()).ok());
}

// ---- Laws ------------------------------------------------------------------

const std::vector<std::string> kLawMetrics = {
    kTime,
    "sm__inst_executed.sum",
    "sm__inst_executed.max",
    "sm__cycles_active.avg",
    "sm__x.avg.per_cycle_active",
    "dram__bytes.sum.per_second",
    "a__b.ratio",
    "launch__grid_size",
};

Values RandomValues(std::mt19937& random) {
  std::uniform_real_distribution<double> number(1, 1e9);
  Values values;
  for (const std::string& name : kLawMetrics) {
    if (random() % 8 != 0) values.emplace_back(name, number(random));
  }
  return values;
}

void ExpectSame(const Amounts& a, const Amounts& b) {
  EXPECT_EQ(a.kernel_count, b.kernel_count);
  EXPECT_EQ(a.without_time, b.without_time);
  EXPECT_DOUBLE_EQ(a.gpu_time_ns, b.gpu_time_ns);
  ASSERT_EQ(a.cells.size(), b.cells.size());
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    SCOPED_TRACE(kLawMetrics[i]);
    EXPECT_EQ(a.cells[i].how, b.cells[i].how);
    EXPECT_DOUBLE_EQ(a.cells[i].value, b.cells[i].value);
    EXPECT_EQ(a.cells[i].present, b.cells[i].present);
    EXPECT_EQ(a.cells[i].missing, b.cells[i].missing);
    EXPECT_EQ(a.cells[i].low, b.cells[i].low);
    EXPECT_EQ(a.cells[i].high, b.cells[i].high);
    EXPECT_EQ(a.cells[i].distinct, b.cells[i].distinct);
  }
}

TEST_F(RollUpTest, TheOrderOfKernelsDoesNotMatter) {
  const RegionId a = Region("A");
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) Kernel(a, RandomValues(random));
  const Rollup before = Roll(kLawMetrics);
  std::shuffle(tree_[a].kernels.begin(), tree_[a].kernels.end(), random);
  ExpectSame(before.scopes[0].totals, Roll(kLawMetrics).scopes[0].totals);
}

TEST_F(RollUpTest, ARegionSplitInTwoAddsUpToItself) {
  const RegionId whole = Region("whole");
  const RegionId split = Region("split");
  const RegionId parts[] = {split, Region(split, "one"), Region(split, "two")};
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    Kernel(whole, RandomValues(random), i % 3 == 0 ? "a" : "b");
    tree_[parts[random() % 3]].kernels.push_back(tree_[whole].kernels.back());
  }
  const Rollup rollup = Roll(kLawMetrics);
  ExpectSame(rollup.scopes[0].regions[Index(whole)].inclusive,
             rollup.scopes[0].regions[Index(split)].inclusive);
}

TEST_F(RollUpTest, ScalingDurationsScalesTimeAndLeavesTheMeans) {
  const RegionId a = Region("A");
  const RegionId b = Region("B");
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    Values values = RandomValues(random);
    Kernel(a, values);
    for (auto& [name, value] : values) {
      if (name == kTime) value *= 4;
    }
    Kernel(b, values);
  }
  const Rollup rollup = Roll(kLawMetrics);
  const Amounts& one = rollup.scopes[0].regions[Index(a)].inclusive;
  const Amounts& four = rollup.scopes[0].regions[Index(b)].inclusive;
  EXPECT_DOUBLE_EQ(4 * one.gpu_time_ns, four.gpu_time_ns);
  for (std::size_t i = 1; i < kLawMetrics.size(); ++i)
    EXPECT_DOUBLE_EQ(one.cells[i].value, four.cells[i].value) << kLawMetrics[i];
}

TEST_F(RollUpTest, ExclusiveAmountsOfAllRegionsAreTheTotals) {
  std::mt19937 random(4);
  std::vector<RegionId> regions = {RegionTree::kRoot};
  for (int i = 0; i < 40; ++i) {
    const RegionId parent = regions[random() % regions.size()];
    regions.push_back(Region(parent, fmt::format("r{}", i)));
  }
  for (int i = 0; i < 500; ++i)
    Kernel(regions[random() % regions.size()], RandomValues(random));
  const Rollup rollup = Roll(kLawMetrics);
  const ScopeRollup& scope = rollup.scopes[0];
  double time = 0;
  std::uint64_t kernels = 0;
  for (const RegionRollup& region : scope.regions) {
    time += region.exclusive.gpu_time_ns;
    kernels += region.exclusive.kernel_count;
  }
  EXPECT_EQ(kernels, scope.totals.kernel_count);
  EXPECT_NEAR(time, scope.totals.gpu_time_ns, 1e-9 * time);
}

}  // namespace
}  // namespace rangefinder
