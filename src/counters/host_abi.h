// CUPTI's host interface, which knows the metrics of every chip and needs no
// GPU: the records that its functions take, declared here, since CUPTI is
// opened at run time (cupti_abi_test.cc holds them to the installed headers).
//
// A record names its function; kSize is what CUPTI is told of its length, which
// ends with the last field and not with the padding behind it.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::cupti {

using Code = std::int32_t;
inline constexpr Code kSuccess = 0;
inline constexpr Code kHardwareBusy = 26;
inline constexpr Code kNotSupported = 27;
inline constexpr Code kInsufficientPrivileges = 35;

enum class ProfilerType : std::int32_t { kRange = 0, kPmSampling = 1 };

enum class MetricType : std::int32_t { kCounter, kRatio, kThroughput };

struct HostInitialize {
  static constexpr const char* kFunction = "cuptiProfilerHostInitialize";
  static constexpr std::size_t kSize = 48;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  ProfilerType profiler = ProfilerType::kRange;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;  // null: all that the chip has
  void* host = nullptr;                        // out
};

struct HostDeinitialize {
  static constexpr const char* kFunction = "cuptiProfilerHostDeinitialize";
  static constexpr std::size_t kSize = 24;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* host = nullptr;
};

struct HostSupportedChips {
  static constexpr const char* kFunction = "cuptiProfilerHostGetSupportedChips";
  static constexpr std::size_t kSize = 32;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  std::size_t count = 0;               // out
  const char* const* chips = nullptr;  // out
};

struct HostBaseMetrics {
  static constexpr const char* kFunction = "cuptiProfilerHostGetBaseMetrics";
  static constexpr std::size_t kSize = 48;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* host = nullptr;
  MetricType type = MetricType::kCounter;
  const char** names = nullptr;  // out
  std::size_t count = 0;         // out
};

struct HostSubMetrics {
  static constexpr const char* kFunction = "cuptiProfilerHostGetSubMetrics";
  static constexpr std::size_t kSize = 56;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* host = nullptr;
  MetricType type = MetricType::kCounter;
  const char* metric = nullptr;
  std::size_t count = 0;         // out
  const char** names = nullptr;  // out: ".sum", ".avg.per_second", ...
};

struct HostMetricProperties {
  static constexpr const char* kFunction =
      "cuptiProfilerHostGetMetricProperties";
  static constexpr std::size_t kSize = 60;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;       // out
  const char* hardware_unit = nullptr;     // out: "sm"
  const char* unit = nullptr;              // out: "byte"
  MetricType type = MetricType::kCounter;  // out
};

struct HostAddMetrics {
  static constexpr const char* kFunction = "cuptiProfilerHostConfigAddMetrics";
  static constexpr std::size_t kSize = 40;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* host = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
};

struct HostConfigImageSize {
  static constexpr const char* kFunction =
      "cuptiProfilerHostGetConfigImageSize";
  static constexpr std::size_t kSize = 32;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* host = nullptr;
  std::size_t size = 0;  // out
};

struct HostConfigImage {
  static constexpr const char* kFunction = "cuptiProfilerHostGetConfigImage";
  static constexpr std::size_t kSize = 40;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* host = nullptr;
  std::size_t size = 0;
  std::uint8_t* image = nullptr;
};

struct HostPasses {
  static constexpr const char* kFunction = "cuptiProfilerHostGetNumOfPasses";
  static constexpr std::size_t kSize = 40;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  std::size_t size = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;  // out
};

}  // namespace rangefinder::cupti
