// Decompresses a zstd file in memory.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

struct Decompressed {
  std::string bytes{};
  std::string damage{};  // why the stream ended early; empty: it is whole
};

// All frames of `compressed`, concatenated. kCorrupt where there is no content,
// or more than 64 MiB of it and more than kMostExpansion times the file's size,
// which no report has.
inline constexpr std::size_t kMostExpansion = 100;
Result<Decompressed> DecompressZstd(std::string_view compressed);

}  // namespace rangefinder
