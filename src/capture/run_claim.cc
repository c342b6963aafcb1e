#include "capture/run_claim.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/write_file.h"
#include "capture/run_dir.h"

namespace rangefinder {

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
  if (!made_.empty()) ::rmdir(made_.c_str());  // not where it holds anything
}

}  // namespace rangefinder
