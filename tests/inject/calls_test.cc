// Calls of CUDA and their durations: which are chosen, and how a program's are
// read back.

#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "ingest/trace/trace_blocks.h"
#include "ingest/trace/trace_calls.h"
#include "inject/gpu/timed_calls.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {

using inject::NameOfCall;
using inject::OuterCalls;
using inject::RecordedCall;
using inject::TimedCallOf;
using wire::TimedCall;

TEST(TimedCallOf, ChoosesCallsThatWaitAndLeavesOutFrequentOnes) {
  EXPECT_EQ(TimedCallOf("cudaStreamSynchronize_ptsz_v7000"),
            TimedCall::kSynchronise);
  EXPECT_EQ(TimedCallOf("cudaMemcpy2D_v3020"), TimedCall::kSynchronise);
  EXPECT_EQ(TimedCallOf("cuMemcpyDtoH_v2_ptds"), TimedCall::kSynchronise);
  EXPECT_EQ(TimedCallOf("cudaMallocAsync_ptsz_v11020"), TimedCall::kAllocate);
  EXPECT_EQ(TimedCallOf("cuMemFreeHost"), TimedCall::kAllocate);
  EXPECT_EQ(TimedCallOf("cuModuleLoadDataEx"), TimedCall::kLoad);
  EXPECT_EQ(TimedCallOf("cuLinkComplete"), TimedCall::kLoad);
  EXPECT_EQ(TimedCallOf("cuMemPrefetchAsync_v2"), TimedCall::kLaunch);
  EXPECT_EQ(TimedCallOf("cuCtxCreate_v4"), TimedCall::kOther);
  for (const char* name :
       {"cudaMemcpyAsync_v3020", "cuMemcpyBatchAsync_v2", "cudaLaunchKernel",
        "cuMemsetD8_v2", "cudaStreamQuery_v3020", "cuStreamWaitEvent",
        "cuMemGetAddressRange_v2", "cudaMemset_v3020", "cuEventRecord"})
    EXPECT_EQ(TimedCallOf(name), TimedCall{0}) << name;
}

TEST(NameOfCall, IsWithoutVersionAndKindOfStream) {
  EXPECT_EQ(NameOfCall("cudaMemcpy_ptds_v7000"), "cudaMemcpy");
  EXPECT_EQ(NameOfCall("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD");
  EXPECT_EQ(NameOfCall("cuCtxSynchronize"), "cuCtxSynchronize");
  EXPECT_EQ(NameOfCall("cuda_v"), "cuda_v");
  EXPECT_EQ(NameOfCall(""), "");
}

class OuterCallsOf : public testing::Test {
 protected:
  void Add(cupti::Domain domain, TimedCall kind, std::uint32_t thread,
           std::uint64_t start, std::uint64_t end) {
    outer_.Add({kind, domain, 1, thread, start, end}, Draw());
  }
  std::string Drawn() {
    outer_.Release(Draw());
    return std::move(drawn_);
  }

 private:
  std::function<void(const RecordedCall&)> Draw() {
    return [this](const RecordedCall& call) {
      drawn_ += (call.domain == cupti::kRuntimeApi ? " r" : " d") +
                std::to_string(call.start);
    };
  }
  OuterCalls outer_;
  std::string drawn_;
};

constexpr auto kDriver = cupti::kDriverApi;
constexpr auto kRuntime = cupti::kRuntimeApi;

TEST_F(OuterCallsOf, ADriversCallInsideTheRuntimesIsOneCall) {
  Add(kDriver, TimedCall::kAllocate, 7, 11, 19);
  Add(kRuntime, TimedCall::kAllocate, 7, 10, 20);
  EXPECT_EQ(Drawn(), " r10");
}

TEST_F(OuterCallsOf, OfAnotherMeaningOrThreadOrTimeItStays) {
  Add(kDriver, TimedCall::kLoad, 7, 11, 19);
  Add(kRuntime, TimedCall::kAllocate, 7, 10, 20);
  Add(kDriver, TimedCall::kAllocate, 7, 31, 39);
  Add(kRuntime, TimedCall::kAllocate, 8, 30, 40);
  Add(kDriver, TimedCall::kAllocate, 7, 51, 59);
  Add(kRuntime, TimedCall::kAllocate, 7, 60, 70);
  Add(kDriver, TimedCall::kAllocate, 7, 80, 90);
  EXPECT_EQ(Drawn(), " d11 r10 r30 d31 d51 r60 d80");
}

TEST_F(OuterCallsOf, ThreadsThatShareAPlaceLoseNoCall) {
  Add(kDriver, TimedCall::kAllocate, 7, 11, 19);
  Add(kDriver, TimedCall::kAllocate, 7 + 1024, 12, 18);
  Add(kRuntime, TimedCall::kAllocate, 7, 10, 20);
  EXPECT_EQ(Drawn(), " d11 d12 r10");
}

// ---- Programs ----

const char* TextOf(TimedCall kind) {
  switch (kind) {
    case TimedCall::kLoad:
      return "load";
    case TimedCall::kAllocate:
      return "allocate";
    case TimedCall::kSynchronise:
      return "synchronise";
    case TimedCall::kLaunch:
      return "launch";
    case TimedCall::kOther:
      return "other";
  }
  return "?";
}

// The only trace of a folder.
class OneTrace {
 public:
  explicit OneTrace(const std::filesystem::path& folder) {
    const auto traces = TracesIn(folder);
    if (traces.size() != 1) throw std::runtime_error("not one trace");
    bytes_ = ReadFile(traces[0]).value();
    trace_ = OpenTrace({.path = traces[0], .bytes = bytes_}, notes_).value();
  }
  const Trace* operator->() const { return &trace_; }
  const Notes& notes() const { return notes_; }

  std::string Fact(std::string_view key) const {
    for (const auto& [name, value] : trace_.names.facts) {
      if (trace_.names.Text(name) == key)
        return std::string(trace_.names.Text(value));
    }
    return "none";
  }
  std::vector<TraceTimedCall> TimedCalls() const {
    std::vector<TraceTimedCall> calls;
    ForEachTimedCall(trace_.gpu, [&](const auto& c) { calls.push_back(c); });
    return calls;
  }
  // The launch events of all threads by their kinds, and a dash for each end.
  std::string DrawLaunches() const {
    std::string text;
    for (const TraceStream& thread : trace_.threads) {
      ForEachEvent(thread.blocks, [&](const TraceEvent& event) {
        if (event.kind == wire::Event::kLaunch)
          text += " " + std::to_string(event.operand);
        if (event.kind == wire::Event::kLaunched) text += "-";
      });
    }
    return text;
  }
  // Of its only thread with events.
  std::vector<CpuReading> CpuTimes() const {
    std::vector<CpuReading> readings;
    std::size_t hint = 0;
    ForEachEvent(trace_.threads.at(0).blocks, [&](const TraceEvent& event) {
      if (event.kind == wire::Event::kCpuTime)
        readings.push_back({trace_.clock.Ns(event.ticks, hint), event.extra});
    });
    return readings;
  }
  // The words of each migration after its times: counter, bytes, device.
  std::string DrawMigrations() const {
    std::string text;
    ForEachRecord(trace_.gpu, GpuRecordWords, [&](const WireRecord& record) {
      if (static_cast<wire::Gpu>(record.head & 0xF) != wire::Gpu::kMigration)
        return;
      EXPECT_EQ(record[1], record[0] + 1000);
      text += std::to_string(record.head >> 12 & 0xFFFFF) + " " +
              std::to_string(record[2]) + " " + std::to_string(record[3]) +
              "\n";
    });
    return text;
  }
  // The operands of copies.
  std::set<std::uint32_t> CopyKinds() const {
    std::set<std::uint32_t> kinds;
    ForEachGpuRecord(trace_.gpu, [&](const TraceGpuRecord& record) {
      if (record.kind == wire::Gpu::kCopy) kinds.insert(record.operand);
    });
    return kinds;
  }
  // "allocate cudaMalloc x3", a line each.
  std::string DrawTimedCalls() const {
    std::map<std::string, int> counts;
    for (const TraceTimedCall& call : TimedCalls()) {
      ++counts[std::string(TextOf(call.kind)) + " " +
               std::string(trace_.names.Text(call.name))];
    }
    std::string text;
    for (const auto& [call, count] : counts)
      text += call + " x" + std::to_string(count) + "\n";
    return text;
  }

 private:
  std::string bytes_;
  Notes notes_;
  Trace trace_;
};

class TracedCalls : public testing::TestWithParam<Traced> {
 protected:
  void Run(std::vector<std::string> arguments,
           std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), GetParam().program);
    environment["RANGEFINDER_CUPTI_PATH"] = GetParam().fake_cupti;
    const ProgramRun run =
        RunProgram(arguments, GetParam().library, folder_.path(), environment);
    ASSERT_EQ(run.status, 0) << run.output << run.errors;
  }
  Folder folder_;
};

INSTANTIATE_TEST_SUITE_P(Builds, TracedCalls, testing::ValuesIn(TracedBuilds()),
                         [](const auto& one) { return one.param.name; });

constexpr char kCallsOfOneStep[] =
    "allocate cudaMalloc x2\n"
    "load cuModuleLoadData x1\n"
    "synchronise cuStreamSynchronize x2\n"
    "synchronise cudaMemcpy x1\n"
    "synchronise cudaStreamSynchronize x2\n";

TEST_P(TracedCalls, HaveNamesAndMeaningsAndAreCountedOnce) {
  Run({"calls", "1", "1"});
  const OneTrace trace(folder_.path());
  EXPECT_EQ(trace.DrawTimedCalls(), kCallsOfOneStep);
  EXPECT_EQ(trace.Fact("api"), "calls");
  for (const TraceTimedCall& call : trace.TimedCalls()) {
    EXPECT_GE(call.end_ns, call.start_ns + 4000);
    EXPECT_EQ(call.thread, trace->threads.at(0).thread);
    EXPECT_GT(call.start_ns, trace->header.first.realtime_ns);
  }
}

TEST_P(TracedCalls, HaveTheTimeThatTheThreadRunsBesideThem) {
  Run({"runs-and-waits", "30", "30"});
  const std::vector<CpuReading> readings = OneTrace(folder_.path()).CpuTimes();
  ASSERT_GE(readings.size(), 3U);
  const std::uint64_t wall_ns = readings.back().at_ns - readings[0].at_ns;
  const std::uint64_t cpu_ns = readings.back().cpu_ns - readings[0].cpu_ns;
  EXPECT_GE(cpu_ns, 30'000'000U);
  EXPECT_GE(wall_ns - cpu_ns, 29'000'000U);
}

// Not at each event: the reading is a system call.
TEST_P(TracedCalls, HaveFewReadingsOfThatTime) {
  Run({"pairs", "100000"});
  const std::vector<CpuReading> readings = OneTrace(folder_.path()).CpuTimes();
  ASSERT_FALSE(readings.empty());
  for (std::size_t i = 1; i < readings.size(); ++i)
    EXPECT_GT(readings[i].at_ns - readings[i - 1].at_ns, 40'000U);
}

TEST_P(TracedCalls, OfManyThreadsAreAllThere) {
  Run({"calls", "8", "200"}, {{"RANGEFINDER_INJECT_FLUSH_MS", "5"}});
  const OneTrace trace(folder_.path());
  std::map<std::pair<std::uint32_t, std::string_view>, int> counts;
  for (const TraceTimedCall& call : trace.TimedCalls())
    ++counts[{call.thread, trace->names.Text(call.name)}];
  for (const TraceStream& thread : trace->threads) {
    const auto id = static_cast<std::uint32_t>(thread.thread);
    EXPECT_EQ((counts[{id, "cudaMalloc"}]), 400);
    EXPECT_EQ((counts[{id, "cudaMemcpy"}]), 200);
    EXPECT_EQ((counts[{id, "cuModuleLoadData"}]), 200);
    // A flush between the two records of a call leaves both.
    EXPECT_GE((counts[{id, "cuStreamSynchronize"}]), 400);
    EXPECT_LE((counts[{id, "cuStreamSynchronize"}]), 600);
  }
  EXPECT_EQ(DrawNotes(trace.notes()), "");
}

TEST_P(TracedCalls, AreNotRecordedWhereTheSettingSaysSo) {
  Run({"calls", "1", "1"}, {{"RANGEFINDER_INJECT_API", "none"}});
  const OneTrace trace(folder_.path());
  EXPECT_EQ(trace.DrawTimedCalls(), "");
  EXPECT_EQ(trace.DrawLaunches(), " 1 3 3");
  EXPECT_EQ(trace.Fact("api"), "none");
}

TEST_P(TracedCalls, OfLaunchesHaveAnEndWhereTheSettingSaysSo) {
  Run({"calls", "1", "2"}, {{"RANGEFINDER_INJECT_API", "launches"}});
  EXPECT_EQ(OneTrace(folder_.path()).DrawLaunches(), " 1- 3- 3- 1- 3- 3-");
  const Folder other;
  const ProgramRun run = RunProgram(
      {GetParam().program, "calls", "1", "2"}, GetParam().library, other.path(),
      {{"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
       {"RANGEFINDER_INJECT_API", "calls"}});
  ASSERT_EQ(run.status, 0) << run.errors;
  const OneTrace trace(other.path());
  EXPECT_EQ(trace.DrawLaunches(), " 1 3 3 1 3 3");
  EXPECT_EQ(trace.Fact("api"), "calls");
}

TEST_P(TracedCalls, OfCopiesSayWhichMemoryIsReadAndWritten) {
  Run({"calls", "1", "1"});
  EXPECT_EQ(OneTrace(folder_.path()).CopyKinds(),
            (std::set<std::uint32_t>{1 | 1 << 8 | 3 << 12}));
}

TEST_P(TracedCalls, HaveOverheadsOfTheDriverBesideThem) {
  Run({"overheads"});
  const OneTrace trace(folder_.path());
  EXPECT_EQ(trace.DrawTimedCalls(),
            "allocate cuMemAllocManaged x2\n"
            "launch wait for room in the command buffer x2\n"
            "load compilation by the driver x1\n"
            "load lazy loading of a function x1\n"
            "load loading of a module x1\n");
  for (const TraceTimedCall& call : trace.TimedCalls())
    EXPECT_EQ(call.thread, trace->threads.at(0).thread);
}

TEST_P(TracedCalls, TheCallThatLoadsTheLibraryIsOneOfThem) {
  Run({"driver-init", "20"}, {{"FAKE_DRIVER", INJECT_FAKE_DRIVER}});
  const OneTrace trace(folder_.path());
  ASSERT_EQ(trace.DrawTimedCalls(), "load cuInit x1\n");
  const TraceTimedCall call = trace.TimedCalls()[0];
  EXPECT_EQ(call.thread, trace->threads.at(0).thread);
  EXPECT_GE(call.end_ns - call.start_ns, 19000000);  // 20 questions
}

TEST_P(TracedCalls, TheLibrarysOwnWorkIsNotedByTheThreadThatItHoldsUp) {
  for (const char* const mode : {"trace", "sample"}) {
    const Folder folder;
    const ProgramRun run = RunProgram(
        {GetParam().program, "sampled", "5"}, GetParam().library, folder.path(),
        {{"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
         {"RANGEFINDER_INJECT_MODE", mode}});
    ASSERT_EQ(run.status, 0) << run.errors;
    const OneTrace trace(folder.path());
    int times = 0;
    ForEachOwnWork(trace->gpu, [&](std::uint64_t start_ns, std::uint64_t end_ns,
                                   std::uint64_t thread) {
      ++times;
      EXPECT_LE(start_ns, end_ns);
      EXPECT_GT(end_ns, trace->header.first.realtime_ns);
      EXPECT_EQ(thread, trace->threads.at(0).thread);
    });
    EXPECT_EQ(times, 2) << mode;  // in cuInit(), and for the context
  }
}

TEST_P(TracedCalls, MigrationsAreRecordedOnceManagedMemoryIsAllocated) {
  Run({"overheads"});
  EXPECT_EQ(OneTrace(folder_.path()).DrawMigrations(),
            "1 65536 3\n"
            "2 4096 3\n"
            "8 8192 1\n"
            "4 7 2\n");
}

TEST_P(TracedCalls, WhatCuptiRefusesIsAFactAndAllElseIsRecorded) {
  Run({"overheads"}, {{"FAKE_CUPTI", "mps"}});
  const OneTrace trace(folder_.path());
  EXPECT_EQ(trace.DrawTimedCalls(), "allocate cuMemAllocManaged x2\n");
  EXPECT_EQ(trace.DrawMigrations(), "");
  EXPECT_EQ(trace.Fact("migrations"),
            "cuptiActivityConfigureUnifiedMemoryCounter failed "
            "(CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS, 31)");
  EXPECT_THAT(trace.Fact("overheads"), testing::HasSubstr(", 27)"));
}

TEST_P(TracedCalls, AreAllUnknownWhereCuptiRecordsNoSingleCalls) {
  Run({"calls", "1", "1"}, {{"FAKE_CUPTI", "no_calls"}});
  const OneTrace trace(folder_.path());
  EXPECT_EQ(trace.DrawTimedCalls(), "");
  EXPECT_EQ(trace.DrawLaunches(), " 1 3 3");
  EXPECT_EQ(trace.Fact("api"), "none");
  EXPECT_THAT(trace.Fact("calls"), testing::HasSubstr(", 27)"));
}

TEST_P(TracedCalls, WithoutTheSettingNothingOfThemIsAskedFor) {
  Run({"overheads"}, {{"RANGEFINDER_INJECT_API", "none"}});
  const OneTrace trace(folder_.path());
  EXPECT_EQ(trace.DrawTimedCalls(), "");
  EXPECT_EQ(trace.DrawMigrations(), "");
  EXPECT_EQ(trace.Fact("migrations"), "none");
}

}  // namespace
}  // namespace rangefinder
