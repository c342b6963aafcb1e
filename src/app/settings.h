// What a command was asked to do: the composed configuration as typed options
// of each room. No room below app/ sees a configuration tree.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/counter_settings.h"
#include "app/rollup_settings.h"
#include "base/error.h"
#include "capture/plan.h"
#include "config/compose.h"
#include "insight/warmup.h"
#include "plan/settings.h"
#include "region/merged_names.h"
#include "report/kernel_names.h"
#include "report/table_view.h"

namespace rangefinder {

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
  std::string threads = "own";     // own | adopt | forward
  std::string graphs = "nested";   // nested | launch | capture
  std::uint64_t max_rows = 200;
  InstanceWindow instances{};
  WarmupRule warmup{};
  MergeOptions merge{};
};

// report.*
struct ReportSettings {
  std::vector<std::string> formats = {"md", "json", "html"};
  std::string format_metrics = "auto";        // auto | requested | all
  std::string format_kernel_names = "short";  // short | full
  std::shared_ptr<const KernelSources>
      kernel_sources{};  // of report.provenance
  // Metrics of the human-readable tables; empty: those asked of ncu.
  std::vector<std::string> metrics{};
  std::uint64_t max_folders = 200;  // of regions, most GPU time first
  TableView table{};                // on the terminal
};

// pipeline.trace.*
struct TraceSettings {
  bool enable = true;
  std::string mode = "trace";  // regions | trace
};

// pipeline.workload.* without argv and module: the program that comes with
// Rangefinder, and its arguments.
struct BundledWorkload {
  std::string program{};  // "shallow_resnet"
  std::vector<std::string> arguments{};
  // `device` as written, where it is not the first; only this program takes it.
  std::string device{};
};

struct Settings {
  NcuSettings ncu{};
  NsysSettings nsys{};
  RegionSettings regions{};
  ReportSettings report{};
  TraceSettings trace{};
  CounterSettings counters{};
  RollupSettings rollup{};
  std::vector<std::string> workload_argv{};  // PROGRAM ARG…; empty: the bundled
  BundledWorkload bundled{};
  std::string run_dir{};                // hydra.run.dir, absolute
  bool new_run_dir = false;             // it is named by the time
  bool start_in_run_dir = false;        // hydra.job.chdir
  std::string config_yaml{};            // the tree, composed
  std::string fingerprint{};            // hash of what matters in it
  std::vector<std::string> warnings{};  // worth saying before a run
  std::vector<std::string> left_out{};  // of a configuration read from a run
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
