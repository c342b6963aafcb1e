// The CUDA driver, opened at run time, for child processes only: a process that
// initialises it holds GPU memory to its end.

#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace rangefinder {

class CudaDriver {
 public:
  // Opens libcuda and initialises it. kProfiler, with a fix, without a driver
  // or GPU.
  static Result<CudaDriver> Start();

  Result<int> DeviceCount() const;
  Result<std::string> DeviceName(int device) const;
  // The newest CUDA version that the driver supports: 13000 is 13.0; 0: not
  // known.
  int version() const { return version_; }

  // A context on the device, current in this thread.
  Result<void*> NewContext(int device) const;
  // Lets the GPU set a few bytes of its memory, and waits for it.
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
