// Samples of the GPUs' counters, from a trace to the profile.

#include "profile/counter_samples.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/trace/trace_reader.h"
#include "tests/fuzz/trace_mutator.h"
#include "tests/support/trace_builder.h"
#include "wire/counter_format.h"
#include "wire/trace_format.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kBase = 1'700'000'000'000'000'000;  // of BuildTrace()

constexpr char kTwoDevices[] = R"(
gpu 0 NVIDIA_H200
1 push A
2 launch 1
3 pop
kernel gemm 5-95 of=1 device=0
sampling 0 interval=10 chip=GH100 metrics=inst.sum,dram.sum,active.avg
sample 0 10-20 1,2,0.5
sample 0 20-30 3,4,nan
gap 0 30-60 missing=3 why=1
sample 0 60-70 5,6,0.125
sampling 1 interval=10 chip=GH100 metrics=inst.sum
stopped 1 5 reason=busy
)";

Profile ReadTrace(const std::string& bytes, Notes& notes) {
  auto profile = ReadRangefinderTrace({.path = "trace", .bytes = bytes}, notes);
  EXPECT_TRUE(profile.ok());
  return profile.ok() ? std::move(profile).value() : Profile{};
}

std::string Kinds(const Notes& notes) {
  std::string text;
  for (const Note& note : notes.all())
    text += note.kind + " " + std::to_string(note.count) + "\n";
  return text;
}

TEST(CounterSamples, AreReadAsTheyWereWritten) {
  Notes notes;
  const Profile profile = ReadTrace(testing::BuildTrace(kTwoDevices), notes);
  ASSERT_EQ(profile.counter_samples.size(), 2U);
  const CounterSamples& first = profile.counter_samples[0];
  EXPECT_EQ(first.device, 0);
  EXPECT_EQ(profile.Name(first.chip), "GH100");
  EXPECT_EQ(profile.devices.at(0).chip, "GH100");
  EXPECT_EQ(first.interval_ns, 10000U);
  ASSERT_EQ(first.metrics.size(), 3U);
  EXPECT_EQ(profile.Name(first.metrics[1]), "dram.sum");
  EXPECT_THAT(first.start_ns,
              ElementsAre(kBase + 10000, kBase + 20000, kBase + 60000));
  EXPECT_THAT(first.end_ns,
              ElementsAre(kBase + 20000, kBase + 30000, kBase + 70000));
  EXPECT_THAT(first.Row(0), ElementsAre(1, 2, 0.5));
  EXPECT_THAT(first.Row(1), ElementsAre(3, 4, ::testing::IsNan()));
  EXPECT_THAT(first.Row(2), ElementsAre(5, 6, 0.125));
  ASSERT_EQ(first.gaps.size(), 1U);
  EXPECT_EQ(first.gaps[0].reason, SampleGapReason::kImageFull);
  EXPECT_EQ(first.lost, 3U);
  EXPECT_EQ(first.held_up_ns, 600'000'000U);
  EXPECT_EQ(first.reason, "");

  const CounterSamples& second = profile.counter_samples[1];
  EXPECT_EQ(second.size(), 0U);
  EXPECT_EQ(second.reason, "busy");
  EXPECT_EQ(Kinds(notes), "lost_samples 1\nno_counter_samples 1\n");
}

TEST(CounterSamples, AreOfTheirOwnNamesAndProcessesWhenProfilesAreJoined) {
  Notes notes;
  Profile all =
      ReadTrace(testing::BuildTrace("process pid=1\n1 push B\n2 pop\n"), notes);
  Append(all, ReadTrace(testing::BuildTrace(std::string("process pid=2\n") +
                                            kTwoDevices),
                        notes));
  ASSERT_EQ(all.counter_samples.size(), 2U);
  const CounterSamples& first = all.counter_samples[0];
  EXPECT_EQ(all.processes.at(Index(first.process)).pid, 2U);
  EXPECT_EQ(all.Name(first.metrics.at(2)), "active.avg");
  EXPECT_EQ(all.Name(first.chip), "GH100");
}

TEST(CounterSamples, AGapThatNoRecordTellsOfIsFound) {
  Notes notes;
  const Profile profile = ReadTrace(
      testing::BuildTrace("sampling 0 interval=10 chip=GH100 metrics=a.sum\n"
                          "sample 0 10-20 1\n"
                          "sample 0 20-30 1\n"
                          "sample 0 70-80 1\n"),
      notes);
  ASSERT_EQ(profile.counter_samples.size(), 1U);
  const CounterSamples& samples = profile.counter_samples[0];
  ASSERT_EQ(samples.gaps.size(), 1U);
  EXPECT_EQ(samples.gaps[0].from_ns, kBase + 30000);
  EXPECT_EQ(samples.gaps[0].to_ns, kBase + 70000);
  EXPECT_EQ(samples.gaps[0].reason, SampleGapReason::kDamaged);
  EXPECT_EQ(samples.lost, 4U);
}

TEST(CounterSamples, WhatCannotBeIsLeftOutWithANote) {
  Notes notes;
  const Profile profile = ReadTrace(
      testing::BuildTrace("sampling 0 interval=10 chip=GH100 metrics=a.sum\n"
                          "sample 0 10-20 1\n"
                          "sample 0 15-25 2\n"    // overlaps
                          "sample 0 20-30 1,2\n"  // of too many metrics
                          "sample 1 20-30 1\n"    // of no set
                          "sample 0 20-30 3\n"),
      notes);
  ASSERT_EQ(profile.counter_samples.size(), 1U);
  EXPECT_THAT(profile.counter_samples[0].values, ElementsAre(1, 3));
  EXPECT_EQ(Kinds(notes), "damaged_block 1\n");
}

TEST(CounterSamples, ThatHaveNoEndThoughTheProgramEndedAreNoted) {
  std::string trace = testing::BuildTrace(
      "sampling 0 interval=10 chip=GH100 metrics=a.sum\n"
      "sample 0 10-20 1\n");
  const auto state = wire::SamplingState::kSampling;
  std::memcpy(trace.data() + wire::kLiveHeaderOffset +
                  offsetof(wire::LiveHeader, sampling),
              &state, sizeof state);
  Notes notes;
  EXPECT_EQ(ReadTrace(trace, notes).counter_samples.at(0).reason,
            "the trace does not say when sampling ended");
  EXPECT_EQ(Kinds(notes), "no_counter_samples 1\n");
}

// Blocks of a killed program carry no checksum, so a value may be anything.
TEST(CounterSamples, ValuesAndTimesThatNoDeviceHasAreDamage) {
  Notes notes;
  const Profile profile = ReadTrace(
      testing::BuildTrace("sampling 0 interval=10 chip=GH100 metrics=a.sum\n"
                          "sample 0 10-20 1\n"
                          "sample 0 20-30 1e200\n"
                          "sample 0 30-40 -1\n"
                          "sample 0 40-50 inf\n"
                          "sample 0 13e15-13e15 2\n"  // in the year 2381
                          "gap 0 20-13e15 missing=1 why=1\n"
                          "sample 0 50-60 3\n"),
      notes);
  ASSERT_EQ(profile.counter_samples.size(), 1U);
  const CounterSamples& samples = profile.counter_samples[0];
  EXPECT_THAT(samples.values, ElementsAre(1, 3));
  EXPECT_EQ(samples.lost, 3U);
  EXPECT_EQ(Kinds(notes),
            "damaged_block 1\nimpossible_samples 3\nlost_samples 1\n");
}

// A reader steps over blocks of kinds that are newer than itself.
TEST(CounterSamples, BlocksOfAnUnknownKindAreSteppedOver) {
  std::string trace = testing::BuildTrace(kTwoDevices);
  std::size_t changed = 0;
  for (std::size_t at = wire::kPageSize; at < trace.size();
       at += wire::kPageSize) {
    wire::BlockHeader block;
    std::memcpy(&block, trace.data() + at, sizeof block);
    if (block.magic != wire::kBlockMagic ||
        block.kind != wire::BlockKind::kSamples)
      continue;
    block.kind = static_cast<wire::BlockKind>(9);
    std::memcpy(trace.data() + at, &block, sizeof block);
    ++changed;
  }
  ASSERT_EQ(changed, 1U);
  testing::MakeChecksumsRight(trace);
  Notes notes;
  const Profile profile = ReadTrace(trace, notes);
  EXPECT_EQ(profile.measurements.size(), 1U);
  EXPECT_EQ(profile.visits.size(), 1U);
  EXPECT_THAT(Kinds(notes), ::testing::HasSubstr("unknown_block 1\n"));
}

}  // namespace
}  // namespace rangefinder
