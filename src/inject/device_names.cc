#include "inject/device_names.h"

#include <atomic>

#include <string.h>

#include "inject/cupti_library.h"
#include "inject/recorder.h"

namespace rangefinder::inject {
namespace {

template <typename Function>
Function* Driver(const char* name) {
  return reinterpret_cast<Function*>(DriverFunction(name));
}

}  // namespace

void WriteDeviceNames() {
  static std::atomic<bool> written{false};
  auto* get_count = Driver<int(int*)>("cuDeviceGetCount");
  auto* get = Driver<int(int*, int)>("cuDeviceGet");
  auto* get_name = Driver<int(char*, int, int)>("cuDeviceGetName");
  auto* attribute = Driver<int(int*, int, int)>("cuDeviceGetAttribute");
  int count = 0;
  if (get_count == nullptr || get == nullptr || get_name == nullptr ||
      attribute == nullptr || get_count(&count) != 0) {
    return;
  }
  if (written.exchange(true)) return;
  for (int i = 0; i < count; ++i) {
    constexpr int kMajor = 75, kMinor = 76;  // of the compute capability
    int device = 0, major = 0, minor = 0;
    char name[256] = {};
    if (get(&device, i) != 0 || get_name(name, sizeof name - 1, device) != 0) {
      continue;
    }
    attribute(&major, kMajor, device);
    attribute(&minor, kMinor, device);
    WithNames([&](Names& names, TraceFile& file) {
      names.Note(file, wire::Name::kDevice, static_cast<std::uint32_t>(i),
                 names.String(file, {name, strlen(name)}),
                 static_cast<std::uint64_t>(major << 8 | minor));
    });
  }
}

}  // namespace rangefinder::inject
