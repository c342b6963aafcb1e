// What was asked of ncu, in the user's own words: patterns and not ncu's
// expressions, a mode and not yet a plan.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rangefinder {

// pipeline.ncu.*
struct NcuSettings {
  bool enable = false;
  bool gating_nvtx = true;
  // pipeline.ncu.ncu_cli.*: every option by its long name with underscores, as
  // the words that follow it on ncu's command line; flags have no words.
  std::string replay_mode = "kernel";
  std::vector<std::string> nvtx_include{};  // patterns as the user wrote them
  std::vector<std::string> nvtx_exclude{};
  bool nvtx_native = false;
  std::vector<std::string> sections{};
  std::vector<std::string> metrics{};
  std::optional<std::string> set{};
  // All the others, one word an occurrence; capture/ncu_options.h has their
  // order and checks.
  std::map<std::string, std::vector<std::string>> options{};
  bool export_csv = true;
  std::string fallback = "app-range,kernel";
  bool exclude_communication = false;
  double timeout_s = 0;  // 0: none
  double hang_s = 120;   // 0 % for so long is a hang
  std::optional<double> budget_s{};
  bool exact_rollup = true;
  std::string ncu_path = "ncu";
  // A list of kernels to profile one by one, and how: plan/kernel_list.h.
  std::optional<std::string> kernel_config{};  // a file
  std::optional<std::uint64_t> kernel_top{};   // the first of them; none: all
  std::uint64_t kernel_launch_skip = 200;      // launches of each
  std::uint64_t kernel_launch_count = 1;
  std::vector<std::string> kernel_sections{};  // beside `sections`
};

}  // namespace rangefinder
