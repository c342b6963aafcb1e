#include "capture/run_dir.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/ncu.h"
#include "capture/ncu_messages.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// Manifests of captures that this one replaces: reading takes all that are
// there together.
void RemoveOthers(const CaptureOptions& options) {
  std::vector<fs::path> stale;
  std::error_code error;
  for (fs::directory_iterator it(options.run_dir / "ncu", error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool ranked = name.starts_with("manifest.rank");
    if (name == "manifest.json" || (ranked && !options.rank))
      stale.push_back(it->path());
  }
  for (const fs::path& path : stale) fs::remove(path, error);
}

}  // namespace

Result<RunDirectory> RunDirectory::Claim(const CaptureOptions& options) {
  const fs::path folder = options.run_dir / "ncu";
  TRY(MakeDirectories(folder));
  RunDirectory held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held.fd_ < 0) {
    return Error(ErrorCode::kSystem,
                 fmt::format("{}: cannot open: {}", folder.string(),
                             std::strerror(errno)));
  }
  const int how = options.rank ? LOCK_SH : LOCK_EX;
  // A file system without locks is no reason not to capture.
  if (::flock(held.fd_, how | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Error(
        ErrorCode::kUsage,
        Explained("another capture is writing into " + options.run_dir.string(),
                  "two captures in one run directory would mix their files",
                  "give this one a folder of its own: hydra.run.dir=FOLDER"));
  }
  const fs::path manifest =
      folder / (RankedStem(options, "manifest") + ".json");
  std::error_code error;
  if (!options.ncu.force_overwrite && fs::exists(manifest, error)) {
    return Error(
        ErrorCode::kUsage,
        Explained(options.run_dir.string() + " holds a capture already",
                  "pipeline.ncu.ncu_cli.force_overwrite=false keeps it",
                  "give this one a folder of its own: hydra.run.dir=FOLDER"));
  }
  RemoveOthers(options);
  return held;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

RunDirectory::~RunDirectory() {
  if (fd_ >= 0) ::close(fd_);
}

std::string CommandsText(const CaptureOptions& options,
                         const std::vector<RunRecord>& runs) {
  std::string text;
  std::error_code error;
  const fs::path cwd =
      options.cwd.empty() ? fs::current_path(error) : options.cwd;
  text += "cd " + ShellQuote(cwd.string()) + "\n";
  for (const RunRecord& run : runs) {
    text += fmt::format("\n# {} ({} replay): {}\n{}\n", run.name, run.mode,
                        Printable(run.why), ShellQuote(run.command));
  }
  return text;
}

std::string LogsText(const std::vector<RunRecord>& runs) {
  std::string text;
  for (const RunRecord& run : runs) {
    if (!text.empty()) text += "\n";
    text += fmt::format("# {}: {}\n", run.name, run.outcome);
    auto log = ReadFile(run.log);
    if (log.ok()) text += log.value();
  }
  return text;
}

bool IsFull(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available < (std::uintmax_t{1} << 20);
}

}  // namespace rangefinder
