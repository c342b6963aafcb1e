// The calls of CUDA that CUPTI records with their start and end: calls that
// wait for the GPU, load code or change memory. They are rare, so that their
// records cost little; launches are many, and are timed by our callback.
//
// A call of the runtime calls the driver, and both have a record. OuterCalls
// leaves out the driver's where it says the same as the runtime's around it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cupti/library.h"
#include "wire/trace_format.h"

namespace rangefinder::inject {

// Meanings of calls by the beginning of their names; the first that fits
// counts. Calls that a program may make for every launch are not among them.
struct CallMeaning {
  std::string_view prefix;
  wire::TimedCall kind;
};
inline constexpr CallMeaning kCallMeanings[] = {
    {"cudaDeviceSynchronize", wire::TimedCall::kSynchronise},
    {"cudaThreadSynchronize", wire::TimedCall::kSynchronise},
    {"cudaStreamSynchronize", wire::TimedCall::kSynchronise},
    {"cudaEventSynchronize", wire::TimedCall::kSynchronise},
    {"cudaMemcpy", wire::TimedCall::kSynchronise},  // without "Async"
    {"cuCtxSynchronize", wire::TimedCall::kSynchronise},
    {"cuStreamSynchronize", wire::TimedCall::kSynchronise},
    {"cuEventSynchronize", wire::TimedCall::kSynchronise},
    {"cuMemcpy", wire::TimedCall::kSynchronise},  // without "Async"

    {"cudaMalloc", wire::TimedCall::kAllocate},
    {"cudaFree", wire::TimedCall::kAllocate},
    {"cudaHostAlloc", wire::TimedCall::kAllocate},
    {"cudaHostRegister", wire::TimedCall::kAllocate},
    {"cudaHostUnregister", wire::TimedCall::kAllocate},
    {"cudaPeerRegister", wire::TimedCall::kAllocate},
    {"cudaPeerUnregister", wire::TimedCall::kAllocate},
    {"cudaDeviceEnablePeerAccess", wire::TimedCall::kAllocate},
    {"cudaDeviceDisablePeerAccess", wire::TimedCall::kAllocate},
    {"cudaIpcOpenMemHandle", wire::TimedCall::kAllocate},
    {"cudaIpcCloseMemHandle", wire::TimedCall::kAllocate},
    {"cudaImportExternalMemory", wire::TimedCall::kAllocate},
    {"cudaDestroyExternalMemory", wire::TimedCall::kAllocate},
    {"cudaMemPoolCreate", wire::TimedCall::kAllocate},
    {"cudaMemPoolDestroy", wire::TimedCall::kAllocate},
    {"cudaMemPoolTrimTo", wire::TimedCall::kAllocate},
    {"cuMemAlloc", wire::TimedCall::kAllocate},
    {"cuMemFree", wire::TimedCall::kAllocate},
    {"cuMemHostAlloc", wire::TimedCall::kAllocate},
    {"cuMemHostRegister", wire::TimedCall::kAllocate},
    {"cuMemHostUnregister", wire::TimedCall::kAllocate},
    {"cuMemPeerRegister", wire::TimedCall::kAllocate},
    {"cuMemPeerUnregister", wire::TimedCall::kAllocate},
    {"cuMemAddress", wire::TimedCall::kAllocate},
    {"cuMemCreate", wire::TimedCall::kAllocate},
    {"cuMemRelease", wire::TimedCall::kAllocate},
    {"cuMemMap", wire::TimedCall::kAllocate},
    {"cuMemUnmap", wire::TimedCall::kAllocate},
    {"cuMemSetAccess", wire::TimedCall::kAllocate},
    {"cuMemImport", wire::TimedCall::kAllocate},
    {"cuMemExport", wire::TimedCall::kAllocate},
    {"cuMemPoolCreate", wire::TimedCall::kAllocate},
    {"cuMemPoolDestroy", wire::TimedCall::kAllocate},
    {"cuMemPoolTrimTo", wire::TimedCall::kAllocate},
    {"cuMulticast", wire::TimedCall::kAllocate},
    {"cuArrayCreate", wire::TimedCall::kAllocate},
    {"cuArray3DCreate", wire::TimedCall::kAllocate},
    {"cuArrayDestroy", wire::TimedCall::kAllocate},
    {"cuMipmappedArrayCreate", wire::TimedCall::kAllocate},
    {"cuMipmappedArrayDestroy", wire::TimedCall::kAllocate},
    {"cuCtxEnablePeerAccess", wire::TimedCall::kAllocate},
    {"cuCtxDisablePeerAccess", wire::TimedCall::kAllocate},
    {"cuIpcOpenMemHandle", wire::TimedCall::kAllocate},
    {"cuIpcCloseMemHandle", wire::TimedCall::kAllocate},
    {"cuImportExternalMemory", wire::TimedCall::kAllocate},
    {"cuDestroyExternalMemory", wire::TimedCall::kAllocate},

    {"cudaLibraryLoad", wire::TimedCall::kLoad},
    {"cudaLibraryUnload", wire::TimedCall::kLoad},
    {"cudaLibraryGetKernel", wire::TimedCall::kLoad},
    {"cudaGraphInstantiate", wire::TimedCall::kLoad},
    {"cuModuleLoad", wire::TimedCall::kLoad},
    {"cuModuleUnload", wire::TimedCall::kLoad},
    {"cuModuleGetFunction", wire::TimedCall::kLoad},  // loads it, if lazily
    {"cuLibraryLoad", wire::TimedCall::kLoad},
    {"cuLibraryUnload", wire::TimedCall::kLoad},
    {"cuLibraryGetKernel", wire::TimedCall::kLoad},
    {"cuLibraryGetModule", wire::TimedCall::kLoad},
    {"cuFuncLoad", wire::TimedCall::kLoad},
    {"cuLink", wire::TimedCall::kLoad},
    {"cuCompilePtx", wire::TimedCall::kLoad},
    {"cuGraphInstantiate", wire::TimedCall::kLoad},

    {"cudaMemPrefetch", wire::TimedCall::kLaunch},
    {"cudaMemDiscardAndPrefetch", wire::TimedCall::kLaunch},
    {"cuMemPrefetch", wire::TimedCall::kLaunch},
    {"cuMemDiscardAndPrefetch", wire::TimedCall::kLaunch},

    {"cudaInitDevice", wire::TimedCall::kOther},
    {"cudaDeviceReset", wire::TimedCall::kOther},
    {"cudaDeviceSetLimit", wire::TimedCall::kOther},
    {"cudaGetDeviceProperties", wire::TimedCall::kOther},
    {"cudaMemGetInfo", wire::TimedCall::kOther},
    {"cudaMemAdvise", wire::TimedCall::kOther},
    {"cudaStreamCreate", wire::TimedCall::kOther},
    {"cudaStreamDestroy", wire::TimedCall::kOther},
    {"cudaStreamBeginCapture", wire::TimedCall::kOther},
    {"cudaStreamEndCapture", wire::TimedCall::kOther},
    {"cudaGraphExecUpdate", wire::TimedCall::kOther},
    {"cudaGraphExecDestroy", wire::TimedCall::kOther},
    {"cudaGraphDestroy", wire::TimedCall::kOther},
    {"cudaGraphUpload", wire::TimedCall::kOther},
    {"cuCtxCreate", wire::TimedCall::kOther},
    {"cuCtxDestroy", wire::TimedCall::kOther},
    {"cuCtxSetLimit", wire::TimedCall::kOther},
    {"cuGreenCtxCreate", wire::TimedCall::kOther},
    {"cuGreenCtxDestroy", wire::TimedCall::kOther},
    {"cuDevicePrimaryCtxRe",
     wire::TimedCall::kOther},  // retain, release, reset
    {"cuMemGetInfo", wire::TimedCall::kOther},
    {"cuMemAdvise", wire::TimedCall::kOther},
    {"cuStreamCreate", wire::TimedCall::kOther},
    {"cuStreamDestroy", wire::TimedCall::kOther},
    {"cuStreamBeginCapture", wire::TimedCall::kOther},
    {"cuStreamEndCapture", wire::TimedCall::kOther},
    {"cuGraphExecUpdate", wire::TimedCall::kOther},
    {"cuGraphExecDestroy", wire::TimedCall::kOther},
    {"cuGraphDestroy", wire::TimedCall::kOther},
    {"cuGraphUpload", wire::TimedCall::kOther},
};

// 0: calls of this name are not timed.
constexpr wire::TimedCall TimedCallOf(std::string_view name) {
  for (const CallMeaning& meaning : kCallMeanings) {
    if (!name.starts_with(meaning.prefix)) continue;
    const bool returns_early = meaning.kind == wire::TimedCall::kSynchronise &&
                               name.find("Async") != std::string_view::npos;
    return returns_early ? wire::TimedCall{0} : meaning.kind;
  }
  return wire::TimedCall{0};
}

// The name that programs use: "cudaMemcpy" of "cudaMemcpy_ptds_v7000".
constexpr std::string_view NameOfCall(std::string_view name) {
  for (;;) {
    const std::size_t at = name.rfind('_');
    if (at == std::string_view::npos) return name;
    const std::string_view suffix = name.substr(at + 1);
    const bool version =
        suffix.size() > 1 && suffix[0] == 'v' &&
        suffix.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (!version && suffix != "ptsz" && suffix != "ptds") return name;
    name = name.substr(0, at);
  }
}

// The functions that are timed, by number.
class TimedCalls {
 public:
  void Choose(const cupti::ActivityFunctions& cupti) {
    for (const cupti::Domain domain : {cupti::kDriverApi, cupti::kRuntimeApi}) {
      cupti::ForEachFunction(cupti, domain,
                             [&](std::uint32_t id, const char* name) {
                               kinds_[domain == cupti::kRuntimeApi][id] =
                                   static_cast<std::uint8_t>(TimedCallOf(name));
                             });
    }
  }
  // Begins or ends their recording.
  void Enable(const cupti::ActivityFunctions& cupti, bool on) const {
    for (std::uint32_t id = 1; id < cupti::kMaxFunctions; ++id) {
      if (kinds_[0][id] != 0) cupti.ActivityEnableDriverApi(id, on);
      if (kinds_[1][id] != 0) cupti.ActivityEnableRuntimeApi(id, on);
    }
  }
  // 0: it is not timed.
  wire::TimedCall KindOf(cupti::Domain domain, std::uint32_t function) const {
    return wire::TimedCall{function < cupti::kMaxFunctions
                               ? kinds_[domain == cupti::kRuntimeApi][function]
                               : std::uint8_t{0}};
  }

 private:
  std::uint8_t kinds_[2][cupti::kMaxFunctions] = {};  // driver, runtime
};

// A record of a timed call.
struct RecordedCall {
  wire::TimedCall kind{};
  cupti::Domain domain{};
  std::uint32_t function = 0;
  std::uint32_t thread = 0;
  std::uint64_t start = 0, end = 0;  // ns
};

// Keeps the last call that each thread made of the driver until it is known
// whether a call of the runtime with the same meaning was around it, which
// ends, and has its record, later. Threads that share a place may lose that
// knowledge; no call is lost.
class OuterCalls {
 public:
  template <typename Write>
  void Add(const RecordedCall& call, Write write) {
    RecordedCall& kept = kept_[call.thread % kPlaces];
    const bool inside = call.domain == cupti::kRuntimeApi &&
                        kept.kind == call.kind && kept.thread == call.thread &&
                        kept.start >= call.start && kept.end <= call.end;
    if (kept.kind != wire::TimedCall{0} && !inside) write(kept);
    kept = {};
    if (call.domain == cupti::kRuntimeApi)
      write(call);
    else
      kept = call;
  }
  // Writes all calls that are kept.
  template <typename Write>
  void Release(Write write) {
    for (RecordedCall& kept : kept_) {
      if (kept.kind != wire::TimedCall{0}) write(kept);
      kept = {};
    }
  }

 private:
  static constexpr std::size_t kPlaces = 1024;
  RecordedCall kept_[kPlaces] = {};
};

}  // namespace rangefinder::inject
