// From a planned run to the exact command line of ncu, and where its files go.
// Runs nothing.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/process.h"
#include "capture/options.h"
#include "capture/plan.h"

namespace rangefinder {

// The files of one run, in `ncu/` of the run directory. Under a launcher each
// rank has its own.
struct RunFiles {
  std::filesystem::path report{};
  std::filesystem::path log{};
};
RunFiles FilesOf(const CaptureOptions& options, const PlannedRun& run);

// "run" or, under a launcher, "run.rank3": the stem of a file that every rank
// writes.
std::string RankedStem(const CaptureOptions& options, const std::string& stem);

// Metrics that ncu counts by patching the kernel's instructions. Range replay
// has none of them, and a run that asks for one measures nothing.
bool IsPatchedMetric(std::string_view metric);

// The form of the name by which kernels are chosen and their launches counted:
// ncu's own where kernels are asked for by name, and otherwise the one that
// tells most of them apart.
std::string KernelNameBaseOf(const NcuOptions& ncu);

// Whether launches can be chosen by their numbers (PlannedRun::launch_numbers):
// --kernel-id takes a colon in a kernel's name for the end of it.
bool CanChooseByNumber(const NcuOptions& ncu);

// kUsage where options contradict each other in a way that ncu would refuse
// after the program was started, or that would lose what it measures.
Result<Command> NcuCommand(const CaptureOptions& options,
                           const PlannedRun& run);

}  // namespace rangefinder
