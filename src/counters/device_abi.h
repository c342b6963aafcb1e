// What of CUPTI works on a device: which chip it is, and whether it can
// be profiled; in the manner of host_abi.h.

#pragma once

#include <cstddef>
#include <cstdint>

#include "counters/host_abi.h"

namespace rangefinder::cupti {

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

// Of DeviceSupported::api.
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

// Of the functions that take nothing but the object.
struct ObjectOnly {
  static constexpr std::size_t kSize = 24;

  std::size_t struct_size = kSize;
  void* unused = nullptr;
  void* object = nullptr;
};

}  // namespace rangefinder::cupti
