// The CUDA driver, opened at run time, for child processes: a process that
// initialises the driver holds memory of the GPU to its end.

#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace rangefinder {

class CudaDriver {
 public:
  // Opens libcuda and initialises it. kProfiler, with a fix: there is no driver
  // or no GPU.
  static Result<CudaDriver> Start();

  Result<int> DeviceCount() const;
  Result<std::string> DeviceName(int device) const;
  // The newest CUDA that the driver runs: 13000 is CUDA 13.0; 0: not known.
  int version() const { return version_; }

  // A context on the device, current in this thread.
  Result<void*> NewContext(int device) const;
  // Some work: the GPU sets a few bytes of its memory, and this waits for it.
  Status Work() const;

 private:
  explicit CudaDriver(void* handle) : handle_(handle) {}

  template <typename... Arguments>
  Status Call(const char* name, Arguments... arguments) const;
  std::string ErrorName(int error) const;

  void* handle_;
  int version_ = 0;
};

}  // namespace rangefinder
