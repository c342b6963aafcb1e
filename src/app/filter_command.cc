// `filter`: which regions and kernels of a capture an NVTX filter selects.

#include <CLI/CLI.hpp>

#include "analysis/nvtx_filter.h"
#include "app/commands.h"
#include "ingest/reader.h"
#include "region/merged_names.h"

namespace rangefinder {

Status DoFilter(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(CheckFormat(line, {"table", "json"}));
  // The first word is the expression, even if it looks like an override or,
  // after --, like an option.
  std::vector<std::string> words = line.words;
  words.insert(words.end(), line.program.begin(), line.program.end());
  if (words.size() < 2) {
    return UsageError(
        "filter needs an expression and a path: rangefinder filter 'decode*' "
        "run.ncu-rep");
  }
  const auto files = TRY(
      FindArtifacts(std::vector<std::string>(words.begin() + 1, words.end())));
  Notes notes;
  Profile profile = TRY(ReadArtifacts(files, notes));
  MergeNames(NameMerging(), profile);  // patterns may use merged names
  console.SayNotes(notes);
  FilterRequest filter{.expression = words.front(), .native = line.native};
  if (line.scope == "thread") filter.scope = ncu::NvtxScope::kThread;
  if (line.scope == "process") filter.scope = ncu::NvtxScope::kProcess;
  const FilterAnswer answer = Filter(filter, profile);
  console.Out(line.format == "json" ? FilterJson(answer)
                                    : FilterText(answer, profile));
  if (answer.valid || line.format == "json") return Ok();
  return Error(ErrorCode::kUsage, answer.error);
}

void AddFilterOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--native", line.native,
                   "EXPR is ncu's own text, not a pattern");
  command
      .add_option("--scope", line.scope,
                  "of push/pop ranges: thread (as ncu does) or process")
      ->type_name("SCOPE")
      ->check(CLI::IsMember({"thread", "process"}));
  FormatOption(command, line, "table or json");
}

}  // namespace rangefinder
