// What was typed, before it means anything.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/kernels_command.h"
#include "app/table_flags.h"

namespace rangefinder {

struct CommandLine {
  std::vector<std::string> words{};    // paths, expressions, overrides
  std::vector<std::string> program{};  // after --
  std::string config_dir{};
  std::string config_name = "config";
  std::string cfg{};  // --cfg: job, hydra or all
  bool multirun = false;
  std::string config_path{};
  std::string color = "auto";
  std::string format{};
  bool quiet = false;
  bool verbose = false;
  bool dry_run = false;
  bool native = false;
  std::string scope{};
  std::string chip{};
  std::vector<std::string> explain{};  // region, metric
  bool resolve = false;
  bool no_embedded = false;
  bool hydra = false;
  bool sources = false;
  bool groups = false;
  std::string package{};
  std::string explain_key{};
  std::uint64_t top = KernelsRequest{}.top;
  TableFlags table{};
  std::string output{};
  int rank = -1;
  bool gate = false;
  bool calibrate = false;
  bool strict = false;
  std::string match{};
  std::string diff_sort = "time";
  std::string only{};
  std::uint64_t runs = 5;
  std::vector<std::string> base_env{}, new_env{};
  std::vector<std::string> base_overrides{}, new_overrides{};
};

}  // namespace rangefinder
