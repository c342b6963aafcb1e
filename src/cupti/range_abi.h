// The Range Profiler, which counts a context's work between two calls; its
// records are in the style of host_abi.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/host_abi.h"

namespace rangefinder::cupti {

// Values of RangeConfig: ranges by push and pop, and passes by repeating them.
inline constexpr std::int32_t kUserRange = 2;
inline constexpr std::int32_t kUserReplay = 3;

struct RangeEnable {
  static constexpr const char* kFunction = "cuptiRangeProfilerEnable";
  static constexpr std::size_t kSize = 32;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* context = nullptr;
  void* object = nullptr;  // out
};

struct RangeImageSize {
  static constexpr const char* kFunction =
      "cuptiRangeProfilerGetCounterDataSize";
  static constexpr std::size_t kSize = 64;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
  std::size_t ranges = 0;
  std::uint32_t tree_nodes = 0;  // at least `ranges`
  std::size_t size = 0;          // out
};

struct RangeImage {
  static constexpr const char* kFunction =
      "cuptiRangeProfilerCounterDataImageInitialize";
  static constexpr std::size_t kSize = 40;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  std::size_t size = 0;
  std::uint8_t* image = nullptr;
};

struct RangeConfig {
  static constexpr const char* kFunction = "cuptiRangeProfilerSetConfig";
  static constexpr std::size_t kSize = 90;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  std::size_t config_size = 0;
  const std::uint8_t* config = nullptr;
  std::size_t size = 0;  // of the image
  std::uint8_t* image = nullptr;
  std::int32_t range = kUserRange;
  std::int32_t replay = kUserReplay;
  std::size_t ranges_per_pass = 0;
  std::uint16_t nesting_levels = 1;
  std::uint16_t first_level = 1;
  std::size_t pass = 0;
  std::uint16_t level = 1;
};

struct RangeStart : ObjectOnly {
  static constexpr const char* kFunction = "cuptiRangeProfilerStart";
};
struct RangePop : ObjectOnly {
  static constexpr const char* kFunction = "cuptiRangeProfilerPopRange";
};
struct RangeDisable : ObjectOnly {
  static constexpr const char* kFunction = "cuptiRangeProfilerDisable";
};

struct RangePush {
  static constexpr const char* kFunction = "cuptiRangeProfilerPushRange";
  static constexpr std::size_t kSize = 32;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  const char* name = nullptr;
};

struct RangeStop {
  static constexpr const char* kFunction = "cuptiRangeProfilerStop";
  static constexpr std::size_t kSize = 41;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  std::size_t pass = 0;         // out
  std::size_t level = 0;        // out
  std::uint8_t all_passes = 0;  // out
};

struct RangeDecode {
  static constexpr const char* kFunction = "cuptiRangeProfilerDecodeData";
  static constexpr std::size_t kSize = 32;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  std::size_t dropped = 0;  // out
};

struct RangeImageInfo {
  static constexpr const char* kFunction =
      "cuptiRangeProfilerGetCounterDataInfo";
  static constexpr std::size_t kSize = 40;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t ranges = 0;  // out
};

struct RangeInfo {
  static constexpr const char* kFunction =
      "cuptiRangeProfilerCounterDataGetRangeInfo";
  static constexpr std::size_t kSize = 56;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t index = 0;
  const char* delimiter = nullptr;
  const char* name = nullptr;  // out
};

}  // namespace rangefinder::cupti
