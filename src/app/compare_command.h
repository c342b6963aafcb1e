// `rangefinder compare --runs N -- A… ::: B…`: profiles two programs, or one in
// two ways, taking turns, and diffs them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/console.h"
#include "app/diff_command.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/process.h"

namespace rangefinder {

// What one side has that the other has not.
struct ComparedSide {
  std::vector<std::string> program{};
  std::vector<std::string> overrides{};
  std::vector<std::string> environment{};  // NAME=VALUE; NAME alone: unset
};

struct CompareRequest {
  std::uint64_t runs = 5;  // a side
  ComparedSide base{}, other{};
  DiffRequest diff{};
};

// The programs before and behind `:::`; without it both sides run the same.
// kUsage where nothing would differ.
Status SplitPrograms(const std::vector<std::string>& program,
                     CompareRequest& request);

// Runs base and new in turn, in the order ABBA ABBA …: what drifts meets both
// alike. Each run has a folder of its own below hydra.run.dir, base-1, new-1
// and so on, with its output in output.txt. A run that fails ends it, with the
// error's code that `profile` had; those before stay.
Status RunCompare(const CompareRequest& request, SettingsRequest settings,
                  ProcessRunner& runner, const Console& console);

}  // namespace rangefinder
