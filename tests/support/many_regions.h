// A capture of many small regions as ncu writes it for a model when one metric
// is requested by name: ncu adds the other rollups of the metric, the time, and
// all attributes of the device and of each launch.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "profile/profile.h"

namespace rangefinder::testing {

inline constexpr const char* kManyRegionsMetric =
    "sm__throughput.avg.pct_of_peak_sustained_elapsed";

class ManyRegions {
 public:
  // Makes one root region with 20 inner regions: `leaves` regions in those,
  // each with one kernel, and `more` kernels directly in the 20.
  static Profile Make(std::size_t leaves, std::size_t more) {
    ManyRegions made;
    for (std::size_t i = 0; i < leaves + more; ++i)
      made.AddKernel(i, i < leaves);
    return std::move(made.profile_);
  }

 private:
  ManyRegions() {
    profile_.processes.push_back(
        {.pid = 4711, .name = profile_.strings.Intern("/usr/bin/python3")});
    profile_.artifacts.push_back(
        {.path = "run.ncu-rep",
         .format = "ncu-rep",
         .bytes = 1,
         .command_line =
             fmt::format("ncu --metrics {} --nvtx -o run python3 train.py",
                         kManyRegionsMetric)});
    for (int i = 0; i < 100; ++i)
      Constant(fmt::format("device__attribute_limit_{}", i), 1024 * i);
    for (int i = 0; i < 30; ++i)
      Constant(fmt::format("launch__attribute_{}", i), i % 3);
    for (int i = 0; i < 20; ++i)
      Constant(fmt::format("nvlink__property_{}", i), 0);
    for (const char* name :
         {"launch__grid_size", "launch__block_size", "launch__thread_count",
          "launch__registers_per_thread", "launch__function_pcs"})
      counts_.push_back(profile_.InternMetric(name));
    varying_.push_back(
        profile_.InternMetric("launch__waves_per_multiprocessor"));
    for (const char* rollup : {"avg", "max", "min", "sum"}) {
      varying_.push_back(profile_.InternMetric(fmt::format(
          "sm__throughput.{}.pct_of_peak_sustained_elapsed", rollup)));
      times_.push_back(
          profile_.InternMetric(fmt::format("gpu__time_duration.{}", rollup)));
    }
  }

  void Constant(const std::string& name, int value) {
    constants_.push_back({.metric = profile_.InternMetric(name),
                          .kind = ValueKind::kInteger,
                          .bits = static_cast<std::uint64_t>(value)});
  }

  void AddSample(MetricId metric, double number) {
    const Value value = Value::Number(number);
    profile_.samples.push_back(
        {.metric = metric, .kind = value.kind, .bits = value.bits});
  }

  void AddKernel(std::size_t i, bool leaf) {
    NvtxState state;
    state.domains = {{.id = 0}};
    NvtxStack stack{.domain = 0, .thread = 1};
    const auto push = [&](const std::string& name) {
      stack.ranges.push_back({.name = profile_.strings.Intern(name),
                              .order = i + stack.ranges.size() + 1});
    };
    push("forward");
    push(fmt::format("model.layers.{}", i % 20));
    if (leaf) push(fmt::format("self_attn.projection.{}", i));
    state.stacks = {std::move(stack)};
    profile_.nvtx_states.push_back(std::move(state));

    Measurement m;
    m.mode = ReplayMode::kKernel;
    m.device = 0;
    m.thread = 1;
    m.api_call = i + 1;
    m.demangled_name = m.function_name = profile_.strings.Intern(fmt::format(
        "void at::native::vectorized_elementwise_kernel<(int)4, "
        "at::native::Functor_{}<float>, std::array<char *, (unsigned long)3>>"
        "(int, T2, T3)",
        i % 50));
    m.nvtx = static_cast<NvtxStateId>(profile_.nvtx_states.size() - 1);
    m.first_sample = profile_.samples.size();
    profile_.samples.insert(profile_.samples.end(), constants_.begin(),
                            constants_.end());
    const double ns = static_cast<double>(1000 + Random() % 100000 * 32);
    for (const MetricId metric : times_) AddSample(metric, ns);
    for (const MetricId metric : counts_)
      AddSample(metric, static_cast<double>(32 * (1 + Random() % 64)));
    for (const MetricId metric : varying_)
      AddSample(metric, static_cast<double>(Random() % 100000000) / 999983);
    m.sample_count = profile_.samples.size() - m.first_sample;
    profile_.measurements.push_back(std::move(m));
  }

  std::uint64_t Random() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_;
  }

  Profile profile_{};
  std::vector<Sample> constants_{};
  std::vector<MetricId> counts_{};   // launch attributes
  std::vector<MetricId> varying_{};  // measured values
  std::vector<MetricId> times_{};
  std::uint64_t random_ = 0x9E3779B97F4A7C15U;
};

}  // namespace rangefinder::testing
