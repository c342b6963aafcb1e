// One clock for everything the library writes. The CPU's time stamp counter is
// read in a third of clock_gettime's time; where it does not run at one rate on
// all CPUs, ticks are CLOCK_REALTIME itself. The GPU's records are in
// CLOCK_REALTIME already, so pairs of both are written now and then.

#pragma once

#include <cstdint>

#include <pthread.h>
#include <time.h>

#include "wire/trace_format.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace rangefinder::inject {

inline std::uint64_t ClockNs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}
inline std::uint64_t RealtimeNs() {
  return ClockNs(CLOCK_REALTIME);
}
// For durations: the system never sets this clock.
inline std::uint64_t MonotonicNs() {
  return ClockNs(CLOCK_MONOTONIC);
}
// The time `ms` from now on the same clock, for pthread_cond_timedwait().
inline timespec MonotonicIn(std::uint32_t ms) {
  const std::uint64_t ns = MonotonicNs() + std::uint64_t{ms} * 1000000;
  return {static_cast<time_t>(ns / 1000000000),
          static_cast<long>(ns % 1000000000)};
}
// Prepares a condition for waits until a time of MonotonicIn().
inline void PrepareCondition(pthread_cond_t& condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&condition, &attributes);
}

inline std::uint64_t CounterTicks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return RealtimeNs();
#endif
}

// Set once by ChooseClock(), before the first event.
extern bool use_counter;

inline std::uint64_t Ticks() {
  return use_counter ? CounterTicks() : RealtimeNs();
}

// Chooses the clock that the kernel itself trusts, or the one that
// RANGEFINDER_INJECT_CLOCK names (`realtime` or `counter`).
void ChooseClock();

// Both clocks at one moment: the closest pair of a few attempts, so that an
// interrupt between two readings does no harm.
wire::ClockPair ReadBothClocks(int attempts = 1);

}  // namespace rangefinder::inject
