// `profile pipeline.ncu.kernel_config=FILE`: each kernel of a list profiled by
// a run of ncu of its own, into a folder of its own.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/capture.h"
#include "capture/options.h"
#include "plan/kernel_list.h"
#include "plan/settings.h"

namespace rangefinder {

// One kernel of a list and its place in it.
struct RankedKernel {
  ListedKernel kernel{};
  std::size_t rank = 1;  // from 1
  std::size_t of = 1;    // kernels of the list
};

// Reads the list that the settings name. kUsage or kCorrupt: it is no list.
Result<std::vector<RankedKernel>> KernelsToProfile(const NcuSettings& ncu);

// The settings, and ncu's options, that are the same for every kernel. kUsage:
// the mode does not measure single kernels.
NcuSettings NcuForKernels(NcuSettings ncu);
Status SetKernelLaunches(const NcuSettings& asked, NcuOptions& ncu);

// The plan of one kernel's run for people.
Result<std::string> KernelPlanText(const CaptureOptions& options,
                                   const RankedKernel& kernel);

// Profiles the kernels one after the other, and keeps one manifest of all.
// After a failed kernel the others are still measured; the capture has the
// worst failure. Error: no run could begin.
Result<Capture> RunKernels(const NcuSettings& asked,
                           const CaptureOptions& options,
                           const std::vector<RankedKernel>& kernels,
                           ProcessRunner& runner, const Listener& listener);

}  // namespace rangefinder
