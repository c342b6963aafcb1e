// The text of `--help`, wrapped to the terminal: sentences and examples from
// command_table.cc, keys from the settings table, options from CLI11.

#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace rangefinder {

// Help of the program where `app` is the program, else of the command.
std::string HelpText(const CLI::App& app, std::size_t width);

// Options that every command has are in this group of CLI11's.
inline constexpr const char* kCommonOptions = "Options of every command";

}  // namespace rangefinder
