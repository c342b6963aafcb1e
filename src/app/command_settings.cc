#include "app/command_settings.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "app/commands.h"
#include "app/setting.h"
#include "base/file.h"
#include "capture/ncu_options.h"
#include "capture/provenance.h"
#include "capture/rank.h"
#include "capture/target.h"
#include "plan/ncu_request.h"
#include "region/selection.h"

namespace rangefinder {
namespace {

// The override's key, without + ~ in front.
std::string_view KeyOf(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of("+~"), word.size()));
  return word.substr(0, word.find('='));
}

bool Mentions(const std::vector<std::string>& overrides,
              std::string_view prefix) {
  return std::ranges::any_of(overrides, [&](const std::string& word) {
    return IsBelow(KeyOf(word), prefix);
  });
}

// Whether the primary file is the user's own.
bool HasOwnPrimary(const SettingsRequest& request) {
  std::error_code error;
  return request.config_name != "config" ||
         (!request.config_dir.empty() &&
          std::filesystem::exists(
              std::filesystem::path(request.surroundings.cwd) /
                  request.config_dir / "config.yaml",
              error));
}

bool AnyBegins(const std::vector<std::string>& overrides,
               std::string_view beginning) {
  return std::ranges::any_of(overrides, [&](const std::string& word) {
    return KeyOf(word).starts_with(beginning);
  });
}

bool ChoosesNcuPreset(const std::vector<std::string>& overrides) {
  return AnyBegins(overrides, "profiling/ncu");
}

// Sections and metrics requested from ncu are also requested from the report:
// by the settings that made the capture, or by overrides and files of the user.
// Presets that the user did not choose request nothing.
RequestedContent RequestedOf(const Settings& settings,
                             const SettingsRequest& request) {
  const bool all = (settings.made_capture && settings.ncu.enable) ||
                   ChoosesNcuPreset(request.overrides) ||
                   HasOwnPrimary(request);
  const auto asks = [&](std::string_view key) {
    return all ||
           Mentions(request.overrides, std::string(kNcuKeys).append(key));
  };
  RequestedContent requested{.table_metrics = settings.report.metrics};
  // The set of the presets has charts alone.
  requested.section_set = settings.ncu.set.value_or("roofline") != "roofline";
  if (asks("sections") || asks("section"))
    requested.sections = settings.ncu.sections;
  if (!requested.sections.empty() && settings.ncu.kernel_config) {
    requested.sections.insert(requested.sections.end(),
                              settings.ncu.kernel_sections.begin(),
                              settings.ncu.kernel_sections.end());
  }
  if (asks("metrics")) requested.metrics = settings.ncu.metrics;
  return requested;
}

// The configuration of a run directory: "config", or that of its first rank;
// empty if it has none.
std::string KeptConfiguration(const std::filesystem::path& run_dir) {
  std::error_code error;
  if (std::filesystem::exists(run_dir / "config.yaml", error)) return "config";
  std::string first;
  for (const std::filesystem::path& path : PathsIn(run_dir)) {
    const std::string stem = path.stem().string();
    if (!stem.starts_with("config.rank") || path.extension() != ".yaml")
      continue;
    if (first.empty() ||
        std::pair(stem.size(), stem) < std::pair(first.size(), first))
      first = stem;
  }
  return first;
}

}  // namespace

SettingsRequest RunRequest(const SettingsRequest& request,
                           const std::vector<std::string>& paths) {
  SettingsRequest own = request;
  const std::string kept = paths.size() == 1 && request.config_dir.empty() &&
                                   IsRunDirectory(paths[0])
                               ? KeptConfiguration(paths[0])
                               : "";
  if (kept.empty()) return own;
  own.config_dir = paths[0];
  own.config_name = kept;
  // A run directory may come from an untrusted source, and its reports may go
  // back there.
  own.surroundings.reach = Reach::kTyped;
  return own;
}

Result<Settings> LoadRunSettings(const SettingsRequest& request,
                                 const std::vector<std::string>& paths,
                                 bool fingerprint) {
  const SettingsRequest own = RunRequest(request, paths);
  const Composition composed = TRY(ComposeConfiguration(own));
  Settings settings = TRY(SettingsOf(composed));
  settings.made_capture = own.config_dir != request.config_dir;
  if (fingerprint) settings.fingerprint = TRY(FingerprintOf(composed));
  settings.analysis.requested = RequestedOf(settings, request);
  return settings;
}

Result<Settings> SettingsOfRun(const Invocation& asked, bool fingerprint) {
  Settings settings =
      TRY(LoadRunSettings(asked.request, asked.paths, fingerprint));
  for (const std::string& left_out : settings.left_out)
    asked.console.Say("warning: " + left_out);
  return settings;
}

SettingsRequest ProfileRequest(SettingsRequest request) {
  std::vector<std::string>& words = request.overrides;
  if (Mentions(words, "pipeline.ncu.enable") ||
      Mentions(words, "pipeline.nsys.enable"))
    return request;
  // A request to ncu enables ncu; a primary file of the user decides this
  // itself.
  if (ChoosesNcuPreset(words) ||
      (AnyBegins(words, "pipeline.ncu.") && !HasOwnPrimary(request)))
    words.emplace(words.begin(), "++pipeline.ncu.enable=true");
  return request;
}

Result<Settings> LoadProfileSettings(const SettingsRequest& request) {
  Settings settings = TRY(LoadSettings(ProfileRequest(request)));
  TRY(Selection::Make(settings.analysis.selection));  // before anything runs
  settings.made_capture = true;
  settings.analysis.requested = RequestedOf(settings, request);
  return settings;
}

bool IsRunDirectory(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder(path);
  return std::filesystem::is_directory(folder / "ncu", error) ||
         std::filesystem::is_directory(folder / "trace", error) ||
         std::filesystem::is_directory(folder / "nsys", error) ||
         std::filesystem::exists(folder / "config.yaml", error);
}

Result<CaptureOptions> RunOptionsOf(const Settings& settings,
                                    const std::vector<std::string>& program) {
  CaptureOptions options;
  options.run_dir = settings.run_dir;
  ProgramToStart start =
      TRY(ProgramToRun(program, settings.workload, settings.run_dir));
  options.program = std::move(start.argv);
  options.cwd = std::move(start.cwd);
  options.config_yaml = settings.config_yaml;
  options.version = RANGEFINDER_VERSION;
  options.rank = DetectRank(std::getenv);
  options.launcher = DetectLauncher(std::getenv);
  options.ncu.force_overwrite =
      settings.ncu.options.contains("force_overwrite");
  return options;
}

Status AddNcu(const NcuSettings& ncu, const RollupOptions& rollup,
              CaptureOptions& options, Notes& notes) {
  options.ncu = TRY(NcuOptionsFor(ncu, rollup.derived, notes));
  Notes later;  // discarded: they may differ once the regions are known
  return SetNvtxFilters(ncu, nullptr, options.ncu, later);
}

// SOURCE_DATE_EPOCH as ISO 8601 in UTC; empty if it is not set.
static std::string TimeOfEnvironment() {
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (epoch == nullptr) return "";
  char* end = nullptr;
  const long long seconds = std::strtoll(epoch, &end, 10);
  if (end == epoch || *end != '\0') return "";
  return TimeText(static_cast<std::time_t>(seconds));
}

ReportOptions ReportOptionsOf(const Settings& settings) {
  const RequestedContent& requested = settings.analysis.requested;
  std::vector<std::string> tables = settings.report.metrics;
  if (tables.empty()) tables = requested.metrics;
  std::optional<std::uint64_t> max_folders = settings.report.max_folders;
  if (!max_folders && settings.made_capture && settings.ncu.enable)
    max_folders = kUsualFolders;
  const SelectionOptions& selection = settings.analysis.selection;
  std::map<std::string, std::string> docs;
  for (const DerivedMetric& metric : settings.analysis.rollup.derived)
    docs[metric.name] = metric.doc;
  return {.generated_at = TimeOfEnvironment(),
          .config_fingerprint = settings.fingerprint,
          .table_metrics = std::move(tables),
          .requested_metrics = requested.metrics,
          .metric_docs = std::move(docs),
          .causes = settings.report.causes,
          .in_place = FindMetricsInPlace(settings.report.format_metrics)
                          .value_or(MetricsInPlace::kAuto),
          .include_patterns = selection.ChosenRegions(),
          .exclude_patterns = selection.exclude,
          .kernel_include_patterns = selection.kernels_include,
          .kernel_exclude_patterns = selection.kernels_exclude,
          .warmup = settings.analysis.warmup,
          .kernel_sources = settings.report.kernel_sources,
          .full_kernel_names = settings.report.format_kernel_names == "full",
          .max_rows = settings.report.max_rows,
          .max_folders = max_folders,
          .files = {.formats = settings.report.formats,
                    .csv = settings.ncu.export_csv},
          .sections = requested.OnlySections(),
          .precision = settings.counters.precision,
          .parameter_bytes = settings.report.parameter_bytes};
}

}  // namespace rangefinder
