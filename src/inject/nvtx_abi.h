// What NVTX asks of a library that it loads, declared here so that no installed
// header decides how this library is built: the table of functions an NVTX copy
// hands over, and the one structure whose fields are read. Names and numbers
// are NVTX's own (version 3; the attributes are version 2's, which 3 kept).

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::inject::nvtx {

using Function = void (*)();
using FunctionTable = Function**;  // an array of where the functions go

// Export table 1: the functions of a module can be replaced.
struct ExportCallbacks {
  std::size_t size;
  int (*GetModuleFunctionTable)(std::int32_t module, FunctionTable* table,
                                unsigned* count);
};
using GetExportTable = const void* (*)(std::uint32_t id);
inline constexpr std::uint32_t kExportCallbacks = 1;

enum Module : std::int32_t { kCore = 1, kCuda = 2, kCudart = 4, kCore2 = 5 };

enum Core : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
  kNameOsThreadA,
  kNameOsThreadW,
};

enum Core2 : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainResourceCreate,
  kDomainResourceDestroy,
  kDomainNameCategoryA,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kDomainDestroy,
  kInitialize,
};

enum Cuda : unsigned { kNameCuStreamA = 5, kNameCuStreamW = 6 };
enum Cudart : unsigned { kNameCudaStreamA = 3, kNameCudaStreamW = 4 };

using Domain = void*;  // nvtxDomainHandle_t
using String = void*;  // nvtxStringHandle_t

enum MessageType : std::int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };
inline constexpr std::int32_t kColorArgb = 1;

struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  std::int32_t padding;
  const void* message;
};
static_assert(sizeof(EventAttributes) == 48);

// What a push or pop says when nobody keeps count.
inline constexpr int kNoTracking = -2;

}  // namespace rangefinder::inject::nvtx
