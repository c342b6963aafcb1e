// The GPUs of this machine and their chips, asked without touching them from
// this process.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct DeviceChip {
  std::string device{};  // "NVIDIA H200"
  std::string chip{};    // "GH100"
};

// In the order of CUDA's device numbers; at least one. CUDA is initialised in a
// child process that has `timeout_s` seconds. kProfiler, with what to do, where
// there is no GPU, no driver or no CUPTI, or where one of them fails.
Result<std::vector<DeviceChip>> ChipsOfMachine(double timeout_s = 60);

}  // namespace rangefinder
