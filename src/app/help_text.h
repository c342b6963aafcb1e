// How `--help` looks: what a command is, its options and its examples, wrapped
// to the terminal. The words are command_table.cc's, the keys those of the
// settings table, the options CLI11's.

#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace rangefinder {

// Of the program where `app` is it, else of the command.
std::string HelpText(const CLI::App& app, std::size_t width);

// Options that every command has are in this group of CLI11's.
inline constexpr const char* kCommonOptions = "Options of every command";

}  // namespace rangefinder
