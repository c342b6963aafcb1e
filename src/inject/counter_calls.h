// What all calls of CUPTI's profilers have in common: records that say their
// own size, and memory that is not the program's heap.

#pragma once

#include <cstddef>
#include <cstdint>

#include <stdio.h>
#include <sys/mman.h>

#include "inject/counter_abi.h"
#include "inject/cupti_functions.h"

namespace rangefinder::inject {

template <typename Params>
Params Make() {
  Params params{};
  params.size = cupti::kSizeOf<Params>;
  return params;
}

// Zeroed pages; null where there are none.
inline std::uint8_t* Map(std::size_t size) {
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at != MAP_FAILED ? static_cast<std::uint8_t*>(at) : nullptr;
}

// Why `step` failed, with CUPTI's text and number of it, into `reason`.
// `others`: who may have the counters, "another process or profiler".
template <std::size_t kSize>
void SayFailure(const cupti::Functions& functions, const char* step,
                cupti::Result result, const char* others,
                char (&reason)[kSize]) {
  const char* text = nullptr;
  functions.GetResultString(result, &text);
  if (text == nullptr) text = "unknown error";
  if (result == cupti::kHardwareBusy) {
    snprintf(reason, kSize, "%s uses the GPU's counters (%s, %d)", others, text,
             result);
  } else if (result == cupti::kInsufficientPrivileges) {
    snprintf(reason, kSize, "no permission to read the GPU's counters (%s, %d)",
             text, result);
  } else {
    snprintf(reason, kSize, "%s failed (%s, %d)", step, text, result);
  }
}

// How the hardware is set up for some metrics; pages that are never given back.
struct CounterConfig {
  std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t passes = 0;
};

// Of the metrics that `host` was given. Null: done; else the step that failed,
// with CUPTI's `result`. `functions` has the host's.
template <typename Functions>
const char* MakeCounterConfig(const Functions& functions, void* host,
                              CounterConfig& config, cupti::Result& result) {
  auto size = Make<cupti::ConfigImageSize>();
  size.host = host;
  result = functions.GetConfigImageSize(&size);
  if (result != cupti::kSuccess) return "cuptiProfilerHostGetConfigImageSize";
  config.size = size.image_size;
  config.image = Map(config.size);
  if (config.image == nullptr) {
    result = cupti::kOutOfMemory;
    return "memory for the configuration";
  }
  auto image = Make<cupti::ConfigImage>();
  image.host = host;
  image.image_size = config.size;
  image.image = config.image;
  result = functions.GetConfigImage(&image);
  if (result != cupti::kSuccess) return "cuptiProfilerHostGetConfigImage";
  auto passes = Make<cupti::PassCount>();
  passes.image_size = config.size;
  passes.image = config.image;
  result = functions.GetPasses(&passes);
  config.passes = passes.passes;
  return result == cupti::kSuccess ? nullptr
                                   : "cuptiProfilerHostGetNumOfPasses";
}

}  // namespace rangefinder::inject
