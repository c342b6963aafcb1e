#include "analysis/ranks.h"

#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write_file.h"
#include "capture/provenance.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

fs::path Folder(const fs::path& run_dir) {
  return run_dir / ".ranks";
}

fs::path Mark(const fs::path& run_dir, int rank) {
  return Folder(run_dir) / fmt::format("rank{}", rank);
}

// What the ranks that have finished say of themselves, and how many they are.
struct Finishers {
  int count = 0;
  std::string marks{};
};

Finishers FinishersOf(const fs::path& run_dir, int world) {
  Finishers finishers;
  for (int rank = 0; rank < world; ++rank) {
    const auto mark = ReadFile(Mark(run_dir, rank));
    if (!mark.ok()) continue;
    ++finishers.count;
    finishers.marks += mark.value();
  }
  return finishers;
}

// Held by one rank of the machine at a time; without locks in the file system,
// by all, and then the same report may be written twice.
class OneAtATime {
 public:
  explicit OneAtATime(const fs::path& file)
      : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (fd_ >= 0) static_cast<void>(::flock(fd_, LOCK_EX));
  }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;
  ~OneAtATime() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_;
};

}  // namespace

void BeginRank(const fs::path& run_dir, const Rank& rank) {
  std::error_code ignored;
  fs::remove(Mark(run_dir, rank.rank), ignored);
}

RanksDone FinishRank(const fs::path& run_dir, const Rank& rank,
                     const std::function<Status(const RanksDone&)>& report) {
  RanksDone done{.world = rank.world.value_or(0)};
  const fs::path reported = Folder(run_dir) / "reported";
  const bool marked =
      MakeDirectories(Folder(run_dir)).ok() &&
      WriteFile(Mark(run_dir, rank.rank),
                fmt::format("rank {} {} {}\n", rank.rank, Now(), ::getpid()))
          .ok();
  if (!marked || done.world <= 0) return {};
  const OneAtATime held(Folder(run_dir) / "lock");
  const Finishers finishers = FinishersOf(run_dir, done.world);
  done.finished = finishers.count;
  if (!done.all()) return done;
  // Two that finish at one moment both find all of them.
  const auto before = ReadFile(reported);
  if (before.ok() && before.value() == finishers.marks) return done;
  if (report(done).ok())
    static_cast<void>(WriteFile(reported, finishers.marks));
  return done;
}

}  // namespace rangefinder
