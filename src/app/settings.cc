#include "app/settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/rollup_settings.h"
#include "app/setting.h"
#include "base/digest.h"
#include "base/embedded.h"
#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "config/merge.h"
#include "config/yaml.h"
#include "ingest/inductor.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedConf();

namespace {

// The run directory in config.yaml if the configuration names a fixed folder: a
// repeated run must not overwrite the first.
constexpr std::string_view kFreshDirectory =
    "${hydra:runtime.cwd}/tmp/profile-output/${now:%Y%m%d-%H%M%S}";

// ---- checks of several keys -------------------------------------------------

void CheckNsys(Settings& out) {
  NsysSettings& nsys = out.nsys;
  if (!nsys.enable || nsys.capture_range != "nvtx") return;
  if (!nsys.gating_nvtx) {
    nsys.capture_range = "none";
  } else if (nsys.nvtx_capture.value_or("").empty()) {
    nsys.capture_range = "none";
    out.warnings.emplace_back(
        "pipeline.nsys.capture_range=nvtx needs pipeline.nsys.nvtx_capture; "
        "the whole run is collected");
  }
}

std::vector<std::string> EachOnce(const std::vector<std::string>& metrics) {
  std::vector<std::string> once;
  for (const std::string& metric : metrics) AddOnce(once, metric);
  return once;
}

// A set that is null is left out, so that an override can remove it.
Status ReadCounterSets(const Node& tree, CounterSettings& counters) {
  constexpr std::string_view kKey = "pipeline.counters.sets";
  const Node* const sets = tree.FindPath(kKey);
  if (sets == nullptr || sets->is_null()) return Ok();
  for (const Entry& entry : sets->entries) {
    const std::string name = PythonStr(entry.key);
    if (entry.value.is_map()) {
      return KeyError(fmt::format("{}.{}", kKey, Printable(name)), entry.value,
                      "expected a list of metrics, got a map");
    }
    CounterSet set{.name = name,
                   .metrics = EachOnce(TextsOf(entry.value, ','))};
    if (!set.metrics.empty()) counters.sets.push_back(std::move(set));
  }
  return Ok();
}

Status CheckCounters(const Node& tree, Settings& out) {
  CounterSettings& counters = out.counters;
  // The metrics are in a preset, which a configuration without the key lacks.
  const Node* const enable = tree.FindPath("pipeline.counters.enable");
  if (enable == nullptr) counters.enable = false;
  counters.metrics = EachOnce(counters.metrics);
  TRY(ReadCounterSets(tree, counters));
  if (!counters.enable || !counters.mode) return Ok();
  // An empty list is an error; null selects a set.
  const Node* const listed = tree.FindPath("pipeline.counters.metrics");
  const bool is_null = listed == nullptr || listed->is_null();
  if (counters.metrics.empty() && (!is_null || counters.sets.empty())) {
    return KeyError(
        "pipeline.counters.metrics", listed != nullptr ? *listed : *enable,
        "there is no metric to count; `rangefinder counters` lists the metrics "
        "of the GPU, profiling/counters@pipeline.counters=counters.default is "
        "a preset");
  }
  // Counting needs exclusive use of the GPU's counters, and so does ncu.
  if (out.ncu.enable &&
      (counters.mode == CounterMode::kCount || counters.check)) {
    out.warnings.emplace_back(
        "pipeline.counters.mode=count and pipeline.counters.check are left out "
        "beside ncu; pipeline.ncu.enable=false has them");
  }
  return Ok();
}

// The file is read with the settings, so that an error in it is reported before
// any run. A file that a run directory names is not read: the directory may
// come from anywhere.
Status ReadProvenance(const Node& tree, bool files_are_the_users,
                      Settings& out) {
  if (!out.report.provenance) return Ok();
  const std::string& name = *out.report.provenance;
  if (!files_are_the_users &&
      !IsTyped(tree.FindPath("report.provenance")->place)) {
    out.left_out.push_back(fmt::format(
        "report.provenance is {0} in the run directory's configuration, and is "
        "not read for it; to have it read: report.provenance={0}",
        Printable(name)));
    return Ok();
  }
  const std::string text = TRY(ReadFile(name).In("report.provenance"));
  out.report.kernel_sources = std::make_shared<KernelSources>(
      TRY(ParseInductor(text).In("report.provenance: " + name)));
  return Ok();
}

// The arguments of the bundled program, from `model` and `infer`.
Status ReadBundled(const Node& tree, Settings& out) {
  const auto add = [&](std::string_view path, std::string_view flag) -> Status {
    const Node* node = tree.FindPath(path);
    if (node == nullptr || node->is_null()) return Ok();
    if (node->kind != NodeKind::kInt || node->integer <= 0) {
      return KeyError(path, *node,
                      "expected a whole number above 0 for the "
                      "bundled workload, got '{}'",
                      Printable(PythonStr(*node)));
    }
    out.workload.bundled_arguments.emplace_back(flag);
    out.workload.bundled_arguments.push_back(std::to_string(node->integer));
    return Ok();
  };
  if (const Node* dtype = tree.FindPath("infer.dtype");
      dtype != nullptr && !dtype->is_null() && PythonStr(*dtype) != "float32") {
    return KeyError("infer.dtype", *dtype,
                    "the bundled workload computes in float32, got '{}'",
                    Printable(PythonStr(*dtype)));
  }
  TRY(add("infer.batch_size", "--batch"));
  TRY(add("infer.repeats", "--repeats"));
  TRY(add("model.channels", "--channels"));
  TRY(add("model.blocks", "--blocks"));
  return Ok();
}

Status ReadWorkload(const Node& tree, Settings& out) {
  Workload& workload = out.workload;
  const std::string number =
      workload.device.substr(workload.device.starts_with("cuda:") ? 5 : 0);
  if (!workload.OnFirstDevice())
    workload.bundled_arguments = {"--device", number};
  if (workload.module) {
    const std::string python[] = {"python3", "-m", *workload.module};
    workload.argv.insert(workload.argv.begin(), std::begin(python),
                         std::end(python));
  }
  return workload.argv.empty() ? ReadBundled(tree, out) : Ok();
}

// Refuses values of Hydra's keys that change nothing here; Hydra's own
// defaults, which every configuration without the keys has, are taken.
Status CheckHydra(const Node& tree) {
  const auto check = [&](const std::string& key, std::string_view usual,
                         const char* why) -> Status {
    const Node* const value = tree.FindPath(key);
    if (value == nullptr || value->is_null() || value->is_interpolation() ||
        PythonStr(*value) == usual)
      return Ok();
    return KeyError(key, *value, "{}", why);
  };
  TRY(check("hydra.mode", "RUN",
            "only RUN: Rangefinder does one run at a time"));
  return check("hydra.output_subdir", ".hydra",
               "only null: config.yaml is written into the run directory "
               "itself");
}

// ---- interpolations of a stranger's configuration ---------------------------

// Removes values with interpolations that would read this machine, with a
// warning for each value that would have been used.
void LeaveOutUnresolved(Node& node, const std::string& path,
                        std::vector<std::string>& warnings) {
  const auto left_out = [&](const Node& value, const std::string& at) {
    if (!value.is_interpolation()) return false;
    const std::string part = at.substr(0, at.find('.'));
    if (part == "pipeline" || part == "regions" || part == "report" ||
        part == "rollup") {
      warnings.push_back(
          fmt::format("{} is {} in the run directory's configuration, which is "
                      "not resolved here, and so left out; give its value: "
                      "{}=VALUE",
                      at, Printable(value.text), at));
    }
    return true;
  };
  std::erase_if(node.items,
                [&](const Node& item) { return left_out(item, path); });
  for (Node& item : node.items) LeaveOutUnresolved(item, path, warnings);
  std::erase_if(node.entries, [&](const Entry& entry) {
    return left_out(entry.value, PathBelow(path, entry.key));
  });
  for (Entry& entry : node.entries)
    LeaveOutUnresolved(entry.value, PathBelow(path, entry.key), warnings);
}

// ---- the configuration that a run keeps -------------------------------------

// hydra.run.dir as written, if it contains the time.
const Node* DirectoryOfNow(const Composition& composition) {
  const Node* dir = composition.full().FindPath("hydra.run.dir");
  const bool of_now = dir != nullptr && dir->is_interpolation() &&
                      dir->text.find("${now:") != std::string::npos;
  return of_now ? dir : nullptr;
}

// Interpolations stay as written, as Hydra keeps them: their values may be
// secrets of the environment.
std::string ConfigYaml(const Composition& composition) {
  Node kept = composition.task();
  Node hydra = Node::Map();
  const Node* dir = DirectoryOfNow(composition);
  MountAt(
      hydra, "run.dir",
      Node::String(dir != nullptr ? dir->text : std::string(kFreshDirectory)));
  for (const std::string_view path : {"output_subdir", "job.chdir"}) {
    const Node* value =
        composition.full().FindPath(fmt::format("hydra.{}", path));
    if (value != nullptr) MountAt(hydra, path, *value);
  }
  kept.Set("hydra", std::move(hydra));
  return WriteYaml(kept);
}

// Keys in order, so that the same settings have the same hash however they were
// composed.
Node Sorted(Node node) {
  for (Node& item : node.items) item = Sorted(std::move(item));
  for (Entry& entry : node.entries)
    entry.value = Sorted(std::move(entry.value));
  std::ranges::sort(node.entries, {},
                    [](const Entry& entry) { return PythonStr(entry.key); });
  return node;
}

Result<Composition> ComposeAsTyped(const SettingsRequest& request) {
  ConfigSources sources = TRY(ConfigSourcesOf(request));
  return Compose(std::move(sources),
                 {.config_name = request.config_name,
                  .overrides = request.overrides,
                  .add_replaces = true},
                 request.surroundings);
}

}  // namespace

Result<std::string> FingerprintOf(const Composition& composition) {
  Node resolved = TRY(composition.SettledTask());
  resolved.Erase("diff");
  if (Node* report = resolved.Find("report")) {
    report->Erase("formats");
    report->Erase("format");
    report->Erase("table");
  }
  if (Node* pipeline = resolved.Find("pipeline")) {
    for (const std::string_view tool : {"ncu", "nsys", "counters"}) {
      Node* node = pipeline->Find(tool);
      if (node == nullptr) continue;
      for (const std::string_view key :
           {"description", "path", "timeout", "hang_timeout"})
        node->Erase(key);
    }
  }
  for (const std::string_view part : {"model", "infer"}) {
    if (Node* node = resolved.Find(part)) node->Erase("description");
  }
  return Sha256(WriteJson(Sorted(std::move(resolved)), true));
}

ConfigSources ShippedSources() {
  ConfigSources sources;
  sources.AddEmbedded("conf", EmbeddedConf());
  return sources;
}

Result<ConfigSources> ConfigSourcesOf(const SettingsRequest& request) {
  ConfigSources sources;
  if (!request.config_dir.empty()) {
    const std::filesystem::path folder =
        std::filesystem::path(request.surroundings.cwd) / request.config_dir;
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
      if (error == std::errc::permission_denied)
        return Error(
            ErrorCode::kSystem,
            fmt::format("--config-dir {}: {}", Printable(request.config_dir),
                        error.message()));
      return UsageError("--config-dir {}: there is no such folder",
                        Printable(request.config_dir));
    }
    sources.AddDirectory(folder.lexically_normal(),
                         request.surroundings.reach != Reach::kAll);
  }
  if (request.embedded) sources.Append(ShippedSources());
  return sources;
}

Result<Composition> ComposeConfiguration(const SettingsRequest& request) {
  auto composition = ComposeAsTyped(request);
  if (composition.ok()) return composition;
  // `+group=option` for a group in the defaults list selects as well.
  SettingsRequest without = request;
  for (std::string& word : without.overrides) {
    if (word.starts_with('+') && !word.starts_with("++") &&
        word.substr(0, word.find('=')).find('/') != std::string::npos)
      word.erase(0, 1);
  }
  if (without.overrides == request.overrides) return composition;
  auto again = ComposeAsTyped(without);
  return again.ok() ? std::move(again) : std::move(composition);
}

Result<Settings> SettingsOf(const Composition& composition) {
  Node tree = TRY(composition.ResolvedTask());
  Settings out;
  out.warnings = composition.defaults().warnings;
  if (composition.reaches_all()) {
    tree.Set("hydra", TRY(composition.ResolvedHydra()));
    out.new_run_dir = DirectoryOfNow(composition) != nullptr;
  } else {
    LeaveOutUnresolved(tree, "", out.left_out);
  }
  TRY(ReadTable(tree, out));
  TRY(ReadNcuOptions(tree, out.ncu));
  out.analysis.selection.collected = {.include = out.ncu.nvtx_include,
                                      .exclude = out.ncu.nvtx_exclude,
                                      .native = out.ncu.nvtx_native};
  TRY(ReadRollupSettings(tree, out.analysis.rollup));
  TRY(ReadCauses(tree, out.report.causes));
  TRY(ReadFrameworks(tree, out.analysis.merge.frameworks));
  TRY(NameMerging::Make(out.analysis.merge));
  CheckNsys(out);
  TRY(CheckCounters(tree, out));
  TRY(ReadProvenance(tree, composition.reaches_all(), out));
  TRY(ReadWorkload(tree, out));
  TRY(CheckHydra(composition.reaches_all() ? tree : composition.full()));
  out.run_dir = TRY(composition.RunDirectory());
  return out;
}

Result<Settings> LoadSettings(const SettingsRequest& request) {
  const Composition composition = TRY(ComposeConfiguration(request));
  Settings settings = TRY(SettingsOf(composition));
  settings.config_yaml = ConfigYaml(composition);
  settings.fingerprint = TRY(FingerprintOf(composition));
  return settings;
}

}  // namespace rangefinder
