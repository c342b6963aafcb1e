// The place of a value in a text, and errors that show the place.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
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

// The place behind `before`, which is the beginning of the text.
Place PlaceAt(const std::shared_ptr<const Source>& source,
              std::string_view before);
// Whether the place is on the command line.
bool IsTyped(const Place& place);
std::string Describe(const Place& place);  // "conf/config.yaml:3:5"
// Two lines without a line end behind them: the text at `place`, and a caret
// below its `width` characters; empty if the place is unknown.
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
// An error with the message first, as in Hydra, then the place and the
// Excerpt().
Error ErrorAbove(const Place& place, std::string message);
// "\nDid you mean 'x'?"; empty if no candidate is similar to `name`.
std::string DidYouMeanLine(std::string_view name,
                           std::span<const std::string> candidates);

// Whether the byte continues a character of UTF-8.
bool IsContinuation(char byte);
// The bytes of the first character of `text`, which is not empty.
std::size_t CharacterLength(std::string_view text);
// `text` without its first `count` characters; empty if it has fewer.
std::string_view AfterCharacters(std::string_view text, std::size_t count);

}  // namespace rangefinder
