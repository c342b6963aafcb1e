// What to capture of which program, and how: everything this room needs to
// know. app/capture_settings makes it of the configuration.

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rangefinder {

// How ncu is to be run. Expressions are ncu's own; a user's patterns have been
// translated by whoever fills this in.
struct NcuOptions {
  std::string ncu = "ncu";  // a name in PATH, or a file
  std::string replay_mode = "kernel";
  // Collect only inside ranges: those of nvtx_include, or any.
  bool gating_nvtx = true;
  std::vector<std::string> nvtx_include{};
  std::vector<std::string> nvtx_exclude{};
  std::vector<std::string> sections{};
  std::vector<std::string> metrics{};
  std::optional<std::string> set{};
  // All other options, by long name with underscores: the words they are given,
  // one occurrence a word; a flag has none.
  std::map<std::string, std::vector<std::string>> options{};

  bool force_overwrite = true;  // of an earlier capture in the run directory

  // Replay modes to try in turn where range replay refuses the program.
  std::vector<std::string> fallback = {"app-range", "kernel"};
  bool exclude_communication = false;  // leave out NCCL and its like, by name
  double timeout_s = 0;                // of one run of ncu; 0: none
  double hang_s = 120;                 // without progress at 0 %; 0: never
};

// Which of several processes started together this is.
struct Rank {
  int rank = 0;
  std::optional<int> world{};
  std::optional<int> local{};
  std::string launcher{};  // "torchrun" "mpirun" "mpich" "srun"
};

// How the launcher of a rank bears that its program is started several times.
struct Launcher {
  // An MPI process manager lets a process start MPI only once.
  bool starts_once = false;
  // Where PyTorch's ranks meet (MASTER_PORT).
  std::optional<int> master_port{};
};

struct CaptureOptions {
  std::filesystem::path run_dir{};
  std::vector<std::string> program{};  // argv of what is profiled
  std::filesystem::path cwd{};         // to run it in; empty: ours
  NcuOptions ncu{};
  std::optional<Rank> rank{};
  Launcher launcher{};
  int earlier_runs = 0;       // of the program, by this command
  std::string config_yaml{};  // kept as config.yaml
  std::string version{};      // of this program
};

}  // namespace rangefinder
