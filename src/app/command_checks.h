// What several commands check of what was typed, and the option that many have.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "app/commands.h"
#include "base/error.h"

namespace rangefinder {

// kUsage without a path, or with one that is no override.
Status NeedPaths(const Invocation& asked, std::string_view command);
Status NeedNoPaths(const Invocation& asked);

// --format, and whether it is one of those.
void FormatOption(CLI::App& command, CommandLine& line,
                  const std::string& formats);
Status CheckFormat(const CommandLine& line,
                   std::initializer_list<std::string_view> formats);
std::string FormatOr(const CommandLine& line, const char* usual);

}  // namespace rangefinder
