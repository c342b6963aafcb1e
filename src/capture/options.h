// The options of a capture, which app/command_settings makes from the settings.

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace rangefinder {

// The options of ncu. Expressions are ncu's; patterns of the settings have been
// translated.
struct NcuOptions {
  std::string ncu = "ncu";  // a name in PATH, or a file
  std::string replay_mode = "kernel";
  // Collect only inside ranges: of nvtx_include, or all.
  bool gating_nvtx = true;
  std::vector<std::string> nvtx_include{};
  std::vector<std::string> nvtx_exclude{};
  std::vector<std::string> sections{};
  std::vector<std::string> metrics{};
  std::optional<std::string> set{};
  // All other options, by long name with underscores: one word per occurrence;
  // a flag has none. capture/ncu_options.h has their order and checks.
  std::map<std::string, std::vector<std::string>> options{};

  bool force_overwrite = true;  // of an earlier capture in the run directory

  // Replay modes to try in turn if range replay refuses the program.
  std::vector<std::string> fallback = {"app-range", "kernel"};
  // Exclude NCCL and similar libraries, by name.
  bool exclude_communication = false;
  double timeout_s = 0;  // of one run of ncu; 0: none
  double hang_s = 120;   // limit without progress at 0 %; 0: none
};

// The rank of this process among processes that a launcher started together.
struct Rank {
  int rank = 0;
  std::optional<int> world{};
  std::optional<int> local{};
  std::string launcher{};  // "torchrun" "mpirun" "mpich" "srun"
};

// Facts about a rank's launcher that matter for starting the program several
// times.
struct Launcher {
  // An MPI process manager lets a process start MPI only once.
  bool starts_once = false;
  // The port of PyTorch's store (MASTER_PORT).
  std::optional<int> master_port{};
};

struct CaptureOptions {
  std::filesystem::path run_dir{};
  std::vector<std::string> program{};  // argv of the target
  std::filesystem::path cwd{};  // of the target; empty: the current folder
  NcuOptions ncu{};
  std::optional<Rank> rank{};
  Launcher launcher{};
  int earlier_runs = 0;       // starts of the target by this command
  std::string config_yaml{};  // kept as config.yaml
  std::string version{};      // of Rangefinder

  std::filesystem::path StartFolder() const {
    std::error_code error;
    return cwd.empty() ? std::filesystem::current_path(error) : cwd;
  }
};

}  // namespace rangefinder
