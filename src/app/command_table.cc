#include "app/command_settings.h"
#include "app/commands.h"
#include "base/embedded.h"
#include "base/text.h"
#include "config/yaml.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedCommands();  // commands.yaml

namespace {

SettingsRequest RequestOfProfile(const Invocation& asked) {
  return ProfileRequest(asked.request);
}

SettingsRequest RequestOfRun(const Invocation& asked) {
  return RunRequest(asked.request, asked.paths);
}

// The texts are from commands.yaml; a test checks that the file has these
// commands.
Subcommand CommandOf(std::string_view name,
                     decltype(Subcommand::run) run = nullptr,
                     decltype(Subcommand::add_options) add_options = nullptr,
                     decltype(Subcommand::request) request = nullptr) {
  static const Node all = ReadEmbeddedYaml(EmbeddedCommands()[0]);
  const Node& texts = *all.Find(name);
  const auto text = [&](std::string_view key) {
    const Node* const found = texts.Find(key);
    return found == nullptr ? std::string() : PythonStr(*found);
  };
  Subcommand command{.name = std::string(name),
                     .about = text("about"),
                     .synopsis = text("synopsis"),
                     .text = text("text"),
                     .keys = text("keys"),
                     .flag_keys = text("flags"),
                     .run = run,
                     .add_options = add_options,
                     .request = request};
  for (const Entry& entry : texts.Find("examples")->entries)
    command.examples.push_back({PythonStr(entry.key), PythonStr(entry.value)});
  return command;
}

}  // namespace

std::span<const Subcommand> Subcommands() {
  static const std::vector<Subcommand> commands = {
      CommandOf("profile", DoProfile, AddProfileOptions, RequestOfProfile),
      CommandOf("discover", DoDiscover, AddDiscoverOptions, RequestOfProfile),
      CommandOf("run", DoRun, AddRunOptions),
      CommandOf("window", DoWindow, AddWindowOptions, RequestOfProfile),
      CommandOf("report", DoReport, AddReportOptions, RequestOfRun),
      CommandOf("show", DoShow, AddShowOptions, RequestOfRun),
      CommandOf("explain", DoExplain, AddExplainOptions, RequestOfRun),
      CommandOf("diff", DoDiff, AddDiffOptions),
      CommandOf("compare", DoCompare, AddCompareOptions),
      CommandOf("summarize", DoSummarize, AddSummarizeOptions, RequestOfRun),
      CommandOf("merge", DoMerge, AddMergeOptions),
      CommandOf("filter", DoFilter, AddFilterOptions),
      CommandOf("kernels", DoKernels, AddKernelsOptions, RequestOfRun),
      CommandOf("counters", DoCounters, AddCountersOptions),
      CommandOf("serve", DoServe, AddServeOptions),
      CommandOf("mcp", DoMcp, AddMcpOptions),
      CommandOf("config", DoConfig, AddConfigOptions),
      CommandOf("completion", DoCompletion),
      CommandOf("doctor", DoDoctor, AddDoctorOptions),
  };
  return commands;
}

const Subcommand& ProgramHelp() {
  static const Subcommand program = CommandOf("rangefinder");
  return program;
}

}  // namespace rangefinder
