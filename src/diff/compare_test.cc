#include "diff/compare.h"

#include <cmath>
#include <random>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "diff/gate.h"
#include "diff/writers.h"

namespace rangefinder {
namespace {

// A run, drawn: a region a line, inner ones indented by two blanks, behind the
// name `x` and its instances, and its own kernels as name*launches=ns.
RunFacts OneRun(const std::string& drawn, double factor = 1) {
  RunFacts run{.source = "run"};
  run.settings = {{"device", "H200"}, {"mode", "trace"}};
  run.regions.emplace_back();
  std::vector<std::size_t> open = {0};
  std::istringstream lines(drawn);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    open.resize(indent / 2 + 1);
    RegionFacts region{.parent = open.back()};
    std::istringstream words(line);
    words >> region.frame;
    for (std::string word; words >> word;) {
      if (word.starts_with('x')) {
        region.instances = std::stoul(word.substr(1));
        continue;
      }
      const std::size_t star = word.find('*'), equals = word.find('=');
      KernelFacts kernel{
          .launches = std::stoul(word.substr(star + 1)),
          .time_ns = factor * 1000 * std::stod(word.substr(equals + 1))};
      kernel.shapes[{.grid = {kernel.launches, 1, 1}, .block = {32, 1, 1}}] =
          kernel.launches;
      region.kernels[word.substr(0, star)] = kernel;
    }
    open.push_back(run.regions.size());
    run.regions.push_back(region);
  }
  for (std::size_t i = run.regions.size(); i-- > 0;) {
    RegionFacts& region = run.regions[i];
    double own = 0;
    std::uint64_t launches = 0;
    for (const auto& [name, kernel] : region.kernels) {
      own += kernel.time_ns;
      launches += kernel.launches;
    }
    region.own_ns = own;
    region.own_launches = launches;
    region.time_ns = region.time_ns.value_or(0) + own;
    region.launches = region.launches.value_or(0) + launches;
    if (i == 0) continue;
    RegionFacts& parent = run.regions[region.parent];
    parent.time_ns = parent.time_ns.value_or(0) + *region.time_ns;
    parent.launches = parent.launches.value_or(0) + *region.launches;
  }
  return run;
}

// `runs` times the same program, each up to 1 % off.
std::vector<RunFacts> RunsOf(const std::string& drawn, std::size_t runs = 5) {
  std::vector<RunFacts> all;
  for (std::size_t i = 0; i < runs; ++i)
    all.push_back(OneRun(drawn, 1 + 0.01 * static_cast<double>(i % 3) / 3));
  return all;
}

Comparison Compared(const std::vector<RunFacts>& base,
                    const std::vector<RunFacts>& other, DiffRules rules = {}) {
  auto comparison = Compare(base, other, rules);
  EXPECT_TRUE(comparison.ok());
  return std::move(comparison).value();
}

// A line for every region: path, verdict, change, and the facts.
std::string Drawn(const Comparison& comparison) {
  std::string text;
  for (std::size_t i = 1; i < comparison.regions.size(); ++i) {
    const RegionChange& region = comparison.regions[i];
    text += fmt::format(
        "{} {} {}", region.path, DiffVerdictName(region.verdict),
        region.time.ratio
            ? fmt::format("{:+.{}f} %", 100 * (*region.time.ratio - 1),
                          *region.time.ratio < 2 ? 1 : 0)
            : "–");
    if (region.by != PairedBy::kName) text += " was " + region.base_path;
    for (const Fact& fact : region.facts) text += "; " + fact.text;
    text += '\n';
  }
  return text;
}

constexpr const char* kProgram =
    "LLM x1\n"
    "  prefill x4 gemm*8=4000\n"
    "  decode x100 gemm*800=9000 add*100=1000\n";

TEST(Compare, EqualRunsAreTheSame) {
  EXPECT_EQ(Drawn(Compared(RunsOf(kProgram), RunsOf(kProgram))),
            "LLM SAME +0.0 %\n"
            "LLM/prefill SAME +0.0 %\n"
            "LLM/decode SAME +0.0 %\n");
}

TEST(Compare, AKernelThatIsSlowerMakesItsRegionsSlower) {
  const Comparison comparison = Compared(
      RunsOf(kProgram), RunsOf("LLM x1\n"
                               "  prefill x4 gemm*8=4000\n"
                               "  decode x100 gemm*800=10800 add*100=1000\n"));
  EXPECT_EQ(Drawn(comparison),
            "LLM SLOWER +12.9 %\n"
            "LLM/prefill SAME +0.0 %\n"
            "LLM/decode SLOWER +18.0 %\n");
  ASSERT_EQ(comparison.contributions.size(), 1U);
  EXPECT_EQ(comparison.contributions[0].kernel, "gemm");
  EXPECT_NEAR(comparison.contributions[0].change_ns,
              comparison.regions[0].change_ns(), 1);
}

TEST(Compare, FewerThanFiveRunsFailNoGate) {
  const Comparison comparison = Compared(
      RunsOf(kProgram, 2), RunsOf("LLM x1\n"
                                  "  prefill x4 gemm*8=4000\n"
                                  "  decode x100 gemm*800=10800 add*100=1000\n",
                                  2));
  EXPECT_EQ(comparison.regions[3].verdict, DiffVerdict::kAmbiguous);
  EXPECT_EQ(comparison.regions[3].why,
            "fewer than 5 runs per side; about 5 runs per side would decide");
  EXPECT_FALSE(Fails(CrossingsOf(comparison, {})));
}

TEST(Compare, ListsCertainChanges) {
  EXPECT_EQ(
      Drawn(Compared({OneRun(kProgram)},
                     {OneRun("LLM x1\n"
                             "  prefill x4 gemm*8=4000\n"
                             "  decode x100 gemm*800=9000 splitk*100=50 "
                             "add*200=1000\n")})),
      "LLM SAME +0.4 %\n"
      "LLM/prefill SAME +0.0 %\n"
      "LLM/decode SAME +0.5 %; 1 more launch per instance: splitk; 1 more "
      "launch per instance: add; add: grid (100, 1, 1) → (200, 1, 1)\n");
}

TEST(Compare, DifferentNumbersOfInstancesAreComparedPerInstance) {
  EXPECT_EQ(Drawn(Compared({OneRun("decode x100 gemm*800=9000\n")},
                           {OneRun("decode x200 gemm*1600=18000\n")})),
            "decode SAME +0.0 %; 100 → 200 instances; gemm: grid "
            "(800, 1, "
            "1) → (1600, 1, 1)\n");
}

TEST(Compare, ARenamedRegionIsFoundByItsKernels) {
  EXPECT_EQ(Drawn(Compared({OneRun("LLM x1\n"
                                   "  attn x10 flash*10=500 rope*20=100\n"
                                   "  mlp x10 gemm*20=900\n")},
                           {OneRun("LLM x1\n"
                                   "  attention x10 flash*10=500 rope*20=100\n"
                                   "  mlp x10 gemm*20=900\n"
                                   "  norm x10 layernorm*10=15\n")})),
            "LLM SAME +1.0 %\n"
            "LLM/attention RENAMED +0.0 % was LLM/attn\n"
            "LLM/mlp SAME +0.0 %\n"
            "LLM/norm NEW –\n");
}

TEST(Compare, StrictPairsByNameOnly) {
  EXPECT_EQ(Drawn(Compared({OneRun("attn x10 flash*10=500\n")},
                           {OneRun("attention x10 flash*10=500\n")},
                           {.pairing = {.guess = false}})),
            "attention NEW –\n"
            "attn GONE –\n");
}

TEST(Compare, RegionsThatArePrintedAlikeStayApart) {
  EXPECT_EQ(Drawn(Compared(RunsOf("a x1 gemm*8=4000\n"
                                  "a x1 gemm*8=1000\n"
                                  "  b x1 add*8=500\n"),
                           RunsOf("a x1 gemm*8=4000\n"
                                  "a x1 gemm*8=1200\n"
                                  "  b x1 add*8=500\n"))),
            "a SAME +0.0 %\n"
            "a (2) SLOWER +13.3 %\n"
            "a (2)/b SAME +0.0 %\n");
}

TEST(Compare, RulesOfTheUserPairRegions) {
  DiffRules rules;
  rules.pairing = {.guess = false, .regions = {{"a/old", "a/new"}}};
  EXPECT_EQ(Drawn(Compared({OneRun("a x1\n  old x1 k*1=100\n")},
                           {OneRun("a x1\n  new x1 q*5=100\n")}, rules)),
            "a SAME +0.0 %\n"
            "a/new RENAMED +0.0 % was a/old; 1 fewer launch per instance: k; 5 "
            "more launches per instance: q\n");
}

// Also where the base has another region of the new name.
TEST(Compare, ARuleOfTheUserComesBeforeARegionOfTheSameName) {
  DiffRules rules;
  rules.pairing = {.guess = false, .regions = {{"a", "b"}}};
  EXPECT_EQ(Drawn(Compared({OneRun("a x1 k*1=100\nb x1 k*1=100\n")},
                           {OneRun("b x1 k*1=100\n")}, rules)),
            "b RENAMED +0.0 % was a\n"
            "b GONE –\n");
}

// Thresholds, acceptances and calibrations outlive a renaming.
TEST(Compare, RulesMayNameARegionByItsPathInTheBase) {
  const auto base = RunsOf("a x1\n  old x1 k*1=10000\n");
  const auto other = RunsOf("a x1\n  new x1 k*1=12000\n");
  DiffRules rules;
  rules.pairing.regions = {{"a/old", "a/new"}};
  rules.regions = {{"a", {.relative = 0.5}}, {"", {.relative = 0.5}}};
  const GateRules gate{
      .accepted = {{.region = "a/old", .reason = "why", .until = "2999-12-31"}},
      .today = "2026-01-01"};
  const Comparison slower = Compared(base, other, rules);
  const std::vector<Crossing> crossings = CrossingsOf(slower, gate);
  ASSERT_EQ(crossings.size(), 1U);
  EXPECT_EQ(crossings[0].accepted, "accepted until 2999-12-31: why");
  EXPECT_TRUE(UnusedAcceptances(slower, gate).empty());

  rules.regions["a/old"] = {.relative = 0.5};
  const Comparison allowed = Compared(base, other, rules);
  EXPECT_EQ(allowed.regions[2].verdict, DiffVerdict::kRenamed);
  EXPECT_TRUE(UnusedRules(allowed, {}).empty());
}

// A path of the base that is now the path of another region is that region's.
TEST(Compare, RulesNameTheRegionsOfTheNewSideFirst) {
  DiffRules rules;
  rules.pairing.regions = {{"a", "b"}, {"b", "a"}};
  rules.regions = {{"b", {.relative = 0.5}}, {"", {.relative = 0.5}}};
  EXPECT_EQ(Drawn(Compared(RunsOf("a x1 k*1=10000\nb x1 q*1=10000\n"),
                           RunsOf("a x1 q*1=12000\nb x1 k*1=12000\n"), rules)),
            "a SLOWER +20.0 % was b\n"
            "b RENAMED +20.0 % was a\n");
}

// A rule with a misspelt name would pair nothing.
TEST(Compare, RulesWithUnknownNamesAreErrors) {
  const std::vector base{OneRun("a x1\n  old x1 kern*1=100\n")};
  const std::vector other{OneRun("a x1\n  new x1 q*5=100\n")};
  const auto error_of = [&](PairingRules pairing) {
    DiffRules rules;
    rules.pairing = std::move(pairing);
    const auto comparison = Compare(base, other, rules);
    return comparison.ok() ? "" : std::string(comparison.error().message());
  };
  EXPECT_EQ(error_of({.regions = {{"a/od", "a/new"}}}),
            "diff.match: the base has no region 'a/od'; did you mean 'a/old'?");
  EXPECT_EQ(error_of({.kernels = {{"kerm", "q"}}}),
            "diff.match: the base has no kernel 'kerm'; did you mean 'kern'?");
  EXPECT_EQ(error_of({.kernels = {{"kern", "kern"}}}),
            "diff.match: the new side has no kernel 'kern'");
  EXPECT_EQ(error_of({.kernels = {{"kern", "q"}}}), "");
  EXPECT_EQ(error_of({.regions = {{"a/old", "a"}}}),
            "diff.match: 'a/old' cannot be 'a': the regions around them are no "
            "pair");
}

TEST(Compare, AKernelThatMovedToAnotherRegionIsMarked) {
  EXPECT_EQ(Drawn(Compared({OneRun("a x1 k*3=100 j*1=400\nb x1 j*1=50\n")},
                           {OneRun("a x1 j*1=400\nb x1 k*3=100 j*1=50\n")})),
            "a AMBIGUOUS -20.0 %; k moved to b\n"
            "b AMBIGUOUS +200 %; k moved here from a\n");
}

TEST(Compare, AReplacedKernelIsPairedByGuess) {
  EXPECT_EQ(Drawn(Compared({OneRun("a x1 gemm_128x64*3=100 j*1=400\n")},
                           {OneRun("a x1 cutlass_tile*3=100 j*1=400\n")})),
            "a SAME +0.0 %; cutlass_tile replaced gemm_128x64\n");
}

// Of a region whose time is known on one side alone, nothing is claimed.
TEST(Compare, ATimeThatOneSideLacksIsNoChange) {
  auto base = RunsOf("a x1 k*1=10000\nb x1 k*1=10000\n");
  const auto other = RunsOf("a x1 k*1=20000\nb x1 k*1=20000\n");
  for (RunFacts& run : base) {
    for (const std::size_t i : {0, 1})
      run.regions[i].time_ns = run.regions[i].own_ns = std::nullopt;
    run.regions[1].kernels["k"].is_timed = false;
  }
  const Comparison comparison = Compared(base, other);
  EXPECT_EQ(Drawn(comparison),
            "a INCOMPARABLE –\n"
            "b SLOWER +100 %\n");
  EXPECT_EQ(comparison.regions[1].change_ns(), 0);
  EXPECT_TRUE(comparison.contributions.empty());
  std::ostringstream out;
  WriteDiffJson({comparison, {}}, out);
  const auto region = nlohmann::json::parse(out.str())["regions"][1];
  EXPECT_EQ(region["time"]["change_ns"], nullptr);
  EXPECT_EQ(region["kernels"][0]["base_ns"], nullptr);
  EXPECT_TRUE(region["kernels"][0]["new_ns"].is_number());
}

// A run that does not know the time spent not 0 ns.
TEST(Compare, ATimeThatOneRunLacksIsNoChange) {
  auto base = RunsOf("a x1 k*1=10000\n");
  for (RegionFacts& region : base.front().regions)
    region.time_ns = region.own_ns = std::nullopt;
  const Comparison comparison = Compared(base, RunsOf("a x1 k*1=10000\n"));
  EXPECT_EQ(Drawn(comparison), "a INCOMPARABLE –\n");
  EXPECT_EQ(comparison.regions[0].change_ns(), 0);
}

// But regions without GPU work have no time to compare.
TEST(Compare, ATimeThatBothSidesLackIsNotTheSame) {
  auto runs = RunsOf("a x1 k*1=10000\nb x1\n");
  for (RunFacts& run : runs)
    for (RegionFacts& region : run.regions)
      region.time_ns = region.own_ns = std::nullopt;
  const Comparison comparison = Compared(runs, runs);
  EXPECT_EQ(Drawn(comparison),
            "a INCOMPARABLE –\n"
            "b SAME –\n");
  EXPECT_EQ(comparison.regions[1].why,
            "neither side knows the GPU time of all launches");
}

TEST(Compare, AClockChangeIsNotSlower) {
  auto base = RunsOf("a x1 k*1=10000\n"), other = RunsOf("a x1 k*1=11000\n");
  for (auto* side : {&base, &other})
    for (RunFacts& run : *side)
      run.regions[1].counters["gpc__cycles_elapsed.max"] = {.value = 1.7e7,
                                                            .exact = true};
  const Comparison comparison = Compared(base, other);
  EXPECT_EQ(comparison.regions[1].verdict, DiffVerdict::kAmbiguous);
  EXPECT_EQ(comparison.regions[1].why,
            "the clocks changed: time +10.0 %, cycles +0.0 %");

  // A region that takes more cycles as well is slower; an estimate of cycles
  // whose error is as large as the change decides nothing.
  for (RunFacts& run : other)
    run.regions[1].counters["gpc__cycles_elapsed.max"].value *= 1.03;
  EXPECT_EQ(Compared(base, other).regions[1].verdict, DiffVerdict::kSlower);
  for (RunFacts& run : other)
    run.regions[1].counters["gpc__cycles_elapsed.max"] = {.value = 1.7e7,
                                                          .error = 0.1 * 1.7e7};
  EXPECT_EQ(Compared(base, other).regions[1].verdict, DiffVerdict::kSlower);
}

TEST(Compare, NamesMetricsThatOneSideLacks) {
  std::vector base{OneRun(kProgram)}, other{OneRun(kProgram)};
  base[0].settings.push_back({"metrics", "a,b,c"});
  other[0].settings.push_back({"metrics", "b,c,d,e,f,g"});
  base[0].settings.push_back({"kernels", "gemm*"});
  const Comparison comparison = Compared(base, other);
  ASSERT_EQ(comparison.caveats.size(), 2U);
  EXPECT_EQ(comparison.caveats[0].text,
            "metrics differ: only in base 1 (a), only in new 4 (d, e, f, …)");
  EXPECT_EQ(comparison.caveats[1].text, "kernels differ: base gemm*, new all");
}

TEST(Compare, RunsOfOtherDevicesAreIncomparable) {
  auto other = RunsOf(kProgram);
  for (RunFacts& run : other) run.settings[0].value = "B200";
  const Comparison comparison = Compared(RunsOf(kProgram), other);
  EXPECT_FALSE(comparison.comparable());
  EXPECT_EQ(comparison.caveats[0].text, "device differs: base H200, new B200");
  EXPECT_EQ(comparison.Count(DiffVerdict::kIncomparable),
            comparison.regions.size());
  EXPECT_TRUE(CrossingsOf(comparison, {}).empty());
}

// The change of the whole run is always the sum of the contributions.
TEST(Compare, PartsAddUpToTheChange) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    std::string drawn[2];
    for (std::string& text : drawn) {
      std::size_t depth = 0;
      for (int i = 0; i < 20; ++i) {
        text += std::string(2 * depth, ' ') +
                fmt::format("r{} x{}", i, 1 + random() % 3);
        for (std::size_t k = random() % 4; k > 0; --k)
          text += fmt::format(" k{}*{}={}", random() % 6, 1 + random() % 4,
                              1 + random() % 1000);
        text += '\n';
        depth = random() % (depth + 2);
      }
    }
    const Comparison comparison =
        Compared(RunsOf(drawn[0], 3), RunsOf(drawn[1], 2));
    double sum = 0;
    for (const Contribution& one : comparison.contributions)
      sum += one.change_ns;
    EXPECT_NEAR(sum, comparison.regions[0].change_ns(), 1) << drawn[0];
  }
}

// ---- The gate ---------------------------------------------------------------

TEST(Gate, FailsForASlowerRegionUnlessItIsAccepted) {
  const Comparison comparison =
      Compared(RunsOf("a x1 k*1=10000\n"), RunsOf("a x1 k*1=12000\n"));
  GateRules rules{.today = "2026-11-22"};
  auto crossings = CrossingsOf(comparison, rules);
  ASSERT_EQ(crossings.size(), 2U);  // the whole, and the region
  EXPECT_EQ(crossings[1].text, "GPU time +20.0 % (10.03 ms → 12.04 ms)");
  EXPECT_TRUE(Fails(crossings));
  rules.accepted = {{"a", "new model", "2026-11-22"},
                    {"", "new model", "2026-12-01"}};
  EXPECT_FALSE(Fails(CrossingsOf(comparison, rules)));
  rules.today = "2026-11-23";
  crossings = CrossingsOf(comparison, rules);
  EXPECT_TRUE(Fails(crossings));
  EXPECT_EQ(crossings[1].text,
            "GPU time +20.0 % (10.03 ms → 12.04 ms); accepted until "
            "2026-11-22, which is over");
  rules.accepted.push_back({"a", "newer model", "2026-12-31"});
  crossings = CrossingsOf(comparison, rules);
  EXPECT_EQ(crossings[1].text, "GPU time +20.0 % (10.03 ms → 12.04 ms)");
  EXPECT_EQ(crossings[1].accepted, "accepted until 2026-12-31: newer model");
}

TEST(Gate, ListsAcceptancesOfUnknownRegions) {
  const Comparison comparison = Compared(RunsOf("decode x1 k*1=10000\n"),
                                         RunsOf("decode x1 k*1=12000\n"));
  const GateRules rules{.accepted = {{"decode", "new model", "2026-11-22"},
                                     {"decod", "new model", "2026-11-22"}}};
  EXPECT_EQ(UnusedAcceptances(comparison, rules),
            (std::vector<std::string>{
                "no run has the region 'decod'; did you mean 'decode'?"}));
}

TEST(Gate, FailsForMetricsBeyondTheirLimits) {
  auto base = RunsOf("a x1 k*1=1000\n", 1), other = base;
  base[0].regions[1].counters["bytes.sum"] = {.value = 100, .exact = true};
  other[0].regions[1].counters["bytes.sum"] = {.value = 110, .exact = true};
  base[0].regions[1].counters["bandwidth"] = {.value = 90};
  other[0].regions[1].counters["bandwidth"] = {
      .value = 79, .error = 0.1, .reach = 0.2};
  const Comparison comparison = Compared(base, other);
  GateRules rules;
  rules.metrics["bytes.sum"] = {.growth = 0.05};
  rules.regions["a"]["bandwidth"] = {.min = 80};
  const auto crossings = CrossingsOf(comparison, rules);
  ASSERT_EQ(crossings.size(), 2U);
  EXPECT_EQ(crossings[0].what, "bandwidth");
  EXPECT_EQ(crossings[1].what, "bytes.sum");
  rules.regions["b"]["bandwidt"] = {.min = 80};
  EXPECT_EQ(UnusedRules(comparison, rules),
            (std::vector<std::string>{
                "no run has the region 'b'",
                "the runs do not both have the metric 'bandwidt'; did you "
                "mean 'bandwidth'?"}));
}

TEST(BareKernelName, DropsSuffixesOfCompilers) {
  EXPECT_EQ(BareKernelName("void ns::gemm<(int)4, float>(float*)"), "gemm");
  EXPECT_EQ(BareKernelName("triton_poi_fused_add_0d1d2"),
            "triton_poi_fused_add");
  EXPECT_EQ(BareKernelName("kernel.cold"), "kernel");
  EXPECT_EQ(BareKernelName("nvjet_tst_8x64"), "nvjet_tst_8x64");
}

TEST(Calibrate, MeasuresTheDeviationOfEveryRegion) {
  const Calibration noise = Calibrate(std::vector{
      OneRun("a x1 k*1=1000\n", 1), OneRun("a x1 k*1=1000\n", 1.1)});
  ASSERT_TRUE(noise.contains("a"));
  EXPECT_NEAR(noise.at("a").deviation, std::log(1.1) / std::sqrt(2), 1e-9);
}

}  // namespace
}  // namespace rangefinder
