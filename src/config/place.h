// The place of a value in a text, and errors that show the place.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace rangefinder {

// A text with values: a file, or one override of the command line.
struct Source {
  std::string name{};  // "conf/config.yaml", "command line"
  std::string text{};
  bool embedded = false;  // in this program, whose tests check the text
};

// Lines and columns count from 1, in characters. Line 0: no line in particular.
struct Place {
  std::shared_ptr<const Source> source{};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Whether the place is on the command line.
bool IsTyped(const Place& place);
std::string Describe(const Place& place);  // "conf/config.yaml:3:5"
// Two lines: the text at `place`, and a caret below its `width` characters;
// empty if the place is unknown.
std::string Excerpt(const Place& place, std::size_t width = 1);

// kUsage without a place.
template <typename... Arguments>
Error UsageError(fmt::format_string<Arguments...> message,
                 Arguments&&... arguments) {
  return {ErrorCode::kUsage,
          fmt::format(message, std::forward<Arguments>(arguments)...)};
}
// An error with the place, the message, and the Excerpt().
Error ErrorAt(const Place& place, std::string_view message,
              std::size_t width = 1);

// The bytes of the first character of `text`, which is not empty.
std::size_t CharacterLength(std::string_view text);
// `text` without its first `count` characters; empty if it has fewer.
std::string_view AfterCharacters(std::string_view text, std::size_t count);

}  // namespace rangefinder
