// Kinds of CUDA calls, by name: `cudaStreamSynchronize_v3020` as CUPTI and
// Nsight Systems write it, or without the suffix.

#pragma once

#include <array>
#include <string_view>

#include "wire/trace_format.h"

namespace rangefinder::wire {

struct TimedCallRow {
  std::string_view begin{};  // beginning of the name, without `cuda` or `cu`
  TimedCall kind{};
};

// The first matching row counts.
inline constexpr std::array kTimedCalls = std::to_array<TimedCallRow>({
    {"CtxSynchronize", TimedCall::kSynchronise},
    {"DeviceSynchronize", TimedCall::kSynchronise},
    {"EventSynchronize", TimedCall::kSynchronise},
    {"StreamSynchronize", TimedCall::kSynchronise},
    {"ThreadSynchronize", TimedCall::kSynchronise},
    {"Memcpy", TimedCall::kSynchronise},  // names with `Async`: kLaunch
    {"GraphLaunch", TimedCall::kLaunch},
    {"Launch", TimedCall::kLaunch},
    {"MemDiscard", TimedCall::kLaunch},
    {"MemPrefetch", TimedCall::kLaunch},
    {"Memset", TimedCall::kLaunch},
    {"CompilePtx", TimedCall::kLoad},
    {"FuncLoad", TimedCall::kLoad},
    {"GraphInstantiate", TimedCall::kLoad},
    {"KernelGetFunction", TimedCall::kLoad},
    {"LibraryGetKernel", TimedCall::kLoad},
    {"LibraryGetModule", TimedCall::kLoad},
    {"LibraryLoad", TimedCall::kLoad},
    {"LibraryUnload", TimedCall::kLoad},
    {"Link", TimedCall::kLoad},
    {"ModuleGetFunction", TimedCall::kLoad},
    {"ModuleLoad", TimedCall::kLoad},
    {"ModuleUnload", TimedCall::kLoad},
    {"Array3DCreate", TimedCall::kAllocate},
    {"ArrayCreate", TimedCall::kAllocate},
    {"ArrayDestroy", TimedCall::kAllocate},
    {"CtxDisablePeerAccess", TimedCall::kAllocate},
    {"CtxEnablePeerAccess", TimedCall::kAllocate},
    {"DestroyExternalMemory", TimedCall::kAllocate},
    {"DeviceDisablePeerAccess", TimedCall::kAllocate},
    {"DeviceEnablePeerAccess", TimedCall::kAllocate},
    {"Free", TimedCall::kAllocate},
    {"HostAlloc", TimedCall::kAllocate},
    {"HostRegister", TimedCall::kAllocate},
    {"HostUnregister", TimedCall::kAllocate},
    {"ImportExternalMemory", TimedCall::kAllocate},
    {"IpcCloseMemHandle", TimedCall::kAllocate},
    {"IpcOpenMemHandle", TimedCall::kAllocate},
    {"Malloc", TimedCall::kAllocate},
    {"MemAddress", TimedCall::kAllocate},
    {"MemAlloc", TimedCall::kAllocate},
    {"MemCreate", TimedCall::kAllocate},
    {"MemExport", TimedCall::kAllocate},
    {"MemFree", TimedCall::kAllocate},
    {"MemHostAlloc", TimedCall::kAllocate},
    {"MemHostRegister", TimedCall::kAllocate},
    {"MemHostUnregister", TimedCall::kAllocate},
    {"MemImport", TimedCall::kAllocate},
    {"MemMap", TimedCall::kAllocate},
    {"MemPeer", TimedCall::kAllocate},
    {"MemPool", TimedCall::kAllocate},
    {"MemRelease", TimedCall::kAllocate},
    {"MemSetAccess", TimedCall::kAllocate},
    {"MemUnmap", TimedCall::kAllocate},
    {"MipmappedArray", TimedCall::kAllocate},
    {"Multicast", TimedCall::kAllocate},
    {"Peer", TimedCall::kAllocate},
});

constexpr TimedCall TimedCallOf(std::string_view name) {
  for (const std::string_view api : {"cuda", "cu"}) {
    if (!name.starts_with(api)) continue;
    const std::string_view rest = name.substr(api.size());
    for (const TimedCallRow& row : kTimedCalls) {
      if (!rest.starts_with(row.begin)) continue;
      const bool queued = rest.starts_with("Memcpy") &&
                          rest.find("Async") != std::string_view::npos;
      return queued ? TimedCall::kLaunch : row.kind;
    }
    break;
  }
  return TimedCall::kOther;
}

static_assert(TimedCallOf("cudaStreamSynchronize_v3020") ==
              TimedCall::kSynchronise);
static_assert(TimedCallOf("cuMemcpyHtoD_v2") == TimedCall::kSynchronise);
static_assert(TimedCallOf("cudaMemcpyAsync_ptsz_v7000") == TimedCall::kLaunch);
static_assert(TimedCallOf("cudaLaunchKernelExC_v11060") == TimedCall::kLaunch);
static_assert(TimedCallOf("cuMemAllocAsync") == TimedCall::kAllocate);
static_assert(TimedCallOf("cudaFreeHost_v3020") == TimedCall::kAllocate);
static_assert(TimedCallOf("cuModuleLoadData") == TimedCall::kLoad);
static_assert(TimedCallOf("cudaEventQuery_v3020") == TimedCall::kOther);

}  // namespace rangefinder::wire
