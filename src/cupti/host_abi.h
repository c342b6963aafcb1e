// CUPTI's host interface, which knows the metrics of every chip and needs no
// GPU, and the functions that query a device: the records that the functions
// take (abi_test.cc compares them with the installed headers).
//
// A record names its function; kSize is the length that CUPTI is told, which
// ends with the last field and not with the padding after it. Later releases
// append fields.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::cupti {

enum class ProfilerType : std::int32_t { kRange = 0, kPmSampling = 1 };

enum class MetricType : std::int32_t { kCounter, kRatio, kThroughput };

struct HostInitialize {
  static constexpr const char* kFunction = "cuptiProfilerHostInitialize";
  static constexpr std::size_t kSize = 48;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  ProfilerType profiler = ProfilerType::kRange;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;  // null: all counters of the chip
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

// The values of the metrics in a range or sample.
struct HostEvaluate {
  static constexpr const char* kFunction =
      "cuptiProfilerHostEvaluateToGpuValues";
  static constexpr std::size_t kSize = 72;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* host = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t size = 0;  // of the image
  std::size_t index = 0;
  const char** metrics = nullptr;
  std::size_t count = 0;
  double* values = nullptr;  // out: `count` of them
};

// ---- Of a device -----------------------------------------------------------

struct DeviceChipName {
  static constexpr const char* kFunction = "cuptiDeviceGetChipName";
  static constexpr std::size_t kSize = 32;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  std::size_t device = 0;
  const char* chip = nullptr;  // out
};

struct ProfilerInitialize {
  static constexpr const char* kFunction = "cuptiProfilerInitialize";
  static constexpr std::size_t kSize = 16;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
};

// Values of DeviceSupported::api.
inline constexpr std::int32_t kApiOfRanges = 0;
inline constexpr std::int32_t kApiOfSampling = 3;

enum class Support : std::int32_t { kUnknown, kNo, kDisabled, kYes };

struct DeviceSupported {
  static constexpr const char* kFunction = "cuptiProfilerDeviceSupported";
  static constexpr std::size_t kSize = 52;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  std::int32_t device = 0;
  Support all = Support::kUnknown;  // out, as the next six
  Support architecture = Support::kUnknown;
  Support sli = Support::kUnknown;
  Support virtual_gpu = Support::kUnknown;
  Support confidential_computing = Support::kUnknown;
  Support mining = Support::kUnknown;
  Support wsl = Support::kUnknown;
  std::int32_t api = kApiOfRanges;
};

// For functions that take only the object.
struct ObjectOnly {
  static constexpr std::size_t kSize = 24;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
};

}  // namespace rangefinder::cupti
