// `config` and `completion`, which measure nothing.

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/config_text.h"

namespace rangefinder {

Status DoConfig(const Invocation& asked) {
  const CommandLine& line = asked.line;
  TRY(NeedNoPaths(asked));
  TRY(CheckFormat(line, {"yaml", "json"}));
  ConfigRequest config{.settings = asked.request,
                       .format = FormatOr(line, "yaml"),
                       .part = line.hydra ? "all" : "job",
                       .resolve = line.resolve,
                       .package = line.package,
                       .sources = line.sources,
                       .explain = line.explain_key,
                       .groups = line.groups};
  config.settings.embedded = !line.no_embedded;
  asked.console.Out(TRY(ConfigCommand(config)));
  return Ok();
}

void AddConfigOptions(CLI::App& command, CommandLine& line) {
  FormatOption(command, line, "yaml or json");
  command.add_flag("--resolve", line.resolve, "with no interpolation left");
  command.add_flag("--no-embedded", line.no_embedded,
                   "without the configuration that comes with the program");
  command.add_flag("--hydra", line.hydra, "with the hydra node");
  command
      .add_option("--package,-p", line.package, "only the keys below this key")
      ->type_name("KEY");
  command.add_flag("--sources", line.sources,
                   "with the file and line of every value");
  command
      .add_option("--explain", line.explain_key,
                  "the meaning of a key, its default and ncu's flag")
      ->type_name("KEY");
  command.add_flag("--groups", line.groups, "the groups and their options");
}

Status DoCompletion(const Invocation& asked) {
  if (asked.paths.size() != 1)
    return UsageError("completion needs a shell: bash or zsh");
  asked.console.Out(TRY(CompletionScript(asked.paths.front())));
  return Ok();
}

}  // namespace rangefinder
