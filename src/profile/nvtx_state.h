// Which NVTX ranges were open at one moment, and in which threads: what says
// where a launch belongs.

#pragma once

#include <cstdint>
#include <vector>

#include "profile/strings.h"

namespace rangefinder {

enum class FrameKind : std::uint8_t { kPushPop, kStartEnd };

// A range that was open at a launch.
struct NvtxRange {
  StringId name{};
  std::uint64_t order = 0;  // see NvtxState::order
  std::uint64_t id = 0;     // of the range, unique in its process; or 0
  std::uint32_t color = 0;  // ARGB, 0: none given
  std::uint32_t category = 0;
  StringId payload{};          // as text, empty: none given
  std::uint64_t close_ns = 0;  // exports with times: of its end; 0: not known
};

// The open push/pop ranges of one thread in one domain, outermost first.
struct NvtxStack {
  std::uint32_t domain = 0;  // index into NvtxState::domains
  std::uint64_t thread = 0;  // OS thread id
  std::vector<NvtxRange> ranges{};
};

// An open start/end range.
struct NvtxStartEnd {
  std::uint32_t domain = 0;  // index into NvtxState::domains
  std::uint64_t thread = 0;  // that started it
  NvtxRange range{};
};

struct NvtxDomain {
  std::uint64_t id = 0;  // in the process; 0 is the default domain
  StringId name{};       // empty for the default domain
};

// Every NVTX range open in the process at one moment, of all threads.
struct NvtxState {
  // What NvtxRange::order counts, and so how frames of several stacks
  // interleave; see region/attribution.h.
  enum class Order : std::uint8_t {
    kLastApiCall,  // id of the last CUDA call of the opening thread before
    kTime,         // ns, one clock
  };

  Order order = Order::kLastApiCall;
  bool process_scope = false;  // stacks of all threads count for every launch
  std::vector<NvtxDomain> domains{};
  std::vector<NvtxStack> stacks{};
  std::vector<NvtxStartEnd> start_end{};
};

// The stack of `thread` in the domain of this name, which are made where there
// are none. Valid until the state's next one is made.
NvtxStack& StackOf(NvtxState& state, StringId domain, std::uint64_t thread);

}  // namespace rangefinder
