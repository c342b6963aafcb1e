#include "mcp/run_tools.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/write_file.h"
#include "config/override.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr double kReadingSeconds = 120;
constexpr std::uint64_t kUsualSeconds = 600;  // of a profile
constexpr std::uint64_t kMostSeconds = 3600;
constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::size_t kMostSaid = 2000;  // bytes of a failure
constexpr std::size_t kMostRuns = 100;
// Keys that a client may set for a profile. No key among them decides where
// files are written.
constexpr std::string_view kSettable[] = {"pipeline.", "regions.", "rollup.",
                                          "report.", "profiling/"};

using enum ToolArgument::Kind;

std::string TextOf(const Json& arguments, const char* name) {
  return arguments.contains(name) ? arguments[name].get<std::string>() : "";
}

Words TextsOf(const Json& arguments, const char* name) {
  if (!arguments.contains(name)) return {};
  const Json& value = arguments[name];
  if (value.is_string()) return {value.get<std::string>()};
  return value.get<Words>();
}

class Tools {
 public:
  Tools(const ServedFolders& folders, const RunToolsOptions& options,
        ProcessRunner& runner)
      : folders_(folders), options_(options), runner_(runner) {}

  Result<std::string> List() const {
    const std::vector<FoundRun> runs = folders_.Runs(options_.is_run);
    if (runs.empty()) return std::string("There are no runs.");
    std::string text;
    for (std::size_t i = 0; i < std::min(runs.size(), kMostRuns); ++i)
      text +=
          fmt::format("{}\t{}\t{}\n", Printable(runs[i].path.string()),
                      runs[i].is_folder ? "run directory" : "file",
                      UtcText(static_cast<std::time_t>(runs[i].modified_unix_s),
                              "%Y-%m-%dT%H:%M:%SZ"));
    if (runs.size() > kMostRuns)
      text +=
          fmt::format("{} older runs are left out\n", runs.size() - kMostRuns);
    return text;
  }

  Result<std::string> Explain(const Json& arguments,
                              const ToolWatch& watch) const {
    return ExplainRun(TRY(folders_.Find(TextOf(arguments, "run"))), arguments,
                      watch);
  }

  Result<std::string> Number(const Json& arguments,
                             const ToolWatch& watch) const {
    const fs::path run = TRY(folders_.Find(TextOf(arguments, "run")));
    const std::string region = TextOf(arguments, "region");
    const std::string metric = TextOf(arguments, "metric");
    // The command would read such a name as an option.
    if (region.starts_with('-') || metric.starts_with('-'))
      return Error(ErrorCode::kUsage,
                   "a region or metric that begins with - cannot be asked for");
    return Read({"show", run.string(), "--explain", region, metric}, watch);
  }

  Result<std::string> Diff(const Json& arguments,
                           const ToolWatch& watch) const {
    Words words = {"diff", "--for=agent"};
    AddBudget(arguments, words);
    for (const char* side : {"base", "new"}) {
      Words paths;
      for (const std::string& text : TextsOf(arguments, side)) {
        paths.push_back(TRY(folders_.Find(text)).string());
        if (TextsOf(arguments, side).size() > 1 &&
            paths.back().find(',') != std::string::npos)
          return Error(ErrorCode::kUsage,
                       Printable(text) +
                           ": of several runs of a side, none "
                           "may have a comma in its name");
      }
      words.push_back(fmt::format("{}", fmt::join(paths, ",")));
    }
    return Read(words, watch);
  }

  Result<std::string> Profile(const Json& arguments,
                              const ToolWatch& watch) const {
    const Words program = TextsOf(arguments, "command");
    if (program.empty() || program.front().empty())
      return Error(ErrorCode::kUsage, "command: expected a program");
    const std::uint64_t seconds = arguments.value("seconds", kUsualSeconds);
    if (seconds < 1 || seconds > kMostSeconds)
      return Error(ErrorCode::kUsage,
                   fmt::format("seconds: expected 1 to {}, got {}",
                               kMostSeconds, seconds));
    Command command =
        CommandOf({"profile", "--color=never"}, static_cast<double>(seconds));
    command.environment = {{"PYTHONUNBUFFERED", "1"}};
    if (arguments.contains("folder"))
      command.cwd = TRY(folders_.Find(TextOf(arguments, "folder")));
    for (const std::string& setting : TextsOf(arguments, "settings")) {
      const bool known = std::ranges::any_of(
          kSettable, [&](auto key) { return setting.starts_with(key); });
      if (!known || setting.find('=') == std::string::npos)
        return Error(ErrorCode::kUsage,
                     fmt::format("{}: expected KEY=VALUE with a key of {}",
                                 Printable(Ellipsize(setting, 100)),
                                 fmt::join(kSettable, ", ")));
      command.argv.push_back(setting);
    }
    const fs::path run = TRY(NewRun());
    command.argv.push_back("hydra.run.dir=" + QuoteOverrideValue(run.string()));
    command.argv.emplace_back("--");
    command.argv.insert(command.argv.end(), program.begin(), program.end());
    const Finished finished = TRY(runner_.Run(command, {.on_tick = watch}));
    return AfterProfile(finished, run, seconds, arguments, watch);
  }

 private:
  static void AddBudget(const Json& arguments, Words& words) {
    if (arguments.contains("budget"))
      words.push_back(
          fmt::format("--budget={}", arguments["budget"].get<std::uint64_t>()));
  }

  Result<std::string> ExplainRun(const fs::path& run, const Json& arguments,
                                 const ToolWatch& watch) const {
    Words words = {"explain", "--for=agent"};
    AddBudget(arguments, words);
    if (arguments.contains("region"))
      words.push_back("--region=" + TextOf(arguments, "region"));
    words.push_back(run.string());
    return Read(std::move(words), watch);
  }

  // A new folder for a run; made now, so that no one else uses it.
  Result<fs::path> NewRun() const {
    const std::string now = UtcText(std::time(nullptr), "%Y%m%d-%H%M%S");
    for (int i = 1; i < 100; ++i) {
      const fs::path run = folders_.all().front() /
                           (i == 1 ? now : fmt::format("{}-{}", now, i));
      std::error_code error;
      if (fs::create_directory(run, error)) return run;
      if (error)
        return Error(ErrorCode::kSystem,
                     Printable(run.string()) + ": " + error.message());
    }
    return Error(ErrorCode::kSystem, "no name is left for a run directory");
  }

  // This program with `words`; its output is captured.
  Command CommandOf(Words words, double timeout_s) const {
    words.insert(words.begin(), options_.program);
    return {.argv = std::move(words),
            .out = Command::Output::kCapture,
            .err = Command::Output::kCapture,
            .reads_nothing = true,
            .most_captured = kMostOutput,
            .timeout_s = timeout_s};
  }

  // Runs this program with `words`, a command that only reads.
  Result<std::string> Read(Words words, const ToolWatch& watch) const {
    words.insert(words.end(), {"--color=never", "--quiet"});
    Command command = CommandOf(std::move(words), kReadingSeconds);
    command.grace_s = 2;
    const Finished finished = TRY(runner_.Run(command, {.on_tick = watch}));
    if (finished.ok()) return finished.out;
    return Error(finished.ending == Ending::kInterrupted
                     ? ErrorCode::kInterrupted
                     : ErrorCode::kOther,
                 FailureText(finished, kReadingSeconds, kMostSaid));
  }

  Result<std::string> AfterProfile(const Finished& finished,
                                   const fs::path& run, std::uint64_t seconds,
                                   const Json& arguments,
                                   const ToolWatch& watch) const {
    std::error_code error;
    fs::remove(run, error);  // only an empty folder: without any capture
    const bool there = fs::is_directory(run, error);
    if (there) TRY(WriteFile(run / "output.txt", finished.out + finished.err));
    if (finished.ending == Ending::kInterrupted)
      return Error(ErrorCode::kInterrupted, "interrupted");
    std::string text;
    if (!finished.ok())
      text = fmt::format(
          "profile did not succeed: {}\n",
          FailureText(finished, static_cast<double>(seconds), kMostSaid));
    if (!there || finished.ending == Ending::kStopped)
      return Error(ErrorCode::kOther, text);
    text += fmt::format(
        "The run is {}; its output.txt has the program's output.\n\n",
        Printable(run.string()));
    const Result<std::string> explained = ExplainRun(run, arguments, watch);
    if (explained.ok() && finished.ok()) return text + explained.value();
    return Error(ErrorCode::kOther,
                 text + (explained.ok() ? explained.value()
                                        : explained.error().message()));
  }

  const ServedFolders& folders_;
  const RunToolsOptions& options_;
  ProcessRunner& runner_;
};

const ToolArgument kRun{
    .name = "run",
    .kind = kText,
    .required = true,
    .about = "A path of list_runs, absolute or below a served folder"};
const ToolArgument kBudget{
    .name = "budget",
    .kind = kWhole,
    .about =
        "At most so many tokens in the answer (2000); 100 or more, or 0 "
        "for all facts"};

const ToolArgument kRegion{.name = "region",
                           .kind = kText,
                           .required = true,
                           .about = "A region's name, or its path joined by /"};

McpTool ProfileTool(const Tools& tools) {
  return {
      .name = "profile",
      .title = "Profile a program",
      .about =
          "Runs a CUDA program under Rangefinder, with nothing on its standard "
          "input, and explains the new run. Give the command as a list of "
          "words; there is no shell.",
      .arguments = {{.name = "command",
                     .kind = kTexts,
                     .required = true,
                     .about = "The program and its arguments"},
                    {.name = "folder",
                     .kind = kText,
                     .about = "Where it runs: a served folder or one below; "
                              "else where the server was started"},
                    {.name = "settings",
                     .kind = kTexts,
                     .about = "KEY=VALUE of the configuration, such as "
                              "regions.include=[decode]"},
                    {.name = "seconds",
                     .kind = kWhole,
                     .about = fmt::format("Time limit ({}), 1 to {}",
                                          kUsualSeconds, kMostSeconds)},
                    kBudget},
      .runs_programs = true,
      .run = std::bind_front(&Tools::Profile, tools)};
}

}  // namespace

std::vector<McpTool> RunTools(const ServedFolders& folders,
                              const RunToolsOptions& options,
                              ProcessRunner& runner) {
  const Tools tools(folders, options, runner);
  std::vector<McpTool> all = {
      {.name = "list_runs",
       .title = "List runs",
       .about = "The captured runs in the served folders, the newest first: "
                "path, kind and time.",
       .run = [tools](const Json&, const ToolWatch&) { return tools.List(); }},
      {.name = "explain",
       .title = "Explain a run",
       .about = "Why a run is slow: causes with their regions, certainty and "
                "the time that the run would save, the kernels with the most "
                "GPU time, wall time by parts, and the next measurement.",
       .arguments = {kRun, kBudget},
       .run = std::bind_front(&Tools::Explain, tools)},
      {.name = "show_region",
       .title = "Show a region",
       .about = "The same of one region and the regions in it, with its "
                "hardware counters.",
       .arguments = {kRun, kRegion, kBudget},
       .run = std::bind_front(&Tools::Explain, tools)},
      {.name = "explain_number",
       .title = "Explain a number",
       .about = "How a number of a region came about: a metric's name, or a "
                "column such as wall, each, idle, time or launches.",
       .arguments = {kRun,
                     kRegion,
                     {.name = "metric",
                      .kind = kText,
                      .required = true,
                      .about = "A metric or a column"}},
       .run = std::bind_front(&Tools::Number, tools)},
      {.name = "diff",
       .title = "Compare runs",
       .about = "What changed from base to new, with a verdict for each region "
                "and its error: did a change work? Give at least five runs of "
                "each side for verdicts on time.",
       .arguments = {{.name = "base",
                      .kind = kTextOrTexts,
                      .required = true,
                      .about = "A run before the change, or several"},
                     {.name = "new",
                      .kind = kTextOrTexts,
                      .required = true,
                      .about = "A run after it, or several"},
                     kBudget},
       .run = std::bind_front(&Tools::Diff, tools)}};
  if (options.allow_run) all.push_back(ProfileTool(tools));
  return all;
}

}  // namespace rangefinder
