#include "base/interrupt.h"

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/write_file.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

const auto kEnded = testing::ExitedWithCode(130);

TEST(Interrupt, EndsTheProcessInsideInterruptEnds) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          const InterruptEnds ends;
          std::raise(signal);
        },
        kEnded, "^rangefinder: interrupted\n$");
  }
}

TEST(Interrupt, IsCountedByAGuard) {
  const InterruptGuard guard;
  std::raise(SIGINT);
  std::raise(SIGTERM);
  EXPECT_EQ(InterruptGuard::Count(), 2);
}

TEST(Interrupt, OfInterruptEndsInsideAGuardAndSuspendedByAnInnerGuard) {
  const InterruptGuard guard;
  std::raise(SIGINT);
  InterruptGuard::Heed();
  {
    const InterruptEnds ends;
    EXPECT_EXIT(std::raise(SIGINT), kEnded, "interrupted");
    {
      const InterruptGuard inner;
      std::raise(SIGINT);
      EXPECT_EQ(InterruptGuard::Count(), 2);
    }
    EXPECT_EXIT(std::raise(SIGINT), kEnded, "interrupted");
  }
  std::raise(SIGINT);
  EXPECT_EQ(InterruptGuard::Count(), 3);
}

TEST(Interrupt, NotHeededEndsTheProcessAtTheNextInterruptEnds) {
  const InterruptGuard guard;
  std::raise(SIGINT);
  EXPECT_EXIT(const InterruptEnds ends, kEnded, "interrupted");
}

TEST(Interrupt, ActionsAreRestoredAfterTheLastGuard) {
  {
    const InterruptEnds ends;
    const InterruptGuard guard;
  }
  EXPECT_EXIT(std::raise(SIGINT), testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupt, IgnoredStaysIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const InterruptEnds ends;
    std::raise(SIGINT);
  }
  std::signal(SIGINT, before);
}

TEST(Interrupt, RemovesUnfinishedFiles) {
  const TempDir dir;
  ASSERT_TRUE(WriteFile(dir.path() / "old", "as it was").ok());
  EXPECT_EXIT(
      {
        const InterruptEnds ends;
        (void)WriteFileBy(dir.path() / "old", [&](std::ostream& out) {
          out << std::string(1 << 20, 'x') << std::flush;
          // In a thread other than the writing thread.
          std::jthread([] { std::raise(SIGINT); }).join();
        });
      },
      kEnded, "interrupted");
  EXPECT_EQ(ReadFile(dir.path() / "old").value(), "as it was");
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(dir.path())) {
    EXPECT_EQ(file.path().filename(), "old");
    ++files;
  }
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace rangefinder
