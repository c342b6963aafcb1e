// The headlines of a report: only statements that the measurements support.

#include "insight/headlines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string Lines(const Analysis& analysis) {
  const Report report =
      MakeReport(analysis, ReportOptionsOf(ShippedSettings()));
  std::string lines;
  for (const Headline& headline : report.diagnosis.headlines)
    lines += HeadlineText(report, headline) + "\n";
  return lines;
}

// `count` instances of region step inside LLM, each with one launch of a kernel
// of 2 µs that runs at once, one every `every_us`; the first is open for
// `first_us`.
std::string Steps(int count, int every_us, int first_us) {
  std::string trace = "process pid=7 exe=/bin/app\n1 push LLM\n";
  std::string kernels;
  int now = 10;
  for (int i = 0; i < count; ++i) {
    const int open = i == 0 ? first_us : 4;
    trace += fmt::format("{} push step\n{} launch {}\n{} pop\n", now, now + 1,
                         i + 1, now + open);
    kernels +=
        fmt::format("kernel tiny {}-{} of={}\n", now + 3, now + 5, i + 1);
    now += std::max(open, every_us);
  }
  return trace + fmt::format("{} pop\n", now) + kernels;
}

TEST(Headlines, AnIdleGpuBetweenManyShortLaunches) {
  EXPECT_EQ(Lines(*testing::AnalyzeTrace(Steps(40, 50, 4))),
            "LLM: perhaps launch-bound, GPU idle 96 %, 40 kernels of 2.00 µs "
            "each; at stake 1.93 ms (96 %)\n");
  EXPECT_EQ(
      Lines(*testing::AnalyzeTrace("fact api launches\n" + Steps(40, 50, 4))),
      "LLM: launch-bound, GPU idle 96 %, 40 kernels of 2.00 µs each; at "
      "stake 1.93 ms (96 %)\n");
}

TEST(Headlines, AFirstInstanceThatTakesLonger) {
  EXPECT_THAT(Lines(*testing::AnalyzeTrace(Steps(8, 50, 20000))),
              StartsWith("LLM › step: warm-up, 20.00 ms in its first instance, "
                         "then 4.00 µs each; at stake 20.00 ms (98 %)\n"));
}

TEST(Headlines, ARangeThatIsNeverClosed) {
  EXPECT_THAT(Lines(*testing::AnalyzeTrace(
                  "process pid=7 exe=/bin/app\n"
                  "1 push leak\n2 launch 1\nkernel k 3-4 of=1\n")),
              StartsWith("leak was never closed: "));
}

TEST(Headlines, ALibrarysRangeThatIsNeverClosedHoldsNoRegionsOfTheProgram) {
  const auto analysis = testing::AnalyzeTrace(
      "process pid=7 exe=/bin/app\n1 push NCCL@init\n2 launch 1\n3 push step\n"
      "4 launch 2\n5 pop\nkernel k 3-4 of=1\nkernel k 5-6 of=2\n");
  std::vector<std::string> paths;
  for (std::size_t i = 1; i < analysis->tree.regions().size(); ++i)
    paths.push_back(PathText(analysis->profile,
                             analysis->tree.PathTo(static_cast<RegionId>(i))));
  EXPECT_THAT(paths, UnorderedElementsAre("NCCL@init", "step"));
  EXPECT_EQ(Lines(*analysis), "");
}

TEST(Headlines, AShortProgramHasNone) {
  EXPECT_EQ(Lines(*testing::AnalyzeTrace(Steps(2, 50, 4))), "");
}

constexpr std::string_view kBusy =
    "sm__throughput.avg.pct_of_peak_sustained_elapsed={} "
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed={} @ {}";

std::string Kernel(int ns, int compute, int memory, std::string_view path) {
  return fmt::format("kernel k gpu__time_duration.sum={} ", ns) +
         fmt::format(fmt::runtime(kBusy), compute, memory, path) + "\n";
}

TEST(Headlines, WhatARegionIsBoundByWhereItsCountersTell) {
  EXPECT_EQ(Lines(*testing::AnalyzeText(Kernel(9000, 20, 71, "decode") +
                                        Kernel(5000, 88, 30, "prefill") +
                                        Kernel(10, 5, 99, "tiny"))),
            "decode: memory-bound, 71 % of peak; at stake 6.39 µs (46 %)\n"
            "prefill: compute-bound, 88 % of peak; at stake 4.40 µs (31 %)\n");
}

TEST(Headlines, TheInnermostRegionThatHasMostOfIt) {
  EXPECT_EQ(
      Lines(*testing::AnalyzeText(Kernel(9000, 20, 71, "LLM/decode") +
                                  Kernel(100, 20, 71, "LLM"))),
      "LLM › decode: memory-bound, 71 % of peak; at stake 6.39 µs (70 %)\n");
}

TEST(Headlines, StandFirstInTheDocuments) {
  const auto analysis = testing::AnalyzeText(Kernel(9000, 20, 71, "decode"));
  const testing::Documents documents = testing::WriteAll(
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings())));
  EXPECT_THAT(documents.markdown,
              StartsWith("# NCU Region Reports\n\nMeasured by "));
  EXPECT_THAT(documents.markdown,
              HasSubstr(".\n\n- **decode: memory-bound, 71 % of peak; at stake "
                        "6.39 µs (71 %)**. To do: "));
  EXPECT_THAT(documents.glance, HasSubstr("- **decode: memory-bound"));
  const auto json = nlohmann::json::parse(documents.json);
  ASSERT_EQ(json["headlines"].size(), 1U);
  EXPECT_EQ(json["headlines"][0]["kind"], "memory_bound");
  EXPECT_EQ(json["headlines"][0]["text"],
            "decode: memory-bound, 71 % of peak; at stake 6.39 µs (71 %)");
  EXPECT_EQ(json["headlines"][0]["certain"], true);
  EXPECT_EQ(json["headlines"][0]["region_id"],
            json["scopes"][0]["regions"][0]["id"]);
}

TEST(CauseRules, ARuleHasConditionsFormulasAndUnits) {
  const CauseRule rule{.id = "a",
                       .title = "a",
                       .when = {"x >= 1"},
                       .text = "{x | ns} of {region}",
                       .next = "b",
                       .saves = "x"};
  EXPECT_FALSE(FaultOf(rule));
  const auto fault = [&](auto change) {
    CauseRule changed = rule;
    change(changed);
    return FaultOf(changed).value_or(CauseFault{}).key;
  };
  EXPECT_EQ(fault([](CauseRule& r) { r.of = "program"; }), "of");
  EXPECT_EQ(fault([](CauseRule& r) { r.when = {}; }), "when");
  EXPECT_EQ(fault([](CauseRule& r) { r.when = {"x"}; }), "when");
  EXPECT_EQ(fault([](CauseRule& r) { r.when = {"x >= "}; }), "when");
  EXPECT_EQ(fault([](CauseRule& r) { r.saves = ""; }), "saves");
  EXPECT_EQ(fault([](CauseRule& r) { r.weight = "0"; }), "weight");
  EXPECT_EQ(fault([](CauseRule& r) { r.weight = "x"; }), "weight");
  EXPECT_EQ(fault([](CauseRule& r) { r.text = "{x | miles}"; }), "text");
  EXPECT_EQ(fault([](CauseRule& r) { r.text = "{x | ns"; }), "text");
  EXPECT_EQ(fault([](CauseRule& r) { r.measure = "{+ | ns}"; }), "next");
}

TEST(CauseRules, AValueWithinItsErrorIsAQuestion) {
  const CauseTable table({{.id = "full",
                           .title = "full",
                           .when = {"used >= 60"},
                           .text = "{used / 100 | %}",
                           .next = "less",
                           .saves = "time * used / 100"}});
  const auto judged = [&](CauseFact used) {
    const auto causes = table.Judge(
        {.number = [&](std::string_view name) -> std::optional<CauseFact> {
           if (name == "used") return used;
           return CauseFact{.value = 1000};
         },
         .text = [](std::string_view) { return std::string(); }},
        "region");
    if (causes.empty()) return std::string("nothing");
    return fmt::format("{}{} {:.0f}", causes[0].certain ? "" : "perhaps ",
                       causes[0].text, causes[0].saves_ns);
  };
  EXPECT_EQ(judged({.value = 72, .error = 2}), "72 % 720");
  EXPECT_EQ(judged({.value = 72, .error = 93}), "perhaps 72 % 720");
  EXPECT_EQ(judged({.value = 72, .is_bound = true}), "perhaps 72 % 720");
  EXPECT_EQ(judged({.value = 59, .error = 20}), "nothing");
}

// The shipped causes that hold with these facts of a region.
std::string JudgedBy(const std::map<std::string, double, std::less<>>& facts) {
  const CauseTable shipped(ReportOptionsOf(ShippedSettings()).causes);
  const auto causes = shipped.Judge(
      {.number = [&](std::string_view name) -> std::optional<CauseFact> {
         const auto fact = facts.find(name);
         if (fact == facts.end()) return std::nullopt;
         return CauseFact{.value = fact->second};
       },
       .text = [](std::string_view) { return std::string(); }},
      "region");
  std::vector<std::string> ids;
  for (const Cause& cause : causes) ids.push_back(cause.id);
  return ids.empty() ? "nothing" : fmt::format("{}", fmt::join(ids, " "));
}

// Facts of a kernel that takes the time of its region and uses no unit.
const std::map<std::string, double, std::less<>> kLatency = {
    {"gpu", 1e9},
    {"all_wall", 1.2e9},
    {"kernel_time", 1e9},
    {"mean_kernel", 1e6},
    {"compute_peak", 20},
    {"memory_peak", 30},
    {"gpu_seconds", 1},
    {"active_sm_cycles", 2e11},
    {"active_warps", 1e13},
    {"dram_bandwidth", 0},
    {"longest_kernel_share", 0.95}};

std::string JudgedLatency(double lsu_pipe_share, double l1_fill_bandwidth,
                          double l2_bandwidth, double threads) {
  auto facts = kLatency;
  facts["lsu_pipe_share"] = lsu_pipe_share;
  facts["l1_fill_bandwidth"] = l1_fill_bandwidth;
  facts["l2_bandwidth"] = l2_bandwidth;
  facts["threads_per_instruction"] = threads;
  return JudgedBy(facts);
}

TEST(CauseRules, AQuestionGivesWayToAMoreExactOne) {
  EXPECT_EQ(JudgedBy(kLatency), "latency_bound");
  EXPECT_EQ(JudgedLatency(5, 1e12, 1.1e12, 32), "latency_bound");
  EXPECT_EQ(JudgedLatency(5, 1e12, 1.1e12, 7), "latency_threads");
  EXPECT_EQ(JudgedLatency(0.1, 2e10, 4e10, 32), "latency_elsewhere");
  EXPECT_EQ(JudgedLatency(0.1, 2e10, 4e10, 7), "latency_threads");
  EXPECT_EQ(JudgedLatency(0.003, 0, 4.5e11, 32), "latency_code");
  // Stores ask for as much.
  EXPECT_EQ(JudgedLatency(3, 0, 4.5e11, 32), "latency_elsewhere");
}

// Shared memory that serves few threads at a time has no branches to blame, and
// is no conflict of banks.
TEST(CauseRules, AtomicsOfSharedMemoryAreNoDivergence) {
  std::map<std::string, double, std::less<>> facts = {
      {"gpu", 1e9},
      {"lsu_pipe_share", 99},
      {"sm_busy_share", 99},
      {"shared_wavefront_share", 99},
      {"concurrency", 1},
      {"threads_per_instruction", 15},
      {"issue_slot_share", 44},
      {"bank_conflict_share", 1}};
  EXPECT_EQ(JudgedBy(facts), "shared_threads");
  facts["threads_per_instruction"] = 31;
  EXPECT_EQ(JudgedBy(facts), "lsu_bound");
  facts["threads_per_instruction"] = 15;
  facts["shared_wavefront_share"] = 50;
  EXPECT_EQ(JudgedBy(facts), "lsu_bound");
  facts["lsu_pipe_share"] = 30;
  EXPECT_EQ(JudgedBy(facts), "divergence");
}

// Stores that neither reach DRAM nor are loaded again.
TEST(CauseRules, StoresThatStayInL2) {
  std::map<std::string, double, std::less<>> facts = {
      {"gpu", 1e9},
      {"kernel_time", 1e9},
      {"peak_sm_cycles", 2e9},
      {"multiprocessors", 132},
      {"l2_bandwidth", 6.5e12},
      {"l1_fill_bandwidth", 1e11},
      {"dram_bandwidth", 1e10},
      {"lsu_pipe_share", 39},
      {"compute_peak", 77},
      {"memory_peak", 1}};
  EXPECT_EQ(JudgedBy(facts), "l2_stores");
  facts["l1_fill_bandwidth"] = 2e12;
  EXPECT_EQ(JudgedBy(facts), "compute_bound");
  facts["l1_fill_bandwidth"] = 1e11;
  facts["dram_bandwidth"] = 2e12;
  EXPECT_EQ(JudgedBy(facts), "compute_bound");
  facts["dram_bandwidth"] = 1e10;
  facts["l2_bandwidth"] = 1e12;
  EXPECT_EQ(JudgedBy(facts), "compute_bound");
}

// A kernel beside others waits for their blocks, not for its own grid.
TEST(CauseRules, WorkBesideTheAwaitedWorkIsNoWorkOfItsOwn) {
  std::map<std::string, double, std::less<>> facts = {
      {"wall", 7e8},           {"all_wall", 7e8},
      {"other_gpu_work", 4e8}, {"longest_foreign", 4e8},
      {"sync_time", 6e8},      {"gpu", 2.6e8},
      {"copying", 0},          {"overlap", 2.5e8}};
  EXPECT_EQ(JudgedBy(facts), "waits_for");
  facts["overlap"] = 1e8;
  EXPECT_EQ(JudgedBy(facts), "nothing");
}

// The work of kernels is a cause only where no other one tells a fifth of it.
TEST(CauseRules, ARowThatStandsAloneGivesWayToAnyOther) {
  std::map<std::string, double, std::less<>> facts = {
      {"gpu", 1e9},
      {"all_wall", 1.5e9},
      {"kernel_time", 1e9},
      {"mean_kernel", 1e6},
      {"compute_peak", 20},
      {"memory_peak", 30},
      {"longest_kernel_share", 0.6}};
  EXPECT_EQ(JudgedBy(facts), "gpu_bound");
  facts["longest_kernel_share"] = 0.95;
  EXPECT_EQ(JudgedBy(facts), "latency_bound");
  facts["longest_kernel_share"] = 0.2;
  EXPECT_EQ(JudgedBy(facts), "nothing");
  facts["longest_kernel_share"] = 0.6;
  facts["allocating"] = 3e8;
  facts["wall"] = 1.5e9;
  EXPECT_EQ(JudgedBy(facts), "allocation");
  facts["allocating"] = 1.9e8;
  EXPECT_EQ(JudgedBy(facts), "allocation gpu_bound");
}

TEST(CauseRules, SmsThatOtherKernelsHaveAreNotWithoutWork) {
  std::map<std::string, double, std::less<>> facts = {
      {"gpu", 1e9},           {"kernel_time", 1e9}, {"sm_idle_share", 80},
      {"mean_kernel", 1e6},   {"overlap", 0},       {"configured_time", 1e9},
      {"small_grid_time", 0}, {"tail_time", 0}};
  EXPECT_EQ(JudgedBy(facts), "block_imbalance");
  facts["overlap"] = 9e8;
  EXPECT_EQ(JudgedBy(facts), "nothing");
}

TEST(CauseRules, AKernelAtTheLimitOfDramHasNoTail) {
  std::map<std::string, double, std::less<>> facts = {
      {"gpu", 1e9},       {"kernel_time", 1e9}, {"configured_time", 1e9},
      {"tail_time", 7e8}, {"compute_peak", 20}, {"memory_peak", 30},
      {"overlap", 0}};
  EXPECT_EQ(JudgedBy(facts), "tail");
  facts["memory_peak"] = 73;
  EXPECT_EQ(JudgedBy(facts), "memory_bound");
}

}  // namespace
}  // namespace rangefinder
