#include "counters/probe.h"

#include <cstdlib>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/cuda_driver.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// With a stand-in for driver and CUPTI (tests/counters/programs/fake_device.cc)
// that does as it is told.
class ProbeTest : public ::testing::Test {
 protected:
  ProbeTest() {
    // Mapped under the driver's name, which the child then finds.
    if (::dlopen(COUNTERS_FAKE_DEVICE, RTLD_NOW | RTLD_LOCAL) == nullptr)
      ADD_FAILURE() << ::dlerror();
    ::setenv("RANGEFINDER_CUPTI_PATH", COUNTERS_FAKE_DEVICE, 1);
    Tell("well");
  }
  ~ProbeTest() override {
    ::unsetenv("RANGEFINDER_CUPTI_PATH");
    ::unsetenv("FAKE_DEVICE");
  }

  static void Tell(const char* wish) { ::setenv("FAKE_DEVICE", wish, 1); }

  static ProbeAnswer Probe(CounterMode mode, double timeout_s = 30) {
    auto answer = ProbeCounters(mode, 0, timeout_s);
    EXPECT_TRUE(answer.ok());
    return answer.ok() ? answer.value() : ProbeAnswer{};
  }
};

TEST_F(ProbeTest, SamplingAndCountingCallCuptiInOrder) {
  const ProbeAnswer sampled = Probe(CounterMode::kSample);
  EXPECT_TRUE(sampled.works) << sampled.found;
  EXPECT_EQ(sampled.found, "GH100: 97 samples of 2 metrics in 30 ms");
  const ProbeAnswer counted = Probe(CounterMode::kCount);
  EXPECT_TRUE(counted.works) << counted.found;
  EXPECT_EQ(counted.found, "GH100: 2 metrics of one range");
  EXPECT_THAT(counted.fix, IsEmpty());
  EXPECT_THAT(counted.remarks,
              ElementsAre("CUPTI is of CUDA 13, the driver of CUDA 12: the "
                          "driver may not support this CUPTI"));
}

TEST_F(ProbeTest, ARefusalHasFunctionReasonAndFix) {
  Tell("cuptiRangeProfilerStart=26");
  const ProbeAnswer busy = Probe(CounterMode::kCount);
  EXPECT_FALSE(busy.works);
  EXPECT_EQ(busy.found,
            "another profiler has the counters: cuptiRangeProfilerStart said "
            "CUPTI_ERROR_HARDWARE_BUSY (26)");
  EXPECT_THAT(busy.fix, HasSubstr("dcgmi profile --pause"));
  EXPECT_THAT(busy.remarks, ::testing::Contains(HasSubstr("virtual GPU")));

  Tell("cuptiPmSamplingSetConfig=35");
  const ProbeAnswer forbidden = Probe(CounterMode::kSample);
  EXPECT_THAT(forbidden.found, HasSubstr("only administrators"));
  EXPECT_THAT(forbidden.fix, AllOf(HasSubstr("CAP_SYS_ADMIN"),
                                   HasSubstr("NVreg_RestrictProfilingToAdmin"
                                             "Users=0")));
}

TEST_F(ProbeTest, ACrashAndAHangAreAnswers) {
  Tell("cuptiPmSamplingStart=crash");
  const ProbeAnswer crashed = Probe(CounterMode::kSample);
  EXPECT_FALSE(crashed.works);
  EXPECT_EQ(crashed.found, "it ended with signal 11 in cuptiPmSamplingStart");
  EXPECT_THAT(crashed.fix, HasSubstr("update the driver"));

  Tell("cuptiPmSamplingEnable=hang");
  EXPECT_EQ(Probe(CounterMode::kSample, 0.5).found,
            "it did not end within 0.5 s, in cuptiPmSamplingEnable");
}

TEST_F(ProbeTest, ADeviceThatGivesNoSampleDoesNotWork) {
  Tell("idle");
  const ProbeAnswer answer = Probe(CounterMode::kSample);
  EXPECT_FALSE(answer.works);
  EXPECT_EQ(answer.found, "no sample came within 30 ms");
  EXPECT_FALSE(answer.fix.empty());
  EXPECT_EQ(Probe(CounterMode::kCount).found, "CUPTI lost the measured range");
}

TEST_F(ProbeTest, AMachineWithoutCuptiHasAFix) {
  ::setenv("RANGEFINDER_CUPTI_PATH", "/nonexistent", 1);
  const ProbeAnswer answer = Probe(CounterMode::kCount);
  EXPECT_FALSE(answer.works);
  EXPECT_EQ(answer.found, "no CUPTI could be opened");
  EXPECT_THAT(answer.fix, HasSubstr("RANGEFINDER_CUPTI_PATH: /nonexistent"));
}

TEST_F(ProbeTest, TheMachinesChipsComeFromTheDriver) {
  const auto chips = ChipsOfMachine();
  ASSERT_TRUE(chips.ok()) << chips.error().message();
  ASSERT_EQ(chips.value().size(), 2U);
  EXPECT_EQ(chips.value()[0].device, "NVIDIA H200");
  EXPECT_EQ(chips.value()[0].chip, "GH100");
  EXPECT_EQ(chips.value()[1].chip, "GA100");
}

TEST_F(ProbeTest, AMachineWithoutAGpuIsAnError) {
  Tell("none");
  const auto chips = ChipsOfMachine();
  ASSERT_FALSE(chips.ok());
  EXPECT_EQ(chips.error().code(), ErrorCode::kProfiler);
  EXPECT_THAT(
      chips.error().message(),
      AllOf(HasSubstr("CUDA_ERROR_NO_DEVICE (100)"), HasSubstr("no GPU")));

  Tell("cuInit=hang");
  EXPECT_THAT(ChipsOfMachine(0.5).error().message(),
              HasSubstr("did not answer within 0.5 s"));
  Tell("cuInit=crash");
  EXPECT_THAT(ChipsOfMachine().error().message(), HasSubstr("signal 11"));
}

}  // namespace
}  // namespace rangefinder
