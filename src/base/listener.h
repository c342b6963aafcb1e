// What long work says on the way: app's console listens, in tests nobody.

#pragma once

#include <functional>
#include <string_view>

#include "base/notes.h"

namespace rangefinder {

struct Listener {
  using Hear = std::function<void(std::string_view text)>;

  Hear say = [](std::string_view) {};     // a line
  Hear detail = [](std::string_view) {};  // a line that only experts need
  // A line that the next one replaces; an empty text ends it.
  Hear progress = [](std::string_view) {};
  std::function<void(const Notes&)> notes = [](const Notes&) {};
  bool live = false;    // lines of progress are really replaced
  bool unicode = true;  // more than ASCII can be shown
};

}  // namespace rangefinder
