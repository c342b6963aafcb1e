#include "app/command_checks.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {

Status NeedPaths(const Invocation& asked, std::string_view command) {
  if (!asked.paths.empty()) return Ok();
  return Error(ErrorCode::kUsage,
               fmt::format("{} needs a path: a run directory, a .ncu-rep, a "
                           "trace or an nsys .sqlite",
                           command));
}

Status NeedNoPaths(const Invocation& asked) {
  if (asked.paths.empty()) return Ok();
  return Error(ErrorCode::kUsage,
               fmt::format("'{}' is not an override (key=value); a program "
                           "to run stands after --",
                           Printable(asked.paths.front())));
}

Status CheckFormat(const CommandLine& line,
                   std::initializer_list<std::string_view> formats) {
  if (line.format.empty() ||
      std::ranges::find(formats, line.format) != formats.end())
    return Ok();
  std::string known;
  for (const std::string_view format : formats)
    known += (known.empty() ? "" : ", ") + std::string(format);
  return Error(ErrorCode::kUsage, fmt::format("--format {}: there are {}",
                                              Printable(line.format), known));
}

void FormatOption(CLI::App& command, CommandLine& line,
                  const std::string& formats) {
  command.add_option("--format", line.format, formats)->type_name("FORMAT");
}

std::string FormatOr(const CommandLine& line, const char* usual) {
  return line.format.empty() ? usual : line.format;
}

}  // namespace rangefinder
