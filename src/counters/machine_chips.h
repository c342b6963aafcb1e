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

// The GPUs in the order of CUDA's device numbers; at least one. The child
// process that initialises CUDA has `timeout_s` seconds. kProfiler, with a fix:
// there is no GPU, no driver or no CUPTI, or one of them fails.
Result<std::vector<DeviceChip>> ChipsOfMachine(double timeout_s = 60);

}  // namespace rangefinder
