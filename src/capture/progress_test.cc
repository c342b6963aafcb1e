#include "capture/progress.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// Output of ncu 2025.3.1 for the captures of tests/fake_ncu.
std::string Recorded(const std::string& name) {
  const std::filesystem::path file =
      std::filesystem::path(RANGEFINDER_SOURCE_DIR) / "tests/fake_ncu/logs" /
      name;
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(NcuLog, CountsTheKernelsOfARecordedRun) {
  NcuLog log;
  log.Feed(Recorded("nested_basic.log"));

  EXPECT_EQ(log.progress().results, 28U);
  EXPECT_EQ(log.progress().kernel, "burn");
  EXPECT_EQ(log.progress().passes, 10);
  EXPECT_EQ(log.progress().processes, 0);
  EXPECT_FALSE(log.progress().measuring);
}

TEST(NcuLog, CountsRangesAndPassesInApplicationReplay) {
  NcuLog log;
  log.Feed(Recorded("apprange_nested.log"));

  EXPECT_EQ(log.progress().results, 1U);
  EXPECT_EQ(log.progress().replay_pass, 8);
}

TEST(NcuLog, GivesTheSameProgressHoweverTheBytesAreCut) {
  const std::string text = Recorded("multiproc.log");
  NcuLog whole;
  whole.Feed(text);
  NcuLog bytewise;
  int most_processes = 0;
  for (const char c : text) {
    bytewise.Feed({&c, 1});
    most_processes = std::max(most_processes, bytewise.progress().processes);
  }

  EXPECT_EQ(whole.progress().results, 56U);
  EXPECT_EQ(bytewise.progress().results, 56U);
  EXPECT_EQ(bytewise.progress().passes, 9);
  EXPECT_EQ(bytewise.text(), text);
  EXPECT_EQ(most_processes, 2);
}

TEST(NcuLog, FindsAKernelWithoutProgress) {
  NcuLog log;
  EXPECT_TRUE(log.Feed("==PROF== Profiling \"ncclKernel\" - 4: 0%"));
  EXPECT_TRUE(log.at_zero());
  EXPECT_TRUE(log.progress().measuring);
  EXPECT_EQ(log.progress().results, 0U);
  log.Feed("....");
  EXPECT_TRUE(log.at_zero());
  log.Feed("50%");
  EXPECT_FALSE(log.at_zero());
  EXPECT_EQ(log.progress().percent, 50);
  log.Feed("....100% - 9 passes\n");
  EXPECT_FALSE(log.progress().measuring);
  EXPECT_EQ(log.progress().results, 5U);
}

TEST(NcuLog, TakesNcusWarningOfALongLaunch) {
  NcuLog log;
  log.Feed(
      "==WARNING== Launching the workload is taking more time than expected. "
      "If this continues to hang, terminate the profile\n");
  EXPECT_TRUE(log.at_zero());
}

// As ncu 2025.3.1 wrote it of an all-reduce whose peer had gone on
// (tests/gpu/torchrun_nccl.sh, hang): no index where kernels are chosen by
// name.
TEST(NcuLog, AWarningEndsTheLineOfASlowLaunch) {
  NcuLog log;
  log.Feed(
      "==PROF== Connected to process 1604 (/usr/bin/python3.12)\n"
      "==PROF== Profiling \"ncclDevKernel_AllReduce_Sum_f32_RING_LL("
      "ncclDevKernelArgsStorage<(unsigned long)4096>)\": 0%..==WARNING== "
      "Launching the workload is taking more time than expected. If this "
      "continues to hang, terminate the profile and re-try by profiling the "
      "range of all related launches using '--replay-mode range'.\n");
  EXPECT_TRUE(log.at_zero());
  EXPECT_TRUE(log.progress().measuring);
  EXPECT_EQ(log.progress().results, 0U);
  EXPECT_EQ(log.progress().kernel,
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL("
            "ncclDevKernelArgsStorage<(unsigned long)4096>)");
  log.Feed("==WARNING== Something else: 3% - 1 pass\n");
  EXPECT_TRUE(log.at_zero());
  log.Feed("..50%");
  EXPECT_FALSE(log.at_zero());
  EXPECT_EQ(log.progress().percent, 50);
  log.Feed("....100% - 10 passes\n");
  EXPECT_EQ(log.progress().results, 1U);
  EXPECT_EQ(log.progress().passes, 10);
  EXPECT_FALSE(log.progress().measuring);
  log.Feed("==PROF== Profiling \"burn()\": 0%....100% - 2 passes\n");
  EXPECT_EQ(log.progress().results, 2U);
  EXPECT_EQ(log.progress().kernel, "burn()");
}

TEST(NcuLog, TheProgramsOwnLinesAreNotNcus) {
  NcuLog log;
  log.Feed("Profiling \"x\" - 7: 0%....100% - 3 passes\nstep 3: 50%\n");
  EXPECT_EQ(log.progress().results, 0U);
  EXPECT_TRUE(log.progress().kernel.empty());
}

TEST(NcuLog, AKernelsNameMayContainAnything) {
  NcuLog log;
  log.Feed(
      "==PROF== Profiling \"f<\"a\" - 9: 3%>\" - 2: 0%....100% - 1 pass\n");
  EXPECT_EQ(log.progress().kernel, "f<\"a\" - 9: 3%>");
  EXPECT_EQ(log.progress().results, 3U);
}

// As ncu 2025.3.1 prints it with --kernel-id (tests/gpu/profile_flow.sh,
// budget).
TEST(NcuLog, LaunchesSelectedByNumberAreCounted) {
  NcuLog log;
  log.Feed(
      "==PROF== Connected to process 2080 (/tmp/shallow_resnet)\n"
      "==PROF== Profiling \"1:7:conv3x3(int, const float *):1\": "
      "0%....50%....100% - 1 pass\n"
      "==PROF== Profiling \"1:7:void at::relu<(int)4>(float *):12\": "
      "0%....50%");
  EXPECT_EQ(log.progress().results, 1U);
  EXPECT_EQ(log.progress().kernel, "void at::relu<(int)4>(float *)");
  EXPECT_EQ(log.progress().percent, 50);
  EXPECT_TRUE(log.progress().measuring);
  log.Feed("....100% - 3 passes\n");
  EXPECT_EQ(log.progress().results, 2U);
  EXPECT_EQ(log.progress().passes, 3);
  EXPECT_FALSE(log.progress().measuring);
}

}  // namespace
}  // namespace rangefinder
