// A file that is part of the binary; see cmake/Embed.cmake.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace rangefinder {

struct EmbeddedFile {
  // The file's bytes lie between two labels that the assembler sets.
  struct Bytes {
    const char* begin = nullptr;
    const char* end = nullptr;
  };

  std::string_view path{};  // relative, with forward slashes
  Bytes bytes{};

  std::string_view content() const {
    return {bytes.begin, static_cast<std::size_t>(bytes.end - bytes.begin)};
  }
};

}  // namespace rangefinder
