#include <cassert>
#include <memory>

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

struct Functions {
  std::string_view name;
  decltype(Subcommand::run) run;
  decltype(Subcommand::add_options) add_options;
  decltype(Subcommand::request) request = nullptr;
};

// In the order of --help.
constexpr Functions kFunctions[] = {
    {"profile", DoProfile, AddProfileOptions, RequestOfProfile},
    {"discover", DoDiscover, AddDiscoverOptions, RequestOfProfile},
    {"run", DoRun, AddRunOptions},
    {"window", DoWindow, AddWindowOptions, RequestOfProfile},
    {"report", DoReport, AddReportOptions, RequestOfRun},
    {"show", DoShow, AddShowOptions, RequestOfRun},
    {"explain", DoExplain, AddExplainOptions, RequestOfRun},
    {"diff", DoDiff, AddDiffOptions},
    {"compare", DoCompare, AddCompareOptions},
    {"summarize", DoSummarize, AddSummarizeOptions, RequestOfRun},
    {"merge", DoMerge, AddMergeOptions},
    {"filter", DoFilter, AddFilterOptions},
    {"kernels", DoKernels, AddKernelsOptions, RequestOfRun},
    {"counters", DoCounters, AddCountersOptions},
    {"serve", DoServe, AddServeOptions},
    {"mcp", DoMcp, AddMcpOptions},
    {"config", DoConfig, AddConfigOptions},
    {"completion", DoCompletion, nullptr},
    {"doctor", DoDoctor, AddDoctorOptions},
};

// A test checks that the file has these commands.
Subcommand TextsOf(std::string_view name) {
  static const Node all = [] {
    const EmbeddedFile& file = EmbeddedCommands()[0];
    auto read = ReadYaml(std::make_shared<const Source>(
        Source{.name = "commands.yaml",
               .text = std::string(file.content()),
               .embedded = true}));
    assert(read.ok());
    return std::move(read).value();
  }();
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
                     .flag_keys = text("flags")};
  for (const Entry& entry : texts.Find("examples")->entries)
    command.examples.push_back({PythonStr(entry.key), PythonStr(entry.value)});
  return command;
}

}  // namespace

std::span<const Subcommand> Subcommands() {
  static const std::vector<Subcommand> commands = [] {
    std::vector<Subcommand> all;
    for (const Functions& row : kFunctions) {
      Subcommand& command = all.emplace_back(TextsOf(row.name));
      command.run = row.run;
      command.add_options = row.add_options;
      command.request = row.request;
    }
    return all;
  }();
  return commands;
}

const Subcommand& ProgramHelp() {
  static const Subcommand program = TextsOf("rangefinder");
  return program;
}

}  // namespace rangefinder
