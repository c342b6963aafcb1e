// The GPUs of this machine and their chips. A child process asks the driver.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct DeviceChip {
  std::string device{};  // "NVIDIA H200"
  std::string chip{};    // "GH100"
};

// In the order of CUDA's device numbers; at least one. The child process has
// `timeout_s` seconds. kProfiler, with a fix, if there is no GPU, driver or
// CUPTI, or if one of them fails.
Result<std::vector<DeviceChip>> ChipsOfMachine(double timeout_s = 60);

}  // namespace rangefinder
