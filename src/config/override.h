// One override of the command line: `key=value`, `+key=value`, `++key=value`,
// `~key`, `group@package=option`. The grammar is Hydra 1.3's, complete for a
// single run: sweeps are understood, so that they can be refused by name.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

struct Override {
  enum class Type { kChange, kAdd, kForceAdd, kDelete };
  // kSimple: `a=1,2`, which a user may not have meant as a sweep.
  enum class Sweep { kNone, kSimple, kChoice, kRange, kInterval, kGlob };

  Type type = Type::kChange;
  std::string key{};
  std::optional<std::string> package{};  // after '@'; may be empty
  bool has_value = true;                 // false only for `~key`
  Node value{};  // of a sweep: the list, when it has one
  Sweep sweep = Sweep::kNone;
  char quote = 0;  // the whole value was in these quotes
  std::shared_ptr<const Source> source{};

  const std::string& input() const { return source->text; }
  // The key as the defaults list knows it: "group" or "group@package".
  std::string KeyElement() const;
};

Result<Override> ParseOverride(std::string_view text);

// Why a single run does not take a sweep, in Hydra's words.
Error SweepError(const Override& sweep);

// The value part of an override alone, as after '='.
Result<Node> ParseOverrideValue(std::string_view text);

// `value` as an override's value that is this string and nothing else; quoted
// where it has to be. Then the same for a shell to read.
std::string QuoteOverrideValue(std::string_view value);
std::string ShellOverride(std::string_view key, std::string_view value);

}  // namespace rangefinder
