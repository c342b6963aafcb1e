#include "ingest/compressed.h"

#include <algorithm>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace rangefinder {

bool IsCompressed(std::string_view bytes) {
  return bytes.starts_with("\x28\xB5\x2F\xFD");
}

Result<Decompressed> DecompressZstd(std::string_view compressed) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(
      ZSTD_createDStream(), ZSTD_freeDStream);
  if (stream == nullptr) throw std::bad_alloc();
  const std::size_t most =
      std::max<std::size_t>(64 << 20, compressed.size() * kMostExpansion);
  Decompressed out;
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  std::size_t hint = 1;
  // When all input is taken, the last block may still hold output.
  while (in.pos < in.size || hint != 0) {
    const bool flushes = in.pos == in.size;
    const std::size_t had = out.bytes.size();
    out.bytes.resize(had + ZSTD_DStreamOutSize());
    ZSTD_outBuffer to{out.bytes.data() + had, out.bytes.size() - had, 0};
    hint = ZSTD_decompressStream(stream.get(), &to, &in);
    out.bytes.resize(had + to.pos);
    if (ZSTD_getErrorCode(hint) == ZSTD_error_memory_allocation)
      throw std::bad_alloc();
    if (flushes && (ZSTD_isError(hint) || to.pos == 0)) {
      out.damage = "the compressed stream ends early";
      break;
    }
    if (ZSTD_isError(hint)) {
      out.damage =
          fmt::format("the compressed stream is damaged at byte {}: {}", in.pos,
                      ZSTD_getErrorName(hint));
      break;
    }
    if (out.bytes.size() > most) {
      return Error(ErrorCode::kCorrupt,
                   fmt::format("compressed, and expands more than {}-fold",
                               kMostExpansion));
    }
  }
  if (out.bytes.empty()) {
    return Error(ErrorCode::kCorrupt,
                 out.damage.empty() ? "compressed, and empty" : out.damage);
  }
  return out;
}

}  // namespace rangefinder
