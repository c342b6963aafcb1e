#include "capture/ncu_messages.h"

#include <fmt/format.h>

namespace rangefinder {
namespace {

using enum ErrorCode;
using enum Remedy;

// If a line contains two texts, the first row counts: put specific rows first.
constexpr NcuMessage kMessages[] = {
    {.text = "ERR_NVGPUCTRPERM",
     .what = "the driver does not let this user read the GPU's performance "
             "counters (ERR_NVGPUCTRPERM)",
     .why = "the counters are restricted to administrators on this machine",
     .next = "run as root (sudo -E), or start the container with "
             "--cap-add=SYS_ADMIN, or let an administrator load the driver "
             "with NVreg_RestrictProfilingToAdminUsers=0; `rangefinder "
             "doctor` shows the reason. `rangefinder discover` needs no such "
             "permission"},
    {.text = "a driver resource was unavailable",
     .what = "another tool uses the GPU's performance counters",
     .why = "only one profiler at a time may collect them: DCGM, Nsight "
            "Systems, another ncu or a program that uses CUPTI is running",
     .next = "pause it (DCGM: dcgmi profile --pause) and try again; "
             "`rangefinder doctor` lists the suspects"},
    {.text = "MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
     .what = "the program is already being profiled from inside (CUPTI error "
             "39)",
     .why = "the program or a library of it, such as the PyTorch profiler, "
            "subscribes to CUPTI",
     .next = "disable that profiler in the program and try again"},
    {.text = "CUPTI_ERROR_HARDWARE_BUSY",
     .what = "another tool uses the GPU's performance counters (CUPTI error "
             "26)",
     .why = "only one profiler at a time may collect them",
     .next = "end the other profiler; `rangefinder doctor` lists the "
             "suspects"},
    {.text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
     .what = "the driver does not let this user read the GPU's performance "
             "counters (CUPTI error 35)",
     .why = "the counters are restricted to administrators on this machine",
     .next = "see the permission check of `rangefinder doctor`"},
    {.text = "create lock file",
     .what = "ncu cannot use its lock file",
     .why = "the file belongs to another user, so ncu cannot exclude a second "
            "profiler",
     .next = "set a folder of your own: TMPDIR=$HOME/tmp rangefinder "
             "profile …, or let its owner remove the file"},
    {.text = "Cannot lock GPU clock frequencies on MIG",
     .remedy = kFreeClocks,
     .what = "ncu cannot lock the clocks of a MIG instance",
     .why = "an instance has no clocks of its own",
     .next = "profile with +pipeline.ncu.ncu_cli.clock_control=none, and lock "
             "the clocks of the whole GPU with nvidia-smi if you can"},
    {.text = "Unsupported API during capture",
     .remedy = kOtherMode,
     .what = "range replay cannot replay a CUDA call of this program",
     .why =
         "range replay records the calls inside a range and supports only "
         "some of them, but not CUDA graphs, memory pools or PyTorch's first "
         "step",
     .next = "profile with pipeline.ncu.ncu_cli.replay_mode=app-range (runs "
             "the program once per pass) or kernel"},
    {.text = "Skipping invalid capture range",
     .remedy = kOtherMode,
     .what = "range replay could not record a range",
     .why = "the calls inside it cannot be replayed",
     .next = "profile with pipeline.ncu.ncu_cli.replay_mode=app-range (runs "
             "the program once per pass) or kernel"},
    {.text = "is not supported during range replay",
     .code = kUsage,
     .what = "an option cannot be combined with range replay",
     .why = "ncu refuses it in the range modes",
     .next = "remove the option, or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=kernel"},
    {.text = "is not supported with range-based replay modes",
     .code = kUsage,
     .what = "an option cannot be combined with the range modes",
     .why = "ncu refuses it in the range modes",
     .next = "remove the option, or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=kernel"},
    {.text = "did not match any section",
     .code = kUsage,
     .what = "ncu has no section of that name",
     .why = "pipeline.ncu.ncu_cli.sections names a section that this ncu lacks",
     .next = "see `ncu --list-sections`, and remove it from the list"},
    {.text = "Invalid configuration for nvtx-",
     .code = kUsage,
     .what = "ncu cannot read an NVTX expression",
     .why = "its form is not valid, for example a * that is not between two "
            "names",
     .next = "write it as a pattern without nvtx.native, or try it with "
             "`rangefinder filter`"},
    {.text = "unrecognised option",
     .code = kUsage,
     .what = "ncu does not know an option",
     .why = "the installed version of ncu lacks the option",
     .next = "see `ncu --help`, and `rangefinder doctor` for its version"},
    {.text = "for option '--",
     .code = kUsage,
     .what = "ncu refuses the value of an option",
     .why = "the value has the wrong form, or is missing",
     .next = "see `ncu --help` for valid values"},
    {.text = "cannot be specified more than once",
     .code = kUsage,
     .what = "an option is given twice",
     .why = "ncu accepts it once",
     .next = "write its values as one list"},
    {.text = "is not an executable",
     .code = kUsage,
     .what = "the program to profile cannot be started",
     .why = "there is no such file, or it is not executable",
     .next = "give its path: rangefinder profile -- ./program"},
    {.text = "Failed to save memory for replay",
     .remedy = kOtherMode,
     .what = "ncu could not save the GPU's memory between the passes of a "
             "kernel",
     .why = "this machine has too little memory for a copy, or the program "
            "maps memory in a way that cannot be saved (virtual memory "
            "management, multicast)",
     .next = "select fewer metrics (one pass needs no copy), or profile "
             "with pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "ContextSaveFailed",
     .what = "ncu could not save the GPU's memory between the passes of a "
             "kernel",
     .why = "this machine has too little memory for a copy, or the program "
            "maps memory in a way that cannot be saved",
     .next = "select fewer metrics (one pass needs no copy), or profile "
             "with pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "bad allocation",
     .what = "ncu ran out of memory",
     .why =
         "ncu keeps a copy of GPU memory between the passes of a kernel, and "
         "all results until the end",
     .next = "select fewer metrics or launches "
             "(+pipeline.ncu.ncu_cli.launch_count=…), or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "No space left on device",
     .code = kSystem,
     .what = "the disk is full",
     .why = "ncu had no room for its report",
     .next = "make room, or write elsewhere: hydra.run.dir=/other/folder"},
    {.text = "driver is not compatible",
     .what = "the driver and ncu are not compatible",
     .why = "ncu needs a driver of its own age or newer",
     .next = "install an ncu that is as old as the driver; `rangefinder "
             "doctor` shows both versions"},
    {.text = "not supported on this device",
     .what = "ncu cannot profile this GPU",
     .why = "the GPU is too old for this ncu, too new, or has no counters",
     .next = "see `rangefinder doctor`; another version of ncu may support the "
             "GPU"},
    {.text = "LibraryNotLoaded",
     .what = "ncu could not load a library that reads the counters",
     .why = "a library of the driver is missing, or a sandbox (gVisor, a "
            "container without the driver's files) hides it",
     .next = "run outside the sandbox, or start the container with "
             "NVIDIA_DRIVER_CAPABILITIES=all"},
    {.text = "LaunchFailed",
     .what = "a kernel failed during its measurement",
     .why = "the kernel may depend on work that runs at the same time, or the "
            "driver and ncu are not compatible",
     .next = "run the program alone under compute-sanitizer; exclude the "
             "kernel, or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "Failed to prepare kernel for profiling",
     .what = "ncu could not prepare a kernel for measurement",
     .why = "usually the driver and ncu are not compatible, or another "
            "profiler is running",
     .next = "compare the versions that `rangefinder doctor` shows"},
    {.text = "UnknownError",
     .remedy = kOtherMode,  // also range replay of a CUDA graph
     .general = true,
     .what = "ncu failed without saying why (UnknownError)",
     .why = "often this machine has too little memory for a copy of the GPU's, "
            "or memory is mapped in a way that cannot be saved; in range "
            "replay also a CUDA graph inside the range",
     .next = "select fewer metrics (one pass needs no copy), or profile "
             "with pipeline.ncu.ncu_cli.replay_mode=application (app-range, of "
             "ranges)"},
    {.text = "An error was reported by the counter measurement library",
     .general = true,
     .what = "the GPU's counters could not be read",
     .why = "usually the driver and ncu are not compatible, or another "
            "profiler is running",
     .next = "compare the versions that `rangefinder doctor` shows"},
    {.text = "An error was reported by the driver",
     .general = true,
     .what = "the driver refused a request of ncu",
     .why = "usually the driver and ncu are not compatible",
     .next = "compare the versions that `rangefinder doctor` shows"},
    {.text = "Failed to profile \"",
     .general = true,
     .what = "ncu could not measure a kernel",
     .why = "ncu gave no reason",
     .next = "exclude the kernel, or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "An error occurred while trying to profile",
     .general = true,
     .what = "ncu failed",
     .why = "ncu gave no reason",
     .next = "read its log, and try `rangefinder doctor`"},
};

}  // namespace

std::span<const NcuMessage> NcuMessages() {
  return kMessages;
}

const NcuMessage* FindNcuMessage(std::string_view line) {
  for (const NcuMessage& message : kMessages) {
    if (line.find(message.text) != std::string_view::npos) return &message;
  }
  return nullptr;
}

std::string Explained(std::string_view what, std::string_view why,
                      std::string_view next) {
  return fmt::format("{}\n  why:  {}\n  next: {}", what, why, next);
}

}  // namespace rangefinder
