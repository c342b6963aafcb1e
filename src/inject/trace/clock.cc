#include "inject/trace/clock.h"

#include <stdlib.h>
#include <string.h>

#include "inject/process/system_calls.h"

namespace rangefinder::inject {

bool use_counter = false;

namespace {

// Whether the kernel keeps time by the counter, or could do so: under KVM and
// Hyper-V the clock is a layer over the same invariant counter.
bool KernelTrustsCounter() {
#if defined(__aarch64__)
  return true;  // the architecture promises one rate
#elif defined(__x86_64__)
  constexpr char kPath[] =
      "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  char name[64] = {};
  return ReadStart(kPath, name, sizeof name - 1) > 0 &&
         (strncmp(name, "tsc", 3) == 0 || strncmp(name, "kvm-clock", 9) == 0);
#else
  return false;
#endif
}

}  // namespace

void ChooseClock() {
  const char* wish = getenv("RANGEFINDER_INJECT_CLOCK");
  use_counter = wish != nullptr && wish[0] != '\0'
                    ? strcmp(wish, "counter") == 0
                    : KernelTrustsCounter();
}

wire::ClockPair ReadBothClocks(int attempts) {
  if (!use_counter) {
    const std::uint64_t now = RealtimeNs();
    return {now, now};
  }
  wire::ClockPair best{};
  std::uint64_t narrowest = ~std::uint64_t{0};
  for (int i = 0; i < attempts; ++i) {
    const std::uint64_t before = CounterTicks();
    const std::uint64_t now = RealtimeNs();
    const std::uint64_t width = CounterTicks() - before;
    if (width < narrowest) {
      narrowest = width;
      best = {before + width / 2, now};
    }
  }
  return best;
}

}  // namespace rangefinder::inject
