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

struct SamplingAvailability : Params<40> {
  static constexpr const char* kFunction =
      "cuptiPmSamplingGetCounterAvailability";

  std::size_t device = 0;
  std::size_t size = 0;           // in and out
  std::uint8_t* image = nullptr;  // null: only `size` is requested
};

struct SamplingEnable : Params<32> {
  static constexpr const char* kFunction = "cuptiPmSamplingEnable";

  std::size_t device = 0;
  void* object = nullptr;  // out
};

struct SamplingConfig : Params<64> {
  static constexpr const char* kFunction = "cuptiPmSamplingSetConfig";

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

struct SamplingImageSize : Params<56> {
  static constexpr const char* kFunction = "cuptiPmSamplingGetCounterDataSize";

  void* object = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
  std::uint32_t samples = 0;
  std::size_t size = 0;  // out
};

struct SamplingImage : Params<40> {
  static constexpr const char* kFunction =
      "cuptiPmSamplingCounterDataImageInitialize";

  void* object = nullptr;
  std::size_t size = 0;
  std::uint8_t* image = nullptr;
};

struct SamplingDecode : Params<45> {
  static constexpr const char* kFunction = "cuptiPmSamplingDecodeData";

  void* object = nullptr;
  std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::int32_t stop_reason = 0;  // out
  std::uint8_t overflow = 0;     // out
};

struct SamplingImageInfo : Params<56> {
  static constexpr const char* kFunction = "cuptiPmSamplingGetCounterDataInfo";

  const std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t total = 0;      // out
  std::size_t populated = 0;  // out
  std::size_t completed = 0;  // out
};

struct SampleInfo : Params<64> {
  static constexpr const char* kFunction =
      "cuptiPmSamplingCounterDataGetSampleInfo";

  void* object = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t size = 0;
  std::size_t index = 0;
  std::uint64_t start = 0, end = 0;  // out
};

}  // namespace rangefinder::cupti
