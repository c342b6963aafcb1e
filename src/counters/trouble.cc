#include "counters/trouble.h"

#include <algorithm>
#include <array>

#include "counters/cupti_library.h"

namespace rangefinder {
namespace {

struct Row {
  cupti::Code code;
  CounterTrouble trouble;
};

// By CUPTI's error numbers, in order.
constexpr std::array kRows = {
    Row{CuptiLibrary::kNoFunction,
        {"the installed CUPTI is too old",
         "install the CUPTI of a newer CUDA toolkit (tested: 13.0) or set "
         "RANGEFINDER_CUPTI_PATH to one"}},
    Row{8,
        {"there is too little memory for the counters' buffers",
         "end other programs on this GPU"}},
    Row{cupti::kHardwareBusy,
        {"another profiler has the counters",
         "end it: ncu, nsys with GPU metrics, or another program with CUPTI; "
         "DCGM releases them with dcgmi profile --pause"}},
    Row{cupti::kNotSupported,
        {"this device or driver does not support it",
         "update the driver; instead of a virtual GPU, an instance (MIG) or "
         "a GPU shared by MPS, use a whole GPU"}},
    Row{33,
        {"a virtual GPU has no counters here",
         "use a whole GPU, passed through to the virtual machine"}},
    Row{cupti::kInsufficientPrivileges,
        {"only administrators may read the counters",
         "run as root or with CAP_SYS_ADMIN (a container: "
         "--cap-add=SYS_ADMIN), or let an administrator load the driver with "
         "NVreg_RestrictProfilingToAdminUsers=0"}},
    Row{36,
        {"an older profiling interface is in use in this process",
         "unset CUDA_INJECTION64_PATH and LD_PRELOAD of other profilers"}},
    Row{39,
        {"another profiler is loaded into this process",
         "unset CUDA_INJECTION64_PATH and LD_PRELOAD of other profilers"}},
    Row{40,
        {"the virtual GPU's host does not permit profiling",
         "have its administrator enable profiling for this virtual machine"}},
    Row{41,
        {"confidential computing is on, which disables the counters",
         "use a GPU without it, or one in its developer mode"}},
    Row{42,
        {"this is a mining card, which has no counters", "use another GPU"}},
    Row{43,
        {"the GPU is divided into instances (MIG)",
         "use a whole GPU: an administrator may switch MIG off with "
         "nvidia-smi -mig 0"}},
    Row{44,
        {"GPUs are joined by SLI, which disables the counters",
         "switch SLI off in the driver's settings"}},
    Row{45,
        {"the driver of Windows does not let WSL read the counters",
         "allow it to all users in NVIDIA's control panel, under developer "
         "settings"}},
    Row{46,
        {"the installed CUPTI is older than the GPU",
         "install the CUPTI of a newer CUDA toolkit"}},
};

}  // namespace

CounterTrouble TroubleOf(cupti::Code code) {
  const auto* const row = std::ranges::find(kRows, code, &Row::code);
  if (row != kRows.end()) return row->trouble;
  return {
      .why = "CUPTI gives no reason",
      .fix =
          "look for errors of the GPU in `nvidia-smi` and in the kernel's log"};
}

}  // namespace rangefinder
