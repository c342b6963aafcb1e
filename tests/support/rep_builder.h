// Writes `.ncu-rep` files: the inverse of ingest's reader, for reports that no
// profiler would make. Field numbers are the reader's own (ncu_layout.h); the
// captures in tests/fixtures keep those honest.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace rangefinder::testing {

struct RepOptions {
  std::uint32_t version = 7;
  std::string command_line{};  // ncu's, where it is not told by the results
  std::vector<std::pair<std::string, std::string>> versions = {
      {"Nsight Compute Target", "2025.3.1.0"}};
  // ncu writes a block a result; one of SASS leads in each of the first so
  // many.
  std::size_t results_per_block = 1;
  std::size_t sources = 0;
  std::size_t source_bytes = 0;
};

// The bytes of a report with the measurements of `profile`: names, processes,
// NVTX states, metrics with their instances, sections and rules.
std::string BuildRep(const Profile& profile, const RepOptions& options = {});

// A profile drawn as text (profile_builder.h) as a report.
std::string BuildRep(std::string_view text, const RepOptions& options = {});

// `bytes` in one zstd stream, as in a `.ncu-repz`.
std::string CompressRep(std::string_view bytes);

}  // namespace rangefinder::testing
