// Mode `sample` under a CUPTI whose samples are known: one in every interval
// while it runs, with values that follow from its time.

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "inject/counters/device_sampler.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {

using testing::HasSubstr;
using testing::Not;
using Environment = std::map<std::string, std::string>;

// Checks a trace of samples, also one with losses: samples are in order, every
// interval is either a sample or part of a gap, and values are those of the
// hardware.
void ExpectSound(const CounterSamples& samples) {
  ASSERT_GT(samples.size(), 0U);
  ASSERT_EQ(samples.end_ns.size(), samples.size());
  ASSERT_EQ(samples.values.size(), samples.size() * samples.metrics.size());
  std::uint64_t without = 0;  // time in which nothing was to be sampled
  std::uint64_t lost = 0;
  for (const SampleGap& gap : samples.gaps) {
    EXPECT_LE(gap.from_ns, gap.to_ns);
    lost += gap.samples;
    if (gap.samples == 0) without += gap.to_ns - gap.from_ns;
  }
  EXPECT_EQ(samples.lost, lost);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(samples.end_ns[i] - samples.start_ns[i], samples.interval_ns);
    if (i > 0) {
      ASSERT_GE(samples.start_ns[i], samples.end_ns[i - 1]);
    }
    const auto row = samples.Row(i);
    for (std::size_t m = 0; m < row.size(); ++m) {
      ASSERT_EQ(row[m], static_cast<double>(samples.start_ns[i] % 1000003) +
                            static_cast<double>(m) / 4);
    }
  }
  std::uint64_t first = samples.start_ns[0], last = samples.end_ns.back();
  if (!samples.gaps.empty()) {
    first = std::min(first, samples.gaps.front().from_ns);
    last = std::max(last, samples.gaps.back().to_ns);
  }
  const std::uint64_t span = last - first;
  const std::uint64_t all = (span - without) / samples.interval_ns;
  // Each gap is rounded to whole samples.
  EXPECT_NEAR(static_cast<double>(samples.size() + samples.lost),
              static_cast<double>(all),
              static_cast<double>(samples.gaps.size()) + 0.5);
}

// The samples of the one device that a program has.
CounterSamples SamplesOf(const Profile& profile) {
  EXPECT_EQ(profile.counter_samples.size(), 1U);
  if (profile.counter_samples.size() != 1) return {};
  return profile.counter_samples[0];
}

CounterSamples SoundSamplesOf(const Profile& profile) {
  CounterSamples samples = SamplesOf(profile);
  ExpectSound(samples);
  return samples;
}

class SampledPrograms : public testing::TestWithParam<Traced> {
 protected:
  ProgramRun Run(std::vector<std::string> arguments, Environment more = {}) {
    arguments.insert(arguments.begin(), GetParam().program);
    Environment environment = {
        {"RANGEFINDER_INJECT_MODE", "sample"},
        {"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti}};
    for (const auto& [name, value] : more) environment[name] = value;
    return RunProgram(arguments, GetParam().library, folder_.path(),
                      environment);
  }
  // Of a run that ended well.
  Profile Sample(std::vector<std::string> arguments, Environment more = {}) {
    const ProgramRun run = Run(std::move(arguments), std::move(more));
    EXPECT_EQ(run.status, 0) << run.output << run.errors;
    return ReadTraces(folder_.path(), notes_);
  }
  // Of a run that could not be sampled: it is a trace, and says why.
  std::string ReasonOf(Environment more) {
    const Profile profile = Sample({"sampled", "5"}, std::move(more));
    EXPECT_EQ(profile.measurements.size(), 5U);
    EXPECT_EQ(DrawNotes(notes_), "no_counter_samples 1\n");
    const CounterSamples samples = SamplesOf(profile);
    EXPECT_EQ(samples.size(), 0U);
    return samples.reason;
  }
  Folder folder_;
  Notes notes_;
};

INSTANTIATE_TEST_SUITE_P(Builds, SampledPrograms,
                         testing::ValuesIn(TracedBuilds()),
                         [](const auto& one) { return one.param.name; });

TEST_P(SampledPrograms, SamplesAndTheTraceAreInOneFile) {
  const Profile profile = Sample({"sampled", "100"});
  EXPECT_EQ(profile.measurements.size(), 100U);
  EXPECT_EQ(DrawVisits(profile), "p0 t0 step x100\n");
  const CounterSamples samples = SoundSamplesOf(profile);
  EXPECT_EQ(samples.device, 0);
  EXPECT_EQ(profile.Name(samples.chip), "GH100");
  EXPECT_EQ(profile.devices.at(0).chip, "GH100");
  EXPECT_EQ(samples.interval_ns, 200000U);
  std::vector<std::string_view> metrics;
  for (const StringId metric : samples.metrics)
    metrics.push_back(profile.Name(metric));
  EXPECT_THAT(metrics,
              testing::ElementsAre(
                  "sm__inst_executed.sum", "dram__bytes_read.sum",
                  "dram__bytes_write.sum", "sm__cycles_active.avg",
                  "lts__t_sectors.sum", "sm__pipe_tensor_cycles_active.avg"));
  EXPECT_EQ(samples.lost, 0U);
  EXPECT_TRUE(samples.gaps.empty());
  EXPECT_EQ(samples.reason, "");
  EXPECT_GT(samples.held_up_ns, 0U);
  // From before the first kernel until after the last, but for the half
  // millisecond in which the hardware begins.
  EXPECT_LE(samples.started_ns, profile.measurements.front().start_ns);
  EXPECT_GE(samples.end_ns.back() + samples.interval_ns,
            profile.measurements.back().end_ns);
  EXPECT_GE(samples.stopped_ns, samples.end_ns.back());
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_P(SampledPrograms, MetricsAndIntervalAreAsAsked) {
  const Profile profile = Sample(
      {"sampled", "50"}, {{"RANGEFINDER_INJECT_METRICS", "b.sum,a.avg,b.sum"},
                          {"RANGEFINDER_INJECT_SAMPLE_NS", "50000"}});
  const CounterSamples samples = SoundSamplesOf(profile);
  EXPECT_EQ(samples.interval_ns, 50000U);
  ASSERT_EQ(samples.metrics.size(), 2U);
  EXPECT_EQ(profile.Name(samples.metrics[0]), "b.sum");
  EXPECT_EQ(profile.Name(samples.metrics[1]), "a.avg");
}

TEST_P(SampledPrograms, OptionalMetricsAreSampledUnlessTheDeviceRefusesThem) {
  const auto sampled = [&](const std::string& optional) {
    const Folder folder;
    Notes notes;
    const ProgramRun run =
        RunProgram({GetParam().program, "sampled", "50"}, GetParam().library,
                   folder.path(),
                   {{"RANGEFINDER_INJECT_MODE", "sample"},
                    {"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
                    {"RANGEFINDER_INJECT_METRICS", "a.sum,b.sum"},
                    {"RANGEFINDER_INJECT_OPTIONAL", optional}});
    EXPECT_EQ(run.status, 0) << run.output << run.errors;
    const Profile profile = ReadTraces(folder.path(), notes);
    EXPECT_EQ(DrawNotes(notes), "");
    std::vector<std::string> metrics;
    const CounterSamples samples = SoundSamplesOf(profile);
    for (const StringId metric : samples.metrics)
      metrics.emplace_back(profile.Name(metric));
    return metrics;
  };
  EXPECT_THAT(sampled("c.sum,a.sum"),
              testing::ElementsAre("a.sum", "b.sum", "c.sum"));
  EXPECT_THAT(sampled("c.sum,unknown.sum"),
              testing::ElementsAre("a.sum", "b.sum"));
}

TEST_P(SampledPrograms, AKilledProgramHasTheSamplesOfItsLastPoll) {
  const ProgramRun run = Run({"sampled", "50", "killed"});
  EXPECT_EQ(run.status, SIGKILL) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  const CounterSamples samples = SoundSamplesOf(profile);
  EXPECT_EQ(samples.stopped_ns, 0U);
  EXPECT_EQ(samples.reason, "");
  EXPECT_THAT(DrawNotes(notes_), HasSubstr("abrupt_end"));
}

TEST_P(SampledPrograms, AProgramEndsWithTheLastOfItsOwnThreads) {
  if (std::string(GetParam().name) == "tsan")
    GTEST_SKIP() << "NOT TESTED: TSan has a thread of its own, "
                    "which never ends";
  const ProgramRun run = Run({"sampled", "50", "leave"});
  EXPECT_EQ(run.status, 0) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  ExpectSound(SamplesOf(profile));
  EXPECT_THAT(DrawNotes(notes_), Not(HasSubstr("abrupt_end")));
}

TEST_P(SampledPrograms, SamplesThatWaitForTheNextDecodingAreNotLost) {
  const CounterSamples samples =
      SoundSamplesOf(Sample({"sampled", "200"}, {{"FAKE_SAMPLING", "tail=7"}}));
  // An image that never becomes complete is given up when it is full, and not
  // in every poll.
  for (const SampleGap& gap : samples.gaps) {
    EXPECT_EQ(gap.reason, SampleGapReason::kImageFull);
    EXPECT_EQ(gap.samples, 7U);
  }
  EXPECT_LT(samples.lost * 10, samples.size());
}

// Decoding that takes as long as the wait before it, as on an H200 that is
// busy: twice as many samples come at once as the wait alone has.
TEST(ImageRoom, AnImageIsNotFilledByDecodingsThatTakeTheirTime) {
  inject::ImageRoom room(50);
  std::size_t populated = 0;
  for (int poll = 0; poll < 1000; ++poll) {
    const std::size_t more =
        215 + static_cast<std::size_t>(poll * 37 % 41) - 20;
    ASSERT_LE(populated + more, 700U) << poll;
    populated += more;
    room.Added(more);
    if (room.MayFill(populated, 700)) populated = 0;
  }
}
TEST(ImageRoom, OneThatIsHeldUpIsForgotten) {
  inject::ImageRoom room(50);
  room.Added(600);
  EXPECT_TRUE(room.MayFill(0, 700));
  for (int poll = 0; poll < 40; ++poll) room.Added(100);
  EXPECT_FALSE(room.MayFill(300, 700));
  EXPECT_TRUE(room.MayFill(501, 700));
}

// Evaluating takes longer than the samples need to come, and the hardware's
// buffer is full after 0.12 s without decoding.
TEST_P(SampledPrograms, SlowEvaluationHoldsUpNoDecoding) {
  const CounterSamples samples = SoundSamplesOf(Sample(
      {"sampled", "250"}, {{"FAKE_SAMPLING", "evaluate_us=300,capacity=600"}}));
  EXPECT_EQ(samples.reason, "");
  EXPECT_EQ(samples.lost, 0U);
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_P(SampledPrograms,
       ABacklogAtTheEndIsWrittenForASecondAndTheRestIsCounted) {
  const CounterSamples samples = SoundSamplesOf(
      Sample({"sampled", "300"}, {{"FAKE_SAMPLING", "evaluate_us=2000"},
                                  {"RANGEFINDER_INJECT_SAMPLE_NS", "100000"}}));
  EXPECT_LT(samples.held_up_ns, 2'000'000'000U);
  ASSERT_EQ(samples.gaps.size(), 1U);
  EXPECT_EQ(samples.gaps[0].reason, SampleGapReason::kImageFull);
  EXPECT_EQ(samples.gaps[0].from_ns, samples.end_ns.back());
  EXPECT_GT(samples.lost, samples.size());
  EXPECT_THAT(DrawNotes(notes_), HasSubstr("lost_samples"));
}

// The images have room for half a second of samples, and so has the hardware's
// buffer.
TEST_P(SampledPrograms, WithoutAFreeImageDecodingWaitsAndTheLossIsSaid) {
  const Profile profile =
      Sample({"sampled", "1200"},
             {{"FAKE_SAMPLING", "evaluate_us=200,bytes=20000,capacity=12000"},
              {"RANGEFINDER_INJECT_SAMPLE_NS", "50000"}});
  EXPECT_EQ(profile.measurements.size(), 1200U);
  const CounterSamples samples = SoundSamplesOf(profile);
  EXPECT_GT(samples.lost, 0U);
  EXPECT_THAT(DrawNotes(notes_), HasSubstr("lost_samples"));
}

// As by a program that waits for long kernels.
TEST_P(SampledPrograms, DecodingThatIsHeldUpLosesLittle) {
  const CounterSamples samples = SoundSamplesOf(
      Sample({"sampled", "900"}, {{"FAKE_SAMPLING", "decode_ms=70,tail=5"}}));
  EXPECT_EQ(samples.reason, "");
  // The last gap is rounded.
  for (const SampleGap& gap : samples.gaps) EXPECT_LE(gap.samples, 6U);
  EXPECT_LT(samples.lost * 40, samples.size());
}

TEST_P(SampledPrograms, AfterAnOverflowSamplingBeginsAnew) {
  const CounterSamples samples = SoundSamplesOf(
      Sample({"sampled", "200"}, {{"FAKE_SAMPLING", "overflows=1"}}));
  EXPECT_EQ(samples.reason, "");
  // On a loaded machine, decoding may fall behind as well.
  EXPECT_EQ(std::ranges::count(samples.gaps, SampleGapReason::kOverflow,
                               &SampleGap::reason),
            1);
  EXPECT_GT(samples.lost, 0U);
}

// Half a second of samples come between two decodings: more than the first
// buffer of 64 MiB holds, and less than the largest.
TEST_P(SampledPrograms, AfterAnOverflowTheBufferIsAsLargeAsCanBe) {
  const CounterSamples samples = SoundSamplesOf(Sample(
      {"sampled", "1500"}, {{"FAKE_SAMPLING", "decode_ms=500,per_mib=25"}}));
  EXPECT_EQ(samples.reason, "");
  EXPECT_EQ(std::ranges::count(samples.gaps, SampleGapReason::kOverflow,
                               &SampleGap::reason),
            1);
}

TEST_P(SampledPrograms, WhereALargeBufferIsRefusedASmallerOneIsTaken) {
  ExpectSound(
      SamplesOf(Sample({"sampled", "50"}, {{"FAKE_SAMPLING", "most_mib=32"}})));
}

TEST_P(SampledPrograms, TheIntervalIsWidenedUntilFewSamplesAreLost) {
  const CounterSamples samples = SamplesOf(Sample(
      {"sampled", "5000"}, {{"FAKE_SAMPLING", "thin_below=80000"},
                            {"RANGEFINDER_INJECT_SAMPLE_NS", "50000+"}}));
  EXPECT_EQ(samples.reason, "");
  std::map<std::uint64_t, std::size_t> by_length;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ++by_length[samples.end_ns[i] - samples.start_ns[i]];
    if (i > 0) {
      ASSERT_GE(samples.start_ns[i], samples.end_ns[i - 1]);
    }
  }
  ASSERT_EQ(by_length.size(), 2U);
  // Two times 10,000 samples, of which a busy machine loses some.
  EXPECT_GE(by_length[50'000] + samples.lost, 20'000U);
  EXPECT_GT(by_length[100'000], 100U);
  // One of 20 is missing before, and the time between the sessions.
  EXPECT_GE(samples.lost, by_length[50'000] / 19);
}

TEST_P(SampledPrograms, AFixedIntervalIsNotWidened) {
  ExpectSound(SamplesOf(Sample({"sampled", "1500"},
                               {{"FAKE_SAMPLING", "thin_below=80000"},
                                {"RANGEFINDER_INJECT_SAMPLE_NS", "50000"}})));
}

TEST_P(SampledPrograms, AnEvaluationThatDoesNotEndEndsTheSampling) {
  const Profile profile =
      Sample({"sampled", "4000"},
             {{"FAKE_SAMPLING", "evaluate_us=5000000,thin_below=80000"},
              {"RANGEFINDER_INJECT_SAMPLE_NS", "50000+"}});
  EXPECT_EQ(profile.measurements.size(), 4000U);
  EXPECT_EQ(SamplesOf(profile).reason, "evaluating a sample does not end");
}

TEST_P(SampledPrograms, AfterASecondOverflowItSaysWhyItEnded) {
  const Profile profile =
      Sample({"sampled", "300"}, {{"FAKE_SAMPLING", "overflows=2"}});
  EXPECT_EQ(profile.measurements.size(), 300U);
  EXPECT_THAT(SamplesOf(profile).reason, HasSubstr("overflowed twice"));
}

TEST_P(SampledPrograms, AfterASecondOverflowALongerIntervalIsTried) {
  const CounterSamples samples = SamplesOf(Sample(
      {"sampled", "300"}, {{"FAKE_SAMPLING", "overflows=2"},
                           {"RANGEFINDER_INJECT_SAMPLE_NS", "200000+"}}));
  EXPECT_EQ(samples.reason, "");
  ASSERT_GT(samples.size(), 0U);
  EXPECT_EQ(samples.end_ns.back() - samples.start_ns.back(), 400'000U);
  EXPECT_EQ(samples.interval_ns, 400'000U);
  EXPECT_GT(samples.lost, 0U);
}

TEST_P(SampledPrograms, AnOverflowAtTheEndIsSaid) {
  const CounterSamples samples = SamplesOf(
      Sample({"sampled", "5"}, {{"FAKE_SAMPLING", "capacity=0"},
                                {"RANGEFINDER_INJECT_SAMPLE_NS", "1000000"}}));
  EXPECT_EQ(samples.size(), 0U);
  EXPECT_THAT(samples.reason, HasSubstr("overflowed"));
}

TEST_P(SampledPrograms, WhatCannotBeSampledIsAPlainTraceThatSaysWhy) {
  EXPECT_EQ(ReasonOf({{"FAKE_SAMPLING", "enable=26"}}),
            "another profiler has the counters (CUPTI_ERROR_HARDWARE_BUSY, "
            "26)");
  EXPECT_EQ(notes_.all()[0].text,
            "the counters of GPU 0 were not sampled: another profiler has the "
            "counters (CUPTI_ERROR_HARDWARE_BUSY, 26)");
}

TEST_P(SampledPrograms, AContextThatIsDestroyedIsLetGoOf) {
  const Profile profile = Sample({"sampled", "30", "contexts"});
  const CounterSamples samples = SoundSamplesOf(profile);
  // The second context was not the last while the first was alive.
  ASSERT_EQ(std::ranges::count(samples.gaps, SampleGapReason::kNoContext,
                               &SampleGap::reason),
            1);
  EXPECT_EQ(samples.reason, "");
  EXPECT_EQ(profile.measurements.size(), 120U);
}

TEST_P(SampledPrograms, ContextsThatComeAndGoDoNotHoldTheProgramUpForEver) {
  const Profile profile = Sample({"sampled", "10", "many"});
  const CounterSamples samples = SoundSamplesOf(profile);
  EXPECT_EQ(std::ranges::count(samples.gaps, SampleGapReason::kNoContext,
                               &SampleGap::reason),
            3);
  EXPECT_THAT(samples.reason, HasSubstr("again and again"));
  EXPECT_EQ(profile.measurements.size(), 110U);
}

TEST_P(SampledPrograms, TwoDevicesAreSampledEachByItself) {
  const Profile profile = Sample({"sampled", "60", "devices"});
  ASSERT_EQ(profile.counter_samples.size(), 2U);
  for (const CounterSamples& samples : profile.counter_samples)
    ExpectSound(samples);
  EXPECT_NE(profile.counter_samples[0].device,
            profile.counter_samples[1].device);
}

// The hardware's buffer holds 0.6 s of samples, and a device takes 1.2 s to
// begin.
TEST_P(SampledPrograms, ADeviceThatBeginsHoldsUpNoOther) {
  const Profile profile =
      Sample({"sampled", "60", "later"},
             {{"FAKE_SAMPLING", "enable_ms=1200,capacity=3000"}});
  ASSERT_EQ(profile.counter_samples.size(), 2U);
  for (const CounterSamples& samples : profile.counter_samples) {
    ExpectSound(samples);
    EXPECT_EQ(samples.reason, "");
    EXPECT_TRUE(samples.gaps.empty());
  }
}

TEST_P(SampledPrograms, AForkedChildLeavesTheParentsSamplingAlone) {
  const Profile profile = Sample({"sampled", "50", "fork"});
  ASSERT_EQ(TracesIn(folder_.path()).size(), 2U);
  ExpectSound(SamplesOf(profile));
  EXPECT_EQ(profile.measurements.size(), 100U);
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_P(SampledPrograms, AThreadThatIsCancelledDoesNotTakeTheLockWithIt) {
  const CounterSamples samples =
      SoundSamplesOf(Sample({"sampled", "30", "cancel"}));
  EXPECT_GT(samples.stopped_ns, 0U);
}

TEST_P(SampledPrograms, SamplingMayWaitForTheFirstLaunch) {
  const Profile profile = Sample(
      {"sampled", "50"}, {{"RANGEFINDER_INJECT_TUNE", "sample_at_launch=1"}});
  const CounterSamples samples = SoundSamplesOf(profile);
  EXPECT_LE(samples.started_ns, profile.measurements.front().start_ns);
}

TEST_P(SampledPrograms, TheProgramsOwnOutputAndStatusAreItsOwn) {
  const ProgramRun run = Run({"sampled", "20", "output"});
  EXPECT_EQ(run.status, 5 << 8);
  EXPECT_EQ(run.output, "out");
  EXPECT_EQ(run.errors, "err");
}

// One build suffices: the decision is made before any thread starts.
class SampledReasons : public SampledPrograms {};
INSTANTIATE_TEST_SUITE_P(Builds, SampledReasons,
                         testing::Values(Traced{"plain", INJECT_PROGRAM,
                                                INJECT_LIBRARY,
                                                INJECT_FAKE_CUPTI}),
                         [](const auto& one) { return one.param.name; });

TEST_P(SampledReasons, NoPermission) {
  EXPECT_EQ(ReasonOf({{"FAKE_SAMPLING", "availability=35"}}),
            "only administrators may profile this GPU "
            "(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, 35)");
}

TEST_P(SampledReasons, TooManyPasses) {
  EXPECT_EQ(ReasonOf({{"FAKE_SAMPLING", "passes=4"}}),
            "these metrics take 4 passes on GH100, and sampling has one: ask "
            "for fewer");
}

TEST_P(SampledReasons, AnUnknownMetricIsNamed) {
  EXPECT_EQ(ReasonOf({{"RANGEFINDER_INJECT_METRICS", "a.sum,unknown.sum"}}),
            "GH100 has no metric unknown.sum that can be sampled "
            "(CUPTI_ERROR_INVALID_PARAMETER, 1)");
}

TEST_P(SampledReasons, AnIntervalOfNothing) {
  EXPECT_THAT(ReasonOf({{"RANGEFINDER_INJECT_SAMPLE_NS", "fast"}}),
              HasSubstr("RANGEFINDER_INJECT_SAMPLE_NS is no number"));
}

TEST_P(SampledReasons, ACuptiWithoutSampling) {
  EXPECT_EQ(ReasonOf({{"RANGEFINDER_CUPTI_PATH", INJECT_FAKE_CUPTI_BEFORE}}),
            "this CUPTI (version 130001) has no PM sampling; that of CUDA 12.6 "
            "and later has");
}

TEST_P(SampledReasons, AnyStepMayFail) {
  for (const char* step :
       {"initialize", "chip", "availability", "host", "metrics", "config_size",
        "config_image", "count_passes", "enable", "configure", "data_size",
        "data", "start", "decode", "data_info", "evaluate", "sample_info"}) {
    const Folder folder;
    Notes notes;
    const ProgramRun run =
        RunProgram({GetParam().program, "sampled", "60"}, GetParam().library,
                   folder.path(),
                   {{"RANGEFINDER_INJECT_MODE", "sample"},
                    {"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
                    {"FAKE_SAMPLING", std::string(step) + "=27"}});
    EXPECT_EQ(run.status, 0) << step << ": " << run.errors;
    const Profile profile = ReadTraces(folder.path(), notes);
    EXPECT_EQ(profile.measurements.size(), 60U) << step;
    EXPECT_THAT(SamplesOf(profile).reason,
                HasSubstr("(CUPTI_ERROR_UNKNOWN, 27)"))
        << step;
    EXPECT_EQ(DrawNotes(notes), "no_counter_samples 1\n") << step;
  }
}

TEST_P(SampledReasons, WhereNothingIsTracedNothingIsSampled) {
  const Profile profile = Sample({"sampled", "5"}, {{"FAKE_CUPTI", "busy"}});
  EXPECT_EQ(DrawNotes(notes_), "no_gpu_activity 1\n");
  const CounterSamples samples = SamplesOf(profile);
  EXPECT_EQ(samples.device, -1);
  EXPECT_THAT(samples.reason, HasSubstr("another tool"));
}

TEST_P(SampledReasons, AProgramWithoutAContextHasNoSamples) {
  const Profile profile = Sample({"gpu", "5"});
  EXPECT_EQ(DrawNotes(notes_), "");
  EXPECT_EQ(SamplesOf(profile).reason, "the program made no CUDA context");
}

TEST_P(SampledReasons, OtherModesDoNotSample) {
  const Profile profile =
      Sample({"sampled", "5"}, {{"RANGEFINDER_INJECT_MODE", "trace"}});
  EXPECT_TRUE(profile.counter_samples.empty());
}

TEST_P(SampledReasons, AFullFileLosesSamplesAndCountsThem) {
  const ProgramRun run =
      RunProgram({"sh", "-c",
                  "ulimit -f 200; exec " + GetParam().program + " sampled 300"},
                 GetParam().library, folder_.path(),
                 {{"RANGEFINDER_INJECT_MODE", "sample"},
                  {"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
                  {"RANGEFINDER_INJECT_SAMPLE_NS", "20000"}});
  ASSERT_EQ(run.status, 0) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  ExpectSound(SamplesOf(profile));
  EXPECT_THAT(DrawNotes(notes_), HasSubstr("lost_samples"));
}

}  // namespace
}  // namespace rangefinder
