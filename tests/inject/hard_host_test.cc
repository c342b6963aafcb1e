// A program runs with the injection library as without it: its children live,
// its threads can be cancelled, its handlers may end it or fork. If it makes
// ever more threads or names, the memory of the library does not grow for ever.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "ingest/reader.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {
namespace fs = std::filesystem;

class HardHost : public testing::Test {
 protected:
  // A program that hangs is ended after a minute, with status 124.
  ProgramRun Run(std::vector<std::string> arguments,
                 const std::string& program = INJECT_HARD_HOST) {
    std::vector<std::string> argv{"timeout", "-s", "KILL", "60", program};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return RunProgram(argv, INJECT_LIBRARY, folder_.path());
  }
  void Succeeds(std::vector<std::string> arguments) {
    const ProgramRun run = Run(std::move(arguments));
    EXPECT_EQ(run.status, 0) << run.output << run.errors;
  }
  std::string Visits() {
    return DrawVisits(ReadTraces(folder_.path(), notes_));
  }

  Folder folder_;
  Notes notes_;
};

// ---- Ranges ----------------------------------------------------------------

TEST_F(HardHost, ARangeMayCloseWithAPayload) {
  const ProgramRun run = Run({"payloads"});
  if (run.status == 77 << 8)
    GTEST_SKIP() << "NOT TESTED: an NVTX without payloads";
  ASSERT_EQ(run.status, 0) << run.output << run.errors;
  EXPECT_EQ(Visits(),
            "p0 t0 NCCL@init x1\n"
            "p0 t0 after x1\n"
            "p0 t0 after / NCCL@(payload) x1\n"
            "p0 t0 after / NCCL@(payload) / NCCL@init* x1\n");
}

TEST_F(HardHost, ATraceSaysHowManyRanksThereAre) {
  setenv("RANK", "1", 1);
  setenv("WORLD_SIZE", "4", 1);
  Succeeds({"pairs", "1"});
  unsetenv("RANK");
  unsetenv("WORLD_SIZE");
  const Profile profile = ReadTraces(folder_.path(), notes_);
  ASSERT_EQ(profile.artifacts.size(), 1);
  EXPECT_THAT(profile.artifacts[0].versions,
              testing::Contains(testing::Pair("world", "4")));
  EXPECT_EQ(profile.processes[0].rank, 1);
}

// ---- Children --------------------------------------------------------------

TEST_F(HardHost, TwoThousandChildrenThatAreForkedBesideEightThreadsLive) {
  Succeeds({"forks", "8", "2000"});
}

TEST_F(HardHost, ChildrenOfAForkWithoutHandlersLiveBesideThreads) {
  Succeeds({"raw-forks", "4", "500"});
}

constexpr char kBothSides[] =
    "p0 t0 outer x1\n"
    "p0 t0 outer / in the parent x500\n"
    "p1 t1 outer / in the child x110\n";

TEST_F(HardHost, AChildWritesItsOwnFileHoweverItWasForked) {
  for (const char* how : {"fork", "_Fork", "clone"}) {
    const Folder folder;
    Notes notes;
    const ProgramRun run = RunProgram({INJECT_HARD_HOST, "counted", how},
                                      INJECT_LIBRARY, folder.path());
    EXPECT_EQ(run.status, 0) << how;
    EXPECT_EQ(DrawVisits(ReadTraces(folder.path(), notes)), kBothSides) << how;
    EXPECT_EQ(DrawNotes(notes), "") << how;
  }
}

#if __GLIBC_PREREQ(2, 34)
TEST_F(HardHost, AStaticProgramIsTracedAndItsChildrenAre) {
  const ProgramRun run = Run({"counted", "fork"}, INJECT_HARD_HOST_STATIC);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(Visits(), kBothSides);
  EXPECT_EQ(DrawNotes(notes_), "");
}
#else
TEST_F(HardHost, AStaticProgramOfAnOldCLibraryIsLeftAlone) {
  const ProgramRun run = Run({"counted", "fork"}, INJECT_HARD_HOST_STATIC);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(TracesIn(folder_.path()).size(), 0U);
}
#endif

// ---- Cancellation ----------------------------------------------------------

TEST_F(HardHost, ThreadsAreCancelledAsWithoutIt) {
  Succeeds({"cancelled", "200"});
  Succeeds({"cancelled-before", "20"});
}

TEST_F(HardHost, ThreadsAreCancelledAtOnceAsWithoutIt) {
  Succeeds({"cancelled-at-once", "200"});
}

// ---- Handlers --------------------------------------------------------------

TEST_F(HardHost, AHandlerMayEndTheProgramInsideACallWithANewName) {
  for (int i = 0; i < 20; ++i) {
    const ProgramRun run = Run({"exit-in-handler", std::to_string(SIGALRM)});
    ASSERT_EQ(run.status, 7 << 8) << i;
  }
  EXPECT_EQ(TracesIn(folder_.path()).size(), 20U);
}

TEST_F(HardHost, AHandlerOfAFaultMayEndTheProgram) {
  for (int i = 0; i < 20; ++i) {
    const ProgramRun run = Run({"exit-in-handler", std::to_string(SIGSEGV)});
    ASSERT_EQ(run.status, 7 << 8) << i;
  }
}

TEST_F(HardHost, AHandlerMayForkInsideACall) {
  Succeeds({"fork-in-handler", "200", std::to_string(SIGUSR1)});
  Succeeds({"return-in-child", "200"});
}

TEST_F(HardHost, AHandlerMayCallWithANewNameDuringFork) {
  Succeeds({"names-during-fork", "500"});
}

// ---- Memory ----------------------------------------------------------------

// The second half of the calls costs nothing.
TEST_F(HardHost, NamesAndDomainsWithoutEndAreBoundedCountedAndSaid) {
  const auto check = [](const char* what, const char* count,
                        const char* notes) {
    const Folder folder;
    const ProgramRun run = RunProgram({INJECT_HARD_HOST, what, count},
                                      INJECT_LIBRARY, folder.path());
    EXPECT_EQ(run.status, 0) << what;
    EXPECT_LE(std::atol(run.output.c_str()), 1) << what;
    Notes said;
    const auto traces = TracesIn(folder.path());
    ASSERT_EQ(traces.size(), 1U) << what;
    ReadTraces(folder.path(), said);
    EXPECT_EQ(DrawNotes(said), notes) << what;
  };
  check("naming", "200000", "lost_notes 734465\n");
  check("domains", "1048600", "lost_domains 26\n");
}

TEST_F(HardHost, NewNamesCostNoMemoryBeyondTheFirstHalfMillion) {
  for (const char* what : {"names", "colors"}) {
    const ProgramRun run = Run({what, "600000"});
    EXPECT_EQ(run.status, 0) << what;
    EXPECT_LE(std::atol(run.output.c_str()), 1) << what;
  }
}

// ---- Limits ----------------------------------------------------------------

TEST_F(HardHost, ASandboxThatKillsWhoeverAllocatesDoesNotKill) {
  const ProgramRun run = Run({"sandboxed", "100000"});
  if (run.status == 77 << 8) GTEST_SKIP() << "no seccomp: NO SANDBOX IS TRIED";
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(Visits(),
            "p0 t0 before x1\n"
            "p0 t0 inside x100000\n");
}

TEST_F(HardHost, ALimitOnFilesThatIsLoweredKillsNobody) {
  EXPECT_EQ(Run({"lowered", "100000"}).status, 0);
  Visits();
  EXPECT_NE(DrawNotes(notes_).find("dropped_events"), std::string::npos);
}

// Where files cannot be given space by fallocate().
TEST_F(HardHost, ALimitOnFilesThatIsLoweredKillsNobodyOnRamfs) {
  const std::string mounted = (folder_.path() / "ramfs").string();
  fs::create_directory(mounted);
  if (mount("none", mounted.c_str(), "ramfs", 0, nullptr) != 0)
    GTEST_SKIP() << "no right to mount: RAMFS IS NOT TRIED";
  const ProgramRun run = RunProgram({INJECT_HARD_HOST, "lowered", "100000"},
                                    INJECT_LIBRARY, mounted);
  Notes notes;
  ReadTraces(mounted, notes);
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(DrawNotes(notes).find("dropped_events"), std::string::npos);
  umount2(mounted.c_str(), MNT_DETACH);
}

TEST_F(HardHost, AFolderOfTheLongestPathHasATrace) {
  fs::path longest = folder_.path();
  while (longest.string().size() < 3800) {
    longest /= std::string(200, 'd');
    fs::create_directory(longest);
  }
  const ProgramRun run =
      RunProgram({INJECT_HARD_HOST, "pairs", "10"}, INJECT_LIBRARY, longest);
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(TracesIn(longest).size(), 1U);
}

// Root runs it as nobody: whoever sets variables is another than who has
// rights.
TEST_F(HardHost, AProgramWithAnotherUsersRightsIsLeftAlone) {
  const fs::path program = folder_.path() / "program";
  const fs::path traces = folder_.path() / "traces";
  fs::copy_file(INJECT_HARD_HOST, program);
  fs::create_directory(traces);
  chmod(folder_.path().c_str(), 0755);
  chmod(traces.c_str(), 0777);
  if (chown(program.c_str(), 65534, 65534) != 0)
    GTEST_SKIP() << "not root: NO PROGRAM WITH ANOTHER'S RIGHTS IS TRIED";
  const auto run = [&](mode_t mode) {
    chmod(program.c_str(), mode);
    return RunProgram({program, "pairs", "10"}, INJECT_LIBRARY, folder_.path(),
                      {{"RANGEFINDER_INJECT_DIR", traces.string()}})
        .status;
  };
  EXPECT_EQ(run(04755), 0);
  EXPECT_TRUE(TracesIn(traces).empty());
  EXPECT_EQ(run(0755), 0);
  EXPECT_EQ(TracesIn(traces).size(), 1U);
}

}  // namespace
}  // namespace rangefinder
