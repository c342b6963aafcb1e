#include "capture/ncu.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace rangefinder {
namespace {

using Words = std::vector<std::string>;

// Kernels that wait for kernels of other processes: profiled one by one they
// wait for ever.
constexpr std::string_view kCommunication =
    "[nN][cC][cC][lL]|[nN][vV][sS][hH][mM][eE][mM]|[mM][sS][cC][cC][lL]|"
    "[dD][eE][eE][pP]_[eE][pP]";

constexpr std::string_view kRegex = "regex:";

std::string LongOption(std::string_view name) {
  std::string result = "--";
  for (const char c : name) result += c == '_' ? '-' : c;
  return result;
}

class Argv {
 public:
  explicit Argv(const CaptureOptions& options, const PlannedRun& run)
      : options_(options), ncu_(options.ncu), run_(run) {}

  Words Make() {
    const RunFiles files = FilesOf(options_, run_);
    words_ = {ncu_.ncu};
    // A config.ncu-cfg in the current folder could change the run unnoticed.
    if (!Asked("config_file") && !Asked("config_file_path"))
      Add("--config-file", "off");
    // With a log file, standard output has the program's output only.
    Add("--log-file", files.log.string());
    Add("--export", PercentEscaped(files.report));
    // ClaimForCapture() has checked that files may be replaced.
    words_.emplace_back("--force-overwrite");
    if (!Asked("target_processes")) Add("--target-processes", "all");
    Add("--replay-mode", run_.mode);
    AddFilter();
    if (ncu_.set) Add("--set", *ncu_.set);
    for (const std::string& section : ncu_.sections) Add("--section", section);
    AddMetrics();
    AddKernels();
    for (const auto& [name, values] : ncu_.options) AddOption(name, values);
    if (!run_.range_filter.empty()) Add("--range-filter", run_.range_filter);
    AddLaunches();
    if (run_.free_clocks) Add("--clock-control", "none");
    AddProgram();
    return std::move(words_);
  }

 private:
  bool Asked(const std::string& name) const {
    return ncu_.options.contains(name);
  }

  void Add(std::string option, std::string value) {
    words_.push_back(std::move(option));
    words_.push_back(std::move(value));
  }

  // NVTX is always on: without it no result has a region.
  void AddFilter() {
    words_.emplace_back("--nvtx");
    if (!run_.filtered) return;
    for (const std::string& expression : run_.nvtx_include)
      Add("--nvtx-include", expression);
    for (const std::string& expression : ncu_.nvtx_exclude)
      Add("--nvtx-exclude", expression);
  }

  void AddMetrics() {
    Words metrics = ncu_.metrics;
    if (IsRangeMode(run_.mode)) std::erase_if(metrics, IsPatchedMetric);
    if (!metrics.empty())
      Add("--metrics", fmt::format("{}", fmt::join(metrics, ",")));
  }

  // ncu can only include kernels, so a regular expression with a negative
  // lookahead excludes them. A kernel that is selected by its exact name stays
  // included.
  std::string KernelName() const {
    const std::string name = FirstWord(ncu_, "kernel_name");
    if (!ncu_.exclude_communication || IsRangeMode(run_.mode) ||
        (!name.empty() && !name.starts_with(kRegex)))
      return name;
    std::string regex = fmt::format("regex:^(?!.*({}))", kCommunication);
    if (!name.empty())
      regex += fmt::format(".*({})", name.substr(kRegex.size()));
    return regex;
  }

  void AddKernels() {
    const std::string name = KernelName();
    if (run_.launch_numbers.empty()) {
      if (!name.empty()) Add("--kernel-name", name);
      return;
    }
    // --kernel-id replaces --kernel-name.
    Add("--kernel-id",
        fmt::format("::{}:^({})$", name, fmt::join(run_.launch_numbers, "|")));
    // ncu's default is "function".
    if (const std::string base = KernelNameBaseOf(ncu_);
        !Asked("kernel_name_base") && base != "function")
      Add("--kernel-name-base", base);
  }

  void AddLaunches() {
    if (run_.launch_skip > 0)
      Add("--launch-skip", std::to_string(run_.launch_skip));
    if (run_.launch_count > 0)
      Add("--launch-count", std::to_string(run_.launch_count));
  }

  void AddOption(const std::string& name, const Words& values) {
    if (name == "kernel_name" || name == "force_overwrite") return;
    if (run_.free_clocks && name == "clock_control") return;
    if (values.empty()) words_.push_back(LongOption(name));
    for (const std::string& value : values) Add(LongOption(name), value);
  }

  // ncu reads options up to the first word that is not an option.
  void AddProgram() {
    words_.insert(words_.end(), options_.program.begin(),
                  options_.program.end());
    std::string& program = words_[words_.size() - options_.program.size()];
    if (program.starts_with('-') || program.starts_with('@'))
      program.insert(0, "./");
  }

  const CaptureOptions& options_;
  const NcuOptions& ncu_;
  const PlannedRun& run_;
  Words words_{};
};

}  // namespace

std::string PercentEscaped(const std::filesystem::path& path) {
  std::string result;
  for (const char c : path.string())
    result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

std::string RankedStem(const CaptureOptions& options, const std::string& stem) {
  if (!options.rank) return stem;
  return fmt::format("{}.rank{}", stem, options.rank->rank);
}

RunFiles FilesOf(const CaptureOptions& options, const PlannedRun& run) {
  const std::filesystem::path folder = options.run_dir / "ncu";
  const std::string stem = RankedStem(options, run.name);
  return {.report = folder / (stem + ".ncu-rep"),
          .log = folder / (stem + ".log")};
}

bool IsPatchedMetric(std::string_view metric) {
  return metric.find("sass_") != std::string_view::npos;
}

std::string FirstWord(const NcuOptions& ncu, const std::string& name) {
  const auto asked = ncu.options.find(name);
  if (asked == ncu.options.end() || asked->second.empty()) return "";
  return asked->second.front();
}

std::string KernelNameBaseOf(const NcuOptions& ncu) {
  const std::string base = FirstWord(ncu, "kernel_name_base");
  if (!base.empty()) return base;
  return ncu.options.contains("kernel_name") ? "function" : "demangled";
}

bool CanChooseByNumber(const NcuOptions& ncu) {
  const std::string name = FirstWord(ncu, "kernel_name");
  const std::size_t begin = name.starts_with(kRegex) ? kRegex.size() : 0;
  return name.find(':', begin) == std::string::npos;
}

Command NcuCommand(const CaptureOptions& options, const PlannedRun& run) {
  Command command;
  command.argv = Argv(options, run).Make();
  command.cwd = options.cwd;
  command.follow = FilesOf(options, run).log;
  command.timeout_s = options.ncu.timeout_s;
  // Keeps ncu from copying section files to the user's documents folder.
  command.environment["NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT"] =
      "1";
  return command;
}

std::string PlanText(const CaptureOptions& options, const CapturePlan& plan) {
  std::string text = fmt::format("{} run{} of ncu\n", plan.runs.size(),
                                 plan.runs.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    const Command command = NcuCommand(options, run);
    text += fmt::format("\n{}. {} ({} replay): {}\n", i + 1, run.name, run.mode,
                        run.why);
    for (const std::string& expression : run.nvtx_include)
      text += fmt::format("   --nvtx-include {}\n", ShellQuote(expression));
    text += fmt::format("   $ {}\n", ShellQuote(command.argv));
  }
  for (const Note& note : plan.notes.all())
    text += fmt::format("\nnote: {}\n", note.text);
  return text;
}

}  // namespace rangefinder
