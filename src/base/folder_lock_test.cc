#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/write_file.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using Kind = FolderLock::Kind;

bool IsFree(const std::filesystem::path& folder, Kind kind) {
  const auto held = FolderLock::Try(folder, kind);
  return held.ok() && held.value().has_value();
}

TEST(FolderLock, IsExclusiveOrShared) {
  const TempDir dir;
  {
    const auto alone = FolderLock::Wait(dir.path(), Kind::kAlone);
    ASSERT_TRUE(alone.ok());
    EXPECT_FALSE(IsFree(dir.path(), Kind::kAlone));
    EXPECT_FALSE(IsFree(dir.path(), Kind::kShared));
  }
  const auto shared = FolderLock::Try(dir.path(), Kind::kShared);
  ASSERT_TRUE(shared.ok() && shared.value());
  EXPECT_TRUE(IsFree(dir.path(), Kind::kShared));
  EXPECT_FALSE(IsFree(dir.path(), Kind::kAlone));
}

TEST(FolderLock, EndsWithAKilledHolder) {
  const TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = FolderLock::Wait(dir.path(), Kind::kAlone);
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(IsFree(dir.path(), Kind::kAlone));
}

TEST(FolderLock, OfAMissingFolderIsAnError) {
  const TempDir dir;
  const auto held = FolderLock::Try(dir / "none", Kind::kAlone);
  ASSERT_FALSE(held.ok());
  EXPECT_EQ(held.error().code(), ErrorCode::kSystem);
}

}  // namespace
}  // namespace rangefinder
