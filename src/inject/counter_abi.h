// What this library uses of CUPTI's profiler and PM sampling interfaces,
// declared here as cupti_abi.h does for the rest. Each function takes one
// structure, which says its own size: later releases append to them.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::inject::cupti {

using Result = std::int32_t;
inline constexpr Result kOutOfMemory = 8;
inline constexpr Result kHardwareBusy = 26;

inline constexpr std::int32_t kForSampling = 1;  // a profiler type
// Trigger and append modes.
inline constexpr std::int32_t kByTime = 1;
inline constexpr std::int32_t kKeepOldest = 0;
// Why decoding stopped.
inline constexpr std::int32_t kImageFull = 1;
inline constexpr std::int32_t kEndOfRecords = 2;

struct ProfilerInitialize {
  std::size_t size;
  void* unused;
};

struct ChipName {
  std::size_t size;
  void* unused;
  std::size_t device;
  const char* name;  // out
};

struct CounterAvailability {
  std::size_t size;
  void* unused;
  std::size_t device;
  std::size_t image_size;  // out where `image` is null
  std::uint8_t* image;
};

struct HostInitialize {
  std::size_t size;
  void* unused;
  std::int32_t profiler;
  const char* chip;
  const std::uint8_t* availability;
  void* host;  // out
};

struct HostDeinitialize {
  std::size_t size;
  void* unused;
  void* host;
};

struct AddMetrics {
  std::size_t size;
  void* unused;
  void* host;
  const char** names;
  std::size_t count;
};

struct ConfigImageSize {
  std::size_t size;
  void* unused;
  void* host;
  std::size_t image_size;  // out
};

struct ConfigImage {
  std::size_t size;
  void* unused;
  void* host;
  std::size_t image_size;
  std::uint8_t* image;
};

struct PassCount {
  std::size_t size;
  void* unused;
  std::size_t image_size;
  std::uint8_t* image;
  std::size_t passes;  // out
};

struct Evaluate {
  std::size_t size;
  void* unused;
  void* host;
  const std::uint8_t* data;
  std::size_t data_size;
  std::size_t index;
  const char** names;
  std::size_t count;
  double* values;
};

struct SamplingEnable {
  std::size_t size;
  void* unused;
  std::size_t device;
  void* object;  // out
};

struct SamplingConfig {
  std::size_t size;
  void* unused;
  void* object;
  std::size_t config_size;
  const std::uint8_t* config;
  std::size_t hardware_buffer;
  std::uint64_t interval;
  std::int32_t trigger;
  std::int32_t append;
};

// Of start, stop and disable.
struct SamplingObject {
  std::size_t size;
  void* unused;
  void* object;
};

struct CounterDataSize {
  std::size_t size;
  void* unused;
  void* object;
  const char** names;
  std::size_t count;
  std::uint32_t most_samples;
  std::size_t data_size;  // out
};

struct CounterDataInitialize {
  std::size_t size;
  void* unused;
  void* object;
  std::size_t data_size;
  std::uint8_t* data;
};

struct DecodeData {
  std::size_t size;
  void* unused;
  void* object;
  std::uint8_t* data;
  std::size_t data_size;
  std::int32_t stop_reason;  // out
  std::uint8_t overflow;     // out
};

struct CounterDataInfo {
  std::size_t size;
  void* unused;
  const std::uint8_t* data;
  std::size_t data_size;
  std::size_t total, populated, completed;  // out
};

struct SampleInfo {
  std::size_t size;
  void* unused;
  void* object;
  const std::uint8_t* data;
  std::size_t data_size;
  std::size_t index;
  std::uint64_t start, end;  // out
};

// What a structure says its size is: up to the end of its last field.
template <typename Params>
inline constexpr std::size_t kSizeOf = sizeof(Params);
template <>
inline constexpr std::size_t kSizeOf<DecodeData> = offsetof(DecodeData,
                                                            overflow) +
                                                   1;

}  // namespace rangefinder::inject::cupti
