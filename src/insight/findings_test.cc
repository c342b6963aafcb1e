#include "insight/findings.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/rollup_fixture.h"

namespace rangefinder {
namespace {

using Kind = RuleMessageKind;
using Message = RuleResult::Message;

class FindingsTest : public RollUpTest {
 protected:
  Message Say(Kind kind, std::string_view title, std::string_view text) {
    return {.kind = kind,
            .title = profile_.strings.Intern(title),
            .text = profile_.strings.Intern(text)};
  }
  // A rule's word on a kernel of so many ns.
  MeasurementId Kernel(double ns) { return Measure({{kTime, ns}}); }
  void Rule(MeasurementId id, std::string_view name,
            std::vector<Message> messages,
            std::optional<RuleResult::Speedup> speedup = std::nullopt) {
    profile_.measurements[Index(id)].rules.push_back(
        static_cast<std::uint32_t>(profile_.rules.size()));
    profile_.rules.push_back({.identifier = profile_.strings.Intern(name),
                              .messages = std::move(messages),
                              .speedup = speedup});
  }
  // A line a finding: "Rule/title kind: text; 2 kernels 40 ns 0.4, gain 10 %".
  std::string Found(const std::vector<MeasurementId>& kernels) {
    std::string drawn;
    for (const Finding& finding : FindingsOf(profile_, kernels)) {
      drawn += fmt::format("{}/{} {}: {}; {} kernels {} ns {:g}", finding.rule,
                           finding.title, static_cast<int>(finding.kind),
                           finding.text, finding.kernels, finding.time_ns,
                           finding.time_share);
      if (finding.speedup_percent) {
        drawn += fmt::format(", gain {:g} %{}", *finding.speedup_percent,
                             finding.speedup_is_global ? " of all" : "");
      }
      drawn += '\n';
    }
    return drawn;
  }
};

TEST_F(FindingsTest, TheTextIsFromTheKernelWithMostTime) {
  const MeasurementId a = Kernel(10);
  const MeasurementId b = Kernel(60);
  const MeasurementId c = Kernel(30);
  Rule(a, "Stall", {Say(Kind::kWarning, "t", "ten")});
  Rule(b, "Stall", {Say(Kind::kOptimization, "t", "sixty")});
  Rule(c, "Stall", {Say(Kind::kOk, "t", "thirty")});
  EXPECT_EQ(Found({a, b, c}),
            fmt::format("Stall/t {}: sixty; 3 kernels 100 ns 1\n",
                        static_cast<int>(Kind::kOptimization)));
  EXPECT_EQ(Found({c, b}), fmt::format("Stall/t {}: sixty; 2 kernels 90 ns 1\n",
                                       static_cast<int>(Kind::kOptimization)));
}

TEST_F(FindingsTest, TheGainRefersToTheRegionOrToTheRulesKernels) {
  const MeasurementId a = Kernel(10);
  const MeasurementId b = Kernel(30);
  const MeasurementId c = Kernel(60);
  for (const auto& [id, percent] : {std::pair(a, 40.0), {b, 20.0}}) {
    Rule(id, "Whole", {Say(Kind::kOptimization, "", "w")}, {{true, percent}});
    Rule(id, "Part", {Say(Kind::kOptimization, "", "p")}, {{false, percent}});
  }
  Rule(c, "Quiet", {});
  // (10 * 40 + 30 * 20) / 100, and / 40.
  EXPECT_EQ(Found({a, b, c}),
            fmt::format("Whole/ {0}: w; 2 kernels 40 ns 0.4, gain 10 % of all\n"
                        "Part/ {0}: p; 2 kernels 40 ns 0.4, gain 25 %\n",
                        static_cast<int>(Kind::kOptimization)));
}

TEST_F(FindingsTest, AreSortedByGainThenKindThenTimeThenAppearance) {
  const MeasurementId a = Kernel(10);
  const MeasurementId b = Kernel(30);
  Rule(a, "First", {Say(Kind::kOk, "", "")});
  Rule(a, "Second", {Say(Kind::kOk, "", "")});
  Rule(b, "Longer", {Say(Kind::kOk, "", "")});
  Rule(a, "Warns", {Say(Kind::kWarning, "", "")});
  Rule(a, "Optimises", {Say(Kind::kOptimization, "", "")});
  Rule(a, "Fails", {Say(Kind::kError, "", "")});
  Rule(a, "None", {Say(Kind::kNone, "", "")});
  Rule(a, "Gains", {Say(Kind::kOk, "", "")}, {{false, 1}});
  Rule(b, "GainsMore", {Say(Kind::kOk, "", "")}, {{false, 1}});
  std::string order;
  for (const Finding& finding : FindingsOf(profile_, std::vector{a, b}))
    order += finding.rule + " ";
  EXPECT_EQ(order,
            "GainsMore Gains Fails Optimises Warns Longer First Second None ");
}

TEST_F(FindingsTest, TheStrongestMessageOfARuleIsTheFinding) {
  const MeasurementId a = Kernel(10);
  Rule(a, "Rule",
       {Say(Kind::kOk, "fine", ""), Say(Kind::kError, "broken", "why"),
        Say(Kind::kWarning, "odd", "")});
  EXPECT_EQ(Found({a}), fmt::format("Rule/broken {}: why; 1 kernels 10 ns 1\n",
                                    static_cast<int>(Kind::kError)));
}

TEST_F(FindingsTest, WithoutDurationsThereIsNoShareAndNoGain) {
  const MeasurementId a = Measure({{"dram__bytes.sum", 1}});
  Rule(a, "Rule", {Say(Kind::kWarning, "", "w")}, {{true, 50}});
  EXPECT_EQ(Found({a}), fmt::format("Rule/ {}: w; 1 kernels 0 ns 0, gain 0 % "
                                    "of all\n",
                                    static_cast<int>(Kind::kWarning)));
}

TEST(FindingsText, MarkupBecomesItsLabelAndOtherAtSignsStay) {
  EXPECT_EQ(WithoutMarkup("See @section:Warp:Warp State@, "
                          "@url:the guide:https://x.org/a@."),
            "See Warp State, the guide.");
  EXPECT_EQ(WithoutMarkup("@section:Warp@ me@home @ you"),
            "Warp me@home @ you");
  EXPECT_EQ(WithoutMarkup("@url:alone@@x"), "alone@x");
  EXPECT_EQ(WithoutMarkup("@section:A:B"), "@section:A:B");
  EXPECT_EQ(WithoutMarkup("a@b@section:Id:Label@c"), "a@bLabelc");
}

TEST_F(FindingsTest, KernelsInHasInnerRegionsAndOnlyTheScope) {
  const RegionId a = Region("A");
  const RegionId inner = Region(a, "A1");
  RollUpTest::Kernel(inner, {{kTime, 1}});
  RollUpTest::Kernel(a, {{kTime, 1}});
  RollUpTest::Kernel(Region("B"), {{kTime, 1}});
  device_ = 1;
  RollUpTest::Kernel(a, {{kTime, 1}});
  process_ = ProcessId{1};
  RollUpTest::Kernel(a, {{kTime, 1}});
  const auto in = [&](RegionId region, const Scope& scope) {
    std::string ids;
    for (const MeasurementId id : KernelsIn(profile_, tree_, region, scope))
      ids += fmt::format("{} ", Index(id));
    return ids;
  };
  EXPECT_EQ(in(a, {}), "0 1 3 4 ");
  EXPECT_EQ(in(RegionTree::kRoot, {}), "0 1 2 3 4 ");
  EXPECT_EQ(in(a, {false, ProcessId{0}, 0}), "0 1 ");
  EXPECT_EQ(in(a, {false, ProcessId{0}, 1}), "3 ");
  EXPECT_EQ(in(a, {false, ProcessId{1}, 0}), "");
}

// ---- Verdicts --------------------------------------------------------------

class VerdictTest : public RollUpTest {
 protected:
  // The verdict over kernels of (compute %, memory %, waves).
  std::string Of(const std::vector<std::array<double, 3>>& kernels) {
    const RegionId region = Region(fmt::format("r{}", ++regions_));
    for (const auto& [compute, memory, waves] : kernels) {
      Kernel(region,
             {{kTime, 1},
              {"sm__throughput.avg.pct_of_peak_sustained_elapsed", compute},
              {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_"
               "elapsed",
               memory},
              {"launch__waves_per_multiprocessor", waves}});
    }
    const Rollup rollup = Roll();
    return VerdictOf(rollup, rollup.scopes[0].regions[Index(region)].inclusive)
        .text;
  }
  int regions_ = 0;
};

TEST_F(VerdictTest, TheLargerThroughputIsTheLimitFromSixtyPercentOn) {
  EXPECT_EQ(Of({{60, 31, 5}}),
            "compute bound: compute 60 %, memory 31 % of peak");
  EXPECT_EQ(Of({{31, 60, 5}}),
            "memory bound: compute 31 %, memory 60 % of peak");
  EXPECT_EQ(Of({{70, 70, 5}}),
            "compute bound: compute 70 %, memory 70 % of peak");
  EXPECT_EQ(Of({{59.9, 59, 5}}),
            "latency bound: compute 60 %, memory 59 % of peak");
}

TEST_F(VerdictTest, LaunchesThatFillNoWaveAreTheLimit) {
  EXPECT_EQ(Of({{5, 6, 0.25}}),
            "launch bound: no launch fills the device (0.25 waves at most); "
            "compute 5 %, memory 6 % of peak");
  EXPECT_EQ(Of({{5, 6, 1}}), "latency bound: compute 5 %, memory 6 % of peak");
  // One that fills it is enough, of several the largest counts, and means of
  // throughputs are bounds.
  EXPECT_EQ(Of({{5, 5, 0.25}, {7, 7, 2}}),
            "latency bound: compute at most 6 %, memory at most 6 % of peak");
  EXPECT_EQ(Of({{5, 5, 0.25}, {5, 5, 0.5}}),
            "launch bound: no launch fills the device (0.50 waves at most); "
            "compute at most 5 %, memory at most 5 % of peak");
}

TEST_F(VerdictTest, WithoutBothThroughputsThereIsNoVerdict) {
  Kernel(Region("A"),
         {{kTime, 1}, {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 9}});
  const Rollup rollup = Roll();
  const LimitVerdict verdict = VerdictOf(rollup, rollup.scopes[0].totals);
  EXPECT_EQ(verdict.text, "");
}

TEST_F(VerdictTest, DramThroughputReplacesAMissingMemoryThroughput) {
  const std::string pct = ".avg.pct_of_peak_sustained_elapsed";
  Kernel(Region("A"), {{kTime, 1},
                       {"sm__throughput" + pct, 10},
                       {"dram__throughput" + pct, 80}});
  const auto verdict = [&] {
    const Rollup rollup = Roll();
    return VerdictOf(rollup, rollup.scopes[0].totals);
  };
  EXPECT_EQ(verdict().text, "memory bound: compute 10 %, memory 80 % of peak");
  EXPECT_EQ(verdict().compute_percent, 10);
  EXPECT_EQ(verdict().memory_percent, 80);
}

}  // namespace
}  // namespace rangefinder
