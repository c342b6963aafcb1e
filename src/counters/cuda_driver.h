// The CUDA driver, opened at run time, for child processes: a process that
// initialises the driver holds memory of the GPU until it ends.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rangefinder {

// ---- Child processes -------------------------------------------------------

// A child process for work that may crash, hang or leave traces in its process:
// calls to the driver of an unknown machine.

// The output of a child: complete, or up to its death.
struct ChildAnswer {
  std::string text{};
  bool timed_out = false;
  int signal = 0;  // the signal that ended the child; 0: none
  int status = 0;  // its exit status; 0 where `work` returned

  bool complete() const { return !timed_out && signal == 0 && status == 0; }
};

// Sends a text to the parent at once, so that the parent has it even if the
// child's next call never returns.
using Say = std::function<void(std::string_view text)>;

// Runs `work` in a fork of this process, whose standard streams are /dev/null,
// and waits at most `timeout_s` seconds for it. The child ends without exit
// handlers. kSystem: no child can be made. Not to be called while other threads
// run.
Result<ChildAnswer> AskChild(const std::function<void(const Say& say)>& work,
                             double timeout_s);

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

// ---- Chips of this machine -------------------------------------------------

// The GPUs of this machine and their chips. A child process asks the driver.

struct DeviceChip {
  std::string device{};  // "NVIDIA H200"
  std::string chip{};    // "GH100"
};

// The GPUs in the order of CUDA's device numbers; at least one. The child
// process that initialises CUDA has `timeout_s` seconds. kProfiler, with a fix:
// there is no GPU, no driver or no CUPTI, or one of them fails.
Result<std::vector<DeviceChip>> ChipsOfMachine(double timeout_s = 60);

}  // namespace rangefinder
