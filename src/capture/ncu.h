// The command lines of planned runs of ncu, and the paths of their files.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/process.h"
#include "capture/options.h"
#include "capture/plan.h"

namespace rangefinder {

// The files of one run, in `ncu/` of the run directory; under a launcher, of
// one rank.
struct RunFiles {
  std::filesystem::path report{};
  std::filesystem::path log{};
};
RunFiles FilesOf(const CaptureOptions& options, const PlannedRun& run);

// `stem` or, under a launcher, "stem.rank3": the name of a file that every rank
// writes, without its extension.
std::string RankedStem(const CaptureOptions& options, const std::string& stem);

// Whether ncu counts the metric by patching instructions. Range replay has none
// of these metrics, and a run with one of them measures nothing.
bool IsPatchedMetric(std::string_view metric);

// The first word of an option; empty if the option is not set.
std::string FirstWord(const NcuOptions& ncu, const std::string& name);

// The --kernel-name-base by which kernels are selected and their launches
// counted: ncu's default if kernels are selected by name, otherwise the most
// specific.
std::string KernelNameBaseOf(const NcuOptions& ncu);

// Whether launches can be selected by number (PlannedRun::launch_numbers): for
// --kernel-id, a colon ends a kernel's name.
bool CanChooseByNumber(const NcuOptions& ncu);

// `path` with %% for %: ncu and nsys expand %h, %p and the like in the names of
// their reports.
std::string PercentEscaped(const std::filesystem::path& path);

// For options that passed the checks of capture/ncu_options.h.
Command NcuCommand(const CaptureOptions& options, const PlannedRun& run);

// The plan for people: the runs with their reasons and commands.
std::string PlanText(const CaptureOptions& options, const CapturePlan& plan);

}  // namespace rangefinder
