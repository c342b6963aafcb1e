// The commands, a row each: `--help`, the parsing of the command line and what
// is run follow the table.
//
// To add one: write what it does and its options in commands.cc, and give it a
// row there.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"

namespace CLI {
class App;
}

namespace rangefinder {

// A command line whose words have been told apart.
struct Invocation {
  const CommandLine& line;
  const Console& console;
  std::vector<std::string> paths{};
  SettingsRequest request{};  // with the overrides
};

struct Subcommand {
  std::string_view name;
  const char* about;  // its line of --help
  Status (*run)(const Invocation& asked);
  // Those that not every command has; null: none.
  void (*add_options)(CLI::App& command, CommandLine& line) = nullptr;
  // What the configuration that it runs with is composed of; null: of what was
  // typed alone.
  SettingsRequest (*request)(const Invocation& asked) = nullptr;
};

// In the order of --help.
std::span<const Subcommand> Subcommands();

// Runs one of them as it was typed.
Status RunSubcommand(const Subcommand& command, const CommandLine& line,
                     const Console& console);

}  // namespace rangefinder
