// The folder of one kernel of a list, as existing users know it:
//
//   ncu/kernel_0001_<md5 of the name>/
//     ncu.ncu-rep  ncu.log            what ncu left
//     ncu.section_<Section>.csv       a table a section
//     ncu.details.csv                 all sections and rules
//     command.yaml                    of what, when and how
//
// Under a launcher every rank writes its own: ncu.rank3.ncu-rep.

#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "capture/capture.h"
#include "capture/options.h"
#include "plan/kernel_list.h"

namespace rangefinder {

// One kernel of a list and its place in it.
struct RankedKernel {
  ListedKernel kernel{};
  std::size_t rank = 1;  // from 1
  std::size_t of = 1;    // kernels of the list
};

// "kernel_0001_<md5>".
std::string KernelFolderName(const RankedKernel& kernel);

// The tables of `record`'s report, beside it; nothing where it left none.
// Reading's errors, and those of writing.
Status WriteKernelTables(const CaptureOptions& options,
                         const RunRecord& record);

// command.yaml: the kernel, and the run that measured it.
Status WriteKernelCommand(const CaptureOptions& options,
                          const RankedKernel& kernel, const RunRecord& record,
                          const std::string& ncu_version);

}  // namespace rangefinder
