// How long composing the shipped configuration takes, from nothing: target 5 ms.

#include <benchmark/benchmark.h>

#include "app/settings.h"
#include "config/override.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

const std::vector<std::string> kOverrides = {
    "profiling/ncu@pipeline.ncu=ncu.high", "pipeline.ncu.enable=true",
    "pipeline.ncu.ncu_cli.replay_mode=range",
    "pipeline.ncu.ncu_cli.nvtx.include='A;B;A::A1'",
    "hydra.run.dir=tmp/${now:%Y%m%d}"};

void ComposeShipped(benchmark::State& state) {
  const Surroundings around = ProcessSurroundings();
  for (auto _ : state) {
    auto composed = ComposeConfiguration(
        {.overrides = kOverrides, .surroundings = around});
    if (!composed.ok()) state.SkipWithError(composed.error().message().c_str());
    benchmark::DoNotOptimize(composed);
  }
}
BENCHMARK(ComposeShipped)->Unit(benchmark::kMillisecond);

void LoadShippedSettings(benchmark::State& state) {
  const Surroundings around = ProcessSurroundings();
  for (auto _ : state) {
    auto settings =
        LoadSettings({.overrides = kOverrides, .surroundings = around});
    if (!settings.ok()) state.SkipWithError(settings.error().message().c_str());
    benchmark::DoNotOptimize(settings);
  }
}
BENCHMARK(LoadShippedSettings)->Unit(benchmark::kMillisecond);

void ParseOneOverride(benchmark::State& state) {
  for (auto _ : state) {
    auto parsed = ParseOverride(kOverrides[3]);
    benchmark::DoNotOptimize(parsed);
  }
}
BENCHMARK(ParseOneOverride);

void ReadYamlText(benchmark::State& state) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "key_" + std::to_string(i) + ":\n  - a: 1.5\n    b: 'text'\n";
  const auto source =
      std::make_shared<const Source>(Source{.name = "x", .text = text});
  for (auto _ : state) {
    auto tree = ReadYaml(source);
    benchmark::DoNotOptimize(tree);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}
BENCHMARK(ReadYamlText)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rangefinder

BENCHMARK_MAIN();
