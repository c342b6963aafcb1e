// The composed configuration as typed options of each module. No module below
// app/ sees a configuration tree.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"
#include "capture/target.h"
#include "config/compose.h"
#include "config/node.h"
#include "diff/comparison.h"
#include "insight/causes.h"
#include "plan/settings.h"
#include "report/kernel_names.h"
#include "report/table_view.h"

namespace rangefinder {

// report.*
struct ReportSettings {
  std::vector<std::string> formats = {"md", "json", "html"};
  std::string format_metrics = "auto";        // auto | requested | all
  std::string format_kernel_names = "short";  // short | full
  std::optional<std::string> provenance{};    // a file, and its content
  std::shared_ptr<const KernelSources> kernel_sources{};
  // Metrics of the tables; empty: the metrics requested from ncu.
  std::vector<std::string> metrics{};
  std::vector<CauseRule> causes{};
  std::uint64_t max_rows = 200;  // in tables for people: regions.max_rows
  std::optional<std::uint64_t> max_folders{};  // of regions
  std::optional<std::uint64_t> parameter_bytes{};
  TableView table{};  // on the terminal
};

// diff.*, except the limits of single metrics and regions, and the files that
// it names: app/diff_settings.h.
struct DiffSettings {
  DiffRules rules{};
  bool strict = false;
  std::optional<std::string> match{};
  std::optional<std::string> calibration{};
  std::optional<std::string> accepted{};
};

struct Settings {
  NcuSettings ncu{};
  NsysSettings nsys{};
  TraceSettings trace{};
  CounterSettings counters{};
  AnalysisOptions analysis{};  // regions.*
  ReportSettings report{};
  DiffSettings diff{};
  Workload workload{};       // pipeline.workload.*, device, hydra.job.chdir
  std::string run_dir{};     // hydra.run.dir, absolute
  bool new_run_dir = false;  // it is named by the time
  // These settings made the capture, or will make it: true for a run directory
  // and for `profile`. False for loose files, whose capture the requests in the
  // settings do not describe.
  bool made_capture = false;
  std::string config_yaml{};  // the composed tree; set by LoadSettings() only
  std::string fingerprint{};  // FingerprintOf(), if requested
  std::vector<std::string> warnings{};  // to print before a run
  std::vector<std::string> left_out{};  // of a configuration read from a run
};

struct SettingsRequest {
  std::vector<std::string> overrides{};
  std::string config_dir{};  // takes precedence over the embedded conf/
  std::string config_name = "config";
  bool embedded = true;         // search the embedded conf/ at all
  Surroundings surroundings{};  // ProcessSurroundings()
};

// The embedded conf/ only.
ConfigSources ShippedSources();

// The user's folder, and the embedded conf/ behind it. kUsage: there is no such
// folder.
Result<ConfigSources> ConfigSourcesOf(const SettingsRequest& request);
// ConfigSourcesOf(), composed with the overrides.
Result<Composition> ComposeConfiguration(const SettingsRequest& request);

// The composed configuration as typed options, checked. All errors are kUsage,
// and name the key, the place and the expected value.
Result<Settings> LoadSettings(const SettingsRequest& request);
Result<Settings> SettingsOf(const Composition& composition);
// The hash of all keys that change measurements or reports.
Result<std::string> FingerprintOf(const Composition& composition);

// Reads the options of pipeline.ncu.ncu_cli that have no row in the settings
// table, and checks them against ncu's own table.
Status ReadNcuOptions(const Node& tree, NcuSettings& out);

}  // namespace rangefinder
