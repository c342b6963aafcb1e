// The file that a reader gets.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"

namespace rangefinder {

// The bytes are valid for the time of the call.
struct ReaderInput {
  std::string path{};  // as the user named it; for messages, and for formats
                       // that are opened by path
  std::string_view bytes{};
  // A reader calls this with parts of `bytes` that it will not read again, so
  // that a mapped file need not stay in memory. May be empty.
  std::function<void(std::string_view)> forget{};
  // Parts of `bytes` that are known to be zeros, in order.
  std::span<const FileHole> holes{};
};

}  // namespace rangefinder
