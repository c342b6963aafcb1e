// The run directory as a capture writes it: held by one capture at a time, its
// logs and commands gathered for people to read.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "capture/capture.h"
#include "capture/options.h"

namespace rangefinder {

// A run directory that no other capture writes into while this lives. The ranks
// of one launch share it.
class RunDirectory {
 public:
  // Makes it. kUsage when another capture holds it, or when it holds one
  // already that must not be overwritten.
  static Result<RunDirectory> Claim(const CaptureOptions& options);

  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  RunDirectory(const RunDirectory&) = delete;
  ~RunDirectory();

 private:
  explicit RunDirectory(int fd) : fd_(fd) {}
  int fd_;
};

// ncu/cmd.txt: the commands of `runs`, each with its reason, to be typed again.
std::string CommandsText(const CaptureOptions& options,
                         const std::vector<RunRecord>& runs);

// ncu/log.txt: what ncu printed in each of `runs`.
std::string LogsText(const std::vector<RunRecord>& runs);

// Whether `folder`'s disk has so little left that it explains a failure.
bool IsFull(const std::filesystem::path& folder);

}  // namespace rangefinder
