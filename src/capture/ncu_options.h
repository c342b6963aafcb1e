// The options of Nsight Compute's command line: a table, and what can be said
// of them before ncu runs.
//
// The table is src/capture/ncu_options.tsv, the 102 options of ncu 2025.3.1.
// Names have underscores here, as in the configuration.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
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
  std::vector<std::string> values{};  // of an enum; of a list's items
  std::string default_text{};
  bool repeatable = false;
};

// In ncu's own order.
std::span<const NcuOption> NcuOptionTable();
// Null where ncu has no such option.
const NcuOption* FindNcuOption(std::string_view name);
// Why this option cannot be set: it is what Rangefinder itself decides, or
// makes ncu do something else than profile. Empty: it can.
std::string_view ReservedNcuOption(std::string_view name);

// A configuration's value, in the types it has.
using NcuScalar = std::variant<bool, std::int64_t, double, std::string>;
using NcuValue = std::variant<NcuScalar, std::vector<NcuScalar>>;

// The words that follow the option: none for a flag, one an occurrence. Nothing
// at all (an empty optional) where the value means "do not pass it". The error
// says what was expected, without the key.
struct NcuWords {
  bool passed = true;
  std::vector<std::string> words{};
};
Result<NcuWords> MakeNcuWords(const NcuOption& option, const NcuValue& value);

// What ncu would refuse: options by name, as they will be passed.
Status CheckNcuOptions(
    std::string_view replay_mode,
    const std::map<std::string, std::vector<std::string>>& options,
    bool nvtx_exclude);

// The long options, with underscores, that the text of `ncu --help` lists.
std::set<std::string> ParseNcuHelp(std::string_view help);

// The version in the text of `ncu --version`, or "unknown".
std::string ParseNcuVersion(std::string_view text);

// Every option to be passed is one that the installed ncu has.
Status CheckInstalledNcu(
    const std::map<std::string, std::vector<std::string>>& options,
    std::string_view help, std::string_view version_text);

}  // namespace rangefinder
