// Every key of the configuration that this program reads: its type, what it may
// be, what it is for. The checks, the documentation and `rangefinder config
// --explain` all read this table.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

enum class KeyType {
  kBool,
  kText,
  kNumber,    // not negative
  kInteger,   // not negative
  kDuration,  // seconds, or a text like 5m, 90s, 1h30m
  kNames,     // a list, or one text with commas
  kPatterns,  // a list, or one text with semicolons
  kWords,     // a list of words
};

struct SettingsKey {
  std::string_view path{};
  KeyType type = KeyType::kText;
  bool nullable = false;
  std::string_view values{};  // "a|b|c"; empty: any
  std::string_view flag{};    // of ncu or nsys
  std::string_view text{};    // what it does, one sentence
};

// In the order of the documentation.
std::span<const SettingsKey> SettingsKeys();
const SettingsKey* FindSettingsKey(std::string_view path);

// "bool", "list, or text with commas", "number or null"
std::string TypeText(const SettingsKey& key);

// Checks all keys of `tree` that are in the table, and that there are no others
// where all are known (regions, report, pipeline.ncu ...).
Status CheckSettingsKeys(const Node& tree);

// A list, or a text cut at `separator`, as texts; null is an empty list.
std::vector<std::string> TextsOf(const Node& node, char separator);

// The error of a key: what it is, the place, the line with a caret.
Error KeyError(std::string_view path, const Node& value,
               std::string_view message);

}  // namespace rangefinder
