// Where something was written, and errors that show it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// A text that values come from: a file, or one override of the command line.
struct Source {
  std::string name{};  // "conf/config.yaml", "command line"
  std::string text{};
};

// Lines and columns count from 1, in characters; line 0: nowhere in particular.
struct Place {
  std::shared_ptr<const Source> source{};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Whether it is on the command line.
bool IsTyped(const Place& place);
std::string Describe(const Place& place);  // "conf/config.yaml:3:5"
// The line of `place` with a caret below `width` characters, each line ended;
// empty where the place is unknown.
std::string Excerpt(const Place& place, std::size_t width = 1);

// An error message of ours: the place, the text, the line with a caret.
Error ErrorAt(const Place& place, std::string_view message,
              std::size_t width = 1);

// `text` without its first `count` characters; empty where it has fewer.
std::string_view AfterCharacters(std::string_view text, std::size_t count);

}  // namespace rangefinder
