// Turns the messages of a `.ncu-rep` file into a Profile: results become
// measurements.
//
// NVTX states, section descriptions and instance lists are repeated in every
// result. Equal bytes are decoded once and shared.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/notes.h"
#include "ingest/ncu/ncu_container.h"
#include "ingest/ncu/ncu_fields.h"
#include "ingest/ncu/ncu_metrics.h"
#include "ingest/ncu/ncu_parser.h"
#include "profile/profile.h"
#include "profile/range_depth.h"

namespace rangefinder {

// Leaves out ranges that are open too deep to have a level
// (profile/range_depth.h). Each result lists all ranges that are open at its
// launch, so a missing pop makes every state larger than the state before.
class NcuDepth {
 public:
  // Removes the ranges without a level from a state.
  void LeaveOut(NvtxState& state);
  // Notes the ranges that were open too often at once: the program never closes
  // them.
  void Finish(Profile& profile, Notes& notes, std::string_view where) const;

 private:
  using Name = std::tuple<FrameKind, std::uint64_t, StringId, StringId>;

  // Raises `most_open_`. Start/end ranges have thread 0.
  void See(const std::map<Name, std::uint64_t>& open);

  std::map<Name, std::uint64_t> most_open_;  // at one launch
  std::uint64_t most_left_out_ = 0;          // at one launch
};

class NcuDecoder {
 public:
  // `profile` is empty. The bytes of all blocks must outlive the decoder.
  NcuDecoder(Profile& profile, std::string path, Notes& notes);
  NcuDecoder(const NcuDecoder&) = delete;
  NcuDecoder& operator=(const NcuDecoder&) = delete;

  // Reads the block's strings, session, and the process of its results.
  void BeginBlock(const NcuBlock& block);
  // A result that cannot be decoded is noted and left out.
  void AddResult(MeasurementKind kind, std::string_view message);
  // Sets the replay mode from the command line in the last block.
  void Finish(std::size_t file_bytes);

  std::uint64_t damaged_results() const { return damaged_results_; }

 private:
  void ReadResult(std::string_view message, Measurement& m);
  NvtxStateId ReadNvtx(std::string_view message);
  std::uint32_t ReadSection(std::string_view message, std::size_t place);
  void SetDevice(Measurement& m);

  Profile& profile_;
  std::string path_;
  ncu::Place place_;
  std::vector<StringId> strings_;  // of the blocks so far
  NcuMetrics metrics_;
  NcuDepth depth_;
  SessionSeen seen_{};
  std::uint64_t damaged_results_ = 0;
  std::optional<ProcessId> process_{};  // of results; nothing: not named yet
  std::unordered_map<std::string_view, NvtxStateId> nvtx_known_;
  std::unordered_map<std::string_view, std::uint32_t> sections_known_;
  // By place in the result, the section of the last result: most results have
  // equal sections, and comparing bytes is faster than hashing them.
  std::vector<std::pair<std::string_view, std::uint32_t>> last_sections_;
};

}  // namespace rangefinder
