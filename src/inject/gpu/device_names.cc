#include "inject/gpu/device_names.h"

#include <atomic>

#include <string.h>

#include "cupti/library.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

template <typename Function>
Function* Driver(const char* name) {
  return reinterpret_cast<Function*>(cupti::DriverFunction(name));
}

// CUdevice_attribute: the compute capability, the place on the bus, and the
// peak clocks and sizes of the hardware.
constexpr int kMajor = 75, kMinor = 76;
constexpr int kPciBus = 33, kPciDevice = 34, kPciDomain = 50;
constexpr int kClock = 13, kMultiprocessors = 16;
constexpr int kMemoryClock = 36, kMemoryBusWidth = 37;

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
    int device = 0;
    char name[256] = {};
    if (get(&device, i) != 0 || get_name(name, sizeof name - 1, device) != 0) {
      continue;
    }
    // 0: the driver does not say.
    const auto of = [&](int what) {
      int value = 0;
      attribute(&value, what, device);
      return static_cast<std::uint64_t>(value);
    };
    const std::uint64_t bus =
        of(kPciDomain) << 32 | of(kPciBus) << 8 | of(kPciDevice);
    const std::uint64_t memory = of(kMemoryClock) | of(kMemoryBusWidth) << 32;
    const std::uint64_t cores = of(kMultiprocessors) | of(kClock) << 32;
    const std::uint64_t capability = of(kMajor) << 8 | of(kMinor);
    WithNames([&](Names& names, TraceFile& file) {
      const auto id = static_cast<std::uint32_t>(i);
      names.Note(file, wire::Name::kDevice, id,
                 names.LastingString(file, {name, strlen(name)}), capability);
      names.Note(file, wire::Name::kBus, id, bus, 0);
      names.Note(file, wire::Name::kPeaks, id, memory, cores);
    });
  }
}

}  // namespace rangefinder::inject
