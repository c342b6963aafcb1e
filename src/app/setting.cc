#include "app/setting.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/lists.h"
#include "base/text.h"
#include "counters/counter_host.h"

namespace rangefinder {
namespace {

using enum KeyType;

// Prefixes whose keys are all in the table.
constexpr std::string_view kClosed =
    "regions report diff pipeline.ncu pipeline.nsys pipeline.counters "
    "pipeline.trace";

// ---- Types ------------------------------------------------------------------

bool IsScalar(const Node& value) {
  return !value.is_container() && value.kind != NodeKind::kBool;
}

bool IsBool(const Node& value) {
  return value.kind == NodeKind::kBool;
}

bool IsAuto(const Node& value) {
  return value.is_string() && value.text == "auto";
}

bool IsAutoBool(const Node& value) {
  return IsBool(value) || IsAuto(value);
}

bool IsInteger(const Node& value) {
  return value.kind == NodeKind::kInt && value.integer >= 0 &&
         value.text.empty();
}

bool IsAutoInteger(const Node& value) {
  return IsInteger(value) || IsAuto(value);
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

bool IsShare(const Node& value) {
  return IsScalar(value) && ShareOf(PythonStr(value)).value_or(-1) >= 0;
}

bool IsPercent(const Node& value) {
  return IsScalar(value) && PercentOf(PythonStr(value)).value_or(-1) >= 0;
}

bool IsShortTime(const Node& value) {
  return IsScalar(value) && NanosecondsOf(PythonStr(value)).value_or(-1) >= 0;
}

// A share needs its percent sign: a plain number means seconds.
std::optional<CounterBudget> BudgetOf(const Node& value) {
  if (!IsScalar(value)) return std::nullopt;
  const std::string text = PythonStr(value);
  CounterBudget budget{.is_share = text.ends_with('%')};
  budget.value =
      (budget.is_share ? ShareOf(text) : ParseDuration(text)).value_or(0);
  return budget.value > 0 ? std::optional(budget) : std::nullopt;
}

bool IsBudget(const Node& value) {
  return BudgetOf(value).has_value();
}

// "cuda:N" or "N"
bool IsDevice(const Node& value) {
  const std::string text = PythonStr(value);
  std::string_view number = text;
  if (number.starts_with("cuda:")) number.remove_prefix(5);
  return !number.empty() && number.size() <= 3 &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

bool AreWords(const Node& value) {
  if (!value.is_list()) return IsScalar(value);
  return std::ranges::all_of(value.items, [](const Node& item) {
    return !item.is_container() && !item.is_null();
  });
}

bool IsMap(const Node& value) {
  return value.is_map();
}

struct TypeRow {
  KeyType type;
  std::string_view name;  // for the documentation
  std::string_view noun;  // for errors: "expected <noun><condition>"
  std::string_view condition;
  bool (*fits)(const Node& value);
};

constexpr std::string_view kNotNegative = " that is not negative";

constexpr std::array kTypes = {
    TypeRow{kBool, "bool", "true or false", "", IsBool},
    TypeRow{kAutoBool, "auto, true or false", "auto, true or false", "",
            IsAutoBool},
    TypeRow{kText, "text", "a text", "", IsScalar},
    TypeRow{kNumber, "number", "a number", kNotNegative, IsNumber},
    TypeRow{kInteger, "whole number", "a whole number", kNotNegative,
            IsInteger},
    TypeRow{kAutoInteger, "auto, or whole number", "auto, or a whole number",
            "", IsAutoInteger},
    TypeRow{kDuration, "time (5m, 90s, 1h30m), or seconds",
            "a time such as 5m, 90s, 1h30m or a number of seconds", "",
            IsDuration},
    TypeRow{kShortTime, "time (20us, 1.5ms)", "a time such as 20us or 1.5ms",
            "", IsShortTime},
    TypeRow{kShare, "share (5%)", "a share", " such as 5%", IsShare},
    TypeRow{kPercent, "percentage (5 or 5%)", "a percentage", "", IsPercent},
    TypeRow{kBudget, "share (5%), or time (30s, 2m)",
            "a share of the run such as 5%, or a time such as 30s or 2m, "
            "above 0",
            "", IsBudget},
    TypeRow{kDevice, "device (cuda:0)", "a CUDA device, as in cuda:0", "",
            IsDevice},
    TypeRow{kWarmup, "auto, off, or whole number",
            "auto, off or a number of instances", "", IsScalar},
    TypeRow{kNames, "list, or text with commas",
            "a list of names, or names with commas", "", AreWords},
    TypeRow{kPatterns, "list, or text with semicolons",
            "a list of patterns, or patterns with semicolons", "", AreWords},
    TypeRow{kWords, "list", "a list of words", "", AreWords},
    TypeRow{kMap, "map", "a map", "", IsMap},
};

const TypeRow& TypeOf(const Setting& setting) {
  return *std::ranges::find(kTypes, setting.type, &TypeRow::type);
}

// ---- Checks -----------------------------------------------------------------

std::string ExpectedOf(const Setting& setting) {
  const TypeRow& type = TypeOf(setting);
  std::string text;
  if (setting.values.empty() || setting.type == kNames) {
    text = fmt::format("{}{}", type.noun, type.condition);
  } else {
    const std::vector<std::string> words = Split(setting.values, '|');
    text = fmt::format("one of {}", fmt::join(words, ", "));
    if (Has(words, "off"))
      text += " (in a file 'off' has quotes, without them it is false)";
  }
  return text + (setting.nullable ? " or null" : "");
}

Status CheckRange(const Setting& setting, const Node& value) {
  const std::string text = PythonStr(value);
  const auto given = setting.type == kPercent ? PercentOf(text) : ShareOf(text);
  const double number = given.value_or(0);
  if (std::isinf(setting.most) ||
      (setting.type == kAutoInteger && IsAuto(value)) ||
      (number >= setting.least && number <= setting.most))
    return Ok();
  return KeyError(setting.key, value, "expected {} from {} to {}, got {}",
                  TypeOf(setting).noun, Show(setting, setting.least),
                  Show(setting, setting.most), Printable(text));
}

Status CheckValue(const Setting& setting, const Node& value) {
  if (value.is_missing())
    return KeyError(setting.key, value,
                    "a value has to be given: it still is ???");
  if (value.is_null()) {
    if (setting.nullable) return Ok();
    return KeyError(setting.key, value, "expected {}, got null",
                    ExpectedOf(setting));
  }
  if (!TypeOf(setting).fits(value)) {
    return KeyError(setting.key, value, "expected {}, got {} '{}'",
                    ExpectedOf(setting), PythonTypeName(value),
                    Printable(PythonStr(value)));
  }
  TRY(CheckRange(setting, value));
  if (setting.values.empty()) return Ok();
  const std::vector<std::string> allowed = Split(setting.values, '|');
  for (const std::string& word : TextsOf(value, ',')) {
    if (Has(allowed, word)) continue;
    return KeyError(setting.key, value, "expected {}{}, got '{}'{}",
                    setting.type == kNames ? "some of " : "one of ",
                    fmt::join(allowed, ", "), Printable(word),
                    DidYouMean(word, allowed));
  }
  return Ok();
}

bool IsPrefixOfKey(std::string_view path) {
  return std::ranges::any_of(SettingsTable(), [&](const Setting& setting) {
    return setting.key != path && IsBelow(setting.key, path);
  });
}

Status CheckClosed(const Node& node, const std::string& path) {
  if (!node.is_map()) {
    return KeyError(path, node, "expected a map, got '{}'",
                    Printable(PythonStr(node)));
  }
  for (const Entry& entry : node.entries) {
    const std::string name = path + "." + PythonStr(entry.key);
    // Options of ncu are checked against ncu's own table.
    if (name == "pipeline.ncu.ncu_cli" || FindSetting(name) != nullptr)
      continue;
    if (IsPrefixOfKey(name)) {
      if (!entry.value.is_null()) TRY(CheckClosed(entry.value, name));
      continue;
    }
    std::vector<std::string> known;
    for (const Setting& setting : SettingsTable())
      known.emplace_back(setting.key);
    return NoSuchKey(path, entry, known);
  }
  return Ok();
}

}  // namespace

// ---- The table --------------------------------------------------------------

const Setting* FindSetting(std::string_view key) {
  const auto it = std::ranges::find(SettingsTable(), key, &Setting::key);
  return it == SettingsTable().end() ? nullptr : &*it;
}

bool IsBelow(std::string_view key, std::string_view prefixes) {
  return std::ranges::any_of(
      Split(prefixes, ' '), [&](const std::string& prefix) {
        return key == prefix || key.starts_with(prefix + ".");
      });
}

std::string TypeText(const Setting& setting) {
  std::string text(TypeOf(setting).name);
  if (!setting.values.empty()) {
    text = fmt::format("{}: {}", setting.type == kNames ? "list of" : "one of",
                       fmt::join(Split(setting.values, '|'), ", "));
  }
  if (!std::isinf(setting.most)) {
    text += fmt::format(", {} to {}", Show(setting, setting.least),
                        Show(setting, setting.most));
  }
  return setting.nullable ? text + ", or null" : text;
}

Status ReadTable(const Node& tree, Settings& to) {
  for (const Setting& setting : SettingsTable()) {
    const Node* const value = tree.FindPath(setting.key);
    if (value == nullptr) continue;
    TRY(CheckValue(setting, *value));
    if (setting.store == nullptr) continue;
    const Status stored = setting.store(setting, *value, to);
    if (!stored.ok())
      return KeyError(setting.key, *value, "{}", stored.error().message());
  }
  for (const std::string& path : Split(kClosed, ' ')) {
    const Node* const node = tree.FindPath(path);
    if (node != nullptr && !node->is_null()) TRY(CheckClosed(*node, path));
  }
  return Ok();
}

// ---- Values -----------------------------------------------------------------

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

std::optional<double> NumberOf(std::string_view text) {
  const auto number = ParseNumber<double>(Trim(text));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<double> ShareOf(std::string_view text) {
  text = Trim(text);
  if (!text.ends_with('%')) return NumberOf(text);
  const auto percent = NumberOf(text.substr(0, text.size() - 1));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

std::optional<double> PercentOf(std::string_view text) {
  text = Trim(text);
  if (text.ends_with('%')) text.remove_suffix(1);
  return NumberOf(text);
}

std::optional<double> NanosecondsOf(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  text = Trim(text);
  for (const auto& [unit, scale] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = NumberOf(text.substr(0, text.size() - unit.size()));
    return number ? std::optional(*number * scale) : std::nullopt;
  }
  return NumberOf(text);
}

Error NoSuchKey(std::string_view path, const Entry& entry,
                const std::vector<std::string>& known) {
  const std::string name = fmt::format("{}.{}", path, PythonStr(entry.key));
  if (const std::string near = DidYouMean(name, known); !near.empty())
    return KeyError(name, entry.key, "there is no such key{}", near);
  std::vector<std::string> below;
  for (const std::string& key : known) {
    if (IsBelow(key, path)) below.push_back(key.substr(path.size() + 1));
  }
  return KeyError(name, entry.key, "there is no such key; '{}' has {}", path,
                  fmt::join(below, ", "));
}

// ---- Members ----------------------------------------------------------------

Status Store(const Setting&, const Node& value, bool& to) {
  to = value.kind == NodeKind::kBool && value.boolean;
  return Ok();
}

Status Store(const Setting&, const Node& value, std::string& to) {
  if (!value.is_null()) to = PythonStr(value);
  return Ok();
}

Status Store(const Setting& row, const Node& value, double& to) {
  if (value.is_null()) return Ok();
  const std::string text = PythonStr(value);
  to = (row.type == kShare       ? ShareOf(text)
        : row.type == kPercent   ? PercentOf(text)
        : row.type == kShortTime ? NanosecondsOf(text)
        : value.is_string()      ? ParseDuration(text)
                                 : NumberOf(text))
           .value_or(0);
  return Ok();
}

Status Store(const Setting&, const Node& value, std::uint64_t& to) {
  if (!value.is_null()) to = static_cast<std::uint64_t>(value.integer);
  return Ok();
}

Status Store(const Setting& row, const Node& value, Texts& to) {
  if (row.type != kWords) {
    to = TextsOf(value, row.type == kPatterns ? ';' : ',');
    return Ok();
  }
  to.clear();
  if (value.is_list()) {
    for (const Node& word : value.items) to.push_back(PythonStr(word));
  } else if (!value.is_null()) {
    to.push_back(PythonStr(value));
    if (to.front().find(' ') != std::string::npos) {
      return UsageError("expected a list of words; write it as [{}]",
                        fmt::join(Split(to.front(), ' '), ","));
    }
  }
  return Ok();
}

Status Store(const Setting&, const Node& value, WarmupRule& to) {
  to = TRY(ParseWarmup(PythonStr(value)));
  return Ok();
}

Status Store(const Setting&, const Node& value, CounterBudget& to) {
  to = *BudgetOf(value);
  return Ok();
}

Status Store(const Setting&, const Node& value, OptionalMode& to) {
  to.reset();  // off
  for (const CounterMode mode : {CounterMode::kSample, CounterMode::kCount})
    if (PythonStr(value) == NameOf(mode)) to = mode;
  return Ok();
}

std::string Show(const Setting&, bool value) {
  return value ? "true" : "false";
}

std::string Show(const Setting& row, const std::string& value) {
  return value.empty() && row.nullable ? "null" : value;
}

std::string Show(const Setting& row, double value) {
  if (row.type == kShare) return fmt::format("{:g}%", 100 * value);
  if (row.type == kShortTime) return fmt::format("{:g}us", value / 1e3);
  return fmt::format("{:.12g}", value);
}

std::string Show(const Setting&, std::uint64_t value) {
  return fmt::format("{}", value);
}

std::string Show(const Setting& row, const Texts& value) {
  if (row.type == kWords && value.empty()) return "null";
  return fmt::format("[{}]", fmt::join(value, ", "));
}

std::string Show(const Setting&, const WarmupRule& value) {
  return value.kind == WarmupRule::Kind::kAuto  ? "auto"
         : value.kind == WarmupRule::Kind::kOff ? "'off'"
                                                : std::to_string(value.count);
}

std::string Show(const Setting&, const CounterBudget& value) {
  return value.is_share ? fmt::format("{:g}%", 100 * value.value)
                        : fmt::format("{:g}s", value.value);
}

std::string Show(const Setting&, OptionalMode value) {
  return value ? std::string(NameOf(*value)) : "'off'";
}

std::string NothingText(const Setting& row) {
  const bool has_auto = row.type == kAutoBool || row.type == kAutoInteger;
  return has_auto ? "auto" : "null";
}

bool IsNothing(const Setting& row, const Node& value) {
  return value.is_null() || (NothingText(row) == "auto" && IsAuto(value));
}

Result<std::size_t> NumberOfWord(const Setting& row, const Node& value) {
  const std::vector<std::string> words = Split(row.values, '|');
  const auto word = std::ranges::find(words, PythonStr(value));
  if (word != words.end())
    return static_cast<std::size_t>(word - words.begin());
  // CheckValue() accepts an empty text and several words.
  return UsageError("expected one of {}, got '{}'", fmt::join(words, ", "),
                    Printable(PythonStr(value)));
}

std::string WordOfNumber(const Setting& row, std::size_t number) {
  return Split(row.values, '|').at(number);
}

}  // namespace rangefinder
