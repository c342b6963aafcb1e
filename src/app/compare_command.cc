// `compare --runs N -- A… ::: B…`: profiles two programs, or one program in two
// ways, in turns, and diffs them.

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command_settings.h"
#include "app/commands.h"
#include "app/diff_command.h"
#include "app/diff_settings.h"
#include "base/lists.h"
#include "base/process.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/tracer.h"
#include "config/override.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBetween = ":::";

// One side: its program, and its own overrides and environment.
struct ComparedSide {
  std::vector<std::string> program{};
  std::vector<std::string> overrides{};
  std::vector<std::string> environment{};  // NAME=VALUE; NAME alone: unset
};

// The last lines of `profile`, with the reason of its failure.
std::string LastLines(const std::string& text) {
  constexpr std::size_t kMost = 1000;
  const std::string_view end = Trim(text);
  return std::string(end.substr(end.size() - std::min(end.size(), kMost)));
}

// The error code of an exit status of this program.
ErrorCode CodeOf(int status) {
  for (const ErrorCode code :
       {ErrorCode::kUsage, ErrorCode::kTarget, ErrorCode::kProfiler,
        ErrorCode::kCorrupt, ErrorCode::kUnsupported, ErrorCode::kSystem})
    if (ExitStatus(code) == status) return code;
  return ErrorCode::kOther;
}

// Profiles the program of `side` into `run_dir`, with the common words of both
// sides. An error has the code of `profile`.
Status RunOnce(const ComparedSide& side, const std::vector<std::string>& common,
               const fs::path& run_dir, ProcessRunner& runner) {
  const std::string self = TRY(OwnProgram());
  Command command{.argv = {self, "profile"},
                  .out = Command::Output::kCapture,
                  .err = Command::Output::kCapture};
  for (const auto* words : {&common, &side.overrides})
    command.argv.insert(command.argv.end(), words->begin(), words->end());
  command.argv.push_back("hydra.run.dir=" +
                         QuoteOverrideValue(run_dir.string()));
  command.argv.emplace_back("--");
  command.argv.insert(command.argv.end(), side.program.begin(),
                      side.program.end());
  for (const std::string& variable : side.environment) {
    const std::size_t equals = variable.find('=');
    command.environment[variable.substr(0, equals)] =
        equals == std::string::npos
            ? std::nullopt
            : std::optional(variable.substr(equals + 1));
  }
  const Finished finished = TRY(runner.Run(command));
  std::error_code error;
  if (fs::is_directory(run_dir, error))
    TRY(WriteFile(run_dir / "output.txt", finished.out + finished.err));
  if (finished.ending == Ending::kInterrupted || InterruptGuard::Count() > 0)
    return Error(ErrorCode::kInterrupted,
                 "interrupted; the runs so far are in " +
                     run_dir.parent_path().string());
  if (finished.ok()) return Ok();
  return Error(CodeOf(finished.status),
               fmt::format("{}: profile ended with {}\n{}", run_dir.string(),
                           finished.status, LastLines(finished.err)));
}

// The sides with the programs before and after `:::`; without it both sides run
// the same program. kUsage: the sides would not differ.
Result<std::array<ComparedSide, 2>> ComparedSidesOf(const CommandLine& line) {
  ComparedSide base{.overrides = line.base_overrides,
                    .environment = line.base_env};
  ComparedSide other{.overrides = line.new_overrides,
                     .environment = line.new_env};
  const auto between = std::ranges::find(line.program, kBetween);
  base.program.assign(line.program.begin(), between);
  other.program = base.program;
  const bool two = between != line.program.end();
  if (two) other.program.assign(between + 1, line.program.end());
  if (base.program.empty() || other.program.empty())
    return UsageError(
        "compare needs a program on both sides: rangefinder compare -- ./old "
        "::: ./new");
  if (!two && base.overrides == other.overrides &&
      base.environment == other.environment)
    return UsageError(
        "compare has one program and nothing that differs: give another one "
        "behind :::, or --base-env and --new-env, or --base and --new "
        "overrides; for the noise of a program, run it against itself: -- "
        "./program ::: ./program");
  if (Has(other.program, kBetween))
    return UsageError("compare has two sides: {} stands once", kBetween);
  for (const auto* side : {&base, &other}) {
    for (const std::string& variable : side->environment) {
      if (variable.empty() || variable.starts_with('='))
        return UsageError(
            "--{}-env {}: expected NAME=VALUE, or NAME to unset it",
            side == &base ? "base" : "new", Printable(variable));
    }
  }
  if (TRY(CountOf("--runs", line.runs)) == 0)
    return UsageError("--runs 0: there would be nothing to diff");
  return std::array{std::move(base), std::move(other)};
}

// Errors in the settings of a side, and a missing program, before anything
// runs. A side with variables of its own is right or wrong in that environment
// alone, which `profile` checks.
Status CheckSide(const ComparedSide& side, SettingsRequest request) {
  if (!side.environment.empty()) return Ok();
  request.overrides.insert(request.overrides.end(), side.overrides.begin(),
                           side.overrides.end());
  const Settings settings = TRY(LoadProfileSettings(request));
  const CaptureOptions options = TRY(RunOptionsOf(settings, side.program));
  SystemRunner runner;
  TRY(FindProgram(options.program, options.cwd, runner));
  return Ok();
}

// Runs base and new in the order ABBA ABBA …, so that a drift of the machine
// affects both sides. Each run has a folder of its own below `folder`, base-1,
// new-1 and so on, with its output in output.txt. A failed run ends the series;
// earlier runs stay.
Result<DiffSides> RunInTurns(const std::array<ComparedSide, 2>& sides,
                             const std::vector<std::string>& common,
                             const fs::path& folder, const Invocation& asked) {
  const InterruptGuard guard;
  SystemRunner runner;
  DiffSides runs(2);
  const std::uint64_t count = 2 * TRY(CountOf("--runs", asked.line.runs));
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::size_t side = k % 4 == 1 || k % 4 == 2 ? 1 : 0;
    const std::string name =
        fmt::format("{}-{}", side == 1 ? "new" : "base", runs[side].size() + 1);
    asked.console.Say(fmt::format("run {} of {}: {}", k + 1, count, name));
    runs[side].push_back((folder / name).string());
    TRY(RunOnce(sides[side], common, folder / name, runner));
  }
  return runs;
}

}  // namespace

Status DoCompare(const Invocation& asked) {
  TRY(NeedNoPaths(asked));
  TRY(CheckComparison(asked.line));
  const auto sides = TRY(ComparedSidesOf(asked.line));
  // An error in the gate is reported before anything runs.
  SettingsRequest measured = asked.request;
  const std::vector<std::string> gates = TakeGateOverrides(measured.overrides);
  const Composition composed = TRY(ComposeConfiguration(measured));
  const Settings known = TRY(SettingsOf(composed));
  const Node tree = TRY(composed.ResolvedTask());
  TRY(ReadDiffRequirements(tree, known.diff, gates, ""));

  TRY(CheckSide(sides[0], measured).In("base"));
  TRY(CheckSide(sides[1], measured).In("new"));

  const DiffSides runs = TRY(RunInTurns(
      sides, WordsOf(measured, {"hydra.run.dir"}), known.run_dir, asked));
  Status status = RunDiff(runs, asked);
  asked.console.Say(
      fmt::format("the runs are in {}", Printable(known.run_dir)));
  return status;
}

void AddCompareOptions(CLI::App& command, CommandLine& line) {
  command.add_option("--runs", line.runs, "how many runs a side (5)")
      ->type_name("N");
  const auto list = [&](const char* name, std::vector<std::string>& to,
                        const char* about, const char* type) {
    command.add_option(name, to, about)
        ->type_name(type)
        ->take_all()
        ->allow_extra_args(false);  // keys may follow
  };
  list("--base-env", line.base_env,
       "NAME=VALUE of the base's runs alone; NAME: unset", "NAME=VALUE");
  list("--new-env", line.new_env, "a variable of the new ones' alone",
       "NAME=VALUE");
  list("--base", line.base_overrides, "an override of the base's runs alone",
       "KEY=VALUE");
  list("--new", line.new_overrides, "an override of the new ones' alone",
       "KEY=VALUE");
  ComparisonOptions(command, line);
}

}  // namespace rangefinder
