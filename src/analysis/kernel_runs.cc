#include "analysis/kernel_runs.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "analysis/kernel_list_file.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/ncu.h"
#include "capture/plan.h"
#include "capture/progress.h"
#include "capture/record.h"
#include "capture/run_dir.h"
#include "config/yaml.h"
#include "ingest/reader.h"
#include "plan/ncu_request.h"
#include "writers/csv/section_csv.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// ---- The folder of a kernel ----
//
//   ncu/kernel_0001_<md5 of the name>/
//     ncu.ncu-rep  ncu.log            files of ncu
//     ncu.section_<Section>.csv       a table for each section
//     ncu.details.csv                 all sections and rules
//     command.yaml                    program, time and command
//
// Under a launcher every rank writes its own: ncu.rank3.ncu-rep.

// A section's identifier comes from a file, and goes into a file's name.
std::string Safe(std::string_view identifier) {
  std::string safe;
  for (const char c : identifier) {
    const bool plain =
        IsAsciiLetter(c) || IsAsciiDigit(c) || c == '_' || c == '-';
    safe += plain ? c : '_';
  }
  return safe.substr(0, 100);
}

Node TextNode(std::string_view text) {
  return Node::String(ValidUtf8(text));
}

Node ListNode(const std::vector<std::string>& texts) {
  Node list = Node::List();
  for (const std::string& text : texts) list.items.push_back(TextNode(text));
  return list;
}

// "kernel_0001_<md5>"
std::string KernelFolderName(const RankedKernel& kernel) {
  const std::size_t digits =
      std::max<std::size_t>(4, std::to_string(kernel.of).size());
  return fmt::format("kernel_{:0{}}_{}", kernel.rank, digits,
                     Md5(kernel.kernel.name));
}

// The tables of the report of `record`, next to it; nothing if there is no
// report.
Status WriteKernelTables(const CaptureOptions& options,
                         const RunRecord& record) {
  if (record.report.empty()) return Ok();
  Notes notes;
  const std::vector<fs::path> files = {record.report};
  const Profile profile = TRY(ReadArtifacts(files, notes));
  const fs::path folder =
      record.report.parent_path().lexically_relative(options.run_dir);
  const std::string stem = RankedStem(options, "ncu");
  const auto write = [&](const std::string& name, std::string_view section) {
    return WriteBelowBy(
        options.run_dir, folder / fmt::format("{}.{}.csv", stem, name),
        [&](std::ostream& out) { WriteSectionCsv(profile, section, out); });
  };
  for (const std::string& section : SectionNames(profile))
    TRY(write("section_" + Safe(section), section));
  return write("details", "");
}

// command.yaml: the kernel, and the run that measured it.
Status WriteKernelCommand(const CaptureOptions& options,
                          const RankedKernel& kernel, const RunRecord& record,
                          const std::string& ncu_version) {
  Node tree = Node::Map();
  Node& of = tree.Set("kernel", Node::Map());
  of.Set("rank", Node::Int(static_cast<std::int64_t>(kernel.rank)));
  of.Set("name", TextNode(kernel.kernel.name));
  of.Set("regex", TextNode(kernel.kernel.regex));
  if (!kernel.kernel.description.empty())
    of.Set("description", TextNode(kernel.kernel.description));
  tree.Set("command", ListNode(record.command));
  tree.Set("cwd", TextNode(options.StartFolder().string()));
  tree.Set("program", ListNode(options.program));
  tree.Set("started", TextNode(record.started));
  tree.Set("seconds", Node::Float(record.seconds));
  tree.Set("status", Node::Int(record.status));
  tree.Set("outcome", TextNode(record.outcome));
  if (!record.message.empty()) tree.Set("message", TextNode(record.message));
  tree.Set("results", Node::Int(static_cast<std::int64_t>(record.results)));
  tree.Set("passes", Node::Int(record.passes));
  Node& versions = tree.Set("versions", Node::Map());
  versions.Set("ncu", TextNode(ncu_version));
  versions.Set("rangefinder", TextNode(options.version));
  return WriteBelow(options.run_dir,
                    fs::path("ncu") / KernelFolderName(kernel) /
                        (RankedStem(options, "command") + ".yaml"),
                    WriteYaml(tree));
}

// ---- The runs ----

// "kernel #3 void gemm<…", for people.
std::string Label(const RankedKernel& kernel) {
  return fmt::format("kernel #{} {}", kernel.rank,
                     Ellipsize(Printable(kernel.kernel.name), 100));
}

CaptureOptions OptionsOf(CaptureOptions options, const RankedKernel& kernel) {
  options.ncu.options["kernel_name"] = {"regex:" + kernel.kernel.regex};
  options.ncu.options["kernel_name_base"] = {
      kernel.kernel.mangled ? "mangled" : "demangled"};
  return options;
}

CapturePlan PlanOf(const CaptureOptions& options, const RankedKernel& kernel) {
  CapturePlan plan = PlanCapture(options);
  plan.runs.resize(1);
  plan.runs[0].name = KernelFolderName(kernel) + "/ncu";
  plan.runs[0].why = Label(kernel);
  return plan;
}

// The runs of all kernels, and one capture of all results.
class KernelRuns {
 public:
  KernelRuns(const NcuSettings& asked, CaptureOptions options,
             ProcessRunner& runner, const Listener& listener)
      : asked_(asked),
        options_(std::move(options)),
        runner_(runner),
        listener_(listener),
        show_(ShowProgress(listener)) {
    all_.run_dir = options_.run_dir;
    all_.program = options_.program;
  }

  // Error: no run could begin.
  Result<Capture> Run(const std::vector<RankedKernel>& kernels) {
    const InterruptGuard guard;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      TRY(RunOne(kernels[i], i, kernels.size()));
      TRY(Save());
      // If the same failure occurs twice, the kernel is not the cause.
      if (!interrupted_ && !again_) continue;
      if (const std::size_t left = kernels.size() - i - 1; left > 0) {
        all_.notes.Add(Severity::kDataLoss, "kernels_not_profiled",
                       fmt::format("{} kernels of the list were not tried "
                                   "after that",
                                   left));
      }
      break;
    }
    all_.failure = worst_;
    TRY(Save());
    return std::move(all_);
  }

 private:
  Status RunOne(const RankedKernel& kernel, std::size_t index,
                std::size_t count) {
    CaptureOptions options = OptionsOf(options_, kernel);
    // Results of earlier kernels belong to this capture.
    options.ncu.force_overwrite = options.ncu.force_overwrite || index > 0;
    options.earlier_runs += static_cast<int>(all_.runs.size());
    CapturePlan plan = PlanOf(options, kernel);
    plan.runs[0].free_clocks = free_clocks_;
    TRY(MakeFolderBelow(options.run_dir, "ncu/" + KernelFolderName(kernel)));
    Capture capture =
        TRY(RunCapture(options, plan, runner_, [&](const Progress& progress) {
          Progress shown = progress;
          shown.run_index = index;
          shown.run_count = count;
          show_(shown);
        }));
    listener_.progress("");
    all_.ncu_version = capture.ncu_version;
    for (RunRecord& record : capture.runs) {
      free_clocks_ = free_clocks_ || record.name.ends_with("-free-clocks");
      TRY(Settle(kernel, options, record));
      all_.runs.push_back(std::move(record));
    }
    for (const Note& note : capture.notes.all()) {
      if (note.kind == "nothing_profiled")
        continue;  // the note below is clearer
      all_.notes.Add(note.severity, note.kind, note.text, note.where,
                     note.count);
    }
    Judge(kernel, capture.failure);
    return Ok();
  }

  // Renames the files of a run to their final names.
  Status Settle(const RankedKernel& kernel, const CaptureOptions& options,
                RunRecord& record) {
    const fs::path folder = options.run_dir / "ncu" / KernelFolderName(kernel);
    const fs::path name = folder / (RankedStem(options, "ncu") + ".ncu-rep");
    std::error_code error;
    if (record.used && record.report != name) {
      fs::rename(record.report, name, error);
      if (!error) record.report = name;
    }
    if (record.used) {
      if (Status tables = WriteKernelTables(options, record); !tables.ok()) {
        all_.notes.Add(Severity::kWarning, "no_tables",
                       "a report could not be read for its tables: " +
                           tables.error().message(),
                       record.name);
      }
    }
    return WriteKernelCommand(options, kernel, record, all_.ncu_version);
  }

  // Reports the result of a kernel, and remembers the worst failure.
  void Judge(const RankedKernel& kernel, const std::optional<Error>& failure) {
    const bool measured = !all_.runs.empty() && all_.runs.back().used;
    again_ = failure && last_failure_ == failure->message();
    last_failure_ = failure ? failure->message() : std::string();
    if (failure) {
      interrupted_ = failure->code() == ErrorCode::kInterrupted;
      const std::string text =
          fmt::format("{}: {}", Label(kernel), failure->message());
      if (!interrupted_) listener_.say(text);
      if (!worst_ || ExitStatus(failure->code()) > ExitStatus(worst_->code()))
        worst_ = Error(failure->code(), text);
    } else if (!measured) {
      const std::string text = Nothing(kernel);
      all_.notes.Add(Severity::kWarning, "nothing_profiled", text);
      listener_.say(text);
    } else {
      listener_.say(
          fmt::format("{}: {}", Label(kernel),
                      (fs::path("ncu") / KernelFolderName(kernel)).string()));
    }
  }

  std::string Nothing(const RankedKernel& kernel) const {
    const std::vector<std::string>& words =
        options_.ncu.options.at("launch_skip");
    const std::string skip = words.empty() ? "0" : words.front();
    if (skip == "0") {
      return fmt::format(
          "{}: nothing was measured: the program launches no kernel whose {} "
          "name matches {}; take the name from a capture of this program: "
          "rangefinder kernels --format yaml RUN",
          Label(kernel), kernel.kernel.mangled ? "mangled" : "demangled",
          Ellipsize(Printable(kernel.kernel.regex), 200));
    }
    const bool by_ncu_cli = asked_.options.contains("launch_skip");
    return fmt::format(
        "{}: nothing was measured: the first {} launches are skipped, and the "
        "program has no more of it; type {}=0 to take the first one",
        Label(kernel), skip,
        by_ncu_cli ? "pipeline.ncu.ncu_cli.launch_skip"
                   : "pipeline.ncu.kernel_launch_skip");
  }

  Status Save() const { return SaveCapture(options_, all_); }

  const NcuSettings& asked_;
  CaptureOptions options_;
  ProcessRunner& runner_;
  const Listener& listener_;
  ProgressCallback show_;
  Capture all_{};
  std::optional<Error> worst_{};
  std::string last_failure_{};
  bool again_ = false;
  bool interrupted_ = false;
  bool free_clocks_ = false;
};

}  // namespace

Result<std::vector<RankedKernel>> KernelsToProfile(const NcuSettings& ncu) {
  const std::string& path = *ncu.kernel_config;
  std::string text = TRY(ReadFile(path));
  const std::vector<ListedKernel> list =
      TRY(ReadKernelList(path, std::move(text)));
  std::vector<RankedKernel> kernels;
  for (const ListedKernel& kernel : list) {
    if (kernels.size() >= ncu.kernel_top.value_or(list.size())) break;
    kernels.push_back(
        {.kernel = kernel, .rank = kernels.size() + 1, .of = list.size()});
  }
  if (kernels.empty())
    return Error(ErrorCode::kUsage, path + ": no kernel is listed");
  return kernels;
}

NcuSettings NcuForKernels(NcuSettings ncu) {
  // With one kernel at a time nothing is combined, so no inputs are collected.
  // Without an include pattern the kernel may be launched outside ranges.
  ncu.exact_rollup = false;
  if (ncu.nvtx_include.empty()) ncu.gating_nvtx = false;
  for (const std::string& section : ncu.kernel_sections)
    AddOnce(ncu.sections, section);
  return ncu;
}

Status SetKernelLaunches(const NcuSettings& asked, NcuOptions& ncu) {
  if (IsRangeMode(ncu.replay_mode)) {
    return Error(ErrorCode::kUsage,
                 fmt::format("pipeline.ncu.kernel_config: {} replay measures "
                             "no single kernels; use pipeline.ncu.ncu_cli."
                             "replay_mode=kernel or application",
                             ncu.replay_mode));
  }
  // Options of ncu_cli take precedence.
  ncu.options.try_emplace(
      "launch_skip", std::vector{std::to_string(asked.kernel_launch_skip)});
  ncu.options.try_emplace(
      "launch_count", std::vector{std::to_string(asked.kernel_launch_count)});
  return Ok();
}

Result<std::string> KernelPlanText(const CaptureOptions& options,
                                   const RankedKernel& kernel) {
  const CaptureOptions own = OptionsOf(options, kernel);
  return PlanText(own, PlanOf(own, kernel));
}

Result<Capture> RunKernels(const NcuSettings& asked,
                           const CaptureOptions& options,
                           const std::vector<RankedKernel>& kernels,
                           ProcessRunner& runner, const Listener& listener) {
  return KernelRuns(asked, options, runner, listener).Run(kernels);
}

}  // namespace rangefinder
