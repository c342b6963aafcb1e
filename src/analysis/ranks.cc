#include "analysis/ranks.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

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

// In the run directory.
const fs::path kFolder = ".ranks";

fs::path Mark(int rank) {
  return kFolder / fmt::format("rank{}", rank);
}

// The records of the finished ranks, and their number.
struct Finishers {
  int count = 0;
  std::string marks{};
};

// `marks` only if all have finished: every rank reading the marks of all others
// would take long in a large job.
Finishers FinishersOf(const fs::path& run_dir, int world) {
  Finishers finishers;
  const std::vector<fs::path> files = PathsIn(run_dir / kFolder);
  for (int rank = 0; rank < world; ++rank)
    finishers.count += std::ranges::binary_search(files, run_dir / Mark(rank));
  if (finishers.count < world) return finishers;
  for (int rank = 0; rank < world; ++rank) {
    const auto mark = ReadFile(run_dir / Mark(rank));
    if (mark.ok()) finishers.marks += mark.value();
  }
  return finishers;
}

// Held by one rank at a time. In a file system without locks all ranks proceed,
// and the same report may be written twice. No FolderLock: NFS grants this lock
// for files that are open for writing only.
class OneAtATime {
 public:
  explicit OneAtATime(const fs::path& file)
      : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                   0666)) {
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
  fs::remove(run_dir / Mark(rank.rank), ignored);
}

RanksDone FinishRank(const fs::path& run_dir, const Rank& rank,
                     const std::function<Status(const RanksDone&)>& report) {
  RanksDone done{.world = rank.world.value_or(0)};
  const fs::path reported = kFolder / "reported";
  const bool marked =
      WriteBelow(run_dir, Mark(rank.rank),
                 fmt::format("rank {} {} {}\n", rank.rank, Now(), ::getpid()))
          .ok();
  if (!marked || done.world <= 0) return {};
  const OneAtATime held(run_dir / kFolder / "lock");
  const Finishers finishers = FinishersOf(run_dir, done.world);
  done.finished = finishers.count;
  if (!done.all()) return done;
  // Two ranks that finish simultaneously both see all ranks as finished.
  const auto before = ReadFile(run_dir / reported);
  if (before.ok() && before.value() == finishers.marks) return done;
  if (report(done).ok())
    static_cast<void>(WriteBelow(run_dir, reported, finishers.marks));
  return done;
}

}  // namespace rangefinder
