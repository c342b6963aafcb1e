// Reads Nsight Compute's reports, without NVIDIA's libraries.
//
// SourceData (SASS and cubins, nearly all of a large report) is skipped, and
// its pages are never touched.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

bool IsNcuReport(std::string_view bytes);
Result<Profile> ReadNcuReport(const ReaderInput& input, Notes& notes);

// `.ncu-repz`: a report or a trace in one zstd stream. The content is known
// only once the stream is decompressed; kCorrupt where it is neither.
bool IsCompressedNcuReport(std::string_view bytes);
Result<Profile> ReadCompressedNcuReport(const ReaderInput& input, Notes& notes);

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
