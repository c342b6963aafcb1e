// One key of the configuration: type, values, meaning, and the member of
// Settings that holds the value. Reading, checking, --help, completion,
// docs/configuration.md and conf/config.yaml walk the table of all keys
// (settings_table.cc).

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "config/node.h"
#include "insight/warmup.h"
#include "plan/settings.h"

namespace rangefinder {

struct Settings;

enum class KeyType : std::uint8_t {
  kBool,
  kAutoBool,  // auto, true or false
  kText,
  kNumber,   // not negative
  kInteger,  // not negative
  kAutoInteger,
  kDuration,   // seconds, or a text like 5m, 90s, 1h30m
  kShortTime,  // nanoseconds, or a text like 20us, 1.5ms
  kShare,      // 5% or 0.05
  kPercent,    // 5% or 5
  kBudget,     // a share of the run, or a duration
  kDevice,     // cuda:0
  kWarmup,     // auto, off or a number
  kNames,      // a list, or one text with commas
  kPatterns,   // a list, or one text with semicolons
  kWords,      // a list of words
  kMap,        // keys that the user names
};

struct Setting {
  std::string_view key{};
  KeyType type = KeyType::kText;
  std::string_view about{};   // one or two sentences, in Markdown
  std::string_view values{};  // "a|b|c"; empty: any
  std::string_view flag{};    // of ncu or nsys
  bool nullable = false;
  // The default is in a preset, or at the top of conf/config.yaml.
  bool of_preset = false;
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  // Store a valid value, and write the member's value as YAML. Null if no
  // member holds the value: settings.cc reads these keys.
  Status (*store)(const Setting& row, const Node& value,
                  Settings& to) = nullptr;
  std::string (*show)(const Setting& row, const Settings& settings) = nullptr;
};

// All rows, in the order of the documentation.
std::span<const Setting> SettingsTable();
const Setting* FindSetting(std::string_view key);
// Whether `key` is one of `prefixes` ("pipeline.ncu regions"), or below one.
bool IsBelow(std::string_view key, std::string_view prefixes);

// "bool", "list, or text with commas", "number or null"
std::string TypeText(const Setting& setting);

// Stores every key of `tree` that the table has. kUsage, with key and place: a
// value does not fit its row, or a key has no row below a prefix whose keys are
// all known (regions, report, pipeline.ncu …).
Status ReadTable(const Node& tree, Settings& to);

// ---- Values -----------------------------------------------------------------

// A list, or a text cut at `separator`, as texts; null is an empty list.
std::vector<std::string> TextsOf(const Node& node, char separator);
std::optional<double> NumberOf(std::string_view text);
std::optional<double> ShareOf(
    std::string_view text);  // 0.05 for "5%" and "0.05"
std::optional<double> PercentOf(std::string_view text);  // 5 for "5%" and "5"
std::optional<double> NanosecondsOf(std::string_view text);  // for "20us"

// An error about a key: the message, the place, the line with a caret.
template <typename... Arguments>
Error KeyError(std::string_view path, const Node& value,
               fmt::format_string<Arguments...> message,
               Arguments&&... arguments) {
  return ErrorAbove(
      value.place,
      fmt::format("{}: {}", path,
                  fmt::format(message, std::forward<Arguments>(arguments)...)));
}
// "there is no such key; did you mean …?", for a key in the map `path`.
Error NoSuchKey(std::string_view path, const Entry& entry,
                const std::vector<std::string>& known);

// ---- Members ----------------------------------------------------------------
// How a checked value is stored in a member, and how a member is written as
// YAML. Null keeps the default, but for members that can be empty.

using OptionalMode = std::optional<CounterMode>;  // nothing: off
using Texts = std::vector<std::string>;

Status Store(const Setting& row, const Node& value, bool& to);
Status Store(const Setting& row, const Node& value, std::string& to);
Status Store(const Setting& row, const Node& value, double& to);
Status Store(const Setting& row, const Node& value, std::uint64_t& to);
Status Store(const Setting& row, const Node& value, Texts& to);
Status Store(const Setting& row, const Node& value, WarmupRule& to);
Status Store(const Setting& row, const Node& value, CounterBudget& to);
Status Store(const Setting& row, const Node& value, OptionalMode& to);

std::string Show(const Setting& row, bool value);
std::string Show(const Setting& row, const std::string& value);
std::string Show(const Setting& row, double value);
std::string Show(const Setting& row, std::uint64_t value);
std::string Show(const Setting& row, const Texts& value);
std::string Show(const Setting& row, const WarmupRule& value);
std::string Show(const Setting& row, const CounterBudget& value);
std::string Show(const Setting& row, OptionalMode value);

// The enumerators of a member are in the order of the row's words.
Result<std::size_t> NumberOfWord(const Setting& row, const Node& value);
std::string WordOfNumber(const Setting& row, std::size_t number);

template <typename Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
Status Store(const Setting& row, const Node& value, Enum& to) {
  to = static_cast<Enum>(TRY(NumberOfWord(row, value)));
  return Ok();
}

template <typename Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
std::string Show(const Setting& row, Enum value) {
  return WordOfNumber(row, static_cast<std::size_t>(value));
}

// An empty member is null, or auto if the type of the row has that word.
bool IsNothing(const Setting& row, const Node& value);
std::string NothingText(const Setting& row);

template <typename T>
Status Store(const Setting& row, const Node& value, std::optional<T>& to) {
  if (IsNothing(row, value)) {
    to.reset();
    return Ok();
  }
  return Store(row, value, to.emplace());
}

template <typename T>
std::string Show(const Setting& row, const std::optional<T>& value) {
  return value ? Show(row, *value) : NothingText(row);
}

}  // namespace rangefinder
