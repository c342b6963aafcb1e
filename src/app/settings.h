// What a command was asked to do: the composed configuration as typed options
// of each room. No room below app/ sees a configuration tree.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/rollup_settings.h"
#include "base/error.h"
#include "config/compose.h"

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
  // A list of kernels to profile one by one, and how: app/kernel_list.h.
  std::optional<std::string> kernel_config{};  // a file
  std::optional<std::uint64_t> kernel_top{};   // the first of them; none: all
  std::uint64_t kernel_launch_skip = 200;      // launches of each
  std::uint64_t kernel_launch_count = 1;
  std::vector<std::string> kernel_sections{};  // beside `sections`
};

// pipeline.nsys.*
struct NsysSettings {
  bool enable = false;
  bool gating_nvtx = true;
  std::string nsys_path = "nsys";
  std::string trace = "cuda,nvtx,osrt";
  std::string sample = "none";
  std::string capture_range = "none";
  std::optional<std::string> capture_range_end{};
  std::optional<std::string> nvtx_capture = "prefill";
};

// regions.*
struct RegionSettings {
  std::vector<std::string> include{};
  std::vector<std::string> exclude{};
  std::vector<std::string> domains_include{};
  std::vector<std::string> domains_exclude{};
  std::vector<std::string> kernels_include{};
  std::vector<std::string> kernels_exclude{};
  std::string kernels_base = "demangled";  // demangled | function | mangled
  bool aggregate = true;
  std::string start_end = "path";  // path | ignore
  std::uint64_t max_rows = 200;
  std::uint64_t instances_skip = 0;
  std::optional<std::uint64_t> instances_count{};
};

// report.*
struct ReportSettings {
  std::vector<std::string> formats = {"md", "json", "html"};
  // Metrics of the human-readable tables; empty: those asked of ncu.
  std::vector<std::string> metrics{};
  std::uint64_t max_folders = 200;  // of regions, most GPU time first
};

// pipeline.trace.*
struct TraceSettings {
  bool enable = true;
  std::string mode = "trace";  // regions | trace
};

// pipeline.counters.*: the in-process range profiler
struct CounterSettings {
  bool enable = false;
  std::vector<std::string> metrics{};
  std::optional<double>
      budget_s{};  // of measuring; none: as the planner sees fit
};

// pipeline.workload.* without argv and module: the program that comes with
// Rangefinder, and its arguments.
struct BundledWorkload {
  std::string program{};  // "shallow_resnet"
  std::vector<std::string> arguments{};
};

struct Settings {
  NcuSettings ncu{};
  NsysSettings nsys{};
  RegionSettings regions{};
  ReportSettings report{};
  TraceSettings trace{};
  CounterSettings counters{};
  RollupSettings rollup{};
  std::string device = "cuda:0";
  std::vector<std::string> workload_argv{};  // PROGRAM ARG…; empty: the bundled
  BundledWorkload bundled{};
  std::string run_dir{};                // hydra.run.dir, absolute
  std::string config_yaml{};            // the composed and resolved tree
  std::string fingerprint{};            // hash of what matters in it
  std::vector<std::string> warnings{};  // worth saying before a run
};

struct SettingsRequest {
  std::vector<std::string> overrides{};
  std::string config_dir{};  // searched before the embedded conf/
  std::string config_name = "config";
  bool embedded = true;         // search the embedded conf/ at all
  Surroundings surroundings{};  // ProcessSurroundings()
};

// The embedded conf/ alone.
ConfigSources ShippedSources();

// The embedded conf/ and the user's folder, composed with the overrides.
Result<Composition> ComposeConfiguration(const SettingsRequest& request);

// The same as typed options, everything checked. All errors are kUsage, and
// name the key, the place and what was expected.
Result<Settings> LoadSettings(const SettingsRequest& request);
Result<Settings> SettingsOf(const Composition& composition);

}  // namespace rangefinder
