// The four names by which the library is found: NVTX 3 and 2 call theirs from
// the first NVTX call of every library that carries NVTX, its extensions
// another from the first call of each, and the CUDA driver calls its own from
// cuInit(). Nothing else is exported.

#include "inject/counters/counting.h"
#include "inject/gpu/gpu_trace.h"
#include "inject/nvtx/nvtx_calls.h"
#include "inject/process/own_call.h"
#include "inject/trace/recorder.h"

#define RANGEFINDER_EXPORT __attribute__((visibility("default")))

extern "C" {

// 1: attached. 0: NVTX switches itself off, and the program runs as if there
// were no tool.
RANGEFINDER_EXPORT int InitializeInjectionNvtx2(
    rangefinder::inject::nvtx::GetExportTable get_export_table) noexcept {
  using namespace rangefinder::inject;
  const ProgramsCall call;
  if (!StartRecording()) return 0;
  return ReplaceNvtxCalls(get_export_table) ? 1 : 0;
}

// NVTX 1 and 2 hand over tables of the same form.
RANGEFINDER_EXPORT int InitializeInjectionNvtx(
    rangefinder::inject::nvtx::GetExportTable get_export_table) noexcept {
  return InitializeInjectionNvtx2(get_export_table);
}

// 1: attached. 0: another extension than that of payloads, or no recording; its
// calls do nothing.
RANGEFINDER_EXPORT int InitializeInjectionNvtxExtension(
    rangefinder::inject::nvtx::ExtensionModule* module) noexcept {
  using namespace rangefinder::inject;
  const ProgramsCall call;
  if (!StartRecording()) return 0;
  return ReplaceExtensionCalls(module) ? 1 : 0;
}

// Always 1: what could not be done is written in the trace, and the driver need
// not know.
RANGEFINDER_EXPORT int InitializeInjection() noexcept {
  using namespace rangefinder::inject;
  const ProgramsCall call;
  if (!StartRecording()) return 1;
  if (RecordingMode() == Mode::kCount)
    StartCounting();
  else if (RecordingMode() != Mode::kRegions)
    StartGpuTrace();
  return 1;
}

}  // extern "C"
