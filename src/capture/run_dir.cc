#include "capture/run_dir.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/ncu.h"
#include "capture/ncu_messages.h"

namespace rangefinder {

namespace {

namespace fs = std::filesystem;

// Locks `folder` of the run directory for one capture, or for the ranks of one
// launch together. kUsage if another capture holds it.
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

// The commands of `runs` with their reasons.
std::string CommandsText(const CaptureOptions& options,
                         const std::vector<RunRecord>& runs) {
  std::string text = "cd " + ShellQuote(options.StartFolder().string()) + "\n";
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

}  // namespace

Error KeptCapture(const fs::path& run_dir) {
  return Error(
      ErrorCode::kUsage,
      Explained(run_dir.string() + " holds a capture already",
                "pipeline.ncu.ncu_cli.force_overwrite=false keeps it",
                "give this capture a folder of its own: hydra.run.dir=FOLDER"));
}

Result<FolderLock> ClaimForCapture(const CaptureOptions& options) {
  const fs::path folder = options.run_dir / "ncu";
  TRY(MakeFolderBelow(options.run_dir, "ncu"));
  FolderLock held =
      TRY(HoldForCapture(options.run_dir, "ncu", options.rank.has_value()));
  const fs::path manifest =
      folder / (RankedStem(options, "manifest") + ".json");
  std::error_code error;
  if (!options.ncu.force_overwrite && fs::exists(manifest, error)) {
    return KeptCapture(options.run_dir);
  }
  // Manifests of earlier captures, since reading joins all manifests. Under a
  // launcher, the manifests of other ranks belong to this capture.
  for (const fs::path& old : ManifestsIn(options.run_dir)) {
    if (!options.rank || old.filename() == "manifest.json")
      fs::remove(old, error);
  }
  return held;
}

Status SaveCapture(const CaptureOptions& options, const Capture& capture) {
  const auto write = [&](const std::string& stem, const std::string& text) {
    return WriteBelow(options.run_dir,
                      "ncu/" + RankedStem(options, stem) + ".txt", text);
  };
  TRY(WriteManifest(options, capture));
  TRY(write("cmd", CommandsText(options, capture.runs)));
  return write("log", LogsText(capture.runs));
}

bool IsFull(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available < (std::uintmax_t{1} << 20);
}

// ---- Claims ----------------------------------------------------------------

Result<std::string> MakeNewFolder(const std::string& wish) {
  std::string base = wish;
  while (base.size() > 1 && base.ends_with('/')) base.pop_back();
  TRY(MakeDirectories(std::filesystem::path(base).parent_path()));
  std::string folder = base;
  for (int i = 1; ::mkdir(folder.c_str(), 0777) != 0; ++i) {
    if (errno != EEXIST) {
      return Error(ErrorCode::kSystem,
                   fmt::format("{}: cannot create the folder: {}", folder,
                               std::strerror(errno)));
    }
    folder = fmt::format("{}_{}", base, i);
  }
  return folder;
}

Result<RunClaim> RunClaim::Make(std::string& run_dir, bool is_new,
                                bool shared) {
  RunClaim claim;
  if (is_new && !shared) {
    run_dir = TRY(MakeNewFolder(run_dir));
    claim.made_ = run_dir;
  } else {
    std::error_code error;
    const bool was_there = std::filesystem::exists(run_dir, error);
    TRY(MakeDirectories(run_dir));
    if (!was_there && !shared) claim.made_ = run_dir;
  }
  claim.held_ = TRY(HoldForCapture(run_dir, "", shared));
  return claim;
}

RunClaim::~RunClaim() {
  // Fails if the folder has any content.
  if (!made_.empty()) ::rmdir(made_.c_str());
}

}  // namespace rangefinder
