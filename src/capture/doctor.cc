#include "capture/doctor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "capture/machine.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr int kCapSysAdmin = 21;

Check CheckGpu(const Machine& machine) {
  Check check{.name = "GPU", .required = true};
  std::map<std::string, int> models;
  for (const Gpu& gpu : machine.gpus) ++models[gpu.name];
  std::vector<std::string> texts;
  for (const auto& [name, count] : models)
    texts.push_back(count == 1 ? name : fmt::format("{} x {}", count, name));
  check.ok = !machine.gpus.empty();
  check.found = check.ok ? fmt::format("{}", fmt::join(texts, ", ")) : "none";
  check.fix =
      check.ok ? ""
               : "profile on a machine with an NVIDIA GPU; start a container "
                 "with --gpus all. Reports of captures made elsewhere can be "
                 "made here";
  return check;
}

Check CheckDriver(const Machine& machine, const DoctorSurroundings& where) {
  Check check{.name = "driver", .required = true};
  const bool library = where.can_load("libcuda.so.1");
  check.ok = !machine.driver.empty() && library;
  if (machine.driver.empty()) {
    check.found = "not loaded";
    check.fix = "install NVIDIA's driver; a container uses the host's driver";
  } else if (!library) {
    check.found = machine.driver + ", without libcuda.so.1";
    check.fix =
        "start the container with NVIDIA_DRIVER_CAPABILITIES=all, or install "
        "the driver's libraries";
  } else {
    check.found = machine.driver;
  }
  return check;
}

// Required options that the help of the installed ncu lacks.
std::vector<std::string> MissingOptions(ProcessRunner& runner,
                                        const fs::path& ncu) {
  const auto help = runner.Run({.argv = {ncu.string(), "--help"},
                                .out = Command::Output::kCapture,
                                .err = Command::Output::kCapture,
                                .timeout_s = 60});
  const std::string text = help.ok() ? help.value().out : "";
  std::vector<std::string> missing;
  for (const char* option :
       {"--nvtx-include", "--replay-mode", "--log-file", "--config-file",
        "--target-processes", "--metrics", "--section", "--export"}) {
    if (text.find(option) == std::string::npos) missing.emplace_back(option);
  }
  return missing;
}

void CheckNcu(ProcessRunner& runner, const DoctorSurroundings& where,
              std::vector<Check>& checks) {
  Check ncu{.name = "ncu", .required = true};
  const auto path = FindNcu(runner, where.ncu, where.root);
  if (!path.ok()) {
    ncu.found = "not found";
    ncu.fix =
        "install Nsight Compute (it is part of the CUDA toolkit), or set "
        "pipeline.ncu.path=/path/to/ncu";
    checks.push_back(ncu);
    return;
  }
  ncu.ok = true;
  ncu.found = path.value().string();
  checks.push_back(ncu);

  Check version{.name = "ncu version", .required = true};
  const auto number = NcuVersion(runner, path.value());
  version.ok = number.ok();
  version.found = number.ok() ? number.value() : "does not run";
  if (!number.ok())
    version.fix = "try `" + ShellQuote(path.value().string()) + " --version`";
  checks.push_back(version);
  if (!number.ok()) return;

  Check options{.name = "ncu options", .required = true};
  const auto missing = MissingOptions(runner, path.value());
  options.ok = missing.empty();
  options.found = missing.empty()
                      ? "all present"
                      : fmt::format("without {}", fmt::join(missing, ", "));
  if (!options.ok)
    options.fix = "install a newer Nsight Compute (tested: 2025.3.1)";
  checks.push_back(options);
}

Check CheckPermission(const DoctorSurroundings& where) {
  Check check{.name = "permission", .required = true};
  const std::string params =
      SystemText(where.root / "proc/driver/nvidia/params");
  const std::string only = SystemValue(params, "RmProfilingAdminOnly", ':');
  const std::string caps =
      SystemValue(SystemText(where.root / "proc/self/status"), "CapEff", ':');
  const std::uint64_t effective = std::strtoull(caps.c_str(), nullptr, 16);
  const bool admin = (effective >> kCapSysAdmin & 1) != 0;
  if (params.empty()) {
    check.found = "unknown: no driver is loaded";
    check.fix = "see driver";
  } else if (only == "0") {
    check.ok = true;
    check.found = "every user may read the counters";
  } else if (admin) {
    check.ok = true;
    check.found = "administrators may, and this process is one";
  } else if (where.is_root) {
    check.found = "root in a container without CAP_SYS_ADMIN";
    check.fix =
        "start the container with --cap-add=SYS_ADMIN, or load the host's "
        "driver with NVreg_RestrictProfilingToAdminUsers=0";
  } else {
    check.found = "only administrators may read the counters";
    check.fix =
        "run with sudo -E, or let an administrator write `options nvidia "
        "NVreg_RestrictProfilingToAdminUsers=0` to "
        "/etc/modprobe.d/nvidia-profiling.conf and reload the driver. "
        "`rangefinder discover` needs no such right";
  }
  return check;
}

Check CheckEnvironment(const DoctorSurroundings& where) {
  Check check{.name = "environment"};
  std::vector<std::string> set;
  for (const char* name :
       {"NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH",
        "NV_COMPUTE_PROFILER_PERFWORKS_DIR", "NSYS_PROFILING_SESSION_ID"}) {
    const char* value = where.getenv(name);
    if (value != nullptr && *value != '\0') set.emplace_back(name);
  }
  const char* preload = where.getenv("LD_PRELOAD");
  if (preload != nullptr &&
      std::string_view(preload).find("cupti") != std::string_view::npos)
    set.emplace_back("LD_PRELOAD");
  check.ok = set.empty();
  check.found = set.empty() ? "no other profiler is injected"
                            : fmt::format("{} set", fmt::join(set, ", "));
  if (!check.ok) {
    check.fix = fmt::format(
        "unset {}: another profiler would be loaded into "
        "the program",
        fmt::join(set, " "));
  }
  return check;
}

Check CheckMig(const Machine& machine) {
  Check check{.name = "MIG", .ok = true, .found = "off"};
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.mig != "Enabled") continue;
    check.ok = false;
    check.found = "on, GPU " + gpu.index;
    check.fix =
        "the clocks of an instance cannot be locked; use "
        "+pipeline.ncu.ncu_cli.clock_control=none (a fallback if ncu asks for "
        "it)";
  }
  return check;
}

Check CheckNsys(ProcessRunner& runner) {
  Check check{.name = "nsys"};
  const auto path = runner.Find("nsys");
  check.ok = path.has_value();
  check.found = path ? path->string() : "not found";
  if (!path)
    check.fix = "only for pipeline.nsys.enable=true: install Nsight Systems";
  return check;
}

// ncu opens its lock file for writing, which fails for another user's file.
Check CheckLocks(const DoctorSurroundings& where) {
  Check check{
      .name = "lock files", .ok = true, .required = true, .found = "none"};
  const char* tmp = where.getenv("TMPDIR");
  const fs::path folder =
      tmp != nullptr && *tmp != '\0' ? fs::path(tmp) : where.root / "tmp";
  std::vector<fs::path> locks = {folder / "nsight-compute-lock"};
  for (const fs::path& path : PathsIn(folder / "nvidia/nsight_compute")) {
    if (path.filename().string().starts_with("lock")) locks.push_back(path);
  }
  std::error_code error;
  for (const fs::path& lock : locks) {
    if (!fs::exists(lock, error) || ::access(lock.c_str(), W_OK) == 0) continue;
    check.ok = false;
    check.found = lock.string() + " belongs to another user";
    check.fix = "set a folder of your own: TMPDIR=$HOME/tmp";
  }
  return check;
}

Check CheckStrayConfig(const DoctorSurroundings& where) {
  Check check{.name = "config.ncu-cfg", .ok = true, .found = "none"};
  std::error_code error;
  std::vector<fs::path> files = {where.cwd / "config.ncu-cfg"};
  if (const char* home = where.getenv("HOME"); home != nullptr) {
    files.push_back(fs::path(home) /
                    ".config/NVIDIA Corporation/config.ncu-cfg");
  }
  for (const fs::path& file : files) {
    if (!fs::exists(file, error)) continue;
    check.found = file.string() + ", which rangefinder tells ncu to ignore";
    check.fix = "to have it read: +pipeline.ncu.ncu_cli.config_file=on";
  }
  return check;
}

Check CheckDisk(const DoctorSurroundings& where) {
  Check check{.name = "disk"};
  std::error_code error;
  const fs::space_info space = fs::space(where.cwd, error);
  if (error) {
    check.found = "unknown: " + error.message();
    return check;
  }
  const double gigabytes = static_cast<double>(space.available) / 1e9;
  check.ok = gigabytes >= 1;
  check.found = fmt::format("{:.1f} GB free here", gigabytes);
  if (!check.ok) {
    check.fix =
        "a capture with all sections takes half a megabyte a kernel; write "
        "elsewhere with hydra.run.dir=FOLDER";
  }
  return check;
}

// Names by process id, from the kernel, with at most 15 characters.
std::map<int, std::string> RunningProcesses(const fs::path& root) {
  std::map<int, std::string> processes;
  for (const fs::path& path : PathsIn(root / "proc")) {
    const auto id = ParseNumber<int>(path.filename().string());
    if (!id) continue;
    const std::string name(Trim(SystemText(path / "comm")));
    if (!name.empty()) processes[*id] = name;
  }
  return processes;
}

}  // namespace

Check CheckOtherProfilers(const fs::path& root) {
  Check check{.name = "other profilers"};
  constexpr std::array<std::string_view, 7> kNames = {
      "nv-hostengine", "dcgm-exporter", "dcgmi", "nsys",
      "nsys-launcher", "ncu",           "ncu-ui"};
  std::vector<std::string> running;
  bool dcgm = false;
  for (const auto& [id, name] : RunningProcesses(root)) {
    if (!Has(kNames, name)) continue;
    running.push_back(fmt::format("{} ({})", name, id));
    dcgm = dcgm || name.starts_with("nv-") || name.starts_with("dcgm");
  }
  check.ok = running.empty();
  check.found =
      running.empty() ? "none" : fmt::format("{}", fmt::join(running, ", "));
  if (!check.ok) {
    check.fix = dcgm ? "if ncu finds the counters in use: dcgmi profile "
                       "--pause, and --resume afterwards"
                     : "wait for its end: only one profiler at a time can use "
                       "the counters of a GPU";
  }
  return check;
}

DoctorSurroundings RealSurroundings() {
  return {.getenv = [](const char* name) { return std::getenv(name); },
          .can_load =
              [](const std::string& library) {
                // Never closed: dlclose() would not free all resources of
                // the library.
                return ::dlopen(library.c_str(), RTLD_LAZY) != nullptr;
              },
          .is_root = ::geteuid() == 0};
}

std::vector<Check> Examine(ProcessRunner& runner,
                           const DoctorSurroundings& where) {
  const Machine machine = ProbeMachine(runner, where.root);
  std::vector<Check> checks = {CheckGpu(machine), CheckDriver(machine, where)};
  CheckNcu(runner, where, checks);
  checks.push_back(CheckPermission(where));
  checks.push_back(CheckLocks(where));
  checks.push_back(CheckOtherProfilers(where.root));
  checks.push_back(CheckEnvironment(where));
  checks.push_back(CheckMig(machine));
  checks.push_back(CheckStrayConfig(where));
  checks.push_back(CheckDisk(where));
  checks.push_back(CheckNsys(runner));
  return checks;
}

bool CanProfile(std::span<const Check> checks) {
  return std::ranges::all_of(
      checks, [](const Check& check) { return check.ok || !check.required; });
}

}  // namespace rangefinder
