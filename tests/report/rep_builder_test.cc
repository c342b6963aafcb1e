// The reader reads the measurements, places and values that the builder writes.

#include "tests/support/rep_builder.h"

#include <gtest/gtest.h>

#include "ingest/ncu/ncu_reader.h"
#include "tests/support/analyze.h"
#include "tests/support/draw.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using testing::BuildProfile;
using testing::BuildRep;
using testing::Draw;

Profile ReadBack(const std::string& bytes) {
  Notes notes;
  Result<Profile> profile =
      ReadNcuReport({.path = "built.ncu-rep", .bytes = bytes}, notes);
  for (const Note& note : notes.all()) ADD_FAILURE() << note.text;
  if (!profile.ok()) {
    ADD_FAILURE() << profile.error().message();
    return {};
  }
  return std::move(profile).value();
}

// Everything that a report can say of its measurements, a line each.
std::string DrawMeasurements(const Profile& profile) {
  std::string text;
  for (const Measurement& m : profile.measurements) {
    text +=
        fmt::format("{} '{}' thread={} pid={} device={} @ {}", KindName(m.kind),
                    Printable(profile.Name(m.demangled_name)), m.thread,
                    profile.processes[Index(m.process)].pid, m.device,
                    Draw(profile, PathOf(profile, m)));
    for (const Sample& sample : profile.SamplesOf(m)) {
      const std::string_view name = profile.MetricName(sample.metric);
      if (name == "launch__device_id") continue;
      text += fmt::format(" {}={}", name, *sample.value().number());
    }
    text += '\n';
  }
  return text;
}

TEST(RepBuilder, WritesWhatTheReaderReads) {
  for (const std::string_view text :
       {testing::kNestedProgram, testing::kContextsProgram}) {
    const Profile profile = BuildProfile(text);
    EXPECT_EQ(DrawMeasurements(ReadBack(BuildRep(profile))),
              DrawMeasurements(profile));
  }
}

TEST(RepBuilder, WritesMetricsProcessesAndDevices) {
  EXPECT_EQ(DrawMeasurements(ReadBack(BuildRep(R"(
    kernel gemm dram__bytes.sum=64 gpu__time_duration.sum=1200 @ A/B
    kernel relu gpu__time_duration.sum=0.5 pid=7 device=3 @ start LLM@S
    range gpu__time_duration.sum=9 @ A
    kernel \x1b[31m\x0a
  )"))),
            "kernel 'gemm' thread=1 pid=1 device=0 @ A > B "
            "dram__bytes.sum=64 gpu__time_duration.sum=1200\n"
            "kernel 'relu' thread=1 pid=7 device=3 @ LLM@S "
            "gpu__time_duration.sum=0.5\n"
            "range '' thread=1 pid=1 device=0 @ A gpu__time_duration.sum=9\n"
            "kernel '\\x1b[31m\\n' thread=1 pid=1 device=0 @ (none)\n");
}

TEST(RepBuilder, BlocksMayHoldSeveralResultsAndSources) {
  const Profile profile = BuildProfile(testing::kNestedProgram);
  EXPECT_EQ(DrawMeasurements(ReadBack(BuildRep(
                profile,
                {.results_per_block = 5, .sources = 3, .source_bytes = 1000}))),
            DrawMeasurements(profile));
}

}  // namespace
}  // namespace rangefinder
