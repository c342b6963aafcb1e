// A traced program with samples of the device's counters, for BuildTrace(). It
// runs long enough for good estimates of its regions' counters.

#pragma once

#include <string>

#include <fmt/format.h>

namespace rangefinder::testing {

// A loop of one kernel of 100 us that reads 200 MB with 1e8 instructions. The
// first steps are `unrecorded`: they are sampled alone.
inline std::string SampledLoop(int unrecorded = 0) {
  std::string trace =
      "process pid=7\ngpu 0 NVIDIA_H200\npeaks 0 memory_khz=3000000 bus=6144 "
      "sms=100 khz=2000000\n";
  std::string samples =
      "sampling 0 interval=70 chip=GH100 metrics=dram__bytes_read.sum,"
      "dram__bytes_write.sum,sm__inst_executed.sum\n";
  constexpr int kSteps = 400, kPeriod = 150;
  for (int i = unrecorded; i < kSteps; ++i) {
    const int at = 10 + kPeriod * i;
    trace += fmt::format(
        "{0} push step\n{1} launch {2}\n{3} pop\n"
        "kernel load {4}-{5} of={2} grid=64 block=128\n",
        at, at + 1, i + 1, at + 2, at + 5, at + 105);
  }
  for (int from = 0; from + 70 < kSteps * kPeriod; from += 70) {
    double inside = 0;  // time in kernels
    for (int us = from; us < from + 70; ++us) {
      const int of_step = (us + kPeriod - 15) % kPeriod;
      if (us >= 15 && of_step < 100) inside += 1;
    }
    samples += fmt::format("sample 0 {}-{} {},{},{}\n", from, from + 70,
                           inside * 2e6, 0, inside * 1e6);
  }
  return trace + samples;
}

}  // namespace rangefinder::testing
