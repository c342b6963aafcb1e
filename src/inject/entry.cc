// The four exported functions. NVTX 3 and 2 call InitializeInjectionNvtx2 and
// InitializeInjectionNvtx at the first NVTX call of every library that carries
// NVTX, NVTX's extensions call InitializeInjectionNvtxExtension at the first
// call of each, and the CUDA driver calls InitializeInjection in cuInit().

#include <cstdint>

#include "inject/counters/counting.h"
#include "inject/gpu/gpu_trace.h"
#include "inject/nvtx/nvtx_calls.h"
#include "inject/process/own_call.h"
#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"
#include "inject/window/control.h"

#define RANGEFINDER_EXPORT __attribute__((visibility("default")))

namespace rangefinder::inject {
namespace {

// False: the library is off for good.
bool Start() {
  if (!StartRecording()) return false;
  if (IsArmed()) StartControl();
  return true;
}

}  // namespace
}  // namespace rangefinder::inject

extern "C" {

// 1: attached. 0: NVTX switches itself off, and the program runs as without a
// tool.
RANGEFINDER_EXPORT int InitializeInjectionNvtx2(
    rangefinder::inject::nvtx::GetExportTable get_export_table) noexcept {
  using namespace rangefinder::inject;
  const ProgramsCall call;
  if (!Start()) return 0;
  return ReplaceNvtxCalls(get_export_table) ? 1 : 0;
}

// NVTX 1 and 2 hand over tables of the same form.
RANGEFINDER_EXPORT int InitializeInjectionNvtx(
    rangefinder::inject::nvtx::GetExportTable get_export_table) noexcept {
  return InitializeInjectionNvtx2(get_export_table);
}

// 1: attached. 0: it is not the extension of payloads, or nothing is recorded;
// the extension's calls do nothing.
RANGEFINDER_EXPORT int InitializeInjectionNvtxExtension(
    rangefinder::inject::nvtx::ExtensionModule* module) noexcept {
  using namespace rangefinder::inject;
  const ProgramsCall call;
  if (!Start()) return 0;
  return ReplaceExtensionCalls(module) ? 1 : 0;
}

// Always 1: the trace has the reason of a failure, and the driver does not need
// it.
RANGEFINDER_EXPORT int InitializeInjection() noexcept {
  using namespace rangefinder::inject;
  const ProgramsCall call;
  const std::uint64_t begin_ns = RealtimeNs();
  if (!StartRecording()) return 1;
  if (IsArmed()) {
    TellOfCuda();
    StartControl();
  } else if (RecordingMode() == Mode::kCount) {
    StartCounting();
  } else if (RecordingMode() != Mode::kRegions) {
    StartGpuTrace(begin_ns);
  }
  return 1;
}

}  // extern "C"
