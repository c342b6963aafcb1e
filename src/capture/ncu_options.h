// The options of Nsight Compute's command line: a table, and checks before ncu
// runs.
//
// The table is src/capture/ncu_options.tsv, the 102 options of ncu 2025.3.1.
// Names have underscores, as in the configuration.

#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rangefinder {

enum class NcuOptionType { kFlag, kBool, kEnum, kUint, kText, kList };

struct NcuOption {
  std::string name{};  // "replay_mode"
  std::string flag{};  // "--replay-mode"
  std::string group{};
  NcuOptionType type = NcuOptionType::kText;
  std::string type_text{};            // "enum", "path", "name|regex:RE"
  std::vector<std::string> values{};  // of an enum or of a list's items
  std::string default_text{};
  bool repeatable = false;
};

// The keys of ncu's options begin with it.
inline constexpr std::string_view kNcuKeys = "pipeline.ncu.ncu_cli.";
// In the order of `ncu --help`.
std::span<const NcuOption> NcuOptionTable();
// Null if ncu has no such option.
const NcuOption* FindNcuOption(std::string_view name);
// The reason why an option cannot be set: Rangefinder sets it, or it makes ncu
// do something other than profiling. Half a sentence; empty: it can be set.
std::string_view ReservedNcuOption(std::string_view name);

// A value of the configuration: one text, or a list of texts.
struct NcuScalar {
  std::string text{};
  bool is_bool = false;  // not a quoted "true"
};
struct NcuValue {
  std::vector<NcuScalar> items{};
  bool is_list = false;  // false: there is one item
};

// The words of an option on the command line: one per occurrence, none for a
// flag.
struct NcuWords {
  bool passed = true;  // false: the value means not to pass the option
  std::vector<std::string> words{};
};
// The error names the expected value, without the key.
Result<NcuWords> MakeNcuWords(const NcuOption& option, const NcuValue& value);

// kUsage for options, by name, that ncu would refuse together.
Status CheckNcuOptions(
    std::string_view replay_mode,
    const std::map<std::string, std::vector<std::string>>& options,
    bool nvtx_exclude);

// The long options of `ncu --help`, with underscores.
std::set<std::string> ParseNcuHelp(std::string_view help);

// kUsage for an option that the installed ncu, with this help, lacks.
Status CheckInstalledNcu(
    const std::map<std::string, std::vector<std::string>>& options,
    std::string_view help, std::string_view version);

}  // namespace rangefinder
