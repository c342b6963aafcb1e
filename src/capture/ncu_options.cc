#include "capture/ncu_options.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/embedded.h"
#include "base/lists.h"
#include "base/text.h"
#include "capture/plan.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedNcuOptions();

namespace {

// The version of the table.
constexpr std::string_view kTableVersion = "2025.3.1";

std::string Underscored(std::string text) {
  std::ranges::replace(text, '-', '_');
  return text;
}

NcuOptionType TypeOf(std::string_view text) {
  if (text == "flag") return NcuOptionType::kFlag;
  if (text.starts_with("bool")) return NcuOptionType::kBool;
  if (text == "enum") return NcuOptionType::kEnum;
  if (text == "uint") return NcuOptionType::kUint;
  if (text == "csv-list") return NcuOptionType::kList;
  return NcuOptionType::kText;
}

std::vector<NcuOption> ReadOptions() {
  std::vector<NcuOption> table;
  const std::string_view text = EmbeddedNcuOptions()[0].content();
  for (const std::string& line : Split(text, '\n')) {
    const std::vector<std::string> cells = Split(line, '\t');
    if (cells.size() < 8 || cells[0] == "group") continue;
    NcuOption option{.name = Underscored(cells[1]),
                     .flag = "--" + cells[1],
                     .group = cells[0],
                     .type = TypeOf(cells[3]),
                     .type_text = cells[3],
                     .default_text = cells[5],
                     .repeatable = cells[6] == "yes"};
    if (option.type == NcuOptionType::kBool) option.type_text = "bool";
    if (!cells[4].empty()) option.values = Split(cells[4], '|');
    table.push_back(std::move(option));
  }
  return table;
}

Error Fail(std::string message) {
  return Error(ErrorCode::kUsage, std::move(message));
}

// The value of a word such as "true" or "off"; nothing for other words.
std::optional<bool> AsBool(const std::string& text) {
  for (const std::string_view word : {"true", "on", "yes", "1"})
    if (text == word) return true;
  for (const std::string_view word : {"false", "off", "no", "0"})
    if (text == word) return false;
  return std::nullopt;
}

Error Expected(std::string_view form, const NcuScalar& got) {
  return Fail(fmt::format("expected {}, got '{}'", form, Printable(got.text)));
}

Result<std::string> EnumWord(const NcuOption& option, const std::string& text) {
  if (Has(option.values, text)) return text;
  return Fail(fmt::format("expected one of {}, got '{}'{}",
                          fmt::join(option.values, ", "), Printable(text),
                          DidYouMean(text, option.values)));
}

Result<std::string> UintWord(const NcuScalar& value) {
  if (!value.is_bool && ParseNumber<std::size_t>(value.text)) return value.text;
  return Expected("a whole number that is not negative", value);
}

Result<std::string> TextWord(const NcuOption& option, const NcuScalar& value) {
  const std::string& text = value.text;
  if (option.name == "warp_sampling_interval") {
    if (text == "auto" || ParseNumber<std::size_t>(text).value_or(32) <= 31)
      return text;
    return Expected("auto, or a number from 0 to 31", value);
  }
  if (value.is_bool)
    return Expected(option.type_text == "path" ? "a path" : "a text", value);
  if (option.name == "kernel_id" && std::ranges::count(text, ':') < 3) {
    return Expected(
        "context:stream:[regex:]name:invocation, each part may be "
        "empty",
        value);
  }
  if (option.name == "range_filter" && std::ranges::count(text, ':') != 2) {
    return Expected("[yes|no]:[start/stop instances]:[NVTX instances]", value);
  }
  if (text.empty()) return Expected("a text that is not empty", value);
  return text;
}

Result<std::string> Word(const NcuOption& option, const NcuScalar& value) {
  switch (option.type) {
    case NcuOptionType::kBool: {
      const auto on = AsBool(value.text);
      if (!on) return Expected("true or false", value);
      return std::string(*on ? "yes" : "no");
    }
    case NcuOptionType::kEnum:
      return EnumWord(option, value.text);
    case NcuOptionType::kUint:
      return UintWord(value);
    default:
      return TextWord(option, value);
  }
}

// An option that ncu refuses in range replay and app-range replay.
struct Clash {
  std::string_view option;
  std::string_view why;
};

constexpr std::array kClashes = {
    Clash{"import_source",
          "Option import-source is not supported during range replay"},
    Clash{"profile_from_start",
          "Option profile-from-start is not supported during range replay"},
    Clash{"app_replay_buffer",
          "Option '--app-replay-buffer' is not supported with range-based "
          "replay modes"},
    Clash{"kernel_name",
          "Option kernel-name is not supported during range replay (nor in "
          "app-range replay: both measure a range with all its kernels)"},
    Clash{"kernel_id",
          "Option kernel-id is not supported during range replay (nor in "
          "app-range replay: both measure a range with all its kernels)"},
};

}  // namespace

std::span<const NcuOption> NcuOptionTable() {
  static const std::vector<NcuOption> table = ReadOptions();
  return table;
}

const NcuOption* FindNcuOption(std::string_view name) {
  const auto table = NcuOptionTable();
  const auto it = std::ranges::find(table, name, &NcuOption::name);
  return it == table.end() ? nullptr : &*it;
}

std::string_view ReservedNcuOption(std::string_view name) {
  struct Row {
    std::string_view name;
    std::string_view why;
  };
  static constexpr std::string_view kOther =
      "makes ncu do something other than profiling";
  static constexpr std::array kRows = {
      Row{"help", kOther},
      Row{"version", kOther},
      Row{"mode",
          "is always launch-and-attach: Rangefinder starts the program"},
      Row{"import", "is for reports: use rangefinder report FILE"},
      Row{"export", "is a file of the run directory; set hydra.run.dir"},
      Row{"log_file", "is a file of the run directory; set hydra.run.dir"},
      Row{"open_in_ui", kOther},
      Row{"list_chips", kOther},
      Row{"list_metrics", kOther},
      Row{"list_rules", kOther},
      Row{"list_sections", kOther},
      Row{"list_sets", kOther},
      Row{"query_metrics", kOther},
      Row{"nvtx", "is always on: without it no kernel has a region"},
  };
  const auto it = std::ranges::find(kRows, name, &Row::name);
  return it == kRows.end() ? std::string_view() : it->why;
}

Result<NcuWords> MakeNcuWords(const NcuOption& option, const NcuValue& value) {
  NcuWords out;
  if (option.type == NcuOptionType::kFlag) {
    if (value.is_list) return Fail("expected true or false, got a list");
    const NcuScalar& scalar = value.items.front();
    const auto on = AsBool(scalar.text);
    if (!on) return Expected("true or false", scalar);
    out.passed = *on;
    return out;
  }
  if (value.is_list && !option.repeatable &&
      option.type != NcuOptionType::kList)
    return Fail("expected one value, got a list");
  if (option.type == NcuOptionType::kList) {
    std::string joined;
    for (const NcuScalar& item : value.items) {
      for (const std::string& raw : Split(item.text, ',')) {
        const std::string part(Trim(raw));
        if (part.empty()) continue;
        if (!option.values.empty()) TRY(EnumWord(option, part));
        joined += (joined.empty() ? "" : ",") + part;
      }
    }
    out.passed = !joined.empty();
    if (out.passed) out.words.push_back(std::move(joined));
    return out;
  }
  for (const NcuScalar& item : value.items)
    out.words.push_back(TRY(Word(option, item)));
  out.passed = !out.words.empty();
  return out;
}

Status CheckNcuOptions(
    std::string_view replay_mode,
    const std::map<std::string, std::vector<std::string>>& options,
    bool nvtx_exclude) {
  const bool by_kernel =
      replay_mode == "kernel" || replay_mode == "application";
  for (const Clash& clash : kClashes) {
    if (by_kernel || !options.contains(std::string(clash.option))) continue;
    return Fail(fmt::format(
        "pipeline.ncu.ncu_cli.{0} cannot be combined with replay_mode={1}; ncu "
        "would say: {2}.\nSet {0} to null, or use replay_mode=kernel",
        clash.option, replay_mode, clash.why));
  }
  if (IsRangeMode(replay_mode) && nvtx_exclude) {
    return Fail(fmt::format(
        "pipeline.ncu.ncu_cli.nvtx.exclude cannot be combined with "
        "replay_mode={}; ncu would say: Option nvtx-exclude is not supported "
        "during range replay.\nLeave regions out of the report with "
        "regions.exclude, or use replay_mode=kernel",
        replay_mode));
  }
  const auto graph = options.find("graph_profiling");
  if (graph != options.end() && graph->second.front() == "graph" &&
      replay_mode != "kernel") {
    return Fail(
        fmt::format("pipeline.ncu.ncu_cli.graph_profiling=graph needs "
                    "replay_mode=kernel, not {}",
                    replay_mode));
  }
  const auto rename = options.find("rename_kernels");
  if (options.contains("rename_kernels_path") && rename != options.end() &&
      rename->second.front() == "no") {
    return Fail(
        "pipeline.ncu.ncu_cli.rename_kernels_path has no effect with "
        "rename_kernels=false");
  }
  return Ok();
}

std::set<std::string> ParseNcuHelp(std::string_view help) {
  std::set<std::string> out;
  for (const std::string& raw : Split(help, '\n')) {
    std::string_view line = Trim(raw);
    // "  -k [ --kernel-name ] arg   ...", "  --set arg   ..."; lines with more
    // indent are explanations.
    constexpr std::size_t kDeepest = 8;
    if (!line.starts_with('-') || raw.find('-') > kDeepest) continue;
    const std::size_t at = line.find("--");
    if (at == std::string_view::npos || at > 8) continue;
    line.remove_prefix(at + 2);
    const std::size_t end = std::min(
        line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
        line.size());
    if (end > 0) out.insert(Underscored(std::string(line.substr(0, end))));
  }
  return out;
}

Status CheckInstalledNcu(
    const std::map<std::string, std::vector<std::string>>& options,
    std::string_view help, std::string_view version) {
  const std::set<std::string> installed = ParseNcuHelp(help);
  if (installed.empty()) return Ok();  // its options are not known
  for (const auto& [name, words] : options) {
    if (installed.contains(name)) continue;
    std::string flag = name;
    std::ranges::replace(flag, '_', '-');
    std::string message = fmt::format(
        "pipeline.ncu.ncu_cli.{}: the installed ncu {} has no --{}; it is an "
        "option of ncu {}",
        name, version, flag, kTableVersion);
    const std::vector<std::string> names(installed.begin(), installed.end());
    if (const auto near = Nearest(name, names))
      message += fmt::format("\nDid you mean '{}'?", *near);
    return Fail(std::move(message));
  }
  return Ok();
}

}  // namespace rangefinder
