// One override of the command line: `key=value`, `+key=value`, `++key=value`,
// `~key`, `group@package=option`. The grammar is Hydra 1.3's for a single run;
// sweeps are parsed so that they can be refused by name.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/functions.h"
#include "config/node.h"

namespace rangefinder {

struct Override {
  enum class Type { kChange, kAdd, kForceAdd, kDelete };
  using Sweep = SweepKind;

  Type type = Type::kChange;
  std::string key{};
  std::optional<std::string> package{};  // after '@'; may be empty
  bool has_value = true;                 // false only for `~key`
  Node value{};  // of a sweep: the list, when it has one
  Sweep sweep = Sweep::kNone;
  char quote = 0;  // around the whole value; 0: none
  std::shared_ptr<const Source> source{};

  const std::string& input() const { return source->text; }
  // The key in a defaults list: "group" or "group@package".
  std::string KeyElement() const;
};

Result<Override> ParseOverride(std::string_view text);

// The refusal of a sweep, in Hydra's words.
Error SweepError(const Override& sweep);

// `value` in quotes, so that an override has exactly this string; and the whole
// override quoted for a shell.
std::string QuoteOverrideValue(std::string_view value);
std::string ShellOverride(std::string_view key, std::string_view value);

}  // namespace rangefinder
