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

// Reads the list that the settings name. kUsage or kCorrupt for a list that is
// none.
Result<std::vector<RankedKernel>> KernelsToProfile(const NcuSettings& ncu);

// The settings, and ncu's options, as they are the same for every kernel.
// kUsage for a mode that measures no single kernels.
NcuSettings NcuForKernels(NcuSettings ncu);
Status SetKernelLaunches(const NcuSettings& asked, NcuOptions& ncu);

// The plan of one kernel's run for people.
Result<std::string> KernelPlanText(const CaptureOptions& options,
                                   const RankedKernel& kernel);

// Profiles the kernels one after the other, and keeps one manifest of all. A
// kernel that fails does not keep the others from being measured; the failure
// of the capture is the worst. Error: nothing could be begun at all.
Result<Capture> RunKernels(const NcuSettings& asked,
                           const CaptureOptions& options,
                           const std::vector<RankedKernel>& kernels,
                           ProcessRunner& runner, const Listener& listener);

}  // namespace rangefinder
