#include "base/write_file.h"

#include <csignal>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every name below `folder`, folders with a slash.
std::set<std::string> Names(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    names.insert(entry.path().lexically_relative(folder).string() +
                 (entry.is_directory() && !entry.is_symlink() ? "/" : ""));
  }
  return names;
}

std::string TextOf(const fs::path& path) {
  auto text = ReadFile(path);
  return text.ok() ? text.value() : text.error().message();
}

// Runs `work` in a child process, which `work` may end. Returns the status of
// waitpid().
int InChild(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

void KilledWhileWriting(const fs::path& path) {
  const int status = InChild([&] {
    static_cast<void>(WriteFileBy(path, [](std::ostream& out) {
      out << std::string(1 << 20, 'x');
      ::raise(SIGKILL);
    }));
  });
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(WriteFile, TheNextWriterRemovesAKilledWritersPart) {
  const TempDir dir;
  KilledWhileWriting(dir / "report.md");
  KilledWhileWriting(dir / "report.md");
  EXPECT_THAT(Names(dir.path()), ElementsAre(".report.md.part"));

  ASSERT_TRUE(WriteFile(dir / "report.md", "all of it").ok());
  EXPECT_THAT(Names(dir.path()), ElementsAre("report.md"));
  EXPECT_EQ(TextOf(dir / "report.md"), "all of it");
}

TEST(WriteFile, LockedPartsOfOtherWritersStay) {
  const TempDir dir;
  const Status outer = WriteFileBy(dir / "a", [&](std::ostream& out) {
    out << "outer";
    EXPECT_TRUE(WriteFile(dir / "a", "inner").ok());
    EXPECT_EQ(TextOf(dir / "a"), "inner");
    ClearParts(dir.path());
  });
  EXPECT_TRUE(outer.ok());
  EXPECT_EQ(TextOf(dir / "a"), "outer");
  EXPECT_THAT(Names(dir.path()), ElementsAre("a"));
}

TEST(WriteFile, OfManyWritersOneFileIsLeftWhole) {
  const TempDir dir;
  {
    std::vector<std::jthread> writers;
    for (char c = 'a'; c < 'i'; ++c) {
      writers.emplace_back([&dir, c] {
        for (int i = 0; i < 50; ++i)
          EXPECT_TRUE(WriteFile(dir / "f", std::string(100'000, c)).ok());
      });
    }
  }
  const std::string text = TextOf(dir / "f");
  EXPECT_EQ(text, std::string(100'000, text.at(0)));
  EXPECT_THAT(Names(dir.path()), ElementsAre("f"));
}

TEST(ClearParts, RemovesPartsThatNoWriterLocks) {
  const TempDir dir;
  KilledWhileWriting(dir / "report.html");
  ASSERT_TRUE(WriteFile(dir / "other.part", "a file of that name").ok());
  ClearParts(dir.path());
  EXPECT_THAT(Names(dir.path()), ElementsAre("other.part"));
}

TEST(WriteFile, AFullDiskLeavesTheOldFile) {
  const TempDir dir;
  ASSERT_TRUE(WriteFile(dir / "f", "old").ok());
  const int status = InChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Status written = WriteFile(dir / "f", std::string(5000, 'x'));
    const bool said =
        !written.ok() &&
        written.error().message().find("/f: cannot write: File too large") !=
            std::string::npos;
    ::_exit(said ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_THAT(Names(dir.path()), ElementsAre("f"));
  EXPECT_EQ(TextOf(dir / "f"), "old");
}

TEST(WriteBelow, MakesTheFoldersOfAFile) {
  const TempDir dir;
  ASSERT_TRUE(WriteBelow(dir / "run", "ncu/regions/report.md", "text").ok());
  ASSERT_TRUE(MakeFolderBelow(dir / "run", "trace").ok());
  EXPECT_THAT(Names(dir.path()),
              ElementsAre("run/", "run/ncu/", "run/ncu/regions/",
                          "run/ncu/regions/report.md", "run/trace/"));
}

TEST(WriteBelow, FollowsNoSymbolicLinkOutOfTheRunDirectory) {
  const TempDir dir;
  fs::create_directories(dir / "run/ncu");
  fs::create_directories(dir / "home");
  ASSERT_TRUE(WriteFile(dir / "home/file", "mine").ok());
  fs::create_directory_symlink(dir / "home", dir / "run/ncu/regions");
  fs::create_symlink(dir / "home/file", dir / "run/config.yaml");

  const Status folder = WriteBelow(dir / "run", "ncu/regions/file", "theirs");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code(), ErrorCode::kSystem);
  EXPECT_THAT(folder.error().message(),
              HasSubstr("run/ncu/regions: is a symbolic link"));
  EXPECT_FALSE(MakeFolderBelow(dir / "run", "ncu/regions/new").ok());
  EXPECT_FALSE(WriteBelow(dir / "run", "ncu/../../home/new", "theirs").ok());

  // A link in the place of the file is replaced.
  EXPECT_TRUE(WriteBelow(dir / "run", "config.yaml", "ours").ok());
  EXPECT_FALSE(fs::is_symlink(dir / "run/config.yaml"));
  EXPECT_EQ(TextOf(dir / "home/file"), "mine");
  EXPECT_THAT(Names(dir / "home"), ElementsAre("file"));
}

TEST(WriteBelow, TheRunDirectoryItselfMayBeALink) {
  const TempDir dir;
  fs::create_directories(dir / "disk");
  fs::create_directory_symlink(dir / "disk", dir / "run");
  EXPECT_TRUE(WriteBelow(dir / "run", "ncu/cmd.txt", "text").ok());
  EXPECT_EQ(TextOf(dir / "disk/ncu/cmd.txt"), "text");
}

TEST(WriteOutput, RefusesOtherFilesThanRegularOnesAndPipes) {
  const TempDir dir;
  EXPECT_TRUE(WriteOutput("/dev/null", "text").ok());
  struct stat about {};
  ASSERT_EQ(::stat("/dev/null", &about), 0);
  EXPECT_TRUE(S_ISCHR(about.st_mode));

  fs::create_symlink("/dev/full", dir / "full");
  const Status full = WriteOutput(dir / "full", "text");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code(), ErrorCode::kSystem);
  EXPECT_THAT(full.error().message(),
              HasSubstr("full: cannot write: No space left on device"));
  EXPECT_TRUE(fs::is_symlink(dir / "full"));

  const Status folder = WriteOutput(dir.path(), "text");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code(), ErrorCode::kUsage);
  EXPECT_THAT(Names(dir.path()), ElementsAre("full"));
}

TEST(WriteOutput, APipeIsWrittenTo) {
  const TempDir dir;
  const fs::path pipe = dir / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::jthread reader([&] {
    std::ifstream in(pipe);
    std::getline(in, read);
  });
  EXPECT_TRUE(WriteOutput(pipe, "through the pipe\n").ok());
  reader.join();
  EXPECT_EQ(read, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(WriteOutput, APipeThatNobodyReadsIsAnErrorAndNoWait) {
  const TempDir dir;
  const fs::path pipe = dir / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Status written = WriteOutput(pipe, "text");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code(), ErrorCode::kSystem);
  EXPECT_THAT(written.error().message(), HasSubstr("no program reads"));
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(WriteOutput, ASymbolicLinkStaysAndItsTargetIsTheFile) {
  const TempDir dir;
  fs::create_directories(dir / "a");
  ASSERT_TRUE(WriteFile(dir / "a/file", "old").ok());
  fs::create_symlink("a/file", dir / "link");
  fs::create_symlink("link", dir / "second");
  fs::create_symlink("a/new", dir / "dangling");
  EXPECT_TRUE(WriteOutput(dir / "second", "new").ok());
  EXPECT_TRUE(WriteOutput(dir / "dangling", "new, too").ok());
  EXPECT_EQ(TextOf(dir / "a/file"), "new");
  EXPECT_EQ(TextOf(dir / "a/new"), "new, too");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_TRUE(fs::is_symlink(dir / "dangling"));

  fs::create_symlink("loop", dir / "loop");
  EXPECT_FALSE(WriteOutput(dir / "loop", "text").ok());
  EXPECT_TRUE(fs::is_symlink(dir / "loop"));
}

}  // namespace
}  // namespace rangefinder
