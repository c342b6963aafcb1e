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
             "doctor` shows which it is. `rangefinder discover` needs no "
             "such right"},
    {.text = "a driver resource was unavailable",
     .what = "another tool holds the GPU's performance counters",
     .why = "only one profiler at a time may collect them: DCGM, Nsight "
            "Systems, another ncu or a program that uses CUPTI is running",
     .next = "pause it (DCGM: dcgmi profile --pause) and try again; "
             "`rangefinder doctor` lists the suspects"},
    {.text = "MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
     .what = "the program is already being profiled from inside (CUPTI error "
             "39)",
     .why = "the program or a library of it, such as the PyTorch profiler, "
            "subscribes to CUPTI",
     .next = "switch that profiler off in the program and try again"},
    {.text = "CUPTI_ERROR_HARDWARE_BUSY",
     .what = "another tool holds the GPU's performance counters (CUPTI error "
             "26)",
     .why = "only one profiler at a time may collect them",
     .next = "end the other profiler; `rangefinder doctor` lists the "
             "suspects"},
    {.text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
     .what = "the driver does not let this user read the GPU's performance "
             "counters (CUPTI error 35)",
     .why = "the counters are restricted to administrators on this machine",
     .next = "see what `rangefinder doctor` says about permission"},
    {.text = "create lock file",
     .what = "ncu cannot use its lock file",
     .why = "the file belongs to another user, so ncu cannot keep two "
            "profilers apart",
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
     .why = "range replay records the calls inside a range and knows only "
            "some of them; CUDA graphs, memory pools and what PyTorch does at "
            "its first step are not among them",
     .next = "profile with pipeline.ncu.ncu_cli.replay_mode=app-range (runs "
             "the program once a pass) or kernel"},
    {.text = "Skipping invalid capture range",
     .remedy = kOtherMode,
     .what = "range replay could not record a range",
     .why = "the calls inside it cannot be replayed",
     .next = "profile with pipeline.ncu.ncu_cli.replay_mode=app-range (runs "
             "the program once a pass) or kernel"},
    {.text = "is not supported during range replay",
     .code = kUsage,
     .what = "an option does not go together with range replay",
     .why = "ncu refuses it in the range modes",
     .next = "take the option out, or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=kernel"},
    {.text = "is not supported with range-based replay modes",
     .code = kUsage,
     .what = "an option does not go together with the range modes",
     .why = "ncu refuses it there",
     .next = "take the option out, or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=kernel"},
    {.text = "did not match any section",
     .code = kUsage,
     .what = "ncu has no section of that name",
     .why = "pipeline.ncu.ncu_cli.sections names one that this ncu does not "
            "have",
     .next = "see `ncu --list-sections`, and take it out of the list"},
    {.text = "Invalid configuration for nvtx-",
     .code = kUsage,
     .what = "ncu cannot read an NVTX expression",
     .why = "it is not of the form that ncu knows, for example a * that is "
            "not between two names",
     .next = "write it as a pattern and leave nvtx.native off, or try it "
             "with `rangefinder filter`"},
    {.text = "unrecognised option",
     .code = kUsage,
     .what = "ncu does not know an option",
     .why = "the installed ncu is of another version than the option",
     .next = "see `ncu --help`, and `rangefinder doctor` for its version"},
    {.text = "for option '--",
     .code = kUsage,
     .what = "ncu does not take the value of an option",
     .why = "it is of the wrong form, or missing",
     .next = "see `ncu --help` for the values it takes"},
    {.text = "cannot be specified more than once",
     .code = kUsage,
     .what = "an option is given twice",
     .why = "ncu takes it once",
     .next = "give its values as one list"},
    {.text = "is not an executable",
     .code = kUsage,
     .what = "the program to profile cannot be started",
     .why = "there is no such file, or it may not be executed",
     .next = "give its path: rangefinder profile -- ./program"},
    {.text = "Failed to save memory for replay",
     .remedy = kOtherMode,
     .what = "ncu could not save the GPU's memory between the passes of a "
             "kernel",
     .why = "the memory of this machine is too small for a copy, or the "
            "program maps memory in a way that cannot be saved (virtual "
            "memory management, multicast)",
     .next = "ask for fewer metrics (one pass needs no copy), or profile "
             "with pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "ContextSaveFailed",
     .what = "ncu could not save the GPU's memory between the passes of a "
             "kernel",
     .why = "the memory of this machine is too small for a copy, or the "
            "program maps memory in a way that cannot be saved",
     .next = "ask for fewer metrics (one pass needs no copy), or profile "
             "with pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "bad allocation",
     .what = "ncu ran out of memory",
     .why = "it keeps a copy of the GPU's memory between the passes of a "
            "kernel, and of all results until the end",
     .next = "ask for fewer metrics or launches "
             "(+pipeline.ncu.ncu_cli.launch_count=…), or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "No space left on device",
     .code = kSystem,
     .what = "the disk is full",
     .why = "ncu had no room for its report",
     .next = "make room, or write elsewhere: hydra.run.dir=/other/folder"},
    {.text = "driver is not compatible",
     .what = "the driver and ncu do not fit each other",
     .why = "ncu needs a driver of its own age or newer",
     .next = "install an ncu that is as old as the driver; `rangefinder "
             "doctor` shows both versions"},
    {.text = "not supported on this device",
     .what = "ncu cannot profile this GPU",
     .why = "the GPU is too old for it, too new, or of a kind without "
            "counters",
     .next = "see `rangefinder doctor`; an ncu of another version may know "
             "the GPU"},
    {.text = "LibraryNotLoaded",
     .what = "ncu could not load what it needs to read the counters",
     .why = "a library of the driver is missing, or a sandbox (gVisor, a "
            "container without the driver's files) hides it",
     .next = "run outside the sandbox, or start the container with "
             "NVIDIA_DRIVER_CAPABILITIES=all"},
    {.text = "LaunchFailed",
     .what = "a kernel failed while it was being measured",
     .why = "it may depend on what runs beside it, or the driver and ncu do "
            "not fit each other",
     .next = "run the program alone under compute-sanitizer; leave the "
             "kernel out, or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "Failed to prepare kernel for profiling",
     .what = "ncu could not prepare a kernel for measuring",
     .why = "mostly the driver and ncu do not fit each other, or another "
            "profiler is at work",
     .next = "compare the versions that `rangefinder doctor` shows"},
    {.text = "UnknownError",
     .remedy = kOtherMode,  // range replay says so of a CUDA graph, too
     .general = true,
     .what = "ncu failed without saying why (UnknownError)",
     .why = "often the memory of this machine is too small for a copy of "
            "the GPU's, or memory is mapped in a way that cannot be saved; in "
            "range replay also a CUDA graph inside the range",
     .next = "ask for fewer metrics (one pass needs no copy), or profile "
             "with pipeline.ncu.ncu_cli.replay_mode=application (app-range, of "
             "ranges)"},
    {.text = "An error was reported by the counter measurement library",
     .general = true,
     .what = "the GPU's counters could not be read",
     .why = "mostly the driver and ncu do not fit each other, or another "
            "profiler is at work",
     .next = "compare the versions that `rangefinder doctor` shows"},
    {.text = "An error was reported by the driver",
     .general = true,
     .what = "the driver refused what ncu asked of it",
     .why = "mostly the driver and ncu do not fit each other",
     .next = "compare the versions that `rangefinder doctor` shows"},
    {.text = "Failed to profile \"",
     .general = true,
     .what = "ncu could not measure a kernel",
     .why = "it did not say more",
     .next = "leave the kernel out, or profile with "
             "pipeline.ncu.ncu_cli.replay_mode=application"},
    {.text = "An error occurred while trying to profile",
     .general = true,
     .what = "ncu failed",
     .why = "it did not say more",
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
