#include "inject/cupti_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

namespace rangefinder::inject {
namespace {

constexpr int kMajors[] = {13, 12};

template <typename Function>
bool Load(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

bool LoadAll(void* library, cupti::Functions& f) {
  Load(library, "cuptiActivityFlushPeriod", f.ActivityFlushPeriod);
  Load(library, "cuptiActivitySetAttribute", f.ActivitySetAttribute);
  Load(library, "cuptiSetThreadIdType", f.SetThreadIdType);
  Load(library, "cuptiActivityEnableDriverApi", f.ActivityEnableDriverApi);
  Load(library, "cuptiActivityRegisterTimestampCallback",
       f.ActivityRegisterTimestampCallback);
  Load(library, "cuptiGetGraphNodeId", f.GetGraphNodeId);
  return Load(library, "cuptiGetVersion", f.GetVersion) &&
         Load(library, "cuptiGetResultString", f.GetResultString) &&
         Load(library, "cuptiSubscribe", f.Subscribe) &&
         Load(library, "cuptiUnsubscribe", f.Unsubscribe) &&
         Load(library, "cuptiEnableCallback", f.EnableCallback) &&
         Load(library, "cuptiGetCallbackName", f.GetCallbackName) &&
         Load(library, "cuptiActivityEnable", f.ActivityEnable) &&
         Load(library, "cuptiActivityDisable", f.ActivityDisable) &&
         Load(library, "cuptiActivityRegisterCallbacks",
              f.ActivityRegisterCallbacks) &&
         Load(library, "cuptiActivityGetNextRecord", f.ActivityGetNextRecord) &&
         Load(library, "cuptiActivityGetNumDroppedRecords",
              f.ActivityGetNumDroppedRecords) &&
         Load(library, "cuptiActivityFlushAll", f.ActivityFlushAll);
}

bool LoadHost(void* library, cupti::CounterFunctions& f) {
  return Load(library, "cuptiGetDeviceId", f.GetDeviceId) &&
         Load(library, "cuptiProfilerInitialize", f.Initialize) &&
         Load(library, "cuptiDeviceGetChipName", f.GetChipName) &&
         Load(library, "cuptiProfilerHostInitialize", f.HostInitialize) &&
         Load(library, "cuptiProfilerHostDeinitialize", f.HostDeinitialize) &&
         Load(library, "cuptiProfilerHostConfigAddMetrics", f.AddMetrics) &&
         Load(library, "cuptiProfilerHostGetConfigImageSize",
              f.GetConfigImageSize) &&
         Load(library, "cuptiProfilerHostGetConfigImage", f.GetConfigImage) &&
         Load(library, "cuptiProfilerHostGetNumOfPasses", f.GetPasses) &&
         Load(library, "cuptiProfilerHostEvaluateToGpuValues", f.Evaluate);
}

bool LoadSampling(void* library, cupti::CounterFunctions& f) {
  return Load(library, "cuptiPmSamplingGetCounterAvailability",
              f.GetAvailability) &&
         Load(library, "cuptiPmSamplingEnable", f.Enable) &&
         Load(library, "cuptiPmSamplingDisable", f.Disable) &&
         Load(library, "cuptiPmSamplingSetConfig", f.SetConfig) &&
         Load(library, "cuptiPmSamplingStart", f.Start) &&
         Load(library, "cuptiPmSamplingStop", f.Stop) &&
         Load(library, "cuptiPmSamplingGetCounterDataSize", f.GetDataSize) &&
         Load(library, "cuptiPmSamplingCounterDataImageInitialize",
              f.InitializeData) &&
         Load(library, "cuptiPmSamplingDecodeData", f.Decode) &&
         Load(library, "cuptiPmSamplingGetCounterDataInfo", f.GetDataInfo) &&
         Load(library, "cuptiPmSamplingCounterDataGetSampleInfo",
              f.GetSampleInfo);
}

bool LoadRanges(void* library, cupti::RangeFunctions& f) {
  return Load(library, "cuptiRangeProfilerEnable", f.Enable) &&
         Load(library, "cuptiRangeProfilerDisable", f.Disable) &&
         Load(library, "cuptiRangeProfilerGetCounterDataSize", f.GetDataSize) &&
         Load(library, "cuptiRangeProfilerCounterDataImageInitialize",
              f.InitializeData) &&
         Load(library, "cuptiRangeProfilerSetConfig", f.SetConfig) &&
         Load(library, "cuptiRangeProfilerStart", f.Start) &&
         Load(library, "cuptiRangeProfilerStop", f.Stop) &&
         Load(library, "cuptiRangeProfilerPushRange", f.Push) &&
         Load(library, "cuptiRangeProfilerPopRange", f.Pop) &&
         Load(library, "cuptiRangeProfilerDecodeData", f.Decode) &&
         Load(library, "cuptiRangeProfilerGetCounterDataInfo", f.GetDataInfo) &&
         Load(library, "cuptiRangeProfilerCounterDataGetRangeInfo",
              f.GetRangeInfo);
}

// CUDA's major version that the driver can run: a newer CUPTI would fail.
int DriverMajor() {
  using GetVersion = int(int*);
  auto* get =
      reinterpret_cast<GetVersion*>(DriverFunction("cuDriverGetVersion"));
  int version = 0;
  return get != nullptr && get(&version) == 0 ? version / 1000 : 0;
}

// Loaded for good: CUPTI keeps threads and hooks that must not be unmapped.
void* Open(const char* path, int more_flags = 0) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | more_flags);
}

void* OpenMapped() {
  char name[64];
  for (const int major : kMajors) {
    snprintf(name, sizeof name, "libcupti.so.%d", major);
    if (void* library = Open(name, RTLD_NOLOAD)) return library;
  }
  return nullptr;
}

void* OpenInstalled(int major) {
  constexpr const char* kFolders[] = {
      "",
      "/usr/local/cuda/extras/CUPTI/lib64/",
      "/usr/local/cuda/lib64/",
      "/opt/cuda/extras/CUPTI/lib64/",
      "/usr/lib/x86_64-linux-gnu/",
      "/usr/lib/aarch64-linux-gnu/",
  };
  for (const char* folder : kFolders) {
    char path[256];
    snprintf(path, sizeof path, "%slibcupti.so.%d", folder, major);
    if (void* library = Open(path)) return library;
  }
  // Toolkits beside each other: /usr/local/cuda-13.0, -12.8, ...
  for (int minor = 9; minor >= 0; --minor) {
    char path[256];
    constexpr const char* kInner[] = {"extras/CUPTI/lib64", "lib64"};
    for (const char* inner : kInner) {
      snprintf(path, sizeof path, "/usr/local/cuda-%d.%d/%s/libcupti.so.%d",
               major, minor, inner, major);
      if (void* library = Open(path)) return library;
    }
  }
  return nullptr;
}

void* OpenAny() {
  if (void* mapped = OpenMapped()) return mapped;
  const char* wish = getenv("RANGEFINDER_CUPTI_PATH");
  if (wish != nullptr && *wish != '\0') return Open(wish);
  const int driver = DriverMajor();
  for (const int major : kMajors) {
    if (driver != 0 && major > driver) continue;
    if (void* library = OpenInstalled(major)) return library;
  }
  return nullptr;
}

// The copy in use, once there is one.
void* opened = nullptr;

}  // namespace

bool OpenCupti(cupti::Functions& functions, const char** reason) {
  void* library = OpenAny();
  opened = library;
  if (library == nullptr) {
    *reason = "libcupti.so was not found; set RANGEFINDER_CUPTI_PATH to it";
    return false;
  }
  if (!LoadAll(library, functions)) {
    *reason = "libcupti.so lacks functions that the tracer needs";
    return false;
  }
  return true;
}

bool FindCounterFunctions(cupti::CounterFunctions& functions) {
  return opened != nullptr && LoadHost(opened, functions) &&
         LoadSampling(opened, functions);
}

bool FindRangeFunctions(cupti::CounterFunctions& host,
                        cupti::RangeFunctions& functions) {
  return opened != nullptr && LoadHost(opened, host) &&
         LoadRanges(opened, functions);
}

void* DriverFunction(const char* name) {
  static void* const driver =
      dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  return driver != nullptr ? dlsym(driver, name) : nullptr;
}

}  // namespace rangefinder::inject
