// The CUDA driver, opened at run time, for child processes: whoever initialises
// it holds memory of the GPU to his end.

#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace rangefinder {

class CudaDriver {
 public:
  // Opens libcuda and initialises it. kProfiler, with what to do, where there
  // is no driver or no GPU.
  static Result<CudaDriver> Start();

  Result<int> DeviceCount() const;
  Result<std::string> DeviceName(int device) const;
  // 13000 is CUDA 13.0, the newest that it runs; 0: it does not say.
  int version() const { return version_; }

  // A context on the device, current in this thread.
  Result<void*> NewContext(int device) const;
  // Has the GPU set a few bytes of its memory, and waits for it: some work.
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
