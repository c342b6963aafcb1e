// A zstd-compressed file in memory, decompressed.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

struct Decompressed {
  std::string bytes{};
  std::string damage{};  // how the stream ended early; empty: it is whole
};

// All frames of `compressed`, one after the other. kCorrupt where nothing comes
// out, and where the content is more than kMostExpansion times the file (and
// 64 MiB), which no report is.
inline constexpr std::size_t kMostExpansion = 100;
Result<Decompressed> DecompressZstd(std::string_view compressed);

}  // namespace rangefinder
