// CUPTI's host interface, which knows the metrics of every chip and needs no
// GPU, and the functions that query a device: the records that the functions
// take (abi_test.cc compares them with the installed headers).
//
// A record names its function. Later releases append fields.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::cupti {

// The beginning of a record. kSize is the length that CUPTI is told, which ends
// with the last field and not with the padding after it.
template <std::size_t kLength>
struct Params {
  static constexpr std::size_t kSize = kLength;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
};

enum class ProfilerType : std::int32_t { kRange = 0, kPmSampling = 1 };

enum class MetricType : std::int32_t { kCounter, kRatio, kThroughput };

struct HostInitialize : Params<48> {
  static constexpr const char* kFunction = "cuptiProfilerHostInitialize";

  ProfilerType profiler = ProfilerType::kRange;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;  // null: all counters of the chip
  void* host = nullptr;                        // out
};

struct HostDeinitialize : Params<24> {
  static constexpr const char* kFunction = "cuptiProfilerHostDeinitialize";

  void* host = nullptr;
};

struct HostSupportedChips : Params<32> {
  static constexpr const char* kFunction = "cuptiProfilerHostGetSupportedChips";

  std::size_t count = 0;               // out
  const char* const* chips = nullptr;  // out
};

struct HostBaseMetrics : Params<48> {
  static constexpr const char* kFunction = "cuptiProfilerHostGetBaseMetrics";

  void* host = nullptr;
  MetricType type = MetricType::kCounter;
  const char** names = nullptr;  // out
  std::size_t count = 0;         // out
};

struct HostSubMetrics : Params<56> {
  static constexpr const char* kFunction = "cuptiProfilerHostGetSubMetrics";

  void* host = nullptr;
  MetricType type = MetricType::kCounter;
  const char* metric = nullptr;
  std::size_t count = 0;         // out
  const char** names = nullptr;  // out: ".sum", ".avg.per_second", ...
};

struct HostMetricProperties : Params<60> {
  static constexpr const char* kFunction =
      "cuptiProfilerHostGetMetricProperties";

  void* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;       // out
  const char* hardware_unit = nullptr;     // out: "sm"
  const char* unit = nullptr;              // out: "byte"
  MetricType type = MetricType::kCounter;  // out
};

struct HostAddMetrics : Params<40> {
  static constexpr const char* kFunction = "cuptiProfilerHostConfigAddMetrics";

  void* host = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
};

struct HostConfigImageSize : Params<32> {
  static constexpr const char* kFunction =
      "cuptiProfilerHostGetConfigImageSize";

  void* host = nullptr;
  std::size_t size = 0;  // out
};

struct HostConfigImage : Params<40> {
  static constexpr const char* kFunction = "cuptiProfilerHostGetConfigImage";

  void* host = nullptr;
  std::size_t size = 0;
  std::uint8_t* image = nullptr;
};

struct HostPasses : Params<40> {
  static constexpr const char* kFunction = "cuptiProfilerHostGetNumOfPasses";

  std::size_t size = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;  // out
};

// The values of the metrics in a range or sample.
struct HostEvaluate : Params<72> {
  static constexpr const char* kFunction =
      "cuptiProfilerHostEvaluateToGpuValues";

  void* host = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t size = 0;  // of the image
  std::size_t index = 0;
  const char** metrics = nullptr;
  std::size_t count = 0;
  double* values = nullptr;  // out: `count` of them
};

// ---- Of a device -----------------------------------------------------------

struct DeviceChipName : Params<32> {
  static constexpr const char* kFunction = "cuptiDeviceGetChipName";

  std::size_t device = 0;
  const char* chip = nullptr;  // out
};

struct ProfilerInitialize : Params<16> {
  static constexpr const char* kFunction = "cuptiProfilerInitialize";
};

// Values of DeviceSupported::api.
inline constexpr std::int32_t kApiOfRanges = 0;
inline constexpr std::int32_t kApiOfSampling = 3;

enum class Support : std::int32_t { kUnknown, kNo, kDisabled, kYes };

struct DeviceSupported : Params<52> {
  static constexpr const char* kFunction = "cuptiProfilerDeviceSupported";

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
struct ObjectOnly : Params<24> {
  void* object = nullptr;
};

}  // namespace rangefinder::cupti
