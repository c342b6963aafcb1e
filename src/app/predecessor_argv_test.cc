// The command lines that existing users type, down to the words that ncu is
// given: configuration, translation, plan and command together.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/command_settings.h"
#include "app/settings.h"
#include "base/text.h"
#include "capture/ncu.h"
#include "capture/plan.h"

namespace rangefinder {
namespace {

// ncu's words as a shell would take them, for a program called ./app; the files
// of the run are RUN. Metrics that only make a rollup exact are left out, for
// they are a test of their own.
std::string Argv(std::vector<std::string> overrides) {
  overrides.insert(overrides.end(),
                   {"hydra.run.dir=RUN", "pipeline.ncu.exact_rollup=false"});
  Surroundings around;
  around.environment = [](const std::string&) { return std::nullopt; };
  around.cwd = "/home/user";
  const auto settings =
      LoadSettings({.overrides = std::move(overrides), .surroundings = around});
  if (!settings.ok()) return settings.error().message();
  Notes notes;
  auto options = RunOptionsOf(settings.value(), {"./app"});
  if (!options.ok()) return options.error().message();
  const Status ncu =
      AddNcu(settings.value().ncu, settings.value().analysis.rollup,
             options.value(), notes);
  if (!ncu.ok()) return ncu.error().message();
  const CapturePlan plan = PlanCapture(options.value());
  std::string text;
  for (const PlannedRun& run : plan.runs) {
    text += ShellQuote(NcuCommand(options.value(), run).argv) + "\n";
  }
  // Of a program that is started elsewhere the path is whole.
  const std::string here = std::filesystem::current_path() / "app";
  for (const auto& [whole, part] :
       {std::pair<std::string, std::string>{"/home/user/RUN", "RUN"},
        {here, "./app"}}) {
    for (std::size_t at = 0; (at = text.find(whole, at)) != std::string::npos;)
      text.replace(at, whole.size(), part);
  }
  return text;
}

struct Row {
  std::string name{};
  std::vector<std::string> overrides{};
};

std::vector<Row> Rows() {
  const std::string cli = "pipeline.ncu.ncu_cli.";
  return {
      {"one result per range",
       {"pipeline.ncu.enable=true", cli + "replay_mode=range",
        cli + "nvtx.include=LLM@*",
        cli + "sections=[SpeedOfLight,MemoryWorkloadAnalysis,Occupancy,"
              "SchedulerStats]"}},
      {"deterministic relaunch",
       {"pipeline.ncu.enable=true", cli + "replay_mode=app-range",
        cli + "nvtx.include=prefill*"}},
      {"kernels inside a range",
       {"pipeline.ncu.enable=true", cli + "replay_mode=kernel",
        "+" + cli + "nvtx.include=decode*"}},
      {"range and exact kernel name",
       {"pipeline.ncu.enable=true", cli + "replay_mode=kernel",
        cli + "nvtx.include=LLM@*", cli + "kernel_name=my_exact_kernel_name",
        cli + "kernel_name_base=demangled"}},
      {"range and kernel regex",
       {cli + "nvtx.include=decode*", cli + "kernel_name=regex:.*matmul.*",
        cli + "kernel_name_base=demangled",
        cli + "sections=[SpeedOfLight,MemoryWorkloadAnalysis,Occupancy]"}},
      {"the dummy model",
       {"model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default",
        "model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default",
        "pipeline.ncu.enable=true", cli + "replay_mode=range",
        cli + "sections=[SpeedOfLight,Occupancy]"}},
      {"three labels, nested among them",
       {"pipeline.ncu.enable=true", "pipeline.nsys.enable=false",
        cli + "replay_mode=range", cli + "nvtx.include='A;B;A::A1'",
        "device=cuda:0", "hydra.job.chdir=true"}},
  };
}

TEST(PredecessorArgv, EveryCommandLineGivesNcuTheWordsOnRecord) {
  const std::string path =
      RANGEFINDER_SOURCE_DIR "/tests/config/predecessor_argv.txt";
  std::string all;
  for (const Row& row : Rows())
    all += "# " + row.name + "\n" + Argv(row.overrides) + "\n";
  if (std::getenv("RANGEFINDER_REGENERATE") != nullptr)
    std::ofstream(path) << all;
  std::ifstream in(path);
  const std::string recorded((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(all, recorded);
}

}  // namespace
}  // namespace rangefinder
