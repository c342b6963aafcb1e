// Captures in a zstd stream: `.ncu-repz`, `.rftrace.zst`.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// Whether the first bytes of a file are the magic number of zstd. The content
// is known only once the stream is decompressed.
bool IsCompressed(std::string_view bytes);

struct Decompressed {
  std::string bytes{};
  std::string damage{};  // why the stream ended early; empty: it is whole
};

// All frames of `compressed`, concatenated. kCorrupt: there is no content, or
// more than 64 MiB of it and more than kMostExpansion times the file's size, a
// ratio that no capture has.
inline constexpr std::size_t kMostExpansion = 100;
Result<Decompressed> DecompressZstd(std::string_view compressed);

}  // namespace rangefinder
