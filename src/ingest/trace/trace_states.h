// The contexts of launches and the paths of regions, as NVTX states of a
// profile from which PathOf() makes the paths again.

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ingest/trace/trace_blocks.h"
#include "ingest/trace/trace_regions.h"
#include "profile/profile.h"

namespace rangefinder {

class TraceStates {
 public:
  // Adds states to `profile`. `trace` and `regions` may be filled afterwards.
  TraceStates(const Trace& trace, const TraceRegions& regions, Profile& profile)
      : trace_(trace), regions_(regions), profile_(profile) {}

  // The state of a context: the instances that were open. Made once.
  NvtxStateId OfContext(std::uint32_t context);
  // The state of a row: a path without instances. Made once.
  NvtxStateId OfRow(std::uint32_t row);

 private:
  struct Open {
    std::uint32_t label = 0;
    FrameKind kind = FrameKind::kPushPop;
    std::uint64_t order = 0;
    std::uint64_t id = 0;
    std::uint64_t thread = 0;
  };

  NvtxStateId Add(const std::vector<Open>& frames, std::uint64_t thread);
  StringId NameOf(std::uint32_t string);
  std::uint32_t DomainOf(NvtxState& state, std::uint32_t domain);
  std::uint64_t ThreadOf(std::uint32_t row) const {
    return regions_.rows[row].visits.thread;
  }

  const Trace& trace_;
  const TraceRegions& regions_;
  Profile& profile_;
  std::vector<std::optional<NvtxStateId>> contexts_;         // made so far
  std::vector<std::optional<NvtxStateId>> rows_;             // made so far
  std::unordered_map<std::uint32_t, StringId> range_names_;  // by string
  std::vector<Open> frames_;                                 // scratch
};

}  // namespace rangefinder
