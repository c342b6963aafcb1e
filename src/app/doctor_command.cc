// `doctor`: what is installed, what is permitted, what to do about it.

#include <algorithm>
#include <iterator>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.h"
#include "app/doctor_text.h"
#include "base/process.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

Status DoDoctor(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(NeedNoPaths(asked));
  TRY(CheckFormat(line, {"table", "json"}));
  SystemRunner runner;
  const Settings settings = TRY(LoadSettings(request));
  DoctorSurroundings where = RealSurroundings();
  where.ncu = settings.ncu.ncu_path;
  const InterruptGuard guard;  // a program that was ended says nothing
  std::vector<Check> checks = Examine(runner, where);
  if (InterruptGuard::Count() > 0)
    return Error(ErrorCode::kInterrupted, "interrupted");
  const bool has_gpu = std::ranges::any_of(checks, [](const Check& check) {
    return check.name == "GPU" && check.ok;
  });
  std::ranges::move(
      CounterChecks(has_gpu,
                    [](CounterMode mode) { return ProbeCounters(mode); }),
      std::back_inserter(checks));
  if (line.format == "json") {
    console.Out(DoctorJson(checks));
  } else {
    console.Out([&](std::ostream& out) {
      WriteTerminal(DoctorDocument(checks), console.style(), out);
    });
  }
  if (CanProfile(checks)) return Ok();
  std::vector<std::string> missing;
  for (const Check& check : checks) {
    if (check.required && !check.ok) missing.push_back(check.name);
  }
  return Error(
      ErrorCode::kProfiler,
      fmt::format("profiling cannot work here (see {}). Captures made on "
                  "another machine can be reported here: rangefinder report "
                  "PATH",
                  fmt::join(missing, ", ")));
}

void AddDoctorOptions(CLI::App& command, CommandLine& line) {
  FormatOption(command, line, "table or json");
}

}  // namespace rangefinder
