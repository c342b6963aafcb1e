// What this library uses of CUPTI's Range Profiler, declared here as
// counter_abi.h does for sampling.

#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/counter_abi.h"

namespace rangefinder::inject::cupti {

inline constexpr std::int32_t kForRanges = 0;  // a profiler type
// Ranges by push and pop, and passes by repeating them.
inline constexpr std::int32_t kUserRange = 2;
inline constexpr std::int32_t kUserReplay = 3;

struct RangeEnable {
  std::size_t size;
  void* unused;
  void* context;
  void* object;  // out
};

// Of start, pop and disable.
struct RangeObject {
  std::size_t size;
  void* unused;
  void* object;
};

struct RangeDataSize {
  std::size_t size;
  void* unused;
  void* object;
  const char** names;
  std::size_t count;
  std::size_t most_ranges;
  std::uint32_t tree_nodes;  // at least `most_ranges`
  std::size_t data_size;     // out
};

struct RangeDataInitialize {
  std::size_t size;
  void* unused;
  void* object;
  std::size_t data_size;
  std::uint8_t* data;
};

struct RangeConfig {
  std::size_t size;
  void* unused;
  void* object;
  std::size_t config_size;
  const std::uint8_t* config;
  std::size_t data_size;
  std::uint8_t* data;
  std::int32_t range;
  std::int32_t replay;
  std::size_t ranges_per_pass;
  std::uint16_t nesting_levels;
  std::uint16_t first_level;
  std::size_t pass;
  std::uint16_t level;
};

struct RangePush {
  std::size_t size;
  void* unused;
  void* object;
  const char* name;
};

struct RangeStop {
  std::size_t size;
  void* unused;
  void* object;
  std::size_t pass;         // out
  std::size_t level;        // out
  std::uint8_t all_passes;  // out
};

struct RangeDecode {
  std::size_t size;
  void* unused;
  void* object;
  std::size_t dropped;  // out
};

struct RangeDataInfo {
  std::size_t size;
  void* unused;
  const std::uint8_t* data;
  std::size_t data_size;
  std::size_t ranges;  // out
};

struct RangeInfo {
  std::size_t size;
  void* unused;
  const std::uint8_t* data;
  std::size_t data_size;
  std::size_t index;
  const char* delimiter;
  const char* name;  // out
};

template <>
inline constexpr std::size_t kSizeOf<RangeConfig> = offsetof(RangeConfig,
                                                             level) +
                                                    sizeof(std::uint16_t);
template <>
inline constexpr std::size_t kSizeOf<RangeStop> = offsetof(RangeStop,
                                                           all_passes) +
                                                  1;

// The functions of the Range Profiler, which came with CUDA 12.6.
struct RangeFunctions {
  Result (*Enable)(RangeEnable*);
  Result (*Disable)(RangeObject*);
  Result (*GetDataSize)(RangeDataSize*);
  Result (*InitializeData)(RangeDataInitialize*);
  Result (*SetConfig)(RangeConfig*);
  Result (*Start)(RangeObject*);
  Result (*Stop)(RangeStop*);
  Result (*Push)(RangePush*);
  Result (*Pop)(RangeObject*);
  Result (*Decode)(RangeDecode*);
  Result (*GetDataInfo)(RangeDataInfo*);
  Result (*GetRangeInfo)(RangeInfo*);
};

}  // namespace rangefinder::inject::cupti
