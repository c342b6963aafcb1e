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

struct RangeEnable : Params<32> {
  static constexpr const char* kFunction = "cuptiRangeProfilerEnable";

  void* context = nullptr;
  void* object = nullptr;  // out
};

struct RangeImageSize : Params<64> {
  static constexpr const char* kFunction =
      "cuptiRangeProfilerGetCounterDataSize";

  void* object = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
  std::size_t ranges = 0;
  std::uint32_t tree_nodes = 0;  // at least `ranges`
  std::size_t size = 0;          // out
};

struct RangeImage : Params<40> {
  static constexpr const char* kFunction =
      "cuptiRangeProfilerCounterDataImageInitialize";

  void* object = nullptr;
  std::size_t size = 0;
  std::uint8_t* image = nullptr;
};

struct RangeConfig : Params<90> {
  static constexpr const char* kFunction = "cuptiRangeProfilerSetConfig";

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

struct RangePush : Params<32> {
  static constexpr const char* kFunction = "cuptiRangeProfilerPushRange";

  void* object = nullptr;
  const char* name = nullptr;
};

struct RangeStop : Params<41> {
  static constexpr const char* kFunction = "cuptiRangeProfilerStop";

  void* object = nullptr;
  std::size_t pass = 0;         // out
  std::size_t level = 0;        // out
  std::uint8_t all_passes = 0;  // out
};

struct RangeDecode : Params<32> {
  static constexpr const char* kFunction = "cuptiRangeProfilerDecodeData";

  void* object = nullptr;
  std::size_t dropped = 0;  // out
};

struct RangeImageInfo : Params<40> {
  static constexpr const char* kFunction =
      "cuptiRangeProfilerGetCounterDataInfo";

  const std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t ranges = 0;  // out
};

struct RangeInfo : Params<56> {
  static constexpr const char* kFunction =
      "cuptiRangeProfilerCounterDataGetRangeInfo";

  const std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t index = 0;
  const char* delimiter = nullptr;
  const char* name = nullptr;  // out
};

}  // namespace rangefinder::cupti
