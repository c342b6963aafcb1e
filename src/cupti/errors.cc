#include "cupti/errors.h"

namespace rangefinder::cupti {
namespace {

struct Row {
  Code code;
  Trouble trouble;
};

// CUPTI's own numbers, in their order.
constexpr Row kRows[] = {
    {kNoFunction,
     {"the installed CUPTI is too old for it",
      "install the CUPTI of a newer CUDA toolkit (tested: 13.0) or set "
      "RANGEFINDER_CUPTI_PATH to one"}},
    {kOutOfMemory,
     {"there is not memory enough for the counters' buffers",
      "end other programs on this GPU"}},
    {kMaxLimitReached,
     {"another tool uses CUPTI in this process",
      "unset CUDA_INJECTION64_PATH and LD_PRELOAD of other profilers"}},
    {kHardwareBusy,
     {"another profiler has the counters",
      "end it: ncu, nsys with GPU metrics, or another program with CUPTI; "
      "DCGM lets go with dcgmi profile --pause"}},
    {kNotSupported,
     {"this device or driver does not offer it",
      "update the driver; where it is a virtual GPU, an instance (MIG) or "
      "shared by MPS, use a whole one"}},
    {33,
     {"a virtual GPU has no counters here",
      "use a GPU that is passed through as a whole"}},
    {kInsufficientPrivileges,
     {"only administrators may profile this GPU",
      "run as root or with CAP_SYS_ADMIN (a container: "
      "--cap-add=SYS_ADMIN), or let an administrator load the driver with "
      "NVreg_RestrictProfilingToAdminUsers=0"}},
    {36,
     {"an older profiling interface is in use in this process",
      "unset CUDA_INJECTION64_PATH and LD_PRELOAD of other profilers"}},
    {kMultipleSubscribers,
     {"another tool uses CUPTI in this process",
      "unset CUDA_INJECTION64_PATH and LD_PRELOAD of other profilers"}},
    {40,
     {"the virtual GPU's host does not permit profiling",
      "have its administrator enable profiling for this virtual machine"}},
    {41,
     {"confidential computing is on, which closes the counters",
      "use a GPU without it, or one in its developer mode"}},
    {42, {"this is a mining card, which has no counters", "use another GPU"}},
    {43,
     {"the GPU is divided into instances (MIG)",
      "use a whole GPU: an administrator may switch MIG off with "
      "nvidia-smi -mig 0"}},
    {44,
     {"GPUs are joined by SLI, which closes the counters",
      "switch SLI off in the driver's settings"}},
    {45,
     {"the driver of Windows does not let WSL read the counters",
      "allow it to all users in NVIDIA's control panel, under developer "
      "settings"}},
    {46,
     {"the installed CUPTI is older than the GPU",
      "install the CUPTI of a newer CUDA toolkit"}},
};

}  // namespace

const Trouble* TroubleOf(Code code) {
  for (const Row& row : kRows)
    if (row.code == code) return &row.trouble;
  return nullptr;
}

}  // namespace rangefinder::cupti
