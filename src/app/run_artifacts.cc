#include "app/run_artifacts.h"

#include <system_error>

#include "capture/capture.h"
#include "capture/manifest.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// Whether some rank of a capture left its manifest in `run_dir`.
bool HasManifest(const fs::path& run_dir) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run_dir / "ncu", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("manifest.") && name.ends_with("json")) return true;
  }
  return false;
}

}  // namespace

Result<RunArtifacts> ArtifactsOf(const std::vector<std::string>& paths) {
  RunArtifacts artifacts;
  if (paths.size() != 1 || !HasManifest(paths[0])) {
    artifacts.files = TRY(FindArtifacts(paths));
    return artifacts;
  }
  const fs::path run_dir(paths[0]);
  const Capture capture = TRY(ReadCapture(run_dir));
  artifacts.notes = capture.notes;
  artifacts.files = capture.artifacts();
  for (const RunRecord& run : capture.runs) {
    if (run.rank) artifacts.ranks[run.report.string()] = *run.rank;
  }
  for (const char* inner : {"trace", "nsys"}) {
    const std::vector<std::string> folder = {(run_dir / inner).string()};
    // A folder that is not there, or holds no capture, adds nothing.
    auto more = FindArtifacts(folder);
    if (!more.ok()) continue;
    artifacts.files.insert(artifacts.files.end(), more.value().begin(),
                           more.value().end());
  }
  return artifacts;
}

}  // namespace rangefinder
