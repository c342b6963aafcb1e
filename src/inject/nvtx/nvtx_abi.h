// NVTX's interface for a library that NVTX loads, declared here so that the
// build needs no CUDA headers: the tables of functions that a copy of NVTX
// hands over, and the structures whose fields are read. The numbers are those
// of NVTX 3, which kept the attributes of version 2 (nvtx_abi_test.cc compares
// them with NVIDIA's headers).

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
  std::uint16_t version = 0;
  std::uint16_t size = 0;
  std::uint32_t category = 0;
  std::int32_t color_type = 0;
  std::uint32_t color = 0;
  std::int32_t payload_type = 0;
  std::int32_t reserved = 0;
  std::uint64_t payload = 0;
  std::int32_t message_type = 0;
  std::int32_t padding = 0;
  const void* message = nullptr;
};
static_assert(sizeof(EventAttributes) == 48);

// The structures that each copy of an NVTX extension hands over: an array of
// function addresses. A function whose address is 0 does nothing.
struct ExtensionSegment {
  std::size_t id;
  std::size_t slot_count;
  std::intptr_t* slots;
};
struct ExtensionModule {
  std::uint16_t nvtx_version;
  std::uint16_t size;  // of this structure
  std::uint16_t module;
  std::uint16_t compatibility;
  std::size_t segment_count;
  ExtensionSegment* segments;
  const void* get_export_function;
  const void* info;
};
inline constexpr std::uint16_t kPayloadExtension = 2;
enum PayloadExtension : std::size_t {
  kPayloadSchemaRegister,
  kPayloadEnumRegister,
  kMarkPayload,
  kRangePushPayload,
  kRangePopPayload,
  kRangeStartPayload,
  kRangeEndPayload,
  kDomainIsEnabled,
};

// EventAttributes::payload is the address of `reserved` PayloadData.
inline constexpr std::int32_t kExtendedPayload =
    static_cast<std::int32_t>(0xDFBD0009);

struct PayloadData {
  std::uint64_t schema;
  std::size_t size;
  const void* data;
};

struct SchemaEntry {
  std::uint64_t flags;
  std::uint64_t type;
  const char* name;
  const char* description;
  std::uint64_t detail;
  std::uint64_t offset;
  const void* semantics;
  const void* reserved;
};

struct SchemaAttributes {
  std::uint64_t fields;  // bits: which of the others are given
  const char* name;
  std::uint64_t type;
  std::uint64_t flags;
  const SchemaEntry* entries;
  std::size_t entry_count;
  std::size_t static_size;
  std::size_t alignment;
  std::uint64_t schema;
  void* extension;
};
inline constexpr std::uint64_t kHasEntries = 1 << 4 | 1 << 5;
inline constexpr std::uint64_t kHasSchema = 1 << 8;
inline constexpr std::uint64_t kFirstDynamicSchema = std::uint64_t{1} << 32;

// The result of a push or pop that is not recorded.
inline constexpr int kNoTracking = -2;

}  // namespace rangefinder::inject::nvtx
