// The commands, one row each: parsing, running, `--help` and completion walk
// the table.
//
// To add a command: write its function, and its options if it has any, declare
// both here, and add a row to command_table.cc and its texts to commands.yaml.

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"

namespace CLI {
class App;
}

namespace rangefinder {

// The command line, before its words are divided into paths and overrides.
struct CommandLine {
  std::vector<std::string> words{};    // paths, expressions, overrides
  std::vector<std::string> program{};  // after --
  std::string config_dir{};
  std::string config_name = "config";
  std::string cfg{};  // --cfg: job, hydra or all
  bool multirun = false;
  std::string config_path{};
  std::string color = "auto";
  std::string format{};
  bool quiet = false;
  bool verbose = false;
  bool dry_run = false;
  bool example = false;
  bool native = false;
  std::string scope{};
  std::string chip{};
  std::vector<std::string> explain{};  // region, metric
  std::string region{};
  std::string read_by{};                  // agent or person; empty: person
  std::optional<std::uint64_t> budget{};  // tokens
  bool resolve = false;
  bool no_embedded = false;
  bool hydra = false;
  bool sources = false;
  bool groups = false;
  std::string package{};
  std::string explain_key{};
  std::string top = "20";
  // Values of flags that are keys of the configuration, by key: --top is
  // report.table.top. A boolean flag has no words.
  std::map<std::string_view, std::vector<std::string>> of_keys{};
  std::string output{};
  int rank = -1;
  bool gate = false;
  bool calibrate = false;
  bool strict = false;
  std::string diff_sort = "time";
  std::string only{};
  bool allow_run = false;
  bool print_env = false, profiler_calls = false;
  std::string arm = "light";
  std::string window_for{}, after{}, instances{};
  std::string listen = "127.0.0.1:9760";
  std::string every = "60s";
  std::string window = "2s";
  std::string runs = "5";
  std::vector<std::string> base_env{}, new_env{};
  std::vector<std::string> base_overrides{}, new_overrides{};
};

struct Invocation {
  const CommandLine& line;
  const Console& console;
  std::vector<std::string> paths{};
  SettingsRequest request{};  // includes the overrides
};

struct Example {
  std::string command{};
  std::string says{};  // its effect
};

struct Subcommand {
  std::string name{};
  std::string about{};     // its line of --help
  std::string synopsis{};  // after the name
  std::string text{};      // a paragraph a line
  std::vector<Example> examples{};
  // Prefixes of the keys that the command reads ("regions report.table"), and
  // of the keys among them that are also flags.
  std::string keys{};
  std::string flag_keys{};
  Status (*run)(const Invocation& asked) = nullptr;
  // Options besides those of every command; null: none.
  void (*add_options)(CLI::App& command, CommandLine& line) = nullptr;
  // The composition request of the command; null: the overrides alone.
  SettingsRequest (*request)(const Invocation& asked) = nullptr;
};

// In the order of --help.
std::span<const Subcommand> Subcommands();
const Subcommand* FindSubcommand(std::string_view name);
// The program as a whole; it has no function.
const Subcommand& ProgramHelp();

// Runs a command with the options and words of `line`.
Status RunSubcommand(const Subcommand& command, const CommandLine& line,
                     const Console& console);

// ---- Shared by several commands ----

// "did you mean 'x'?"; without a similar word "there are a, b and c" and
// `more`.
std::string KnownWords(std::string_view word,
                       std::span<const std::string> known,
                       std::string_view more = "");

// kUsage: the command lacks a path, or a word is neither override nor path.
Status NeedPaths(const Invocation& asked, std::string_view command);
Status NeedNoPaths(const Invocation& asked);

// --format: the option, and the check of its value.
void FormatOption(CLI::App& command, CommandLine& line,
                  const std::string& formats);
Status CheckFormat(const CommandLine& line,
                   std::initializer_list<std::string_view> formats);
std::string FormatOr(const CommandLine& line, const char* usual);

// --output: the option; and writing to this file, or to standard output.
void OutputOption(CLI::App& command, CommandLine& line,
                  const std::string& about = "write it there");
// kUsage: --output is one of the command's paths, which would be lost.
Status KeepInputs(const Invocation& asked);
Status WriteResult(const Invocation& asked,
                   const std::function<void(std::ostream& out)>& write);

// The seconds of an option's value, more than 0. kUsage: it is no time such as
// `example`.
Result<double> DurationOf(const char* option, const std::string& text,
                          const char* example);

// The number of an option's value. kUsage: it is no whole number.
Result<std::uint64_t> CountOf(const char* option, const std::string& text);

// The file of this program, for a command that runs it again; and the words of
// a request, without the overrides of the keys `without`.
Result<std::string> OwnProgram();
std::vector<std::string> WordsOf(
    const SettingsRequest& request,
    std::initializer_list<std::string_view> without);

// --for and --budget: the options; and the tokens that an agent gets (0: any
// number), nothing for a person.
void AudienceOptions(CLI::App& command, CommandLine& line);
Result<std::optional<std::uint64_t>> AgentTokens(const CommandLine& line);

// ---- The commands ----

Status DoProfile(const Invocation& asked);
void AddProfileOptions(CLI::App& command, CommandLine& line);
void AddDiscoverOptions(CLI::App& command, CommandLine& line);
Status DoDiscover(const Invocation& asked);
Status DoRun(const Invocation& asked);
void AddRunOptions(CLI::App& command, CommandLine& line);
Status DoWindow(const Invocation& asked);
void AddWindowOptions(CLI::App& command, CommandLine& line);
Status DoReport(const Invocation& asked);
void AddReportOptions(CLI::App& command, CommandLine& line);
Status DoShow(const Invocation& asked);
void AddShowOptions(CLI::App& command, CommandLine& line);
Status DoExplain(const Invocation& asked);
void AddExplainOptions(CLI::App& command, CommandLine& line);
Status DoDiff(const Invocation& asked);
void AddDiffOptions(CLI::App& command, CommandLine& line);
Status DoCompare(const Invocation& asked);
void AddCompareOptions(CLI::App& command, CommandLine& line);
Status DoSummarize(const Invocation& asked);
void AddSummarizeOptions(CLI::App& command, CommandLine& line);
Status DoMerge(const Invocation& asked);
void AddMergeOptions(CLI::App& command, CommandLine& line);
Status DoFilter(const Invocation& asked);
void AddFilterOptions(CLI::App& command, CommandLine& line);
Status DoKernels(const Invocation& asked);
void AddKernelsOptions(CLI::App& command, CommandLine& line);
Status DoCounters(const Invocation& asked);
void AddCountersOptions(CLI::App& command, CommandLine& line);
Status DoServe(const Invocation& asked);
void AddServeOptions(CLI::App& command, CommandLine& line);
Status DoMcp(const Invocation& asked);
void AddMcpOptions(CLI::App& command, CommandLine& line);
Status DoConfig(const Invocation& asked);
void AddConfigOptions(CLI::App& command, CommandLine& line);
Status DoCompletion(const Invocation& asked);
Status DoDoctor(const Invocation& asked);
void AddDoctorOptions(CLI::App& command, CommandLine& line);

}  // namespace rangefinder
