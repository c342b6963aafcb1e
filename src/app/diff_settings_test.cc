#include "app/diff_settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/setting.h"
#include "app/settings.h"
#include "base/file.h"
#include "base/write_file.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<DiffRequirements> Read(std::vector<std::string> overrides) {
  const std::vector<std::string> gates = TakeGateOverrides(overrides);
  const Composition composed = TRY(ComposeConfiguration(
      {.overrides = std::move(overrides), .surroundings = {.cwd = "/"}}));
  const Node tree = TRY(composed.ResolvedTask());
  Settings settings;
  TRY(ReadTable(tree, settings));
  return ReadDiffRequirements(tree, settings.diff, gates, "2026-11-22");
}

DiffRequirements Known(std::vector<std::string> overrides) {
  auto settings = Read(std::move(overrides));
  EXPECT_TRUE(settings.ok());
  return settings.ok() ? settings.value() : DiffRequirements{};
}

std::string ErrorOf(std::vector<std::string> overrides) {
  const auto settings = Read(std::move(overrides));
  return settings.ok() ? "no error" : settings.error().message();
}

TEST(DiffSettings, HaveTheDefaultsOfTheRules) {
  const DiffRequirements settings = Known({});
  EXPECT_EQ(settings.rules.threshold.relative, Threshold{}.relative);
  EXPECT_EQ(settings.rules.threshold.absolute_ns, Threshold{}.absolute_ns);
  EXPECT_EQ(settings.rules.alpha, DiffRules{}.alpha);
  EXPECT_EQ(settings.rules.least_runs, DiffRules{}.least_runs);
  EXPECT_EQ(settings.rules.counter, DiffRules{}.counter);
  EXPECT_TRUE(settings.rules.pairing.guess);
}

TEST(DiffSettings, AreReadFromEveryKey) {
  const DiffRequirements settings = Known(
      {"diff.gate.time=5%", "diff.gate.absolute=1.5ms", "diff.gate.alpha=0.1%",
       "diff.gate.runs=7", "diff.gate.counters=3%", "diff.strict=true"});
  EXPECT_DOUBLE_EQ(settings.rules.threshold.relative, 0.05);
  EXPECT_DOUBLE_EQ(settings.rules.threshold.absolute_ns, 1.5e6);
  EXPECT_DOUBLE_EQ(settings.rules.alpha, 0.001);
  EXPECT_EQ(settings.rules.least_runs, 7U);
  EXPECT_DOUBLE_EQ(settings.rules.counter, 0.03);
  EXPECT_FALSE(settings.rules.pairing.guess);
}

TEST(DiffSettings, TakeRegionsAndMetricsByNamesThatHydraCannotWrite) {
  const DiffRequirements settings =
      Known({"diff.gate.regions.'LLM/decode'.time=2%",
             "++diff.gate.regions.\"a.b\".absolute=5us",
             "diff.gate.regions.X.dram_bandwidth.min=80%",
             "diff.gate.regions.X.sm__cycles_elapsed.max=5%",
             "diff.gate.regions.X.sm__cycles_elapsed.max.max=900",
             "diff.gate.metrics.dram__bytes_read.sum=10%"});
  EXPECT_DOUBLE_EQ(settings.rules.regions.at("LLM/decode").relative, 0.02);
  EXPECT_DOUBLE_EQ(settings.rules.regions.at("a.b").absolute_ns, 5000);
  const auto& x = settings.gate.regions.at("X");
  EXPECT_DOUBLE_EQ(x.at("dram_bandwidth").min.value(), 80);
  EXPECT_DOUBLE_EQ(x.at("sm__cycles_elapsed.max").growth.value(), 0.05);
  EXPECT_DOUBLE_EQ(x.at("sm__cycles_elapsed.max").max.value(), 900);
  EXPECT_DOUBLE_EQ(
      settings.gate.metrics.at("dram__bytes_read.sum").growth.value(), 0.1);
}

TEST(DiffSettings, RefuseValuesThatDoNotFit) {
  EXPECT_THAT(ErrorOf({"diff.gate.time=fast"}), HasSubstr("diff.gate.time"));
  EXPECT_THAT(ErrorOf({"diff.gate.absolute=5parsec"}),
              HasSubstr("a time such as 20us"));
  EXPECT_THAT(ErrorOf({"diff.gate.alpha=-1"}), HasSubstr("diff.gate.alpha"));
  EXPECT_THAT(ErrorOf({"diff.gate.alpha=0"}), HasSubstr("from 0.1%"));
  EXPECT_THAT(ErrorOf({"diff.gate.alpha=60%"}), HasSubstr("to 50%"));
  EXPECT_THAT(ErrorOf({"diff.gate.regions.X=5%"}), HasSubstr("PATH"));
  EXPECT_THAT(ErrorOf({"diff.gate.regions.'X.time=5%"}), HasSubstr("PATH"));
  EXPECT_THAT(ErrorOf({"diff.gate.regions.X.time=soon"}),
              HasSubstr("diff.gate.regions.X.time"));
}

TEST(DiffSettings, ReadTheFilesThatTheyName) {
  const TempDir folder;
  const auto file = [&](const char* name, const char* text) {
    const std::string path = (folder.path() / name).string();
    EXPECT_TRUE(WriteFile(path, text).ok());
    return path;
  };
  const DiffRequirements settings = Known(
      {"diff.match=" + file("m.yaml", "regions: {a/b: a/c}\nkernels: {k: q}"),
       "diff.accepted=" +
           file("a.yaml", "- {region: a, until: 2027-01-01, reason: because}"),
       "diff.calibration=" +
           file("c.json",
                CalibrationText({{"a", {0.01, 5}}}, {"r\xff"}).c_str())});
  EXPECT_EQ(settings.rules.pairing.regions.at("a/b"), "a/c");
  EXPECT_EQ(settings.rules.pairing.kernels.at("k"), "q");
  EXPECT_EQ(settings.gate.accepted.at(0).reason, "because");
  EXPECT_DOUBLE_EQ(settings.rules.calibration.at("a").deviation, 0.01);

  EXPECT_THAT(ErrorOf({"diff.match=" + file("n.yaml", "region: {a: b}")}),
              HasSubstr("diff.match"));
  EXPECT_THAT(
      ErrorOf({"diff.match=" + file("o.yaml", "regions: {a: c, b: c}")}),
      StartsWith("diff.match: two names of the base are matched with 'c': 'a' "
                 "and 'b'\n"));
  EXPECT_THAT(
      ErrorOf({"diff.match=" + file("p.yaml", "kernels: {a: b, a: c}")}),
      HasSubstr("found duplicate key 'a'"));
  EXPECT_THAT(ErrorOf({"diff.accepted=" +
                       file("b.yaml", "- {region: a, until: soon}")}),
              HasSubstr("2026-12-31"));
  EXPECT_THAT(
      ErrorOf({"diff.accepted=" +
               file("e.yaml", "- {region: a, until: 2027-02-30, reason: b}")}),
      HasSubstr("2026-12-31"));
  EXPECT_THAT(ErrorOf({"diff.calibration=" + file("d.json", "[1")}),
              HasSubstr("no calibration"));
  EXPECT_THAT(ErrorOf({"diff.match=/nonexistent"}), HasSubstr("/nonexistent"));
}

}  // namespace
}  // namespace rangefinder
