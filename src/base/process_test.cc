#include "base/process.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;

Command Shell(std::string script) {
  return {.argv = {"sh", "-c", std::move(script)},
          .out = Command::Output::kCapture,
          .err = Command::Output::kCapture,
          .grace_s = 1};
}

Finished RunShell(const std::string& script, const Watch& watch = {}) {
  SystemRunner runner;
  auto finished = runner.Run(Shell(script), watch);
  EXPECT_TRUE(finished.ok()) << finished.error().message();
  return std::move(finished).value();
}

// Whether the process exists and is no zombie.
bool IsAlive(const std::string& id) {
  std::ifstream in("/proc/" + id + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return in >> number >> name >> state && state != "Z";
}

TEST(Process, KeepsTheTwoStreamsAndTheStatusApart) {
  const Finished finished = RunShell("echo out; echo err >&2; exit 7");

  EXPECT_EQ(finished.out, "out\n");
  EXPECT_EQ(finished.err, "err\n");
  EXPECT_EQ(finished.status, 7);
  EXPECT_EQ(finished.signal, 0);
  EXPECT_FALSE(finished.ok());
}

TEST(Process, ReadsMoreThanAPipeHoldsFromBothStreamsAtOnce) {
  const Finished finished = RunShell(
      "head -c 3000000 /dev/zero & head -c 3000000 /dev/zero >&2; wait");

  EXPECT_EQ(finished.out.size(), 3000000U);
  EXPECT_EQ(finished.err.size(), 3000000U);
}

TEST(Process, GivesNothingToReadAndKeepsTheEndOfTheOutput) {
  Command command = Shell("cat; seq 100000");
  command.reads_nothing = true;
  command.most_captured = 12;
  const auto finished = SystemRunner().Run(command);

  ASSERT_TRUE(finished.ok());
  EXPECT_EQ(finished.value().out, "9999\n100000\n");
}

TEST(Process, ASignalIsReportedAsByAShell) {
  const Finished finished = RunShell("kill -SEGV $$");

  EXPECT_EQ(finished.signal, SIGSEGV);
  EXPECT_EQ(finished.status, 139);
}

TEST(Process, WordsAreNeverReadByAShell) {
  SystemRunner runner;
  const auto finished =
      runner.Run({.argv = {"printf", "%s|", "a b", "$HOME", "*", "';"},
                  .out = Command::Output::kCapture});

  EXPECT_EQ(finished.value().out, "a b|$HOME|*|';|");
}

TEST(Process, ChangesTheEnvironmentAndTheFolder) {
  const TempDir folder;
  ::setenv("RANGEFINDER_TEST_GONE", "here", 1);
  Command command = Shell("echo $ADDED ${RANGEFINDER_TEST_GONE-gone}; pwd -P");
  command.environment = {{"ADDED", "yes"},
                         {"RANGEFINDER_TEST_GONE", std::nullopt}};
  command.cwd = folder.path();
  SystemRunner runner;

  EXPECT_EQ(
      runner.Run(command).value().out,
      "yes gone\n" + std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Process, AMissingProgramIsAnErrorThatNamesIt) {
  SystemRunner runner;

  const auto missing = runner.Run({.argv = {"no-such-program-here"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), ErrorCode::kSystem);
  EXPECT_THAT(missing.error().message(), HasSubstr("no-such-program-here"));

  const auto folder = runner.Run({.argv = {"/tmp/"}});
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error().message(), HasSubstr("Permission denied"));
}

TEST(Process, FollowsAFileWhileItGrows) {
  const TempDir folder;
  const std::string log = folder / "log.txt";
  // Each part is written once the part before it was seen.
  const auto until_seen = [&](const std::string& part) {
    return "; until [ -e " + (folder / part).string() +
           " ]; do sleep 0.01; done";
  };
  Command command =
      Shell("printf one > " + log + until_seen("one") + "; printf two >> " +
            log + until_seen("two") + "; printf three >> " + log);
  command.follow = log;
  command.timeout_s = 60;
  std::vector<std::string> seen;
  SystemRunner runner;
  const auto finished =
      runner.Run(command, {.on_bytes = [&](std::string_view bytes) {
                   seen.emplace_back(bytes);
                   std::ofstream(folder / std::string(bytes));
                 }});

  EXPECT_TRUE(finished.value().ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two", "three"}));
}

TEST(Process, ATimeLimitEndsTheCommandAndWhatItStarted) {
  Command command = Shell("sleep 60 & echo $!; wait");
  command.timeout_s = 0.2;
  SystemRunner runner;
  const auto finished = runner.Run(command);

  EXPECT_EQ(finished.value().ending, Ending::kTimedOut);
  EXPECT_LT(finished.value().seconds, 5);
  const std::string id =
      finished.value().out.substr(0, finished.value().out.find('\n'));
  for (int i = 0; i < 200 && IsAlive(id); ++i)  // SIGKILL takes a moment
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(IsAlive(id));
}

TEST(Process, ACommandThatIgnoresSigintIsKilled) {
  const Finished finished =
      RunShell("trap '' INT TERM; while :; do sleep 0.1; done",
               {.on_tick = [](double seconds) { return seconds < 0.2; }});

  EXPECT_EQ(finished.ending, Ending::kStopped);
  EXPECT_EQ(finished.signal, SIGKILL);
}

// A process may end between the opening of its file in /proc and the reading.
TEST(Process, ProcessesMayEndWhileTheyAreListed) {
  std::atomic<bool> done{false};
  std::vector<std::thread> parents;
  for (int i = 0; i < 4; ++i) {
    parents.emplace_back([&done] {
      while (!done) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        waitpid(child, nullptr, 0);
      }
    });
  }
  std::size_t seen = 0;
  for (int i = 0; i < 1500; ++i) seen += ProcessesUnder(getpid()).size();
  done = true;
  for (std::thread& parent : parents) parent.join();
  EXPECT_GT(seen, 0U);
}

TEST(Process, TheCommandOutlivesItsDescendantsAndWritesItsReport) {
  // As a profiler does when its program is killed.
  const Finished finished = RunShell(
      "trap '' INT; sh -c \"trap '' INT TERM; while :; do sleep 0.1; done\";"
      "echo saved",
      {.on_tick = [](double seconds) { return seconds < 0.2; }});

  EXPECT_EQ(finished.ending, Ending::kStopped);
  EXPECT_EQ(finished.out, "saved\n");
  EXPECT_EQ(finished.signal, 0);
}

TEST(Process, AnInterruptEndsTheCommandAndNotThisProcess) {
  std::thread presser([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(::getpid(), SIGINT);
  });
  const InterruptGuard guard;
  const Finished finished = RunShell("sleep 60");
  presser.join();

  EXPECT_EQ(finished.ending, Ending::kInterrupted);
  EXPECT_LT(finished.seconds, 5);
  EXPECT_EQ(InterruptGuard::Count(), 1);
}

TEST(Process, ADaemonThatHoldsAPipeOpenDoesNotBlock) {
  const Finished finished = RunShell("sleep 5 & echo done");

  EXPECT_EQ(finished.out, "done\n");
  EXPECT_LT(finished.seconds, 3);
}

TEST(Process, SeveralRunAtOnceInThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> outs(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&outs, i] {
      outs[static_cast<std::size_t>(i)] =
          RunShell("echo " + std::to_string(i)).out;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(outs[static_cast<std::size_t>(i)], std::to_string(i) + "\n");
  }
}

TEST(Process, FindsProgramsAsAShellDoes) {
  SystemRunner runner;
  EXPECT_TRUE(runner.Find("sh").has_value());
  EXPECT_EQ(runner.Find("./x/y"), std::filesystem::path("./x/y"));
  EXPECT_FALSE(runner.Find("no-such-program-here").has_value());
}

}  // namespace
}  // namespace rangefinder
