#include "app/settings_keys.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace rangefinder {
namespace {

using enum KeyType;

constexpr std::array kKeys = {
    SettingsKey{"device", kText, false, "", "",
                "Where the bundled workload runs: `cuda:0`, `cuda:1`, … A "
                "program of your own decides that itself."},
    SettingsKey{
        "hydra.run.dir", kText, false, "", "",
        "The run directory; relative to where Rangefinder was started."},
    SettingsKey{"hydra.job.chdir", kBool, true, "", "",
                "`true` starts the program in the run directory; otherwise it "
                "is started where Rangefinder was, so that its paths mean what "
                "they say."},
    SettingsKey{"hydra.output_subdir", kText, true, "", "",
                "Only null: config.yaml is in the run directory itself."},
    SettingsKey{"pipeline.workload.argv", kWords, true, "", "",
                "The program to profile and its arguments; what follows `--` "
                "goes before it."},
    SettingsKey{"pipeline.workload.module", kText, true, "", "",
                "A Python module: `python3 -m MODULE`, then `argv`."},
    SettingsKey{"pipeline.ncu.description", kText, true, "", "",
                "What the preset is for."},
    SettingsKey{"pipeline.ncu.enable", kBool, false, "", "",
                "Collect with Nsight Compute."},
    SettingsKey{
        "pipeline.ncu.gating_nvtx", kBool, false, "", "",
        "Collect only kernels inside ranges: those of `nvtx.include`, or "
        "any. With `false`, all kernels."},
    SettingsKey{"pipeline.ncu.path", kText, false, "", "",
                "The `ncu` to run: a name in `PATH`, or a file."},
    SettingsKey{"pipeline.ncu.fallback", kNames, true,
                "kernel|application|range|app-range|none", "",
                "Replay modes to try in turn where the one asked for cannot "
                "profile the program."},
    SettingsKey{"pipeline.ncu.exclude_communication", kBool, false, "", "",
                "Leave out kernels that wait for other processes (NCCL, "
                "NVSHMEM), by name."},
    SettingsKey{"pipeline.ncu.exact_rollup", kBool, false, "", "",
                "Collect the inputs that combining the metrics exactly needs."},
    SettingsKey{"pipeline.ncu.timeout", kNumber, true, "", "",
                "Seconds that one run of ncu may take; 0: any."},
    SettingsKey{"pipeline.ncu.hang_timeout", kNumber, true, "", "",
                "Seconds without progress that are a hang; 0: never."},
    SettingsKey{
        "pipeline.ncu.budget", kDuration, true, "", "",
        "Time that all runs of ncu may take together: `5m`, `90s`, "
        "`1h30m`, or seconds. What does not fit is left out, and said."},
    SettingsKey{"pipeline.ncu.kernel_config", kText, true, "", "",
                "A list of kernels, as `rangefinder kernels --format yaml` "
                "writes it: each is profiled in a run of its own."},
    SettingsKey{"pipeline.ncu.kernel_top", kInteger, true, "", "",
                "How many of that list, from its beginning; null: all."},
    SettingsKey{"pipeline.ncu.kernel_launch_skip", kInteger, false, "",
                "--launch-skip",
                "Launches of each listed kernel to skip: the warm-up."},
    SettingsKey{"pipeline.ncu.kernel_launch_count", kInteger, false, "",
                "--launch-count",
                "Launches of each listed kernel to measure after that."},
    SettingsKey{"pipeline.ncu.kernel_sections", kNames, true, "", "--section",
                "Sections to collect of listed kernels beside `sections`."},
    SettingsKey{"pipeline.ncu.ncu_cli.replay_mode", kText, false,
                "kernel|application|range|app-range", "--replay-mode",
                "What is replayed for each pass."},
    SettingsKey{"pipeline.ncu.ncu_cli.nvtx.include", kPatterns, true, "",
                "--nvtx --nvtx-include",
                "Regions to collect, as patterns of region names."},
    SettingsKey{"pipeline.ncu.ncu_cli.nvtx.exclude", kPatterns, true, "",
                "--nvtx-exclude",
                "Regions to leave out; not with range and app-range replay."},
    SettingsKey{"pipeline.ncu.ncu_cli.nvtx.native", kBool, true, "", "",
                "The patterns are ncu's own expressions, passed as they are."},
    SettingsKey{"pipeline.ncu.ncu_cli.set", kText, true, "", "--set",
                "A section set of ncu."},
    SettingsKey{"pipeline.ncu.ncu_cli.sections", kNames, true, "", "--section",
                "Sections to collect, by identifier."},
    SettingsKey{"pipeline.ncu.ncu_cli.metrics", kNames, true, "", "--metrics",
                "Metrics to collect; those the device does not have are left "
                "out with a note."},
    SettingsKey{"pipeline.ncu.ncu_cli.export.csv", kBool, true, "", "",
                "Also write `raw.csv`, of the run and of each region."},
    SettingsKey{"pipeline.nsys.description", kText, true, "", "",
                "What the preset is for."},
    SettingsKey{"pipeline.nsys.enable", kBool, false, "", "",
                "Collect with Nsight Systems."},
    SettingsKey{"pipeline.nsys.gating_nvtx", kBool, false, "", "",
                "Let `capture_range` apply."},
    SettingsKey{"pipeline.nsys.path", kText, false, "", "",
                "The `nsys` to run: a name in `PATH`, or a file."},
    SettingsKey{"pipeline.nsys.trace", kNames, true, "", "--trace",
                "What to trace."},
    SettingsKey{"pipeline.nsys.sample", kText, true, "", "--sample",
                "CPU sampling; `none` is not passed."},
    SettingsKey{"pipeline.nsys.capture_range", kText, true,
                "none|nvtx|cudaProfilerApi|hotkey", "--capture-range",
                "What starts and ends the collection."},
    SettingsKey{"pipeline.nsys.capture_range_end", kText, true, "",
                "--capture-range-end", "What happens at the end of the range."},
    SettingsKey{"pipeline.nsys.nvtx_capture", kText, true, "", "--nvtx-capture",
                "The range that starts the collection, with "
                "`capture_range=nvtx`."},
    SettingsKey{"pipeline.trace.enable", kBool, false, "", "",
                "Run the program once under the tracer before ncu's runs: the "
                "plan, the cost and the undisturbed times come from it."},
    SettingsKey{"pipeline.trace.mode", kText, false, "regions|trace", "",
                "`regions`: ranges and launches; `trace`: GPU time too."},
    SettingsKey{"pipeline.counters.description", kText, true, "", "",
                "What the preset is for."},
    SettingsKey{"pipeline.counters.enable", kBool, false, "", "",
                "Sample hardware counters while the program runs once, and "
                "divide them among its regions."},
    SettingsKey{"pipeline.counters.mode", kText, false, "sample|count|off", "",
                "Samples of the whole run, divided among the regions; exact "
                "counts of chosen instances; or neither. In a file, `'off'` "
                "is in quotes."},
    SettingsKey{"pipeline.counters.metrics", kNames, true, "", "",
                "What is counted, by full names; `rangefinder counters` lists "
                "what the GPU has."},
    SettingsKey{"pipeline.counters.interval_us", kInteger, false, "", "",
                "Microseconds from one sample to the next, 10 to 1000000."},
    SettingsKey{"pipeline.counters.budget", kText, false, "", "",
                "What exact counts may add to the run: a share of it (`5%`), "
                "or a time (`30s`)."},
    SettingsKey{"pipeline.counters.check", kBool, false, "", "",
                "Count some instances exactly in a second run, and compare "
                "with what the samples say."},
    SettingsKey{"regions.include", kPatterns, true, "", "",
                "Patterns over region paths; empty: all."},
    SettingsKey{"regions.exclude", kPatterns, true, "", "",
                "Regions to leave out; wins over `include`."},
    SettingsKey{"regions.domains.include", kPatterns, true, "", "",
                "NVTX domains whose ranges make regions; empty: all."},
    SettingsKey{"regions.domains.exclude", kPatterns, true, "", "",
                "NVTX domains to leave out; wins over `include`."},
    SettingsKey{"regions.kernels.include", kPatterns, true, "", "",
                "Kernels to count in each region, by name; empty: all."},
    SettingsKey{"regions.kernels.exclude", kPatterns, true, "", "",
                "Kernels to leave out; wins over `include`."},
    SettingsKey{"regions.kernels.base", kText, false,
                "demangled|function|mangled", "",
                "Which name of a kernel the patterns are matched against."},
    SettingsKey{"regions.merge.auto", kBool, false, "", "",
                "Ranges whose names differ by a counter are instances of one "
                "region (docs/attribution.md, section 9)."},
    SettingsKey{"regions.merge.patterns", kPatterns, true, "", "",
                "Names that are instances of one region, too: `layer[0-9]*`, "
                "or `regex:` with groups that stay."},
    SettingsKey{"regions.aggregate", kBool, false, "", "",
                "Report the aggregate of all processes and devices too."},
    SettingsKey{"regions.start_end", kText, false, "path|ignore", "",
                "Start/end ranges make regions, or are ignored."},
    SettingsKey{"regions.threads", kText, false, "own|adopt|forward", "",
                "Where kernels of other threads stand: under the launching "
                "thread's ranges (`own`); under those of the thread that waits "
                "for it (`adopt`); under their forward region, by PyTorch's "
                "`seq` (`forward`, the rest as `adopt`)."},
    SettingsKey{"regions.graphs", kText, false, "nested|launch|capture", "",
                "Where kernels of CUDA graphs stand: under the graph's launch, "
                "in the regions they were captured in (`nested`); in the "
                "region of the launch; in that of the capture."},
    SettingsKey{"regions.max_rows", kInteger, false, "", "",
                "Rows of a table for people; the rest is one line."},
    SettingsKey{"regions.warmup", kText, false, "", "",
                "First instances of a region that are shown apart from a "
                "steady one: those that are outliers (`auto`), none (`off`), "
                "or a number in each process."},
    SettingsKey{"regions.instances.skip", kInteger, false, "", "",
                "First instances of each region to leave out (warm-up)."},
    SettingsKey{"regions.instances.count", kInteger, true, "", "",
                "Instances of each region to count; null: all."},
    SettingsKey{"report.formats", kNames, true, "md|json|html|sqlite", "",
                "Which reports to write."},
    SettingsKey{"report.format.metrics", kText, false, "auto|requested|all", "",
                "Metrics that stand in place in report.json; the others are "
                "packed (docs/report-json.md). `auto`: those asked for by "
                "name; if none, all of a small report."},
    SettingsKey{"report.format.kernel_names", kText, false, "short|full", "",
                "Kernels in tables for people: without namespaces, parameters "
                "and most template arguments (docs/kernel-names.md), or as the "
                "capture has them."},
    SettingsKey{"report.provenance", kText, true, "", "",
                "A file of Inductor's that says which operators are in each "
                "kernel of torch.compile (docs/kernel-names.md)."},
    SettingsKey{"report.metrics", kNames, true, "", "",
                "Metrics of the tables for people; empty: those asked of ncu."},
    SettingsKey{
        "report.max_folders", kInteger, false, "", "",
        "Regions that get a folder with files of their own, those with "
        "the most GPU time and within fewer than 32 others; report.json "
        "has all regions."},
    SettingsKey{"report.table.by", kText, false, "region|name|kernel|rank", "",
                "What the rows of the terminal's table are (`--by`)."},
    SettingsKey{"report.table.columns", kNames, true, "", "",
                "Its columns: time, share, launches, exclusive, replay, "
                "instances, CPU, busy, idle, max/mean, or metrics; empty: as "
                "many as fit (`--columns`)."},
    SettingsKey{"report.table.sort", kText, false, "", "",
                "The column by which its rows are sorted, most first "
                "(`--sort`)."},
    SettingsKey{"report.table.top", kInteger, false, "", "",
                "Rows that it shows at most, those that sort first; 0: all, up "
                "to `regions.max_rows` (`--top`)."},
    SettingsKey{
        "report.table.depth", kInteger, true, "", "",
        "Levels of the tree that it shows; null or 0: all (`--depth`)."},
    SettingsKey{"report.table.min_share", kNumber, false, "", "",
                "Percent of the time below which a row is not shown "
                "(`--min-share`)."},
    SettingsKey{"report.table.flat", kBool, false, "", "",
                "Whole paths in one order in the place of a tree (`--flat`)."},
    SettingsKey{"report.table.scope", kText, true, "", "",
                "The process and device, or the rank, that it is of, or `all`; "
                "null: all together (`--scope`)."},
    SettingsKey{"diff.gate.time", kText, false, "", "",
                "From what relative change of GPU time on a region can be "
                "SLOWER or FASTER."},
    SettingsKey{"diff.gate.absolute", kText, false, "", "",
                "And from what change of a run's time (`20us`, `1.5ms`)."},
    SettingsKey{"diff.gate.counters", kText, false, "", "",
                "From what relative change on an exact counter has changed."},
    SettingsKey{"diff.gate.alpha", kText, false, "", "",
                "How often a whole report of equal programs may call anything "
                "SLOWER or FASTER, half of it SLOWER; 0.1 % or more."},
    SettingsKey{"diff.gate.runs", kInteger, false, "", "",
                "Runs a side below which no time is gated."},
    SettingsKey{"diff.strict", kBool, false, "", "",
                "Pair regions and kernels by name alone (`--strict`)."},
    SettingsKey{"diff.match", kText, true, "", "",
                "A file with the pairs of regions and kernels that were "
                "renamed (`--match`)."},
    SettingsKey{"diff.calibration", kText, true, "", "",
                "A file of `diff --calibrate`: the noise of every region."},
    SettingsKey{"diff.accepted", kText, true, "", "",
                "A file of regressions that are accepted, each with a reason "
                "and a last day."},
};

// Maps of which every key is in the table.
constexpr std::array<std::string_view, 6> kClosed = {
    "regions",           "report",        "pipeline.ncu", "pipeline.nsys",
    "pipeline.counters", "pipeline.trace"};

bool IsPrefixOfKey(std::string_view path) {
  const std::string prefix = std::string(path) + ".";
  return std::ranges::any_of(kKeys, [&](const SettingsKey& key) {
    return key.path.starts_with(prefix);
  });
}

bool IsScalar(const Node& value) {
  return !value.is_container() && value.kind != NodeKind::kBool;
}

bool IsBool(const Node& value) {
  return value.kind == NodeKind::kBool;
}

bool IsInteger(const Node& value) {
  return value.kind == NodeKind::kInt && value.integer >= 0 &&
         value.text.empty();
}

bool IsNumber(const Node& value) {
  return IsInteger(value) ||
         (value.kind == NodeKind::kFloat && value.number >= 0);
}

bool IsDuration(const Node& value) {
  if (value.kind == NodeKind::kString)
    return ParseDuration(value.text).has_value();
  return IsNumber(value);
}

bool AreWords(const Node& value) {
  if (!value.is_list()) return IsScalar(value);
  return std::ranges::all_of(value.items, [](const Node& item) {
    return !item.is_container() && !item.is_null();
  });
}

struct TypeRow {
  KeyType type;
  std::string_view name;      // for the documentation
  std::string_view expected;  // for whoever wrote something else
  bool (*fits)(const Node& value);
};

constexpr std::array kTypes = {
    TypeRow{kBool, "bool", "true or false", IsBool},
    TypeRow{kText, "text", "a text", IsScalar},
    TypeRow{kNumber, "number", "a number that is not negative", IsNumber},
    TypeRow{kInteger, "whole number", "a whole number that is not negative",
            IsInteger},
    TypeRow{kDuration, "time (5m, 90s, 1h30m), or seconds",
            "a time such as 5m, 90s, 1h30m or a number of seconds", IsDuration},
    TypeRow{kNames, "list, or text with commas",
            "a list of names, or names with commas", AreWords},
    TypeRow{kPatterns, "list, or text with semicolons",
            "a list of patterns, or patterns with semicolons", AreWords},
    TypeRow{kWords, "list", "a list of words", AreWords},
};

const TypeRow& TypeOf(const SettingsKey& key) {
  return *std::ranges::find(kTypes, key.type, &TypeRow::type);
}

// "a text", or the texts there are; YAML reads some of them as true and false.
std::string ExpectedOf(const SettingsKey& key) {
  if (key.type != kText || key.values.empty())
    return std::string(TypeOf(key).expected);
  const std::vector<std::string> words = Split(key.values, '|');
  std::string text = fmt::format("one of {}", fmt::join(words, ", "));
  if (std::ranges::find(words, "off") != words.end())
    text += " (in a file 'off' has quotes, without them it is false)";
  return text;
}

Status CheckValue(const SettingsKey& key, const Node& value) {
  if (value.is_missing())
    return KeyError(key.path, value,
                    "a value has to be given: it still is ???");
  const TypeRow& type = TypeOf(key);
  if (value.is_null()) {
    if (key.nullable) return Ok();
    return KeyError(key.path, value,
                    fmt::format("expected {}, got null", type.expected));
  }
  if (!type.fits(value)) {
    return KeyError(
        key.path, value,
        fmt::format("expected {}{}, got {} '{}'", ExpectedOf(key),
                    key.nullable ? " or null" : "", PythonTypeName(value),
                    Printable(PythonStr(value))));
  }
  if (key.values.empty()) return Ok();
  const std::vector<std::string> allowed = Split(key.values, '|');
  for (const std::string& word : TextsOf(value, ',')) {
    if (std::ranges::find(allowed, word) != allowed.end()) continue;
    std::string message = fmt::format(
        "expected {}{}, got '{}'", key.type == kNames ? "some of " : "one of ",
        fmt::join(allowed, ", "), Printable(word));
    if (const auto near = Nearest(word, allowed))
      message += fmt::format("; did you mean '{}'?", *near);
    return KeyError(key.path, value, message);
  }
  return Ok();
}

Status CheckClosed(const Node& node, const std::string& path) {
  if (!node.is_map()) {
    return KeyError(
        path, node,
        fmt::format("expected a map, got '{}'", Printable(PythonStr(node))));
  }
  for (const Entry& entry : node.entries) {
    const std::string name = path + "." + PythonStr(entry.key);
    // Options of ncu are checked against ncu's own table.
    if (name == "pipeline.ncu.ncu_cli" || FindSettingsKey(name) != nullptr)
      continue;
    if (IsPrefixOfKey(name)) {
      if (!entry.value.is_null()) TRY(CheckClosed(entry.value, name));
      continue;
    }
    std::vector<std::string> names;
    std::string below;
    for (const SettingsKey& key : kKeys) {
      names.emplace_back(key.path);
      if (key.path.starts_with(path + "."))
        below += (below.empty() ? "" : ", ") +
                 std::string(key.path.substr(path.size() + 1));
    }
    const auto near = Nearest(name, names);
    return KeyError(
        name, entry.key,
        near ? fmt::format("there is no such key; did you mean "
                           "'{}'?",
                           *near)
             : fmt::format("there is no such key; '{}' has {}", path, below));
  }
  return Ok();
}

}  // namespace

std::span<const SettingsKey> SettingsKeys() {
  return kKeys;
}

const SettingsKey* FindSettingsKey(std::string_view path) {
  const auto it = std::ranges::find(kKeys, path, &SettingsKey::path);
  return it == kKeys.end() ? nullptr : &*it;
}

std::string TypeText(const SettingsKey& key) {
  std::string text(TypeOf(key).name);
  if (!key.values.empty()) {
    std::string values(key.values);
    std::string shown;
    for (const char c : values)
      shown += c == '|' ? std::string(", ") : std::string(1, c);
    text = (key.type == kNames ? "list of: " : "one of: ") + shown;
  }
  if (key.nullable) text += ", or null";
  return text;
}

Status CheckSettingsKeys(const Node& tree) {
  for (const SettingsKey& key : kKeys) {
    if (const Node* value = tree.FindPath(key.path))
      TRY(CheckValue(key, *value));
  }
  for (const std::string_view path : kClosed) {
    const Node* node = tree.FindPath(path);
    if (node == nullptr || node->is_null()) continue;
    TRY(CheckClosed(*node, std::string(path)));
  }
  return Ok();
}

std::vector<std::string> TextsOf(const Node& node, char separator) {
  std::vector<std::string> out;
  const auto add = [&](const Node& item) {
    for (const std::string& part : Split(PythonStr(item), separator)) {
      const std::string_view text = Trim(part);
      if (!text.empty()) out.emplace_back(text);
    }
  };
  if (node.is_list()) {
    for (const Node& item : node.items) add(item);
  } else if (!node.is_null()) {
    add(node);
  }
  return out;
}

Error KeyError(std::string_view path, const Node& value,
               std::string_view message) {
  std::string text = fmt::format("{}: {}", path, message);
  if (value.place.source) {
    text += fmt::format("\n  at {}", Describe(value.place));
    std::string excerpt = Excerpt(value.place);
    if (!excerpt.empty()) {
      excerpt.pop_back();
      text += "\n" + excerpt;
    }
  }
  return Error(ErrorCode::kUsage, std::move(text));
}

}  // namespace rangefinder
