// A cut or damaged trace gives its records before the damage.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "ingest/trace/trace_reader.h"
#include "tests/inject/traced_program.h"
#include "wire/checksum.h"
#include "wire/trace_format.h"

namespace rangefinder {
namespace {

using testing::HasSubstr;

TEST(Checksum, IsXxh64) {
  // From the specification's own test vectors.
  EXPECT_EQ(wire::Checksum("", 0), 0xEF46DB3751D8E999U);
  EXPECT_EQ(wire::Checksum("a", 1), 0xD24EC4F1A98C6E5BU);
  EXPECT_EQ(wire::Checksum("abc", 3), 0x44BC2CF5AD770999U);
}

// A small trace with ranges, names, launches, kernels and copies.
std::string SmallTrace() {
  const Folder folder;
  const ProgramRun run =
      RunProgram({INJECT_PROGRAM, "gpu", "3"}, INJECT_LIBRARY, folder.path(),
                 {{"RANGEFINDER_CUPTI_PATH", INJECT_FAKE_CUPTI}});
  EXPECT_EQ(run.status, 0);
  return ReadFile(TracesIn(folder.path()).at(0)).value();
}

// The same of a program whose GPU is sampled.
std::string SampledTrace() {
  const Folder folder;
  const ProgramRun run = RunProgram(
      {INJECT_PROGRAM, "sampled", "3"}, INJECT_LIBRARY, folder.path(),
      {{"RANGEFINDER_CUPTI_PATH", INJECT_FAKE_CUPTI},
       {"RANGEFINDER_INJECT_MODE", "sample"},
       {"RANGEFINDER_INJECT_METRICS", "a.sum,b.avg"}});
  EXPECT_EQ(run.status, 0);
  return ReadFile(TracesIn(folder.path()).at(0)).value();
}

struct Counts {
  bool read = false;
  std::uint64_t instances = 0, kernels = 0, samples = 0;
  Notes notes{};
};

Counts Read(std::string_view bytes) {
  Counts counts;
  const auto profile =
      ReadRangefinderTrace({.path = "trace", .bytes = bytes}, counts.notes);
  if (!profile.ok()) return counts;
  counts.read = true;
  counts.kernels = profile.value().measurements.size();
  for (const RangeVisits& row : profile.value().visits)
    counts.instances += row.instances;
  for (const CounterSamples& samples : profile.value().counter_samples)
    counts.samples += samples.size();
  return counts;
}

TEST(DamagedTrace, EveryTruncationGivesTheEventsBefore) {
  const std::string trace = SmallTrace();
  const Counts whole = Read(trace);
  ASSERT_TRUE(whole.read);
  ASSERT_EQ(whole.instances, 6U);
  ASSERT_EQ(whole.kernels, 13U);
  ASSERT_TRUE(whole.notes.empty()) << DrawNotes(whole.notes);
  std::uint64_t instances = 0, kernels = 0;
  for (std::size_t cut = 0; cut <= trace.size(); ++cut) {
    const Counts part = Read(std::string_view(trace).substr(0, cut));
    if (cut < wire::kPageSize) {  // the header
      EXPECT_FALSE(part.read) << cut;
      continue;
    }
    ASSERT_TRUE(part.read) << cut;
    // One more byte never makes it less.
    ASSERT_GE(part.instances, instances) << cut;
    ASSERT_GE(part.kernels, kernels) << cut;
    instances = part.instances;
    kernels = part.kernels;
  }
  EXPECT_EQ(instances, whole.instances);
  EXPECT_EQ(kernels, whole.kernels);
}

TEST(DamagedTrace, EveryTruncationGivesTheSamplesBefore) {
  const std::string trace = SampledTrace();
  const Counts whole = Read(trace);
  ASSERT_GT(whole.samples, 10U);
  ASSERT_TRUE(whole.notes.empty()) << DrawNotes(whole.notes);
  std::uint64_t samples = 0;
  for (std::size_t cut = wire::kPageSize; cut <= trace.size(); ++cut) {
    const Counts part = Read(std::string_view(trace).substr(0, cut));
    ASSERT_TRUE(part.read) << cut;
    ASSERT_GE(part.samples, samples) << cut;
    samples = part.samples;
  }
  EXPECT_EQ(samples, whole.samples);
}

// How many blocks are noticed to be damaged, each in turn.
std::size_t NoticedBlocks(const std::string& trace) {
  std::size_t noticed = 0;
  for (std::size_t at = wire::kPageSize; at < trace.size(); at += 4096) {
    std::string damaged = trace;
    damaged[at + sizeof(wire::BlockHeader)] ^= 0x40;
    const Counts part = Read(damaged);
    EXPECT_TRUE(part.read);
    noticed += DrawNotes(part.notes).find("damaged_block") != std::string::npos;
  }
  return noticed;
}

TEST(DamagedTrace, ABlockWithAWrongByteIsLeftOutWithANote) {
  // The blocks of names, events, GPU records and samples were all sealed at the
  // end.
  EXPECT_EQ(NoticedBlocks(SmallTrace()), 3U);
  // Where the machine is slow there are more of samples.
  EXPECT_GE(NoticedBlocks(SampledTrace()), 4U);
}

TEST(DamagedTrace, ATailOfZerosIsSaid) {
  const std::string trace = SmallTrace();
  for (std::size_t at = wire::kPageSize; at < trace.size();
       at += wire::kPageSize) {
    std::string damaged = trace;
    std::fill(damaged.begin() + static_cast<std::ptrdiff_t>(at), damaged.end(),
              '\0');
    const Counts part = Read(damaged);
    EXPECT_TRUE(part.read);
    EXPECT_THAT(DrawNotes(part.notes), HasSubstr("zeroed_blocks 1")) << at;
  }
}

TEST(DamagedTrace, AnyByteMayBeWrong) {
  for (const std::string& trace : {SmallTrace(), SampledTrace()}) {
    for (std::size_t at = 0; at < trace.size(); ++at) {
      // Zeros at the end of blocks are many and alike.
      if (trace[at] == '\0' && at % 61 != 0) continue;
      std::string damaged = trace;
      damaged[at] = static_cast<char>(~damaged[at]);
      Read(damaged);  // must come back
    }
  }
}

TEST(DamagedTrace, AnotherVersionIsNotACorruptFile) {
  std::string trace = SmallTrace();
  trace[offsetof(wire::FixedHeader, version)] = 2;
  Notes notes;
  const auto profile =
      ReadRangefinderTrace({.path = "trace", .bytes = trace}, notes);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace rangefinder
