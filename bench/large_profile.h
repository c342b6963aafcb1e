// Profiles as large as a user's worst, for the benchmarks.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "profile/profile.h"

namespace rangefinder::bench {

// `kernels` launches of 50 kernel names, `metrics` values each (of them the
// time, counters, and rates over cycles), ten launches a region, in a tree
// three levels deep. The same every time.
inline Profile LargeProfile(std::size_t kernels, std::size_t metrics) {
  Profile profile;
  profile.processes.push_back(
      {.pid = 1, .name = profile.strings.Intern("/usr/bin/python3")});
  std::vector<MetricId> ids = {
      profile.InternMetric("gpu__time_duration.sum"),
      profile.InternMetric("sm__cycles_elapsed.avg"),
      profile.InternMetric("sm__cycles_active.avg"),
  };
  for (std::size_t i = ids.size(); i < metrics; ++i) {
    ids.push_back(profile.InternMetric(
        i % 2 == 0 ? fmt::format("sm__inst_executed_pipe_{}.sum", i)
                   : fmt::format("sm__inst_executed_pipe_{}.avg.pct_of_peak_"
                                 "sustained_elapsed",
                                 i)));
  }
  std::vector<StringId> names;
  for (int i = 0; i < 50; ++i) {
    names.push_back(profile.strings.Intern(
        fmt::format("void at::native::vectorized_elementwise_kernel<(int){}, "
                    "at::native::Functor>(int, float *)",
                    i)));
  }
  std::uint64_t random = 0x9E3779B97F4A7C15U;
  profile.measurements.reserve(kernels);
  profile.samples.reserve(kernels * metrics);
  for (std::size_t k = 0; k < kernels; ++k) {
    const std::size_t region = k / 10;
    if (k % 10 == 0) {
      NvtxState state;
      state.domains = {{.id = 0}};
      NvtxStack stack{.domain = 0, .thread = 1};
      const auto push = [&](const std::string& name, std::uint64_t order) {
        stack.ranges.push_back(
            {.name = profile.strings.Intern(name), .order = order});
      };
      push(fmt::format("epoch_{}", region / 1000), 1 + region / 1000);
      push(fmt::format("step_{}", region / 10), 100 + region / 10);
      push(fmt::format("layer_{}", region), 100000 + region);
      state.stacks = {std::move(stack)};
      profile.nvtx_states.push_back(std::move(state));
    }
    Measurement m;
    m.mode = ReplayMode::kKernel;
    m.device = 0;
    m.thread = 1;
    m.api_call = k + 1;
    m.demangled_name = m.function_name = names[k % names.size()];
    m.grid = {1024, 1, 1};
    m.block = {256, 1, 1};
    m.nvtx = static_cast<NvtxStateId>(profile.nvtx_states.size() - 1);
    m.first_sample = profile.samples.size();
    m.sample_count = ids.size();
    for (const MetricId id : ids) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      const Value value =
          Value::Number(static_cast<double>(random % 1000000) / 16);
      profile.samples.push_back(
          {.metric = id, .kind = value.kind, .bits = value.bits});
    }
    profile.measurements.push_back(std::move(m));
  }
  return profile;
}

}  // namespace rangefinder::bench
