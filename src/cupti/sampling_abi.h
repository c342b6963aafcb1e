// PM sampling: counters of a whole device at a fixed interval, with records in
// the style of host_abi.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/host_abi.h"

namespace rangefinder::cupti {

// Values of SamplingConfig.
inline constexpr std::int32_t kTriggerByClock = 0;  // the system clock's cycles
inline constexpr std::int32_t kTriggerByTime = 1;   // nanoseconds
inline constexpr std::int32_t kKeepOldest = 0;
// Values of SamplingDecode::stop_reason.
inline constexpr std::int32_t kImageFull = 1;
inline constexpr std::int32_t kEndOfRecords = 2;

struct SamplingAvailability {
  static constexpr const char* kFunction =
      "cuptiPmSamplingGetCounterAvailability";
  static constexpr std::size_t kSize = 40;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  std::size_t device = 0;
  std::size_t size = 0;           // in and out
  std::uint8_t* image = nullptr;  // null: only `size` is requested
};

struct SamplingEnable {
  static constexpr const char* kFunction = "cuptiPmSamplingEnable";
  static constexpr std::size_t kSize = 32;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  std::size_t device = 0;
  void* object = nullptr;  // out
};

struct SamplingConfig {
  static constexpr const char* kFunction = "cuptiPmSamplingSetConfig";
  static constexpr std::size_t kSize = 64;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  std::size_t config_size = 0;
  const std::uint8_t* config = nullptr;
  std::size_t hardware_buffer = 0;  // bytes
  std::uint64_t interval = 0;       // in the unit of `trigger`
  std::int32_t trigger = kTriggerByTime;
  std::int32_t append = kKeepOldest;
};

struct SamplingStart : ObjectOnly {
  static constexpr const char* kFunction = "cuptiPmSamplingStart";
};
struct SamplingStop : ObjectOnly {
  static constexpr const char* kFunction = "cuptiPmSamplingStop";
};
struct SamplingDisable : ObjectOnly {
  static constexpr const char* kFunction = "cuptiPmSamplingDisable";
};

struct SamplingImageSize {
  static constexpr const char* kFunction = "cuptiPmSamplingGetCounterDataSize";
  static constexpr std::size_t kSize = 56;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
  std::uint32_t samples = 0;
  std::size_t size = 0;  // out
};

struct SamplingImage {
  static constexpr const char* kFunction =
      "cuptiPmSamplingCounterDataImageInitialize";
  static constexpr std::size_t kSize = 40;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  std::size_t size = 0;
  std::uint8_t* image = nullptr;
};

struct SamplingDecode {
  static constexpr const char* kFunction = "cuptiPmSamplingDecodeData";
  static constexpr std::size_t kSize = 45;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::int32_t stop_reason = 0;  // out
  std::uint8_t overflow = 0;     // out
};

struct SamplingImageInfo {
  static constexpr const char* kFunction = "cuptiPmSamplingGetCounterDataInfo";
  static constexpr std::size_t kSize = 56;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t total = 0;      // out
  std::size_t populated = 0;  // out
  std::size_t completed = 0;  // out
};

struct SampleInfo {
  static constexpr const char* kFunction =
      "cuptiPmSamplingCounterDataGetSampleInfo";
  static constexpr std::size_t kSize = 64;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t index = 0;
  std::uint64_t start = 0, end = 0;  // out
};

}  // namespace rangefinder::cupti
