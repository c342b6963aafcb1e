#include "app/settings.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/ncu_settings.h"
#include "app/settings_keys.h"
#include "base/digest.h"
#include "base/embedded.h"
#include "base/file.h"
#include "base/text.h"
#include "config/yaml.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedConf();

namespace {

// Where a run goes when the configuration names one fixed folder: repeating the
// run must not write over it.
constexpr std::string_view kFreshDirectory =
    "${hydra:runtime.cwd}/tmp/profile-output/${now:%Y%m%d-%H%M%S}";

// Reads typed values of a tree that has been checked; what is not there keeps
// its default.
class Reader {
 public:
  explicit Reader(const Node& tree) : tree_(tree) {}

  void Read(std::string_view path, bool& to) const {
    const Node* node = Find(path);
    if (node != nullptr && node->kind == NodeKind::kBool) to = node->boolean;
  }
  void Read(std::string_view path, std::string& to) const {
    if (const Node* node = Find(path)) to = PythonStr(*node);
  }
  void Read(std::string_view path, std::optional<std::string>& to) const {
    const Node* node = tree_.FindPath(path);
    if (node == nullptr) return;
    to = node->is_null() ? std::nullopt : std::optional(PythonStr(*node));
  }
  void Read(std::string_view path, double& to) const {
    if (const Node* node = Find(path)) to = Number(*node);
  }
  void Read(std::string_view path, std::optional<double>& to) const {
    if (const Node* node = Find(path)) to = Number(*node);
  }
  void Read(std::string_view path, std::uint64_t& to) const {
    if (const Node* node = Find(path))
      to = static_cast<std::uint64_t>(node->integer);
  }
  void Read(std::string_view path, std::optional<std::uint64_t>& to) const {
    if (const Node* node = Find(path))
      to = static_cast<std::uint64_t>(node->integer);
  }
  void Read(std::string_view path, std::vector<std::string>& to,
            char separator) const {
    if (const Node* node = tree_.FindPath(path)) to = TextsOf(*node, separator);
  }
  // A list kept as one text, with commas.
  void ReadJoined(std::string_view path, std::string& to) const {
    std::vector<std::string> names = Split(to, ',');
    Read(path, names, ',');
    to = fmt::format("{}", fmt::join(names, ","));
  }

 private:
  // Null also where the value is null.
  const Node* Find(std::string_view path) const {
    const Node* node = tree_.FindPath(path);
    return node == nullptr || node->is_null() ? nullptr : node;
  }
  // A time, where the key's type lets it be text.
  static double Number(const Node& node) {
    if (node.kind == NodeKind::kString)
      return ParseDuration(node.text).value_or(0);
    return node.kind == NodeKind::kInt ? static_cast<double>(node.integer)
                                       : node.number;
  }

  const Node& tree_;
};

// What is not of ncu's own command line.
void ReadNcu(const Reader& reader, NcuSettings& ncu) {
  reader.Read("pipeline.ncu.enable", ncu.enable);
  reader.Read("pipeline.ncu.gating_nvtx", ncu.gating_nvtx);
  reader.Read("pipeline.ncu.path", ncu.ncu_path);
  reader.ReadJoined("pipeline.ncu.fallback", ncu.fallback);
  reader.Read("pipeline.ncu.exclude_communication", ncu.exclude_communication);
  reader.Read("pipeline.ncu.exact_rollup", ncu.exact_rollup);
  reader.Read("pipeline.ncu.timeout", ncu.timeout_s);
  reader.Read("pipeline.ncu.hang_timeout", ncu.hang_s);
  reader.Read("pipeline.ncu.budget", ncu.budget_s);
  reader.Read("pipeline.ncu.kernel_config", ncu.kernel_config);
  reader.Read("pipeline.ncu.kernel_top", ncu.kernel_top);
  reader.Read("pipeline.ncu.kernel_launch_skip", ncu.kernel_launch_skip);
  reader.Read("pipeline.ncu.kernel_launch_count", ncu.kernel_launch_count);
  reader.Read("pipeline.ncu.kernel_sections", ncu.kernel_sections, ',');
}

void ReadNsys(const Reader& reader, Settings& out) {
  NsysSettings& nsys = out.nsys;
  reader.Read("pipeline.nsys.enable", nsys.enable);
  reader.Read("pipeline.nsys.gating_nvtx", nsys.gating_nvtx);
  reader.Read("pipeline.nsys.path", nsys.nsys_path);
  reader.ReadJoined("pipeline.nsys.trace", nsys.trace);
  reader.Read("pipeline.nsys.sample", nsys.sample);
  reader.Read("pipeline.nsys.capture_range", nsys.capture_range);
  reader.Read("pipeline.nsys.capture_range_end", nsys.capture_range_end);
  reader.Read("pipeline.nsys.nvtx_capture", nsys.nvtx_capture);
  if (!nsys.enable || nsys.capture_range != "nvtx") return;
  if (!nsys.gating_nvtx) {
    nsys.capture_range = "none";
  } else if (!nsys.nvtx_capture || nsys.nvtx_capture->empty()) {
    nsys.capture_range = "none";
    out.warnings.emplace_back(
        "pipeline.nsys.capture_range=nvtx needs pipeline.nsys.nvtx_capture; "
        "the "
        "whole run is collected");
  }
}

// Counting has the GPU's counters to itself, and so has ncu.
void WarnOfCounts(Settings& out) {
  const CounterSettings& counters = out.counters;
  if (!out.ncu.enable || !counters.enable) return;
  if (counters.mode != CounterMode::kCount && !counters.check) return;
  out.warnings.emplace_back(
      "pipeline.counters.mode=count and pipeline.counters.check are left out "
      "beside ncu; pipeline.ncu.enable=false has them");
}

// The runs that need no profiler of NVIDIA's.
void ReadOwnRuns(const Reader& reader, Settings& out) {
  reader.Read("pipeline.trace.enable", out.trace.enable);
  reader.Read("pipeline.trace.mode", out.trace.mode);
}

void ReadRegions(const Reader& reader, RegionSettings& regions) {
  reader.Read("regions.include", regions.include, ';');
  reader.Read("regions.exclude", regions.exclude, ';');
  reader.Read("regions.domains.include", regions.domains_include, ';');
  reader.Read("regions.domains.exclude", regions.domains_exclude, ';');
  reader.Read("regions.kernels.include", regions.kernels_include, ';');
  reader.Read("regions.kernels.exclude", regions.kernels_exclude, ';');
  reader.Read("regions.kernels.base", regions.kernels_base);
  reader.Read("regions.aggregate", regions.aggregate);
  reader.Read("regions.start_end", regions.start_end);
  reader.Read("regions.threads", regions.threads);
  reader.Read("regions.graphs", regions.graphs);
  reader.Read("regions.max_rows", regions.max_rows);
  reader.Read("regions.merge.auto", regions.merge.by_itself);
  reader.Read("regions.merge.patterns", regions.merge.patterns, ';');
  reader.Read("regions.instances.skip", regions.instances.skip);
  reader.Read("regions.instances.count", regions.instances.count);
}

Status ReadWarmup(const Node& tree, RegionSettings& regions) {
  const Node* node = tree.FindPath("regions.warmup");
  if (node == nullptr || node->is_null()) return Ok();
  const auto rule = ParseWarmup(PythonStr(*node));
  if (!rule.ok())
    return KeyError("regions.warmup", *node, rule.error().message());
  regions.warmup = rule.value();
  return Ok();
}

// The file is read with the settings: whatever is wrong with it is said before
// anything runs. What a run directory names is not: it may come from anywhere.
Status ReadProvenance(const Node& tree, bool files_are_the_users,
                      Settings& out) {
  const Node* path = tree.FindPath("report.provenance");
  if (path == nullptr || path->is_null()) return Ok();
  const std::string name = PythonStr(*path);
  if (!files_are_the_users && !IsTyped(path->place)) {
    out.left_out.push_back(fmt::format(
        "report.provenance is {0} in the run directory's configuration, and is "
        "not read for it; to have it read: report.provenance={0}",
        Printable(name)));
    return Ok();
  }
  const std::string text = TRY(ReadFile(name).In("report.provenance"));
  out.report.kernel_sources = std::make_shared<KernelSources>(
      TRY(ParseKernelSources(text).In("report.provenance: " + name)));
  return Ok();
}

void ReadTable(const Reader& reader, TableView& table) {
  std::string by = "region";
  reader.Read("report.table.by", by);
  for (const auto& [name, what] : kTableBys) {
    if (name == by) table.by = what;
  }
  reader.Read("report.table.columns", table.columns, ',');
  reader.Read("report.table.sort", table.sort);
  reader.Read("report.table.top", table.top);
  reader.Read("report.table.depth", table.depth);
  reader.Read("report.table.min_share", table.min_share);
  reader.Read("report.table.flat", table.flat);
  reader.Read("report.table.scope", table.scope);
}

void ReadReport(const Reader& reader, ReportSettings& report) {
  reader.Read("report.formats", report.formats, ',');
  reader.Read("report.format.metrics", report.format_metrics);
  reader.Read("report.format.kernel_names", report.format_kernel_names);
  reader.Read("report.metrics", report.metrics, ',');
  reader.Read("report.max_folders", report.max_folders);
  ReadTable(reader, report.table);
}

// "cuda:N" or "N": N. The bundled program runs there.
Status ReadDevice(const Node& tree, BundledWorkload& out) {
  const Node* node = tree.FindPath("device");
  if (node == nullptr) return Ok();
  const std::string written = PythonStr(*node);
  std::string_view number = written;
  if (number.starts_with("cuda:")) number.remove_prefix(5);
  if (number.empty() || number.size() > 3 ||
      number.find_first_not_of("0123456789") != std::string_view::npos) {
    return KeyError("device", *node,
                    fmt::format("expected a CUDA device, as in cuda:0, got "
                                "'{}'",
                                Printable(written)));
  }
  if (std::stoi(std::string(number)) == 0) return Ok();
  out.device = written;
  out.arguments = {"--device", std::string(number)};
  return Ok();
}

// The arguments of the bundled program, as `model` and `infer` describe it.
Status ReadBundled(const Node& tree, Settings& out) {
  const auto add = [&](std::string_view path, std::string_view flag) -> Status {
    const Node* node = tree.FindPath(path);
    if (node == nullptr || node->is_null()) return Ok();
    if (node->kind != NodeKind::kInt || node->integer <= 0) {
      return KeyError(path, *node,
                      fmt::format("expected a whole number above 0 for the "
                                  "bundled workload, got '{}'",
                                  Printable(PythonStr(*node))));
    }
    out.bundled.arguments.emplace_back(flag);
    out.bundled.arguments.push_back(std::to_string(node->integer));
    return Ok();
  };
  out.bundled.program = "shallow_resnet";
  if (const Node* dtype = tree.FindPath("infer.dtype");
      dtype != nullptr && !dtype->is_null() && PythonStr(*dtype) != "float32") {
    return KeyError("infer.dtype", *dtype,
                    fmt::format("the bundled workload computes in float32, "
                                "got '{}'",
                                Printable(PythonStr(*dtype))));
  }
  TRY(add("infer.batch_size", "--batch"));
  TRY(add("infer.repeats", "--repeats"));
  TRY(add("model.channels", "--channels"));
  TRY(add("model.blocks", "--blocks"));
  return Ok();
}

Status ReadWorkload(const Node& tree, Settings& out) {
  TRY(ReadDevice(tree, out.bundled));
  const Node* argv = tree.FindPath("pipeline.workload.argv");
  const Node* module = tree.FindPath("pipeline.workload.module");
  if (module != nullptr && !module->is_null())
    out.workload_argv = {"python3", "-m", PythonStr(*module)};
  if (argv != nullptr && argv->is_list()) {
    for (const Node& word : argv->items)
      out.workload_argv.push_back(PythonStr(word));
  } else if (argv != nullptr && !argv->is_null()) {
    const std::string text = PythonStr(*argv);
    if (text.find(' ') != std::string::npos) {
      return KeyError("pipeline.workload.argv", *argv,
                      fmt::format("expected a list of words; write it as [{}]",
                                  fmt::join(Split(text, ' '), ",")));
    }
    out.workload_argv.push_back(text);
  }
  if (out.workload_argv.empty()) return ReadBundled(tree, out);
  return Ok();
}

// Of hydra.* what a run here can follow.
Status ReadHydra(const Node& hydra, Settings& out) {
  const Node* chdir = hydra.FindPath("job.chdir");
  out.start_in_run_dir =
      chdir != nullptr && !chdir->is_null() && chdir->boolean;
  const Node* subdir = hydra.FindPath("output_subdir");
  // Hydra's own default is in every configuration that is silent about it.
  if (subdir == nullptr || subdir->is_null() || PythonStr(*subdir) == ".hydra")
    return Ok();
  return KeyError("hydra.output_subdir", *subdir,
                  "only null: config.yaml is written into the run directory "
                  "itself");
}

// ---- what is not resolved of somebody else's -------------------------------

// Removes the values that ask something of the world here. Warns of those that
// would have been read.
void LeaveOutUnresolved(Node& node, const std::string& path,
                        std::vector<std::string>& warnings) {
  const auto left_out = [&](const Node& value, const std::string& at) {
    if (!value.is_interpolation()) return false;
    const std::string part = at.substr(0, at.find('.'));
    if (part == "pipeline" || part == "regions" || part == "report" ||
        part == "rollup") {
      warnings.push_back(
          fmt::format("{} is {} in the run directory's configuration, which is "
                      "not resolved here, and so left out; say what it is to "
                      "be: {}=VALUE",
                      at, Printable(value.text), at));
    }
    return true;
  };
  std::erase_if(node.items,
                [&](const Node& item) { return left_out(item, path); });
  for (Node& item : node.items) LeaveOutUnresolved(item, path, warnings);
  const auto below = [&](const Entry& entry) {
    const std::string key = PythonStr(entry.key);
    return path.empty() ? key : path + "." + key;
  };
  std::erase_if(node.entries, [&](const Entry& entry) {
    return left_out(entry.value, below(entry));
  });
  for (Entry& entry : node.entries)
    LeaveOutUnresolved(entry.value, below(entry), warnings);
}

// ---- what is kept of the configuration --------------------------------------

// hydra.run.dir as written, where every run has another by the time.
const Node* DirectoryOfNow(const Composition& composition) {
  const Node* dir = composition.full().FindPath("hydra.run.dir");
  const bool of_now = dir != nullptr && dir->is_interpolation() &&
                      dir->text.find("${now:") != std::string::npos;
  return of_now ? dir : nullptr;
}

// As Hydra keeps it: interpolations as they were written. What they stood for,
// secrets of the environment among it, is nobody's who reads it.
std::string ConfigYaml(const Composition& composition) {
  Node kept = composition.task();
  Node hydra = Node::Map();
  const Node* dir = DirectoryOfNow(composition);
  hydra.Set("run", Node::Map())
      .Set("dir", Node::String(dir != nullptr ? dir->text
                                              : std::string(kFreshDirectory)));
  for (const std::string_view path : {"output_subdir", "job.chdir"}) {
    const Node* value =
        composition.full().FindPath(fmt::format("hydra.{}", path));
    if (value == nullptr) continue;
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos)
      hydra.Set(path, *value);
    else
      hydra.Set(path.substr(0, dot), Node::Map())
          .Set(path.substr(dot + 1), *value);
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

// Everything but what changes neither what is measured nor what is reported.
std::string Fingerprint(Node resolved) {
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

}  // namespace

ConfigSources ShippedSources() {
  ConfigSources sources;
  sources.AddEmbedded("conf", EmbeddedConf());
  return sources;
}

Result<Composition> ComposeConfiguration(const SettingsRequest& request) {
  ConfigSources sources;
  if (!request.config_dir.empty()) {
    const std::filesystem::path folder =
        std::filesystem::path(request.surroundings.cwd) / request.config_dir;
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
      return Error(ErrorCode::kUsage,
                   fmt::format("--config-dir {}: there is no such folder",
                               Printable(request.config_dir)));
    }
    sources.AddDirectory(folder.lexically_normal());
  }
  if (request.embedded) sources.Append(ShippedSources());
  return Compose(
      std::move(sources),
      {.config_name = request.config_name, .overrides = request.overrides},
      request.surroundings);
}

Result<Settings> SettingsOf(const Composition& composition) {
  Node tree = TRY(composition.ResolvedTask());
  Settings out;
  out.warnings = composition.defaults().warnings;
  if (!composition.reaches_all()) LeaveOutUnresolved(tree, "", out.left_out);
  TRY(CheckSettingsKeys(tree));
  const Reader reader(tree);
  TRY(ReadNcuSettings(tree, out.ncu));
  ReadNcu(reader, out.ncu);
  ReadNsys(reader, out);
  ReadOwnRuns(reader, out);
  TRY(ReadWarmup(tree, out.regions));
  out.counters = TRY(ReadCounterSettings(tree));
  WarnOfCounts(out);
  ReadRegions(reader, out.regions);
  ReadReport(reader, out.report);
  TRY(ReadProvenance(tree, composition.reaches_all(), out));
  out.rollup = TRY(ReadRollupSettings(tree));
  TRY(ReadWorkload(tree, out));

  out.run_dir = TRY(composition.RunDirectory());
  if (composition.reaches_all()) {
    const Node hydra = TRY(composition.ResolvedHydra());
    TRY(ReadHydra(hydra, out));
    out.new_run_dir = DirectoryOfNow(composition) != nullptr;
  }
  out.fingerprint = Fingerprint(TRY(composition.SettledTask()));
  out.config_yaml = ConfigYaml(composition);
  return out;
}

Result<Settings> LoadSettings(const SettingsRequest& request) {
  const Composition composition = TRY(ComposeConfiguration(request));
  return SettingsOf(composition);
}

}  // namespace rangefinder
