// The user's rules and derived metrics: composed as any other group, checked
// with their place, used by reports and explanations.

#include "app/rollup_settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/embedded.h"
#include "base/write_file.h"
#include "config/yaml.h"
#include "plan/ncu_request.h"
#include "tests/support/rollup_fixture.h"
#include "tests/support/shipped_settings.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedConf();

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A folder with the user's groups, and the composition with it.
class RollupSettingsTest : public RollUpTest {
 protected:
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_.path() / path).parent_path());
    ASSERT_TRUE(WriteFile(folder_.path() / path, text).ok());
  }
  Result<Settings> Load(std::vector<std::string> overrides) {
    SettingsRequest request{.overrides = std::move(overrides)};
    request.surroundings.environment = [](const std::string&) {
      return std::nullopt;
    };
    request.surroundings.cwd = "/home/user/dir";
    request.config_dir = folder_.path().string();
    return LoadSettings(request);
  }
  RollupOptions Options(std::vector<std::string> overrides) {
    const auto settings = Load(std::move(overrides));
    EXPECT_TRUE(settings.ok()) << settings.error().message();
    return settings.ok() ? settings.value().analysis.rollup : RollupOptions{};
  }
  std::string Failure(std::vector<std::string> overrides) {
    const auto settings = Load(std::move(overrides));
    if (settings.ok()) return "(accepted)";
    EXPECT_EQ(settings.error().code(), ErrorCode::kUsage);
    return settings.error().message();
  }
  static std::vector<std::string> Names(const RollupOptions& options) {
    std::vector<std::string> names;
    for (const DerivedMetric& metric : options.derived)
      names.push_back(metric.name);
    return names;
  }
  std::string Value(const RollupOptions& options, const std::string& metric) {
    RollupOptions wanted = options;
    wanted.metrics = {metric};
    const Rollup rollup = RollUp(profile_, tree_, wanted, notes_);
    return Draw(rollup.scopes[0].totals.cells[0]);
  }

  TempDir folder_;
};

TEST_F(RollupSettingsTest, WithoutARequestTheShippedMetricsAreThere) {
  const RollupOptions options = Options({});
  EXPECT_TRUE(options.rules.empty());
  EXPECT_EQ(Names(options), Names(ShippedSettings().analysis.rollup));
  EXPECT_THAT(Names(options), Contains("peak_dram_bandwidth"));

  const std::string op = "smsp__sass_thread_inst_executed_op_f";
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 2000},
             {"dram__bytes.sum", 100},
             {op + "add_pred_on.sum", 10},
             {op + "mul_pred_on.sum", 20},
             {op + "fma_pred_on.sum", 35}});
  EXPECT_EQ(Value(options, "flop_fp32"), "100 exact formula");
  EXPECT_EQ(Value(options, "flop"), "100 exact formula");
  EXPECT_EQ(Value(options, "arithmetic_intensity"), "1 exact formula");
  EXPECT_EQ(Value(options, "flops_fp32"), "50000000 exact formula");
  EXPECT_EQ(Value(options, "dram_bandwidth"), "50000000 exact formula");
  EXPECT_EQ(Value(options, "flop_tensor"),
            "- absent formula (inputs of the formula are missing)");
}

TEST_F(RollupSettingsTest, AGroupOfTheUserReplacesOrExtendsTheShippedGroup) {
  Write("derived/mine.yaml",
        "ratio: {unit: byte/ns, doc: mine,\n"
        "        formula: dram__bytes.sum / gpu__time_duration.sum}\n"
        "flops: null\n"
        "flop: {formula: 2 * ratio}\n");
  Write("rollup/mine.yaml",
        "first: {match: 'my__*', rule: mean, weight: w}\n"
        "second: {match: 'regex:^my', rule: ratio, over: a, under: b,\n"
        "         scale: 100}\n");
  EXPECT_EQ(Names(Options({"derived=mine"})),
            (std::vector<std::string>{"ratio", "flop"}));
  const RollupOptions both = Options({"derived=[default,mine]", "rollup=mine"});
  // In its place, with its new formula; without the one that is null.
  EXPECT_EQ(Names(both).size(),
            Names(ShippedSettings().analysis.rollup).size());
  EXPECT_THAT(Names(both), Not(Contains("flops")));
  Kernel(Region("A"), {{kTime, 4}, {"dram__bytes.sum", 100}, {"my__x.avg", 7}});
  EXPECT_EQ(Value(both, "ratio"), "25 exact formula");
  EXPECT_EQ(Value(both, "flop"), "50 exact formula");
  ASSERT_EQ(both.rules.size(), 2);
  EXPECT_EQ(both.rules[0].weight, "w");
  EXPECT_EQ(both.rules[1].scale, 100);
  EXPECT_EQ(both.rules[1].under, "b");
}

TEST_F(RollupSettingsTest, TheFolderOfTheUserIsSearchedFirst) {
  Write("derived/default.yaml", "only: {formula: dram__bytes.sum}\n");
  EXPECT_EQ(Names(Options({})), std::vector<std::string>{"only"});
}

TEST_F(RollupSettingsTest, AnOverrideAddsAndReplaces) {
  const RollupOptions options =
      Options({"+derived.twice.formula=2 * flop", "derived.flop.formula='42'",
               "+rollup.mine={match: x, rule: sum}"});
  EXPECT_EQ(Names(options).back(), "twice");
  EXPECT_EQ(options.rules.at(0).match, "x");
  Kernel(Region("A"), {{kTime, 4}});
  EXPECT_EQ(Value(options, "twice"), "84 exact formula");
}

TEST_F(RollupSettingsTest, TheConfigurationOfARunGivesTheSameSettings) {
  Write("derived/mine.yaml", "ratio: {formula: 'min(a:b, 2) / -c'}\n");
  Write("rollup/mine.yaml", "r: {match: 'my__*', rule: spread}\n");
  const auto made = Load({"derived=mine", "rollup=mine"});
  ASSERT_TRUE(made.ok()) << made.error().message();
  Write("config.yaml", made.value().config_yaml);
  std::filesystem::remove_all(folder_.path() / "derived");
  std::filesystem::remove_all(folder_.path() / "rollup");
  const auto again = Load({});
  ASSERT_TRUE(again.ok()) << again.error().message();
  const RollupOptions options = again.value().analysis.rollup;
  ASSERT_EQ(options.derived.size(), 1);
  EXPECT_EQ(options.derived[0].formula, "min(a:b, 2) / -c");
  ASSERT_EQ(options.rules.size(), 1);
  EXPECT_EQ(options.rules[0].rule, "spread");
  EXPECT_EQ(again.value().fingerprint, made.value().fingerprint);
}

// A configuration without our groups, as one written for the predecessor.
TEST_F(RollupSettingsTest, AConfigurationWithoutTheKeysHasTheShippedMetrics) {
  Write("config.yaml",
        "defaults: [profiling/ncu@pipeline.ncu: ncu.default, _self_]\n");
  EXPECT_EQ(Names(Options({})), Names(ShippedSettings().analysis.rollup));
}

TEST_F(RollupSettingsTest, TheComposedRulesEqualTheShippedRules) {
  const auto ids = [](const auto& rules) {
    std::vector<std::string> all;
    for (const auto& rule : rules) all.push_back(rule.id);
    return all;
  };
  const Settings made = Load({}).value();
  const Settings& shipped = ShippedSettings();
  EXPECT_EQ(ids(made.report.causes), ids(shipped.report.causes));
  EXPECT_EQ(ids(made.analysis.merge.frameworks),
            ids(shipped.analysis.merge.frameworks));
  EXPECT_FALSE(shipped.report.causes.empty());
  EXPECT_FALSE(shipped.analysis.merge.frameworks.empty());
}

TEST_F(RollupSettingsTest, ACauseMayBeLikeAnotherOne) {
  const auto cause = [&](const std::vector<std::string>& words,
                         std::string_view id) -> std::optional<CauseRule> {
    const Settings made = Load(words).value();
    const auto at = std::ranges::find(made.report.causes, id, &CauseRule::id);
    if (at == made.report.causes.end()) return std::nullopt;
    return *at;
  };
  const CauseRule base = cause({}, "latency_bound").value();
  const CauseRule mine =
      cause({"+causes.mine={like: latency_bound, when: ['launches > 5']}"},
            "mine")
          .value();
  EXPECT_EQ(mine.title, base.title);
  EXPECT_EQ(mine.when.size(), base.when.size() + 1);
  EXPECT_EQ(mine.text, base.text);
  EXPECT_EQ(mine.measure, base.measure);
  EXPECT_EQ(mine.saves, base.saves);
  EXPECT_THAT(mine.replaces, Contains("latency_bound"));
  // What replaces the row replaces the rows like it.
  const CauseRule tail = cause({}, "tail").value();
  EXPECT_THAT(tail.replaces, Contains("latency_elsewhere"));
  EXPECT_TRUE(
      cause({"+causes.mine={like: gpu_bound, text: mine}"}, "mine")->alone);
  // Of rows that could replace each other, the more exact one does.
  const std::vector<std::string> words = {
      "+causes.first={like: latency_bound, replaces: [second]}",
      "+causes.second={like: latency_bound}", "+causes.third={like: second}"};
  EXPECT_THAT(cause(words, "third")->replaces, Contains("first"));
  EXPECT_THAT(cause(words, "first")->replaces, Not(Contains("third")));
  // Without the row there are none like it.
  EXPECT_TRUE(cause({}, "thread_waits"));
  EXPECT_FALSE(cause({"causes.cpu_waits=null"}, "thread_waits"));
  EXPECT_THAT(Failure({"+causes.mine={like: none, when: ['a > 1']}"}),
              StartsWith("causes.mine.like: expected a row before this one"));
  EXPECT_THAT(Failure({"+causes.mine={alone: 3, when: ['a > 1']}"}),
              StartsWith("causes.mine.alone: expected true or false"));
}

// A command does not check the files that are in the program.
TEST(RollupSettings, ShippedFilesPassTheChecksOfAnyFile) {
  for (const EmbeddedFile& file : EmbeddedConf()) {
    const auto read = ReadYaml(std::make_shared<const Source>(Source{
        .name = std::string(file.path), .text = std::string(file.content())}));
    EXPECT_TRUE(read.ok()) << read.error().message();
  }
  for (const Framework& framework :
       ShippedSettings().analysis.merge.frameworks) {
    const auto fault = FaultOf(framework);
    EXPECT_FALSE(fault) << framework.id << ": " << fault->rule << ": "
                        << fault->text;
  }
}

TEST_F(RollupSettingsTest, AShippedFrameworkThatTheUserChangesIsChecked) {
  EXPECT_THAT(Failure({"frameworks.vllm.names.execute_new.match='('"}),
              StartsWith("frameworks.vllm.names.execute_new.match: missing )"));
  EXPECT_THAT(Failure({"+frameworks.vllm.names.mine={match: a, name: '{b}'}"}),
              StartsWith("frameworks.vllm.names.mine.name: expected {GROUP}"));
  Write("frameworks/nccl.yaml", "nccl: {names: {call: {match: '['}}}\n");
  EXPECT_THAT(Failure({}), StartsWith("frameworks.nccl.names.call.match: "));
}

TEST_F(RollupSettingsTest, AnErrorNamesTheKeyAndThePlace) {
  const std::string file = (folder_.path() / "derived/mine.yaml").string();
  Write("derived/mine.yaml", "a: {unit: x}\nb:\n  formula: 1 +\n");
  EXPECT_EQ(Failure({"derived=mine"}),
            fmt::format("derived.a.formula: a derived metric needs a formula\n"
                        "  at {}:1:4\n  1 | a: {{unit: x}}\n    |    ^",
                        file));
  EXPECT_EQ(
      Failure({"derived=mine", "+derived.a.formula=x"}),
      fmt::format("derived.b.formula: no formula, at its column 4: expected a "
                  "number, a metric or '(': 1 +\n"
                  "  at {}:3:12\n  3 |   formula: 1 +\n    |            ^",
                  file));
  Write("derived/mine.yaml", "a: {formula: x, untit: y}\n");
  EXPECT_THAT(Failure({"derived=mine"}),
              StartsWith("derived.a.untit: there is no such key; did you mean "
                         "'derived.a.unit'?\n  at " +
                         file + ":1:17\n"));
  Write("rollup/mine.yaml", "r: {match: a, rule: best}\n");
  EXPECT_THAT(Failure({"rollup=mine"}),
              StartsWith("rollup.r.rule: expected one of sum, mean, ratio, "
                         "same, spread, none, got 'best'\n"));
  Write("rollup/mine.yaml", "r: {match: a, rule: ratio, over: b}\n");
  EXPECT_THAT(Failure({"rollup=mine"}),
              StartsWith("rollup.r.under: a ratio needs a denominator\n"));
  EXPECT_THAT(Failure({"+rollup.r={match: a, rule: sum, scale: big}"}),
              HasSubstr("rollup.r.scale: expected a number"));
  EXPECT_THAT(Failure({"+derived.a=5"}),
              StartsWith("derived.a: expected a map, got '5'"));
  Write("derived/mine.yaml", "- {name: a, formula: b}\n");
  EXPECT_THAT(Failure({"derived=mine"}),
              StartsWith("derived: expected a map of entries by name\n  at " +
                         file + ":1:1\n"));
}

TEST_F(RollupSettingsTest, MetricsThatAreDefinedByEachOtherAreAnError) {
  Write("derived/mine.yaml",
        "top: {formula: 'first(x, b)'}\nb: {formula: c + 1}\n"
        "c: {formula: 2 * b}\n");
  const std::string file = (folder_.path() / "derived/mine.yaml").string();
  EXPECT_THAT(Failure({"derived=mine"}),
              StartsWith("derived.b.formula: these metrics are defined by each "
                         "other: b → c → b\n  at " +
                         file + ":2:14\n"));
  EXPECT_EQ(Failure({"derived=mine", "derived.c.formula=x"}), "(accepted)");
  EXPECT_THAT(Failure({"derived=mine", "derived.c.formula=c"}),
              HasSubstr("c → c"));

  Write("derived/words.yaml", "on: {formula: 'True + 1'}\n");
  EXPECT_THAT(Failure({"derived=words"}), HasSubstr("True → True"));
  // Whichever of them comes first.
  for (const int from : {-1, 1}) {
    std::string chain;
    for (int i = 1000; i < 6000; ++i)
      chain += fmt::format("m{}: {{formula: m{} + 1}}\n", i, i + from);
    Write("derived/deep.yaml", chain);
    EXPECT_THAT(Failure({"derived=deep"}),
                HasSubstr("its definition is more than 100 steps deep"));
  }
}

TEST(RollupSettings, ShippedDerivedMetricsAreCollectedAsTheirInputs) {
  NcuSettings ncu;
  ncu.exact_rollup = false;
  ncu.metrics = {"dram_bandwidth", "bytes_per_instruction", "flop_fp32"};
  Notes notes;
  const std::string op = "smsp__sass_thread_inst_executed_op_f";
  EXPECT_THAT(
      CollectedMetrics(ncu, ShippedSettings().analysis.rollup.derived, notes),
      ElementsAre("dram__bytes.sum", "gpu__time_duration.sum",
                  "smsp__inst_executed.sum", op + "add_pred_on.sum",
                  op + "mul_pred_on.sum", op + "fma_pred_on.sum"));
  EXPECT_EQ(notes.all().size(), 0U);
}

}  // namespace
}  // namespace rangefinder
