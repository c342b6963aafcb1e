// Writes `.ncu-rep` files, also such as no profiler would write: the inverse of
// the reader in ingest. The field numbers are the reader's (ncu_layout.h); the
// captures in tests/fixtures keep these numbers honest.

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
  std::string command_line{};  // of ncu; empty: made from the results
  std::vector<std::pair<std::string, std::string>> versions = {
      {"Nsight Compute Target", "2025.3.1.0"}};
  // ncu writes one block per result. Where results share blocks, each block
  // begins with the SASS source of its first result.
  std::size_t results_per_block = 1;
  std::size_t sources = 0;
  std::size_t source_bytes = 0;
};

// The bytes of a report with all of `profile`: measurements, names, processes,
// NVTX states, metrics with their instances, sections and rules.
std::string BuildRep(const Profile& profile, const RepOptions& options = {});

// The bytes of a report of the profile that `text` draws (profile_builder.h).
std::string BuildRep(std::string_view text, const RepOptions& options = {});

// Compresses `bytes` into one zstd stream, as in a `.ncu-repz`.
std::string CompressRep(std::string_view bytes);

}  // namespace rangefinder::testing
