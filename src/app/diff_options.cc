#include "app/diff_options.h"

#include <utility>

#include <CLI/CLI.hpp>

#include "app/command_checks.h"
#include "app/compare_command.h"
#include "app/diff_command.h"
#include "base/process.h"

namespace rangefinder {
namespace {

DiffRequest DiffRequestOf(const CommandLine& line) {
  return {.format = FormatOr(line, "table"),
          .output = line.output,
          .gate = line.gate,
          .calibrate = line.calibrate,
          .strict = line.strict,
          .match = line.match,
          .sort = line.diff_sort,
          .only = line.only};
}

Status CheckDiffFormat(const CommandLine& line) {
  return CheckFormat(line, {kDiffFormats[0], kDiffFormats[1], kDiffFormats[2],
                            kDiffFormats[3], kDiffFormats[4], kDiffFormats[5]});
}

// Those of diff and compare alike.
void ComparisonOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--gate", line.gate, "exit status 8 if something got worse");
  command.add_option("--sort", line.diff_sort, "time, change, ratio or name")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"time", "change", "ratio", "name"}));
  command.add_option("--only", line.only, "changed: and what they are in")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"changed"}));
  command
      .add_option("--match", line.match,
                  "which regions and kernels belong together (diff.match)")
      ->type_name("FILE");
  command.add_flag("--strict", line.strict,
                   "pair nothing by what it looks like (diff.strict)");
  FormatOption(command, line, "table, md, html, json, junit or github");
  command.add_option("--output,-o", line.output, "write it there")
      ->type_name("FILE");
}

}  // namespace

// BASE=a,b and NEW=c,d look like overrides.
Status DoDiff(const Invocation& asked) {
  const CommandLine& line = asked.line;
  TRY(CheckDiffFormat(line));
  SettingsRequest settings = asked.request;
  std::vector<std::string> words = asked.paths;
  std::erase_if(settings.overrides, [&](const std::string& word) {
    const bool side = IsSide(word);
    if (side) words.push_back(word);
    return side;
  });
  return RunDiff(TRY(SidesOf(words, line.calibrate)), DiffRequestOf(line),
                 std::move(settings), asked.console);
}

void DiffOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--calibrate", line.calibrate,
                   "of runs of one program: the noise of its regions, as a "
                   "file for diff.calibration");
  ComparisonOptions(command, line);
}

Status DoCompare(const Invocation& asked) {
  const CommandLine& line = asked.line;
  TRY(NeedNoPaths(asked));
  TRY(CheckDiffFormat(line));
  CompareRequest compare{
      .runs = line.runs,
      .base = {.overrides = line.base_overrides, .environment = line.base_env},
      .other = {.overrides = line.new_overrides, .environment = line.new_env},
      .diff = DiffRequestOf(line)};
  TRY(SplitPrograms(line.program, compare));
  SystemRunner runner;
  return RunCompare(compare, asked.request, runner, asked.console);
}

void CompareOptions(CLI::App& command, CommandLine& line) {
  command.add_option("--runs", line.runs, "how many runs a side (5)")
      ->type_name("N");
  const auto list = [&](const char* name, std::vector<std::string>& to,
                        const char* about, const char* type) {
    command.add_option(name, to, about)
        ->type_name(type)
        ->expected(1)
        ->take_all();
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
