// The part of NVTX's API that the test programs call, so that they are built
// and traced on a machine without CUDA. It loads the injection library as
// NVIDIA's headers do: the first call opens the file that NVTX_INJECTION64_PATH
// names and hands it the table of functions to replace. Each program or shared
// library that includes this header has a copy of its own.
//
// With NVIDIA_NVTX defined, the API comes from NVIDIA's headers instead; the
// tests compare the traces of both.

#pragma once

#ifdef NVIDIA_NVTX
#include <nvtx3/nvToolsExt.h>
#if __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>
#define HAS_NVTX_PAYLOADS 1
#endif
#else

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>
#include <sched.h>

#include "inject/nvtx/nvtx_abi.h"

#define HAS_NVTX_PAYLOADS 1
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE sizeof(nvtxResourceAttributes_t)
#define NVTX_RESOURCE_TYPE_GENERIC_POINTER 0x10001

enum { NVTX_COLOR_ARGB = 1 };
enum : std::int32_t {
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_EXT = rangefinder::inject::nvtx::kExtendedPayload
};
enum : std::uint64_t { NVTX_PAYLOAD_ENTRY_TYPE_UINT64 = 18 };
enum { NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_REGISTERED = 3 };

using nvtxRangeId_t = std::uint64_t;
using nvtxDomainHandle_t = rangefinder::inject::nvtx::Domain;
using nvtxStringHandle_t = rangefinder::inject::nvtx::String;
using nvtxResourceHandle_t = void*;
using nvtxPayloadData_t = rangefinder::inject::nvtx::PayloadData;
using nvtxPayloadSchemaEntry_t = rangefinder::inject::nvtx::SchemaEntry;
using nvtxPayloadSchemaAttr_t = rangefinder::inject::nvtx::SchemaAttributes;

union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
};

struct nvtxEventAttributes_t {
  std::uint16_t version, size;
  std::uint32_t category;
  std::int32_t colorType;
  std::uint32_t color;
  std::int32_t payloadType, reserved0;
  union {
    std::uint64_t ullValue;
    std::int64_t llValue;
    double dValue;
  } payload;
  std::int32_t messageType;
  nvtxMessageValue_t message;
};
static_assert(sizeof(nvtxEventAttributes_t) ==
              sizeof(rangefinder::inject::nvtx::EventAttributes));

struct nvtxResourceAttributes_t {
  std::uint16_t version, size;
  std::int32_t identifierType;
  union {
    const void* pValue;
    std::uint64_t ullValue;
  } identifier;
  std::int32_t messageType;
  nvtxMessageValue_t message;
};

#define NVTX_CLIENT __attribute__((visibility("hidden"))) inline

namespace nvtx_client {

namespace abi = rangefinder::inject::nvtx;

// A module's functions; null where the injection library has replaced none.
// The library is handed the places of the functions.
struct Module {
  static constexpr unsigned kCount = 16;
  abi::Function functions[kCount] = {};
  abi::Function* places[kCount] = {};
};

NVTX_CLIENT Module core, core2;

NVTX_CLIENT int GetModuleFunctionTable(std::int32_t module,
                                       abi::FunctionTable* table,
                                       unsigned* count) {
  if (module != abi::kCore && module != abi::kCore2) return 0;
  Module& found = module == abi::kCore ? core : core2;
  // The first place of a module is of no function.
  for (unsigned i = 1; i < Module::kCount; ++i)
    found.places[i] = &found.functions[i];
  *table = found.places;
  *count = Module::kCount;
  return 1;
}

NVTX_CLIENT const void* GetExportTable(std::uint32_t id) {
  static constexpr abi::ExportCallbacks kCallbacks = {
      sizeof(abi::ExportCallbacks), GetModuleFunctionTable};
  return id == abi::kExportCallbacks ? &kCallbacks : nullptr;
}

// Calls the function `name` of the injection library, where there is one.
template <typename Argument>
void CallInjection(const char* name, Argument argument) {
  const char* const path = std::getenv("NVTX_INJECTION64_PATH");
  if (path == nullptr) return;
  void* const library = dlopen(path, RTLD_LAZY);
  if (library == nullptr) return;
  using Initialize = int (*)(Argument);
  const auto initialize = reinterpret_cast<Initialize>(dlsym(library, name));
  if (initialize == nullptr || initialize(argument) == 0) dlclose(library);
}

// Runs `initialize` once. As in NVIDIA's headers, a second thread waits for the
// first, and a signal handler that interrupts the first waits for itself:
// programs with handlers call nvtxInitialize() before.
class Once {
 public:
  template <typename Work>
  void operator()(Work initialize) {
    if (state_.load(std::memory_order_acquire) == kDone) [[likely]]
      return;
    int fresh = kFresh;
    if (state_.compare_exchange_strong(fresh, kBegun)) {
      initialize();
      state_.store(kDone, std::memory_order_release);
    } else {
      while (state_.load(std::memory_order_acquire) != kDone) sched_yield();
    }
  }

 private:
  enum { kFresh, kBegun, kDone };
  std::atomic<int> state_{kFresh};
};

NVTX_CLIENT Once loaded, payloads_loaded;

NVTX_CLIENT void Load() {
  loaded([] {
    CallInjection<abi::GetExportTable>("InitializeInjectionNvtx2",
                                       GetExportTable);
  });
}

// A call without an injection library returns `otherwise`.
template <typename Result, typename... Arguments>
Result Call(const Module& module, unsigned index, Result otherwise,
            Arguments... arguments) {
  Load();
  const abi::Function function = module.functions[index];
  if (function == nullptr) return otherwise;
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

template <typename... Arguments>
void Do(const Module& module, unsigned index, Arguments... arguments) {
  Load();
  const abi::Function function = module.functions[index];
  if (function != nullptr)
    reinterpret_cast<void (*)(Arguments...)>(function)(arguments...);
}

NVTX_CLIENT std::intptr_t payload_functions[abi::kDomainIsEnabled + 1] = {};

template <typename Result, typename... Arguments>
Result CallPayload(abi::PayloadExtension slot, Result otherwise,
                   Arguments... arguments) {
  payloads_loaded([] {
    static abi::ExtensionSegment segment = {0, abi::kDomainIsEnabled + 1,
                                            payload_functions};
    static abi::ExtensionModule module = {NVTX_VERSION,
                                          sizeof(abi::ExtensionModule),
                                          abi::kPayloadExtension,
                                          1,
                                          1,
                                          &segment,
                                          nullptr,
                                          nullptr};
    CallInjection("InitializeInjectionNvtxExtension", &module);
  });
  const std::intptr_t function = payload_functions[slot];
  if (function == 0) return otherwise;
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

}  // namespace nvtx_client

NVTX_CLIENT void nvtxInitialize(const void* reserved) {
  nvtx_client::Do(nvtx_client::core2, nvtx_client::abi::kInitialize, reserved);
}

// ---- Of no domain -----------------------------------------------------------

NVTX_CLIENT int nvtxRangePushA(const char* text) {
  return nvtx_client::Call(nvtx_client::core, nvtx_client::abi::kRangePushA,
                           nvtx_client::abi::kNoTracking, text);
}
NVTX_CLIENT int nvtxRangePushW(const wchar_t* text) {
  return nvtx_client::Call(nvtx_client::core, nvtx_client::abi::kRangePushW,
                           nvtx_client::abi::kNoTracking, text);
}
NVTX_CLIENT int nvtxRangePushEx(const nvtxEventAttributes_t* attributes) {
  return nvtx_client::Call(nvtx_client::core, nvtx_client::abi::kRangePushEx,
                           nvtx_client::abi::kNoTracking, attributes);
}
NVTX_CLIENT int nvtxRangePop() {
  return nvtx_client::Call(nvtx_client::core, nvtx_client::abi::kRangePop,
                           nvtx_client::abi::kNoTracking);
}
NVTX_CLIENT nvtxRangeId_t nvtxRangeStartA(const char* text) {
  return nvtx_client::Call(nvtx_client::core, nvtx_client::abi::kRangeStartA,
                           nvtxRangeId_t{0}, text);
}
NVTX_CLIENT void nvtxRangeEnd(nvtxRangeId_t id) {
  nvtx_client::Do(nvtx_client::core, nvtx_client::abi::kRangeEnd, id);
}
NVTX_CLIENT void nvtxMarkA(const char* text) {
  nvtx_client::Do(nvtx_client::core, nvtx_client::abi::kMarkA, text);
}
NVTX_CLIENT void nvtxMarkEx(const nvtxEventAttributes_t* attributes) {
  nvtx_client::Do(nvtx_client::core, nvtx_client::abi::kMarkEx, attributes);
}
NVTX_CLIENT void nvtxNameCategoryA(std::uint32_t category, const char* name) {
  nvtx_client::Do(nvtx_client::core, nvtx_client::abi::kNameCategoryA, category,
                  name);
}
NVTX_CLIENT void nvtxNameOsThreadA(std::uint32_t thread, const char* name) {
  nvtx_client::Do(nvtx_client::core, nvtx_client::abi::kNameOsThreadA, thread,
                  name);
}

// ---- Of a domain ------------------------------------------------------------

NVTX_CLIENT nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  return nvtx_client::Call(nvtx_client::core2, nvtx_client::abi::kDomainCreateA,
                           nvtxDomainHandle_t{nullptr}, name);
}
NVTX_CLIENT void nvtxDomainDestroy(nvtxDomainHandle_t domain) {
  nvtx_client::Do(nvtx_client::core2, nvtx_client::abi::kDomainDestroy, domain);
}
NVTX_CLIENT nvtxStringHandle_t
nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) {
  return nvtx_client::Call(nvtx_client::core2,
                           nvtx_client::abi::kDomainRegisterStringA,
                           nvtxStringHandle_t{nullptr}, domain, text);
}
NVTX_CLIENT int nvtxDomainRangePushEx(nvtxDomainHandle_t domain,
                                      const nvtxEventAttributes_t* attributes) {
  return nvtx_client::Call(nvtx_client::core2,
                           nvtx_client::abi::kDomainRangePushEx,
                           nvtx_client::abi::kNoTracking, domain, attributes);
}
NVTX_CLIENT int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  return nvtx_client::Call(nvtx_client::core2,
                           nvtx_client::abi::kDomainRangePop,
                           nvtx_client::abi::kNoTracking, domain);
}
NVTX_CLIENT nvtxRangeId_t nvtxDomainRangeStartEx(
    nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return nvtx_client::Call(nvtx_client::core2,
                           nvtx_client::abi::kDomainRangeStartEx,
                           nvtxRangeId_t{0}, domain, attributes);
}
NVTX_CLIENT void nvtxDomainRangeEnd(nvtxDomainHandle_t domain,
                                    nvtxRangeId_t id) {
  nvtx_client::Do(nvtx_client::core2, nvtx_client::abi::kDomainRangeEnd, domain,
                  id);
}
NVTX_CLIENT void nvtxDomainMarkEx(nvtxDomainHandle_t domain,
                                  const nvtxEventAttributes_t* attributes) {
  nvtx_client::Do(nvtx_client::core2, nvtx_client::abi::kDomainMarkEx, domain,
                  attributes);
}
NVTX_CLIENT nvtxResourceHandle_t nvtxDomainResourceCreate(
    nvtxDomainHandle_t domain, nvtxResourceAttributes_t* attributes) {
  return nvtx_client::Call(nvtx_client::core2,
                           nvtx_client::abi::kDomainResourceCreate,
                           nvtxResourceHandle_t{nullptr}, domain, attributes);
}
NVTX_CLIENT void nvtxDomainResourceDestroy(nvtxResourceHandle_t resource) {
  nvtx_client::Do(nvtx_client::core2, nvtx_client::abi::kDomainResourceDestroy,
                  resource);
}

// ---- With payloads ----------------------------------------------------------

NVTX_CLIENT std::uint64_t nvtxPayloadSchemaRegister(
    nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* schema) {
  return nvtx_client::CallPayload(nvtx_client::abi::kPayloadSchemaRegister,
                                  std::uint64_t{0}, domain, schema);
}

NVTX_CLIENT int nvtxRangePushPayload(nvtxDomainHandle_t domain,
                                     const void* payloads, std::size_t count) {
  return nvtx_client::CallPayload(nvtx_client::abi::kRangePushPayload,
                                  nvtx_client::abi::kNoTracking, domain,
                                  payloads, count);
}
NVTX_CLIENT int nvtxRangePopPayload(nvtxDomainHandle_t domain,
                                    const void* payloads, std::size_t count) {
  return nvtx_client::CallPayload(nvtx_client::abi::kRangePopPayload,
                                  nvtx_client::abi::kNoTracking, domain,
                                  payloads, count);
}
NVTX_CLIENT void nvtxRangeEndPayload(nvtxDomainHandle_t domain,
                                     nvtxRangeId_t id, const void* payloads,
                                     std::size_t count) {
  nvtx_client::CallPayload(nvtx_client::abi::kRangeEndPayload, 0, domain, id,
                           payloads, count);
}
NVTX_CLIENT void nvtxMarkPayload(nvtxDomainHandle_t domain,
                                 const void* payloads, std::size_t count) {
  nvtx_client::CallPayload(nvtx_client::abi::kMarkPayload, 0, domain, payloads,
                           count);
}
NVTX_CLIENT std::uint8_t nvtxDomainIsEnabled(nvtxDomainHandle_t domain) {
  return nvtx_client::CallPayload(nvtx_client::abi::kDomainIsEnabled,
                                  std::uint8_t{1}, domain);
}

#undef NVTX_CLIENT
#endif  // NVIDIA_NVTX
