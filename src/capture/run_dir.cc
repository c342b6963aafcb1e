#include "capture/run_dir.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/ncu.h"
#include "capture/ncu_messages.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// Removes the manifests of earlier captures, since reading joins all manifests.
void RemoveManifests(const CaptureOptions& options) {
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

Result<FolderLock> HoldForCapture(const fs::path& run_dir,
                                  const fs::path& folder, bool shared) {
  using Kind = FolderLock::Kind;
  auto held = TRY(
      FolderLock::Try(run_dir / folder, shared ? Kind::kShared : Kind::kAlone));
  if (held) return *std::move(held);
  return Error(
      ErrorCode::kUsage,
      Explained("another capture is writing into " + run_dir.string(),
                "two captures in one run directory would mix their files",
                "give this capture a folder of its own: hydra.run.dir=FOLDER"));
}

Result<RunDirectory> RunDirectory::Claim(const CaptureOptions& options) {
  const fs::path folder = options.run_dir / "ncu";
  TRY(MakeFolderBelow(options.run_dir, "ncu"));
  RunDirectory held(
      TRY(HoldForCapture(options.run_dir, "ncu", options.rank.has_value())));
  const fs::path manifest =
      folder / (RankedStem(options, "manifest") + ".json");
  std::error_code error;
  if (!options.ncu.force_overwrite && fs::exists(manifest, error)) {
    return Error(
        ErrorCode::kUsage,
        Explained(
            options.run_dir.string() + " holds a capture already",
            "pipeline.ncu.ncu_cli.force_overwrite=false keeps it",
            "give this capture a folder of its own: hydra.run.dir=FOLDER"));
  }
  RemoveManifests(options);
  return held;
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
