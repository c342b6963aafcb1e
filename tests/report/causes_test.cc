// Causes of wall time: each is stated where it holds, and not where one thing
// less is so.

#include <cstring>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/facts.h"
#include "region/path.h"
#include "tests/support/analyze.h"
#include "tests/support/trace_builder.h"
#include "wire/trace_format.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kBegin =
    "process pid=7 exe=/bin/app\nfact api launches\ngpu 0 H100\n"
    "peaks 0 memory_khz=2619000 bus=5120 sms=132 khz=1980000\n";

std::string FirstOf(const Analysis& analysis) {
  const Report report =
      MakeReport(analysis, ReportOptionsOf(ShippedSettings()));
  if (report.diagnosis.headlines.empty()) return "nothing";
  const Headline& first = report.diagnosis.headlines.front();
  return fmt::format("{} {}{}", RegionTitle(report, first.region),
                     first.cause.certain ? "" : "perhaps ", first.cause.id);
}

// The headlines of a program as they are shown.
std::string Sentences(std::string_view program) {
  const auto analysis =
      testing::AnalyzeTrace(std::string(kBegin) + std::string(program));
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
  std::string text;
  for (const Headline& headline : report.diagnosis.headlines)
    text += HeadlineText(report, headline) + "\n";
  return text;
}

// The first headline of a program: "step › target launch_bound".
std::string First(std::string_view program) {
  return FirstOf(
      *testing::AnalyzeTrace(std::string(kBegin) + std::string(program)));
}

// The same, where a byte of the first block of `kind` is wrong.
std::string FirstIfDamaged(std::string_view program, wire::BlockKind kind) {
  std::string bytes =
      testing::BuildTrace(std::string(kBegin) + std::string(program));
  for (std::size_t at = wire::kPageSize; at < bytes.size();) {
    wire::BlockHeader header{};
    memcpy(&header, bytes.data() + at, sizeof header);
    if (header.kind == kind) {
      bytes[at + sizeof header] ^= 1;
      break;
    }
    at += header.size;
  }
  const TempDir folder;
  return FirstOf(*testing::AnalyzeFile(
      testing::WriteTo(folder, "damaged.rftrace", bytes)));
}

// 20 steps of a millisecond, each with `other`, a kernel of 100 µs in 50 µs,
// and `target`, which is open from 100 to 900 µs. `target` writes its lines
// for a step that begins at `now`; its launches have ids from `id` on.
template <typename Target>
std::string Steps(Target target) {
  std::string events, work;
  for (int step = 0; step < 20; ++step) {
    const int now = 1000 * step + 10, id = 1000 * step + 1;
    events += fmt::format(
        "{0} push step\n{1} push other\n{2} launch {3}\n{4} launched\n{5} pop\n"
        "{6} push target\n",
        now, now + 1, now + 2, id, now + 6, now + 50, now + 100);
    work += fmt::format("kernel fine {}-{} of={} grid=1056 block=256\n",
                        now + 8, now + 98, id);
    target(now + 100, id + 1, events, work);
    events += fmt::format("{} pop\n{} pop\n", now + 900, now + 950);
  }
  return events + work;
}

TEST(Causes, ShortKernelsOneByOneAreLaunchBound) {
  EXPECT_EQ(
      First(Steps([](int now, int id, std::string& events, std::string& work) {
        for (int i = 0; i < 40; ++i) {
          events += fmt::format("{} launch {}\n{} launched\n", now + 20 * i,
                                id + i, now + 20 * i + 4);
          work += fmt::format("kernel tiny {}-{} of={} grid=132\n",
                              now + 20 * i + 5, now + 20 * i + 7, id + i);
        }
      })),
      "step › target launch_bound");
}

TEST(Causes, ALongPauseBetweenLaunchesIsTheHost) {
  EXPECT_EQ(
      First(Steps([](int now, int id, std::string& events, std::string& work) {
        for (int i = 0; i < 4; ++i) {
          events += fmt::format("{} launch {}\n{} launched\n", now + 200 * i,
                                id + i, now + 200 * i + 4);
          work += fmt::format("kernel tiny {}-{} of={} grid=132\n",
                              now + 200 * i + 5, now + 200 * i + 9, id + i);
        }
      })),
      "step › target host_bound");
}

// `target` is outside of CUDA for most of its 800 µs, of which its thread runs
// for `ran` µs.
std::string OutsideOfCuda(int ran) {
  return Steps([&](int now, int id, std::string& events, std::string& work) {
    const int cpu = now - (now / 1000 * (800 - ran));
    events += fmt::format("{0} cpu {1}\n{2} launch {3}\n{4} launched\n", now,
                          cpu, now + 1, id, now + 5);
    events += fmt::format("{} cpu {}\n", now + 800, cpu + ran);
    work += fmt::format("kernel tiny {}-{} of={} grid=132\n", now + 6, now + 30,
                        id);
  });
}

TEST(Causes, AThreadOutsideOfCudaWorksOrWaits) {
  EXPECT_EQ(First(OutsideOfCuda(790)), "step › target cpu_works");
  EXPECT_EQ(First(OutsideOfCuda(20)), "step › target cpu_waits");
}

// It is not launch-bound if the thread waits between the launches.
TEST(Causes, AThreadThatWaitsBetweenLaunchesWaits) {
  const auto program = [](bool waits) {
    return Steps([&](int now, int id, std::string& events, std::string& work) {
      for (int i = 0; i < 20; ++i) {
        const int at = now + 40 * i;
        const int ran = waits ? 8 * (at / 40) : at;
        events += fmt::format("{0} cpu {1}\n{0} launch {2}\n{3} launched\n", at,
                              ran, id + i, at + 4);
        work += fmt::format("kernel tiny {}-{} of={} grid=132\n", at + 5,
                            at + 7, id + i);
      }
    });
  };
  EXPECT_EQ(First(program(true)), "step › target cpu_waits");
  EXPECT_EQ(First(program(false)), "step › target launch_bound");
}

// As in PyTorch's backward.
TEST(Causes, AThreadWaitsWhileAnotherLaunches) {
  const auto program = [](int launches) {
    std::string text = OutsideOfCuda(20) + "thread 2\n";
    for (int i = 0; i < 20 * launches; ++i) {
      const int at =
          120 + 1000 * (i / launches) + 750 / launches * (i % launches);
      text += fmt::format("{} launch {}\n", at, 900000 + i);
      text += fmt::format("kernel tiny {}-{} of={} grid=132\n", at + 5, at + 7,
                          900000 + i);
    }
    return text;
  };
  EXPECT_EQ(First(program(20)), "step › target thread_waits");
  EXPECT_EQ(First(program(2)), "step › target cpu_waits");
}

TEST(Causes, AWaitAfterEveryLaunchIsSynchronisation) {
  EXPECT_EQ(
      First(Steps([](int now, int id, std::string& events, std::string& work) {
        for (int i = 0; i < 40; ++i) {
          const int at = now + 20 * i;
          events +=
              fmt::format("{} launch {}\n{} launched\n", at, id + i, at + 4);
          work += fmt::format(
              "kernel tiny {}-{} of={} grid=132\n"
              "synchronise cudaDeviceSynchronize {}-{}\n",
              at + 5, at + 7, id + i, at + 5, at + 19);
        }
      })),
      "step › target sync_often");
}

// Lost GPU work is not taken for an idle GPU; other losses change nothing.
TEST(Causes, OfADamagedTraceAreThoseOfItsRest) {
  const std::string program =
      Steps([](int now, int id, std::string& events, std::string& work) {
        events += fmt::format("{} launch {}\n{} launched\n", now, id, now + 4);
        work += fmt::format("kernel tiny {}-{} of={} grid=132\n", now + 5,
                            now + 7, id);
      }) +
      "sampling 0 interval=100 chip=GH100 metrics=sm__cycles_active.avg\n"
      "sample 0 0-100 1\n";
  EXPECT_EQ(First(program), "step › target host_bound");
  EXPECT_EQ(FirstIfDamaged(program, wire::BlockKind::kSamples),
            "step › target host_bound");
  EXPECT_EQ(FirstIfDamaged(program, wire::BlockKind::kGpu), "nothing");
}

// `target` launches a kernel, which runs from 5 µs until `until` µs, and waits
// for the device until 799 µs.
std::string KernelAndWait(std::string_view grid, int until = 795) {
  return Steps([=](int now, int id, std::string& events, std::string& work) {
    events += fmt::format("{} launch {}\n{} launched\n", now, id, now + 4);
    work += fmt::format(
        "kernel busy {}-{} of={} {}\nsynchronise cudaDeviceSynchronize {}-{}\n",
        now + 5, now + until, id, grid, now + 5, now + 799);
  });
}

// Where nothing else is known, the kernels take the time.
constexpr std::string_view kNoReason = "step › target gpu_bound";

// The wait for a long kernel is not the cause, and not even time of its own.
TEST(Causes, AWaitForALongKernelIsTheKernels) {
  EXPECT_EQ(Sentences(KernelAndWait("grid=1056 block=256")),
            "step › target: GPU-bound, its kernels take 15.80 ms, mostly busy "
            "(100 % of them); at stake 15.80 ms (83 %)\n");
}

// Blocks of other kernels may have the SMs that a small grid leaves.
TEST(Causes, ASmallGridBesideOtherKernelsLeavesNoSmIdle) {
  const auto beside = [](int until) {
    return First(KernelAndWait("grid=8 block=256", 795) +
                 "5 push index\n6 launch 99999\n7 launched\n8 pop\n"
                 "kernel index 9-" +
                 std::to_string(until) + " of=99999 grid=10560 block=256\n");
  };
  EXPECT_EQ(beside(20000), "nothing");
  EXPECT_EQ(beside(2000), "step › target small_grid");
}

TEST(Causes, MemoryThatIsAllocatedAnewInEveryStep) {
  EXPECT_EQ(
      First(Steps([](int now, int id, std::string& events, std::string& work) {
        events += fmt::format("{} launch {}\n{} launched\n", now + 300, id,
                              now + 304);
        work += fmt::format(
            "allocate cudaMalloc {}-{}\nkernel tiny {}-{} of={} "
            "grid=132\nallocate cudaFree {}-{}\n",
            now, now + 290, now + 305, now + 310, id, now + 320, now + 790);
      })),
      "step › target allocation");
}

std::string Copies(std::string_view kinds, int ns_between = 0) {
  return Steps([=](int now, int id, std::string& events, std::string& work) {
    events += fmt::format("{} launch {}\n{} launched\n", now, id, now + 4);
    work += fmt::format(
        "copy {}-{} of={} bytes=20000000 {}\n"
        "synchronise cudaStreamSynchronize {}-{}\n",
        now + 5 + ns_between, now + 795, id, kinds, now + 5, now + 799);
  });
}

// A kernel that fills the GPU.
constexpr char kFineStep[] =
    "3000 push step\n3001 launch 1\n3100 pop\nkernel fine 3010-3090 of=1 "
    "grid=1056 block=256\n";

// The first call takes most of the time.
const std::string kLongSetup =
    std::string("10 push setup\n905 pop\nallocate cudaMalloc 20-900\n") +
    kFineStep;

// Sampling is prepared inside the program's first call. That time is not the
// program's.
TEST(Causes, TheTimeOfThisProfilerIsNone) {
  EXPECT_EQ(First(kLongSetup), "setup allocation");
  const auto analysis = testing::AnalyzeTrace(
      std::string(kBegin) + kLongSetup +
      "sampling 0 interval=200 chip=GH100 metrics=a.sum at=899 held_up=878\n");
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
  EXPECT_TRUE(report.diagnosis.headlines.empty());
  const testing::Documents written = testing::WriteAll(report);
  EXPECT_THAT(written.json, HasSubstr(R"("profiler":878000)"));
  EXPECT_THAT(written.terminal,
              HasSubstr("held the program up for 878.0 µs inside regions"));
}

TEST(Causes, AFirstInstanceThatThisProfilerHoldsUpIsNoWarmUp) {
  std::string text(kBegin);
  text += "10 push step\n601000 pop\nallocate cudaMalloc 20-600900\n";
  for (int step = 1; step < 20; ++step)
    text += fmt::format("{} push step\n{} pop\n", 601000 + 1000 * step,
                        601000 + 1000 * step + 950);
  text +=
      "sampling 0 interval=200 chip=GH100 metrics=a.sum at=600850 "
      "held_up=600000\n";
  const auto analysis = testing::AnalyzeTrace(text);
  std::set<std::string> notes;
  for (const Note& note : analysis->notes.all()) notes.insert(note.kind);
  EXPECT_FALSE(notes.contains("warmup"));
  EXPECT_TRUE(notes.contains("profiler_time"));
}

// A main thread that waits meanwhile did not create the context.
TEST(Causes, TheTimeOfThisProfilerIsOfTheThreadThatCreatesTheContext) {
  const auto analysis = testing::AnalyzeTrace(
      std::string(kBegin) +
      "thread 7\n10 push wait\n500000 pop\n"
      "synchronise cudaStreamSynchronize 20-499990\n"
      "thread 11\n90000 push init\n480010 pop\n"
      "allocate cudaMalloc 100000-480000\n"
      "sampling 0 interval=200 chip=GH100 metrics=a.sum at=479000 "
      "held_up=370000\n");
  const auto wall = [&](std::string_view name) {
    for (const RangeVisits& row : analysis->profile.visits) {
      const auto path = PathOf(analysis->profile, LaunchIn(row));
      if (analysis->profile.Name(path.back().name) == name) return row.wall;
    }
    return WallTime();
  };
  EXPECT_EQ(wall("wait")[WallPart::kProfiler], 0);
  EXPECT_EQ(wall("init")[WallPart::kProfiler], 370'000'000);
  EXPECT_EQ(wall("init")[WallPart::kAllocating], 0);
  EXPECT_EQ(wall("init")[WallPart::kLoading], 10'000'000);
}

// The first allocation may take long because it makes the context.
TEST(Causes, ACallThatMakesAContextLoads) {
  EXPECT_EQ(First(kLongSetup), "setup allocation");
  EXPECT_EQ(First(kLongSetup + "own_work 880-880\n"), "setup loading_once");
  // Without counters too: of 880 us our own work took 600.
  EXPECT_THAT(
      testing::WriteAll(
          MakeReport(*testing::AnalyzeTrace(std::string(kBegin) + kLongSetup +
                                            "own_work 290-890\n"),
                     ReportOptionsOf(ShippedSettings())))
          .json,
      ::testing::AllOf(HasSubstr(R"("profiler":600000)"),
                       HasSubstr(R"("loading":280000)")));
  // Another thread's context is none of this call's.
  EXPECT_EQ(First(kLongSetup + "thread 12\nown_work 880-880\n"),
            "setup allocation");
}

// In a region that runs once, too.
TEST(Causes, AGraphThatIsMadeAnewIsNoLoading) {
  std::string text = "10 push setup\n2000 pop\n";
  for (int i = 0; i < 4; ++i)
    text += fmt::format("load cudaGraphInstantiate {}-{}\n", 20 + 400 * i,
                        400 + 400 * i);
  EXPECT_EQ(First(text + kFineStep), "setup graph_rebuilt");
}

// Such a wait does not come from waiting often.
TEST(Causes, AGpuThatIdlesLongInAWaitIsHeldUp) {
  EXPECT_EQ(First(KernelAndWait("grid=132", 9)),
            "step › target perhaps idle_wait");
}

TEST(Causes, SetsInTheDefaultStreamSerialiseTheOthers) {
  EXPECT_EQ(
      First(Steps([](int now, int id, std::string& events, std::string& work) {
        for (int i = 0; i < 4; ++i) {
          const int at = now + 190 * i;
          events += fmt::format(
              "{} launch {}\n{} launched\n{} launch {}\n{} launched\n",
              now + 4 * i, id + 2 * i, now + 4 * i + 1, now + 4 * i + 2,
              id + 2 * i + 1, now + 4 * i + 3);
          work += fmt::format(
              "kernel branch {}-{} of={} grid=33 block=256 stream={}\n"
              "set {}-{} of={} bytes=64\n",
              at + 20, at + 200, id + 2 * i, 13 + i, at + 202, at + 204,
              id + 2 * i + 1);
        }
      })),
      "step › target default_stream");
}

// Each of several processes has one stream, which is the default one.
TEST(Causes, TheDefaultStreamsOfSeveralProcessesWaitForNothing) {
  const TempDir folder;
  std::vector<std::filesystem::path> files;
  for (const int pid : {7, 8, 9}) {
    const std::string text = fmt::format("process pid={}\n", pid) +
                             std::string(kBegin.substr(kBegin.find('\n') + 1)) +
                             KernelAndWait("grid=33 block=256");
    files.push_back(testing::WriteTo(folder, fmt::format("{}.rftrace", pid),
                                     testing::BuildTrace(text)));
  }
  const auto analysis = testing::AnalyzeFiles(files);
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
  ASSERT_FALSE(report.diagnosis.headlines.empty());
  EXPECT_EQ(report.diagnosis.headlines.front().cause.id, "small_grid");
}

// The main thread copies and waits, thread 11 launches without a range.
constexpr std::string_view kBackward =
    "thread 7\n10 push step\n20 push load\n21 launch 1\n22 launched\n"
    "400 pop\n500 push backward\n800 pop\n810 push log\n1900 pop\n"
    "2000 pop\n"
    "synchronise cudaStreamSynchronize 820-1890\n"
    "copy 30-390 of=1 bytes=20000000 kind=1 from=2 to=3\n"
    "thread 11\n510 launch 2\n520 launched\n"
    "kernel grad 820-1880 of=2 grid=1056 block=256\n";

TEST(Causes, ARangeWithWorkOfAnotherThreadHasUnknownCopies) {
  const auto report_with = [](ThreadPlacement threads) {
    Settings settings = ShippedSettings();
    settings.analysis.threads = threads;
    const auto analysis = testing::AnalyzeTrace(
        std::string(kBegin) + std::string(kBackward), settings);
    return testing::WriteAll(MakeReport(*analysis, ReportOptionsOf(settings)));
  };
  const testing::Documents own = report_with(ThreadPlacement::kOwn);
  EXPECT_THAT(own.terminal, HasSubstr("for GPU work of launches in no region"));
  EXPECT_THAT(own.terminal,
              HasSubstr("threads without ranges launched 1 kernel (1.06 ms)"));
  const testing::Documents adopt = report_with(ThreadPlacement::kAdopt);
  EXPECT_THAT(adopt.terminal, HasSubstr("for GPU work of backward"));
  EXPECT_THAT(adopt.terminal, Not(HasSubstr("threads without ranges")));
  // The range, and the one around it; not the range of the copy.
  const auto unknown = [](std::string_view json) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = json.find("\"gpu\":null", at)) != json.npos;
         ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(unknown(adopt.json), 2 * 2);  // in two scopes
  EXPECT_EQ(unknown(own.json), 0);
}

// Its sums do not tell warm-up, calls and kinds of copies apart.
TEST(Causes, AReportThatIsReadAgainHasNoneOfWallTime) {
  const auto analysis =
      testing::AnalyzeTrace(std::string(kBegin) + Copies("kind=1 from=1 to=3"));
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
  const auto again = testing::AnalyzeAgain(report);
  EXPECT_TRUE(MakeReport(*again, ReportOptionsOf(ShippedSettings()))
                  .diagnosis.headlines.empty());
}

// Copies that run after their region has closed are not of its wall time. They
// cost nothing if a kernel runs at the same time.
TEST(Causes, DeferredCopiesCostTheirTimeBesideNoKernel) {
  const std::string program =
      "10 push upload\n11 launch 1\n15 launched\n110 pop\n"
      "copy 200-1100 of=1 bytes=20000000 kind=1 from=2 to=3\n";
  EXPECT_EQ(
      First(program + "120 push step\n121 launch 2\n125 launched\n1500 pop\n"
                      "kernel fine 150-1400 of=2 grid=1056 block=256\n"),
      "step gpu_bound");
  const auto analysis = testing::AnalyzeTrace(std::string(kBegin) + program);
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
  ASSERT_FALSE(report.diagnosis.headlines.empty());
  EXPECT_THAT(HeadlineText(report, report.diagnosis.headlines.front()),
              StartsWith("upload: host-to-device copies, copies while no "
                         "kernel runs take 900.0 µs, mostly to the device: 20 "
                         "MB"));
}

// `load` is open when the range that it began in has ended.
TEST(Causes, CopiesInACrossingRangeAreOfNoOtherRegion) {
  std::string events, work;
  for (int step = 0; step < 30; ++step) {
    const int now = 1000 * step + 10;
    events += fmt::format(
        "{0} start request id={1}\n{2} push load\n{3} end id={1}\n"
        "{4} launch {1}\n{5} pop\n",
        now, step + 1, now + 5, now + 10, now + 12, now + 200);
    work += fmt::format("copy {}-{} of={} bytes=1000000 kind=1 from=2 to=3\n",
                        now + 15, now + 195, step + 1);
  }
  EXPECT_EQ(First(events + work), "request host_bound");
  const auto analysis =
      testing::AnalyzeTrace(std::string(kBegin) + events + work);
  EXPECT_THAT(testing::WriteAll(
                  MakeReport(*analysis, ReportOptionsOf(ShippedSettings())))
                  .json,
              HasSubstr(R"("path":["load"])"));
}

// Short work of many calls takes the CPU no longer than these calls.
TEST(Causes, TheHostIsNotChargedToAFewShortCalls) {
  std::string events, work;
  for (int step = 0; step < 40; ++step) {
    const int now = 3000 * step + 10;
    events += fmt::format("{} push step\n", now);
    for (int i = 1; i <= 25; ++i) {
      const int id = 25 * step + i;
      events += fmt::format("{} launch {}\n{} launched\n", now + 3 * i, id,
                            now + 3 * i + 1);
      work += fmt::format("copy {}-{} of={} bytes=64 kind=1 from=2 to=3\n",
                          now + 3 * i + 1, now + 3 * i + 2, id);
    }
    events += fmt::format("{} pop\n", now + 2000);
  }
  EXPECT_EQ(First(events + work), "step host_bound");
}

// Each wait of 10 us comes after 180 us of the CPU's own work.
TEST(Causes, TheHostIsNotChargedToItsWaits) {
  EXPECT_EQ(
      First(Steps([](int now, int id, std::string& events, std::string& work) {
        for (int i = 0; i < 4; ++i) {
          const int at = now + 195 * i + 180;
          events +=
              fmt::format("{} launch {}\n{} launched\n", at, id + i, at + 2);
          work += fmt::format(
              "kernel tiny {}-{} of={} grid=132\n"
              "synchronise cudaStreamSynchronize {}-{}\n",
              at + 3, at + 8, id + i, at + 3, at + 12);
        }
      })),
      "step › target host_bound");
}

TEST(Causes, CopiesByTheirDirectionAndMemory) {
  EXPECT_EQ(First(Copies("kind=1 from=2 to=3")), "step › target copy_h2d");
  EXPECT_EQ(First(Copies("kind=2 from=3 to=2")), "step › target copy_d2h");
  EXPECT_EQ(First(Copies("kind=8 from=3 to=3")), "step › target copy_d2d");
  EXPECT_EQ(First(Copies("kind=1 from=1 to=3")), "step › target copy_pageable");
}

// `log` waits for a kernel of `forward` in each of 20 steps.
std::string WaitForKernel(std::string_view grid) {
  std::string events, work;
  for (int step = 0; step < 20; ++step) {
    const int now = 1000 * step + 10;
    events += fmt::format(
        "{0} push forward\n{1} launch {2}\n{3} launched\n{4} pop\n"
        "{5} push log\n{6} pop\n",
        now, now + 1, step + 1, now + 5, now + 20, now + 30, now + 900);
    work += fmt::format(
        "kernel fine {}-{} of={} {}\n"
        "synchronise cudaDeviceSynchronize {}-{}\n",
        now + 8, now + 890, step + 1, grid, now + 31, now + 899);
  }
  return events + work;
}

TEST(Causes, ARegionThatWaitsForTheWorkOfAnotherOne) {
  const std::string fine = WaitForKernel("grid=1056 block=256");
  EXPECT_EQ(First(fine), "log waits_for");
  EXPECT_THAT(Sentences(fine), StartsWith("log: waits, 99 % of its wall time "
                                          "for GPU work of forward; at stake"));
  // It has the cause of that work.
  EXPECT_THAT(Sentences(WaitForKernel("grid=8 block=256")),
              HasSubstr("for GPU work of forward (small grids); at stake"));
}

TEST(Causes, GridsThatDoNotFillTheGpu) {
  EXPECT_EQ(First(KernelAndWait("grid=8 block=256")),
            "step › target small_grid");
  EXPECT_EQ(First(KernelAndWait("grid=132 block=256")), kNoReason);
  EXPECT_EQ(First(KernelAndWait("grid=133 block=1024 shared=122880")),
            "step › target tail");
  EXPECT_EQ(First(KernelAndWait("grid=264 block=1024 shared=122880")),
            kNoReason);
}

// `target` launches `count` kernels, which run for 740 µs together, and waits
// for them.
std::string KernelsNamed(std::string_view name, int count) {
  return Steps([=](int now, int id, std::string& events, std::string& work) {
    const int each = 740 / count;
    for (int i = 0; i < count; ++i) {
      events += fmt::format("{} launch {}\n{} launched\n", now + 5 * i, id + i,
                            now + 5 * i + 4);
      work +=
          fmt::format("kernel {} {}-{} of={} grid=1056 block=256\n", name,
                      now + 50 + each * i, now + 49 + each * (i + 1), id + i);
    }
    work += fmt::format("synchronise cudaDeviceSynchronize {}-{}\n", now + 50,
                        now + 799);
  });
}

TEST(Causes, KernelsWhoseNamesTellWhatTheyDo) {
  EXPECT_EQ(First(KernelsNamed("at::native::direct_copy_kernel_cuda", 2)),
            "step › target tensor_copies");
  EXPECT_EQ(First(KernelsNamed("at::native::CatArrayBatchedCopy", 7)),
            "step › target tensor_copies");
  EXPECT_EQ(First(KernelsNamed("at::native::vectorized_elementwise_kernel", 7)),
            "step › target unfused");
  EXPECT_EQ(
      First(KernelsNamed("vectorized_elementwise_kernel<FillFunctor>", 7)),
      kNoReason);
  // There is little to fuse.
  EXPECT_EQ(First(KernelsNamed("at::native::vectorized_elementwise_kernel", 3)),
            kNoReason);
  EXPECT_EQ(First(KernelsNamed("sm80_xmma_gemm_f32f32_f32f32_f32_ffma", 2)),
            "step › target fp32_products");
  EXPECT_EQ(First(KernelsNamed("sm80_xmma_gemm_f32f32_tf32f32_f32", 2)),
            kNoReason);
  EXPECT_EQ(First(KernelsNamed("fine", 7)), kNoReason);
  EXPECT_EQ(First(KernelsNamed("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128"
                               "_tn_align1",
                               2)),
            "step › target unaligned_products");
  EXPECT_EQ(
      First(KernelsNamed("cutlass_80_simt_sgemm_128x64_8x5_nn_align1", 2)),
      "step › target fp32_products");
  EXPECT_EQ(First(KernelsNamed("cutlass_80_tensorop_bf16_gemm_tn_align8", 2)),
            kNoReason);
  EXPECT_EQ(
      First(KernelsNamed("cutlass_80_tensorop_d884gemm_64x64_nn_align1", 2)),
      kNoReason);
  EXPECT_EQ(First(KernelsNamed("cutlass_80_tensorop_i16832gemm_s8_128x128_tn_"
                               "align16",
                               2)),
            kNoReason);
  EXPECT_EQ(First(KernelsNamed(
                "_scatter_gather_elementwise_kernel<128,ReduceAdd>", 7)),
            "step › target perhaps index_adds");
  for (const char* name :
       {"nvjet_sm90_tst_64x8_64x16_2x1_v_bz_TNT",
        "nvjet_sm90_tst_128x8_64x12_2x1_v_bz_splitK_TNT",
        "nvjet_tst_16x128_64x4_h_bz", "internal::gemvx::kernel"})
    EXPECT_EQ(First(KernelsNamed(name, 2)), "step › target narrow_products");
  EXPECT_EQ(
      First(KernelsNamed("nvjet_sm90_tst_256x128_64x16_1x2_h_bz_coopA_NNT", 2)),
      kNoReason);
  EXPECT_EQ(First(KernelsNamed("indexFuncLargeIndex<float,ReduceAdd>", 2)),
            "step › target perhaps index_adds");
  EXPECT_EQ(First(KernelsNamed("indexFuncLargeIndex<float,ReduceMultiply>", 2)),
            kNoReason);
}

TEST(Causes, AFirstInstanceThatTakesMostOfTheTime) {
  std::string events = "10 push step\n60000 pop\n";
  for (int step = 1; step < 20; ++step)
    events += fmt::format("{} push step\n{} pop\n", 60000 + 1000 * step,
                          60000 + 1000 * step + 900);
  EXPECT_EQ(First(events), "step warm_up");
}

// Steps, one after the other, of so many µs, without GPU work.
std::string StepsOf(const std::vector<int>& lengths) {
  std::string events;
  int now = 10;
  for (const int us : lengths) {
    events += fmt::format("{} push step\n{} pop\n", now, now + us);
    now += us + 10;
  }
  return events;
}

TEST(Causes, InstancesThatGetLongerAndLonger) {
  std::vector<int> lengths(40);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = 1000 + 50 * static_cast<int>(i);
  EXPECT_EQ(First(StepsOf(lengths)), "step growth");
  // Every tenth is long: the quarters' means are 1, 2.9, 2.9 and 2.9 ms.
  lengths.assign(40, 1000);
  for (std::size_t i = 10; i < lengths.size(); i += 10) lengths[i] = 20000;
  EXPECT_EQ(First(StepsOf(lengths)), "nothing");
}

// Lengths that are independent, periodic, or now and then 10 times as long.
TEST(Causes, OfProgramsWithoutATrendAreNeitherWarmUpNorGrowth) {
  std::mt19937 random(1);
  int stated = 0;
  for (int program = 0; program < 150; ++program) {
    const int period = 2 + program % 9;
    std::vector<int> lengths(16 + random() % 85);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const bool is_long =
          program % 3 == 1 ? (i + program) % period == 0 : random() % 10 == 0;
      lengths[i] = program % 3 == 0 ? static_cast<int>(200U << random() % 6)
                                    : 1000 * (is_long ? 10 : 1);
    }
    stated += First(StepsOf(lengths)) != "nothing";
  }
  EXPECT_LE(stated, 3);
}

// Two ranks, each with 20 steps of a kernel and a collective, which ends on
// both 50 µs after the last one began. The kernel of rank 1 takes `longer` µs
// more.
std::unique_ptr<Analysis> TwoRanks(int longer) {
  const TempDir folder;
  std::vector<std::filesystem::path> files;
  for (int rank = 0; rank < 2; ++rank) {
    std::string text =
        fmt::format("process pid={} rank={}\ngpu 0 H100\n", 7 + rank, rank);
    for (int step = 0; step < 20; ++step) {
      const int now = 1000 * step + 10;
      const int done = now + 110 + rank * longer, end = now + 160 + longer;
      text += fmt::format(
          "{} push step\n{} launch {}\n{} launched\n{} launch {}\n"
          "{} launched\n{} pop\n",
          now, now + 1, 2 * step + 1, now + 4, now + 5, 2 * step + 2, now + 8,
          now + 180 + longer);
      text += fmt::format(
          "kernel work {}-{} of={} grid=1056 block=256\n"
          "kernel ncclDevKernel_AllReduce {}-{} of={} grid=24 block=512\n"
          "synchronise cudaDeviceSynchronize {}-{}\n",
          now + 10, done, 2 * step + 1, done, end, 2 * step + 2, now + 9,
          now + 170 + longer);
    }
    files.push_back(testing::WriteTo(folder, fmt::format("{}.rftrace", rank),
                                     testing::BuildTrace(text)));
  }
  return testing::AnalyzeFiles(files);
}

TEST(Causes, TheRankForWhichTheOtherOneWaits) {
  const auto analysis = TwoRanks(300);
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
  ASSERT_FALSE(report.diagnosis.headlines.empty());
  const Headline& first = report.diagnosis.headlines.front();
  EXPECT_EQ(first.cause.id, "late_rank");
  EXPECT_EQ(RegionTitle(report, first.region), "step");
  EXPECT_DOUBLE_EQ(first.cause.saves_ns, 20 * 300e3);
  EXPECT_THAT(
      first.cause.text,
      StartsWith("rank 1 last in 100.0 % of 20 instances, by 300.0 µs"));
}

TEST(Causes, AWaitForTheLastRankIsNoTimeOfKernels) {
  const auto analysis = TwoRanks(300);
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
  const auto times =
      TimesOf(report, report.rollup->scopes.front().scope, RegionId{1});
  ASSERT_TRUE(times);
  EXPECT_EQ(times->wall[WallPart::kRankWait], 20 * 300'000U);
  EXPECT_EQ(times->wall[WallPart::kKernels], 20 * (150'000U + 450'000U));
}

TEST(Causes, RanksThatComeTogetherHaveNoLateOne) {
  const auto analysis = TwoRanks(0);
  const Report report =
      MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
  for (const Headline& headline : report.diagnosis.causes)
    EXPECT_NE(headline.cause.id, "late_rank") << headline.cause.text;
}

TEST(Causes, WaitingForARankIsNoCommunication) {
  const auto says = [](int longer) {
    const auto analysis = TwoRanks(longer);
    const Report report =
        MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
    return std::ranges::any_of(report.diagnosis.causes,
                               [](const Headline& headline) {
                                 return headline.cause.id == "communication";
                               });
  };
  EXPECT_TRUE(says(0));  // a third of the kernels' time
  EXPECT_FALSE(says(300));
}

}  // namespace
}  // namespace rangefinder
