// Real programs under the real library. Counts are exact.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/file.h"
#include "region/path.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {

const Traced kPlain = TracedBuilds()[0];

// With and without sanitizers, whose findings change the exit status; and with
// NVIDIA's NVTX in place of the tests' own, where it is installed.
std::vector<Traced> Builds() {
  std::vector<Traced> builds = TracedBuilds();
#ifdef INJECT_PROGRAM_NVIDIA
  builds.push_back(
      {"nvidia", INJECT_PROGRAM_NVIDIA, INJECT_LIBRARY, INJECT_FAKE_CUPTI});
#endif
  return builds;
}

class InjectEverywhere : public testing::TestWithParam<Traced> {
 protected:
  ProgramRun Trace(std::vector<std::string> arguments,
                   std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), GetParam().program);
    // The trace files are read while the library may still have them mapped.
    return RunProgram(arguments, GetParam().library, folder_.path(),
                      environment);
  }
  Folder folder_;
  Notes notes_;
};

INSTANTIATE_TEST_SUITE_P(Builds, InjectEverywhere, testing::ValuesIn(Builds()),
                         [](const auto& one) { return one.param.name; });

TEST_P(InjectEverywhere, NcclsCallsHaveCommunicatorAndSize) {
  const ProgramRun run =
      Trace({"nccl", "2"}, {{"RANGEFINDER_INJECT_GPU", "trace"},
                            {"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti}});
  ASSERT_EQ(run.status, 0) << run.output << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  std::string drawn;
  for (const Measurement& m : profile.measurements)
    drawn += fmt::format("{}/{} ", profile.Name(m.communicator),
                         profile.Name(m.message_size));
  const std::string step = "abc/992 abc/ / def/4096 / / / ";
  EXPECT_EQ(drawn, step + step);
}

TEST_P(InjectEverywhere, EveryKindOfCallIsRecorded) {
  const ProgramRun run = Trace({"all"});
  ASSERT_EQ(run.status, 0) << run.output << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(DrawVisits(profile),
            "p0 t0 A x1\n"
            "p0 t0 A / w\u00e9\u4e16\U0001F600 x1\n"
            "p0 t0 A / colored x1\n"
            "p0 t0 A / LLM@prefill x1\n"
            "p0 t0 A / LLM@prefill / job* x1\n"
            "p0 t0  x2\n"
            "p0 t0 never closed x1 open1\n");
  EXPECT_EQ(DrawNotes(notes_), "unmatched_pop 1\n");
}

TEST_P(InjectEverywhere, EightThreadsCountExactly) {
  const ProgramRun run = Trace({"threads", "8", "20000"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  ASSERT_EQ(profile.visits.size(), 16U);
  for (const RangeVisits& row : profile.visits) {
    EXPECT_EQ(row.instances, 20000U);
    EXPECT_EQ(row.cpu_ns.count(), 20000U);
    EXPECT_EQ(row.unclosed, 0U);
  }
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_P(InjectEverywhere, RangesThatCrossAreRecordedAsTheyAre) {
  const ProgramRun run = Trace({"crossed"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(DrawVisits(profile),
            "p0 t0 A x1\n"
            "p0 t0 A / other@B x1\n"
            "p0 t0 other@B / C x1\n"
            "p0 t0 job* x1\n"
            "p0 t1 job* / in the thread x1\n");
  EXPECT_EQ(DrawNotes(notes_), "unmatched_end 1\n");
}

TEST_P(InjectEverywhere, AForkedChildHasAFileOfItsOwn) {
  const ProgramRun run = Trace({"fork"});
  ASSERT_EQ(run.status, 0) << run.errors;
  ASSERT_EQ(TracesIn(folder_.path()).size(), 2U);
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(DrawVisits(profile),
            "p0 t0 parent x1\n"
            "p0 t0 parent / beside the child x1\n"
            "p1 t1 parent / in the child x1\n"
            "p1 t1 after x1\n");
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_P(InjectEverywhere, KernelsBelongToTheRangesOpenAtTheirLaunch) {
  const ProgramRun run = Trace(
      {"gpu", "5000"}, {{"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti}});
  ASSERT_EQ(run.status, 0) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  ASSERT_EQ(profile.visits.size(), 2U) << DrawVisits(profile);
  ASSERT_EQ(profile.uses.size(), 3U);
  EXPECT_EQ(profile.measurements.size(), 20001U);
  const RangeVisits& step = profile.visits[0];
  EXPECT_EQ(step.instances, 5000U);
  EXPECT_EQ(step.gpu_ns.count(), 5000U);
  EXPECT_EQ(step.gpu_ns.max(), 4000U);
  ASSERT_EQ(step.first.size(), RangeVisits::kFirst);
  for (const InstanceTimes& instance : step.first) {
    EXPECT_EQ(instance.ordinal, &instance - step.first.data());
    EXPECT_EQ(instance.gpu_ns, 4000U);
    EXPECT_GE(instance.span_ns, 5000U);
    EXPECT_TRUE(instance.closed);
  }
  ASSERT_EQ(step.slowest.size(), 3U);
  EXPECT_EQ(step.slowest[0].cpu_ns, step.cpu_ns.max());
  EXPECT_EQ(step.slowest[0].gpu_ns, 4000U);
  EXPECT_EQ(step.slowest_gpu.size(), 3U);
  const GpuUse& all = profile.uses[0].gpu.at(0);
  EXPECT_EQ(all.kernels, 20001U);
  EXPECT_EQ(all.busy_ns, 25001U * 1000);
  const GpuUse& in_step = profile.uses[1].gpu.at(0);
  EXPECT_EQ(in_step.kernels, 20000U);
  EXPECT_EQ(in_step.kernel_ns, 20000U * 1000);
  EXPECT_EQ(in_step.copies, 5000U);
  ASSERT_EQ(in_step.streams.size(), 1U);
  EXPECT_EQ(in_step.streams[0].kernels, 20000U);
  EXPECT_EQ(in_step.streams[0].stream, 7U);
  const GpuUse& in_copy = profile.uses[2].gpu.at(0);
  EXPECT_EQ(in_copy.kernels, 0U);
  EXPECT_EQ(in_copy.copy_bytes, 5000U * 4096);
  EXPECT_EQ(DrawNotes(notes_), "");

  const Measurement& first = profile.measurements[0];
  EXPECT_EQ(profile.Name(first.demangled_name), "before()");
  EXPECT_TRUE(PathOf(profile, first).empty());
  const Measurement& second = profile.measurements[1];
  EXPECT_EQ(profile.Name(second.demangled_name), "void gemm<float>(float*)");
  EXPECT_EQ(profile.Name(second.function_name), "gemm");
  EXPECT_EQ(second.grid, (Dim3{2, 2, 2}));
  EXPECT_EQ(second.block, (Dim3{4, 4, 4}));
  EXPECT_GE(second.start_ns + 1000000, second.launch_ns);
  ASSERT_EQ(PathOf(profile, second).size(), 1U);
}

TEST_P(InjectEverywhere, AThreadOfOursWritesTheSameRecords) {
  const ProgramRun run = Trace(
      {"gpu", "5000"},
      {{"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
       {"RANGEFINDER_INJECT_TUNE", "buffer_kib=64,buffers=1,flush_ms=1"}});
  ASSERT_EQ(run.status, 0) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(profile.measurements.size(), 20001U);
  ASSERT_EQ(profile.uses.size(), 3U) << DrawVisits(profile);
  EXPECT_EQ(profile.uses[1].gpu.at(0).kernels, 20000U);
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_P(InjectEverywhere, AKilledProgramHasTheKernelsThatEndedBeforeTheFlush) {
  const ProgramRun run = Trace(
      {"gpu-killed", "500"}, {{"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
                              {"RANGEFINDER_INJECT_FLUSH_MS", "20"}});
  EXPECT_EQ(run.status, SIGKILL) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(profile.measurements.size(), 2001U);
  EXPECT_EQ(DrawNotes(notes_), "abrupt_end 1\n");
}

TEST_P(InjectEverywhere, AProgramEndsWithTheLastOfItsOwnThreads) {
  if (std::string(GetParam().name) == "tsan")
    GTEST_SKIP() << "NOT TESTED: TSan has a thread of its own, "
                    "which never ends";
  const ProgramRun run = Trace(
      {"gpu-leave", "10"}, {{"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
                            {"RANGEFINDER_INJECT_FLUSH_MS", "20"}});
  EXPECT_EQ(run.status, 0) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(profile.measurements.size(), 41U);
  EXPECT_THAT(DrawVisits(profile), testing::HasSubstr("last x1"));
  EXPECT_EQ(DrawNotes(notes_), "");
}

class Inject : public testing::Test {
 protected:
  ProgramRun Trace(std::vector<std::string> arguments,
                   std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), kPlain.program);
    return RunProgram(arguments, kPlain.library, folder_.path(), environment);
  }
  Folder folder_;
  Notes notes_;
};

TEST_F(Inject, FiveMillionPairsCountExactly) {
  const ProgramRun run = Trace({"pairs", "2500000"});
  ASSERT_EQ(run.status, 0);
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(DrawVisits(profile),
            "p0 t0 outer x2500000\n"
            "p0 t0 outer / inner x2500000\n");
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_F(Inject, RangesThatAreNeverClosedDoNotCostWithoutLimit) {
  ASSERT_EQ(Trace({"leak", "100000"}).status, 0);
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_LT(profile.visits.size(), 600U);
  EXPECT_EQ(profile.visits[0].unclosed, 1U);
  EXPECT_NE(DrawNotes(notes_).find("deep_path"), std::string::npos);
}

TEST_F(Inject, AnyEndLeavesEverythingThatWasDone) {
  const auto check = [](const char* how, int status) {
    const Folder folder;
    Notes notes;
    const ProgramRun run = RunProgram({kPlain.program, how, "10000"},
                                      kPlain.library, folder.path());
    EXPECT_EQ(run.status & 0x7F, status & 0x7F) << how;
    EXPECT_EQ(DrawVisits(ReadTraces(folder.path(), notes)),
              "p0 t0 outer x10000\n"
              "p0 t0 outer / inner x10000\n")
        << how;
    EXPECT_EQ(DrawNotes(notes), "") << how;
  };
  check("_exit", 7 << 8);
  check("abort", SIGABRT);
  check("kill", SIGKILL);
}

TEST_F(Inject, AProgramThatBecomesAnotherLeavesTwoTraces) {
  const ProgramRun run = Trace({"exec"});
  ASSERT_EQ(run.status, 0);
  ASSERT_EQ(TracesIn(folder_.path()).size(), 2U);
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(DrawVisits(profile),
            "p0 t0 before exec x1 open1\n"
            "p0 t0 outer x10\n"
            "p0 t0 outer / inner x10\n");
}

TEST_F(Inject, NvtxCallsInsideAHandlerDoNoHarm) {
  const ProgramRun run = Trace({"signals", "300000"});
  ASSERT_EQ(run.status, 0);
  const Profile profile = ReadTraces(folder_.path(), notes_);
  std::uint64_t interrupted = 0;
  for (const RangeVisits& row : profile.visits) {
    Measurement inside{};
    inside.thread = row.thread;
    inside.nvtx = row.nvtx;
    const auto path = PathOf(profile, inside);
    if (profile.Name(path.back().name) == "interrupted")
      interrupted += row.instances;
    EXPECT_EQ(row.unclosed, 0U);
  }
  EXPECT_EQ(interrupted, 300000U);
}

TEST_F(Inject, TheProgramsOwnOutputStatusAndDescriptorsAreItsOwn) {
  const Folder bare;
  const ProgramRun untraced =
      RunProgram({kPlain.program, "output"}, "", bare.path());
  const ProgramRun traced = Trace({"output"});
  EXPECT_EQ(traced.status, untraced.status);
  EXPECT_EQ(traced.output, untraced.output);
  EXPECT_EQ(traced.errors, untraced.errors);
}

TEST_F(Inject, WithoutAFolderItSwitchesItselfOff) {
  const ProgramRun run = RunProgram(
      {kPlain.program, "pairs", "10"}, kPlain.library, folder_.path(),
      {{"RANGEFINDER_INJECT_DIR", "/nonexistent/x"}});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.output + run.errors, "");
}

TEST_F(Inject, ALimitOnFileSizesDoesNotKillTheProgram) {
  const ProgramRun run = RunProgram(
      {"sh", "-c", "ulimit -f 200; exec " + kPlain.program + " pairs 1000000"},
      kPlain.library, folder_.path());
  ASSERT_EQ(run.status, 0) << run.errors;
  const Profile profile = ReadTraces(folder_.path(), notes_);
  ASSERT_FALSE(profile.visits.empty());
  EXPECT_GT(profile.visits[0].instances, 1000U);
  EXPECT_NE(DrawNotes(notes_).find("dropped_events"), std::string::npos);
}

TEST_F(Inject, WhereAnotherToolOwnsCuptiNvtxGoesOnAlone) {
  const ProgramRun run = Trace(
      {"gpu", "10"},
      {{"RANGEFINDER_CUPTI_PATH", kPlain.fake_cupti}, {"FAKE_CUPTI", "busy"}});
  ASSERT_EQ(run.status, 0);
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(DrawVisits(profile),
            "p0 t0 step x10\n"
            "p0 t0 step / copy x10\n");
  ASSERT_EQ(DrawNotes(notes_), "no_gpu_activity 1\n");
  EXPECT_EQ(notes_.all()[0].text,
            "GPU work was not traced: another tool uses CUPTI in this process "
            "(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39)");
}

TEST_F(Inject, AnOldCuptiIsNotTouched) {
  const ProgramRun run = Trace(
      {"gpu", "10"},
      {{"RANGEFINDER_CUPTI_PATH", kPlain.fake_cupti}, {"FAKE_CUPTI", "old"}});
  ASSERT_EQ(run.status, 0);
  ReadTraces(folder_.path(), notes_);
  EXPECT_EQ(DrawNotes(notes_), "no_gpu_activity 1\n");
}

TEST_F(Inject, ModeRegionsLeavesCuptiAlone) {
  const ProgramRun run =
      Trace({"gpu", "10"}, {{"RANGEFINDER_CUPTI_PATH", kPlain.fake_cupti},
                            {"RANGEFINDER_INJECT_MODE", "regions"}});
  ASSERT_EQ(run.status, 0);
  const Profile profile = ReadTraces(folder_.path(), notes_);
  EXPECT_TRUE(profile.measurements.empty());
  EXPECT_EQ(DrawNotes(notes_), "");
}

// Python calls NVTX through a library of its own; here that library is any that
// carries NVTX, and ctypes hands it buffers that are used again.
TEST(InjectPython, RangesOfCtypesAreRecorded) {
  if (std::system("python3 -c 'import ctypes' 2>/dev/null") != 0)
    GTEST_SKIP() << "no python3 with ctypes: NO PYTHON PROGRAM IS TRACED";
  const Folder folder;
  Notes notes;
  const ProgramRun run = RunProgram({"python3", "-c",
                                     "import ctypes, sys\n"
                                     "n = ctypes.CDLL(sys.argv[1])\n"
                                     "b = ctypes.create_string_buffer(64)\n"
                                     "for step in range(1000):\n"
                                     "    b.value = b'step %d' % (step % 3)\n"
                                     "    n.Push(b)\n"
                                     "    n.Push(b'inner')\n"
                                     "    n.Pop()\n"
                                     "    n.Pop()\n",
                                     INJECT_NVTX_LIBRARY},
                                    INJECT_LIBRARY, folder.path());
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(DrawVisits(ReadTraces(folder.path(), notes)),
            "p0 t0 step 0 x334\n"
            "p0 t0 step 0 / inner x334\n"
            "p0 t0 step 1 x333\n"
            "p0 t0 step 1 / inner x333\n"
            "p0 t0 step 2 x333\n"
            "p0 t0 step 2 / inner x333\n");
}

}  // namespace
}  // namespace rangefinder
