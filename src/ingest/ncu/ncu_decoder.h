// The meaning of a `.ncu-rep` file's messages: results become measurements.
//
// A report repeats itself: NVTX states, section descriptions and instance lists
// come again with every result. Equal bytes are decoded once and shared.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/notes.h"
#include "ingest/ncu/ncu_container.h"
#include "ingest/ncu/ncu_depth.h"
#include "ingest/ncu/ncu_message.h"
#include "ingest/ncu/ncu_metrics.h"
#include "ingest/ncu/ncu_session.h"
#include "profile/profile.h"

namespace rangefinder {

class NcuDecoder {
 public:
  // Adds one artifact to `profile` and everything read to it. The bytes of all
  // blocks must outlive the decoder.
  NcuDecoder(Profile& profile, std::string path, Notes& notes);
  NcuDecoder(const NcuDecoder&) = delete;
  NcuDecoder& operator=(const NcuDecoder&) = delete;

  // Takes the header: strings, session, the process of the following results.
  void BeginBlock(const NcuBlock& block);
  // A message that cannot be decoded is noted and leaves no trace.
  void AddResult(MeasurementKind kind, std::string_view message);
  // What is known only at the end: the replay mode, from the command line.
  void Finish(std::size_t file_bytes);

  std::uint64_t damaged_results() const { return damaged_results_; }

 private:
  void ReadResult(std::string_view message, Measurement& m);
  NvtxStateId ReadNvtx(std::string_view message);
  std::uint32_t ReadSection(std::string_view message);
  std::uint32_t ReadRule(std::string_view message);
  void SetDevice(Measurement& m);

  Profile& profile_;
  std::string path_;
  ncu::Place place_;
  std::vector<StringId> strings_;  // of the file, growing block by block
  NcuMetrics metrics_;
  NcuDepth depth_;
  ncu::SessionSeen seen_{};
  std::size_t first_measurement_;
  std::uint64_t damaged_results_ = 0;
  ProcessId process_{};
  std::unordered_map<std::string_view, NvtxStateId> nvtx_known_;
  std::unordered_map<std::string_view, std::uint32_t> sections_known_;
};

}  // namespace rangefinder
