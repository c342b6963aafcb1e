#include "cupti/library.h"

#include <atomic>

#include <stdio.h>

namespace rangefinder::cupti {
namespace {

constexpr int kMajors[] = {13, 12};

// CUPTI opens its own libraries with RTLD_DEEPBIND, at which a sanitizer ends a
// program that was built with it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// The major version of CUDA that the driver can run: a newer CUPTI would fail.
// 0: no driver is mapped.
int DriverMajor() {
  auto* get = DriverFunction<int(int*)>("cuDriverGetVersion");
  int version = 0;
  return get != nullptr && get(&version) == 0 ? version / 1000 : 0;
}

void* OpenPath(const char* path, int more_flags = 0) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | more_flags);
}

void* OpenMapped() {
  char name[64];
  for (const int major : kMajors) {
    snprintf(name, sizeof name, "libcupti.so.%d", major);
    if (void* library = OpenPath(name, RTLD_NOLOAD)) return library;
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
  char path[256];
  for (const char* folder : kFolders) {
    snprintf(path, sizeof path, "%slibcupti.so.%d", folder, major);
    if (void* library = OpenPath(path)) return library;
  }
  // Toolkits next to each other: /usr/local/cuda-13.0, -12.8, ...
  for (int minor = 9; minor >= 0; --minor) {
    constexpr const char* kInner[] = {"extras/CUPTI/lib64", "lib64"};
    for (const char* inner : kInner) {
      snprintf(path, sizeof path, "/usr/local/cuda-%d.%d/%s/libcupti.so.%d",
               major, minor, inner, major);
      if (void* library = OpenPath(path)) return library;
    }
  }
  return nullptr;
}

Opened OpenNamed(const char* path) {
  Opened opened;
  opened.library = OpenPath(path);
  if (opened.library != nullptr) return opened;
  const char* const why = dlerror();
  snprintf(opened.why, sizeof opened.why, "%s: %s", kPathVariable,
           why != nullptr ? why : "it cannot be opened");
  return opened;
}

}  // namespace

Opened Open(Prefer prefer, const char* named) {
  const bool is_named = named != nullptr && *named != '\0';
  if (is_named && prefer == Prefer::kNamed) return OpenNamed(named);
  Opened opened;
  opened.library = OpenMapped();
  if (opened.library != nullptr) return opened;
  if (is_named) return OpenNamed(named);
  if (kSanitized) {
    snprintf(opened.why, sizeof opened.why,
             "this build has a sanitizer, which CUPTI does not work with");
    return opened;
  }
  const int driver = DriverMajor();
  for (const int major : kMajors) {
    if (driver != 0 && major > driver) continue;
    opened.library = OpenInstalled(major);
    if (opened.library != nullptr) return opened;
  }
  snprintf(opened.why, sizeof opened.why,
           "libcupti.so.13 or .12 was not found; install the CUDA toolkit's "
           "CUPTI, put it on LD_LIBRARY_PATH, or set RANGEFINDER_CUPTI_PATH to "
           "it");
  return opened;
}

bool Find(void* library, ActivityFunctions& f) {
  Load(library, "cuptiActivitySetAttribute", f.ActivitySetAttribute);
  Load(library, "cuptiSetThreadIdType", f.SetThreadIdType);
  Load(library, "cuptiActivityEnableDriverApi", f.ActivityEnableDriverApi);
  Load(library, "cuptiActivityEnableRuntimeApi", f.ActivityEnableRuntimeApi);
  Load(library, "cuptiActivityConfigureUnifiedMemoryCounter",
       f.ActivityConfigureUnifiedMemoryCounter);
  Load(library, "cuptiGetGraphNodeId", f.GetGraphNodeId);
  Load(library, "cuptiGetDeviceId", f.GetDeviceId);
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

void* DriverSymbol(const char* name) {
  static std::atomic<void*> mapped{nullptr};
  void* driver = mapped.load(std::memory_order_acquire);
  if (driver == nullptr) {
    driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    mapped.store(driver, std::memory_order_release);
  }
  return driver != nullptr ? dlsym(driver, name) : nullptr;
}

}  // namespace rangefinder::cupti
