#include "counters/cupti_library.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>

namespace rangefinder {
namespace {

constexpr std::array kMajors = {13, 12};

// CUPTI opens its own libraries with RTLD_DEEPBIND, at which a program that was
// built with a sanitizer is ended by it.
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

void* OpenPath(const std::string& path, int more_flags = 0) {
  return ::dlopen(path.c_str(),
                  RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | more_flags);
}

// CUDA's major version that the mapped driver can run; 0 where none is mapped.
int DriverMajor() {
  using GetVersion = int (*)(int*);
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  const auto get =
      reinterpret_cast<GetVersion>(::dlsym(driver, "cuDriverGetVersion"));
  int version = 0;
  return get != nullptr && get(&version) == 0 ? version / 1000 : 0;
}

void* OpenMapped() {
  for (const int major : kMajors) {
    if (void* library =
            OpenPath(fmt::format("libcupti.so.{}", major), RTLD_NOLOAD))
      return library;
  }
  return nullptr;
}

void* OpenInstalled(int major) {
  constexpr std::array kFolders = {
      "",
      "/usr/local/cuda/extras/CUPTI/lib64/",
      "/usr/local/cuda/lib64/",
      "/opt/cuda/extras/CUPTI/lib64/",
      "/usr/lib/x86_64-linux-gnu/",
      "/usr/lib/aarch64-linux-gnu/",
  };
  for (const char* folder : kFolders) {
    if (void* library =
            OpenPath(fmt::format("{}libcupti.so.{}", folder, major)))
      return library;
  }
  // Toolkits beside each other: /usr/local/cuda-13.0, -12.8, ...
  for (int minor = 9; minor >= 0; --minor) {
    for (const char* inner : {"extras/CUPTI/lib64", "lib64"}) {
      if (void* library =
              OpenPath(fmt::format("/usr/local/cuda-{}.{}/{}/libcupti.so.{}",
                                   major, minor, inner, major)))
        return library;
    }
  }
  return nullptr;
}

void* OpenAny() {
  const int driver = DriverMajor();
  for (const int major : kMajors) {
    if (driver != 0 && major > driver) continue;
    if (void* library = OpenInstalled(major)) return library;
  }
  return nullptr;
}

}  // namespace

Result<CuptiLibrary> CuptiLibrary::Open() {
  const char* wish = std::getenv("RANGEFINDER_CUPTI_PATH");
  if (wish != nullptr && *wish != '\0') {
    if (void* library = OpenPath(wish)) return CuptiLibrary(library);
    const char* why = ::dlerror();
    return Error(ErrorCode::kProfiler,
                 fmt::format("RANGEFINDER_CUPTI_PATH: {}",
                             why != nullptr ? why : "it cannot be opened"));
  }
  if (kSanitized) {
    return Error(ErrorCode::kProfiler,
                 "this build has a sanitizer, which CUPTI does not work with");
  }
  if (void* mapped = OpenMapped()) return CuptiLibrary(mapped);
  if (void* library = OpenAny()) return CuptiLibrary(library);
  return Error(
      ErrorCode::kProfiler,
      "libcupti.so.13 or .12 was not found; install the CUDA toolkit's CUPTI, "
      "put it on LD_LIBRARY_PATH, or set RANGEFINDER_CUPTI_PATH to it");
}

CuptiLibrary::CuptiLibrary(void* handle) : handle_(handle) {
  using GetVersion = cupti::Code (*)(std::uint32_t*);
  void* get = Find("cuptiGetVersion");
  if (get == nullptr) return;
  reinterpret_cast<GetVersion>(get)(&version_);
  Dl_info info{};
  if (::dladdr(get, &info) != 0 && info.dli_fname != nullptr)
    path_ = info.dli_fname;
}

std::string CuptiLibrary::Name(cupti::Code code) const {
  if (code == kNoFunction) return "this CUPTI does not have the function";
  using GetName = cupti::Code (*)(cupti::Code, const char**);
  const auto get = reinterpret_cast<GetName>(Find("cuptiGetResultString"));
  const char* name = nullptr;
  if (get == nullptr || get(code, &name) != cupti::kSuccess || name == nullptr)
    return fmt::format("CUPTI error {}", code);
  return fmt::format("{} ({})", name, code);
}

void* CuptiLibrary::Find(const char* name) const {
  return ::dlsym(handle_, name);
}

}  // namespace rangefinder
