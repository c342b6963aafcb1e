// `compare --runs N -- A… ::: B…`: profiles two programs, or one program in two
// ways, in turns, and diffs them.

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands.h"
#include "app/diff_command.h"
#include "app/diff_settings.h"
#include "base/process.h"
#include "base/text.h"
#include "base/write_file.h"

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

struct CompareRequest {
  std::uint64_t runs = 5;  // per side
  ComparedSide base{}, other{};
  DiffRequest diff{};
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

class Comparer {
 public:
  Comparer(const CompareRequest& request, const SettingsRequest& settings,
           const fs::path& folder, ProcessRunner& runner,
           const Console& console)
      : request_(request),
        settings_(settings),
        folder_(folder),
        runner_(runner),
        console_(console) {}

  // Both sides' run directories, in order.
  Result<std::vector<std::vector<std::string>>> All() {
    const InterruptGuard guard;
    std::vector<std::vector<std::string>> sides(2);
    for (std::uint64_t k = 0; k < 2 * request_.runs; ++k) {
      const bool other = k % 4 == 1 || k % 4 == 2;
      auto& side = sides[other ? 1 : 0];
      const std::string name =
          fmt::format("{}-{}", other ? "new" : "base", side.size() + 1);
      console_.Say(
          fmt::format("run {} of {}: {}", k + 1, 2 * request_.runs, name));
      side.push_back((folder_ / name).string());
      TRY(One(other ? request_.other : request_.base, side.back()));
    }
    return sides;
  }

 private:
  Status One(const ComparedSide& side, const std::string& run_dir) {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error)
      return Error(ErrorCode::kSystem, "/proc/self/exe cannot be read");
    Command command{.argv = {self.string(), "profile"},
                    .out = Command::Output::kCapture,
                    .err = Command::Output::kCapture};
    if (!settings_.config_dir.empty())
      command.argv.push_back("--config-dir=" + settings_.config_dir);
    command.argv.push_back("--config-name=" + settings_.config_name);
    for (const auto* words : {&settings_.overrides, &side.overrides})
      command.argv.insert(command.argv.end(), words->begin(), words->end());
    command.argv.push_back("hydra.run.dir='" + run_dir + "'");
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
    const Finished finished = TRY(runner_.Run(command));
    const bool there = fs::is_directory(run_dir, error);
    if (there)
      TRY(WriteFile(fs::path(run_dir) / "output.txt",
                    finished.out + finished.err));
    if (finished.ending == Ending::kInterrupted || InterruptGuard::Count() > 0)
      return Error(ErrorCode::kInterrupted,
                   "interrupted; the runs so far are in " + folder_.string());
    if (finished.ok()) return Ok();
    return Error(CodeOf(finished.status),
                 fmt::format("{}: profile ended with {}\n{}", run_dir,
                             finished.status, LastLines(finished.err)));
  }

  const CompareRequest& request_;
  const SettingsRequest& settings_;
  const fs::path folder_;
  ProcessRunner& runner_;
  const Console& console_;
};

// The programs before and after `:::`; without it both sides run the same
// program. kUsage: the sides would not differ.
Status SplitPrograms(const std::vector<std::string>& program,
                     CompareRequest& request) {
  const auto between = std::ranges::find(program, kBetween);
  request.base.program.assign(program.begin(), between);
  request.other.program = request.base.program;
  const bool two = between != program.end();
  if (two) request.other.program.assign(between + 1, program.end());
  if (request.base.program.empty() || request.other.program.empty())
    return Error(ErrorCode::kUsage,
                 "compare needs a program on both sides: rangefinder compare "
                 "-- ./old ::: ./new");
  if (!two && request.base.overrides == request.other.overrides &&
      request.base.environment == request.other.environment)
    return Error(
        ErrorCode::kUsage,
        "compare has one program and nothing that differs: give another one "
        "behind :::, or --base-env and --new-env, or --base and --new "
        "overrides; for the noise of a program, run it against itself: -- "
        "./program ::: ./program");
  if (request.runs == 0)
    return Error(ErrorCode::kUsage, "--runs 0: there would be nothing to diff");
  return Ok();
}

// Runs base and new in the order ABBA ABBA …, so that a drift of the machine
// affects both sides. Each run has a folder of its own below hydra.run.dir,
// base-1, new-1 and so on, with its output in output.txt. A failed run ends the
// series with the error code of `profile`; earlier runs stay.
Status RunCompare(const CompareRequest& request, SettingsRequest settings,
                  ProcessRunner& runner, const Console& console) {
  // An error in the gate is reported before anything runs.
  SettingsRequest typed = settings;
  const std::vector<std::string> gates = TakeGateOverrides(typed.overrides);
  const Composition composed = TRY(ComposeConfiguration(typed));
  const Settings known = TRY(SettingsOf(composed));
  const Node tree = TRY(composed.ResolvedTask());
  TRY(ReadDiffRequirements(tree, known.diff, gates, ""));

  SettingsRequest measured = typed;
  std::erase_if(measured.overrides, [](const std::string& word) {
    return word.find("hydra.run.dir") < word.find('=');
  });
  const fs::path folder = known.run_dir;
  const auto sides =
      TRY(Comparer(request, measured, folder, runner, console).All());
  Status status = RunDiff(sides, request.diff, std::move(settings), console);
  console.Say(fmt::format("the runs are in {}", Printable(folder.string())));
  return status;
}

}  // namespace

Status DoCompare(const Invocation& asked) {
  const CommandLine& line = asked.line;
  TRY(NeedNoPaths(asked));
  const DiffRequest diff = TRY(DiffRequestOf(line));
  CompareRequest compare{
      .runs = line.runs,
      .base = {.overrides = line.base_overrides, .environment = line.base_env},
      .other = {.overrides = line.new_overrides, .environment = line.new_env},
      .diff = diff};
  TRY(SplitPrograms(line.program, compare));
  SystemRunner runner;
  return RunCompare(compare, asked.request, runner, asked.console);
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
  list("--base-env", line.base_env, "a variable of the base's runs alone",
       "NAME=VALUE");
  list("--new-env", line.new_env, "a variable of the new ones' alone",
       "NAME=VALUE");
  list("--base", line.base_overrides, "an override of the base's runs alone",
       "KEY=VALUE");
  list("--new", line.new_overrides, "an override of the new ones' alone",
       "KEY=VALUE");
  ComparisonOptions(command, line);
}

}  // namespace rangefinder
