#include "app/command_help.h"

#include <algorithm>
#include <cassert>

namespace rangefinder {
namespace {

constexpr Example kProgramExamples[] = {
    {"rangefinder profile -- ./my_program its arguments",
     "the tree of its NVTX ranges with time, kernels and hardware metrics"},
    {"rangefinder show run.ncu-rep",
     "the same of a report of Nsight Compute that is there already"},
    {"rangefinder discover -- python3 train.py",
     "regions and time alone: one run, no replay, no counters"},
};

constexpr CommandHelp kProgram = {
    "COMMAND [KEY=VALUE…] …",
    "Rangefinder profiles a CUDA program by its NVTX regions: for each region "
    "the GPU time, the kernels, the hardware metrics and what limits them. The "
    "program is not changed; the ranges are those that it has.",
    kProgramExamples};

constexpr Example kProfile[] = {
    {"rangefinder profile -- ./my_program its arguments",
     "a run under the tracer, then one pass of ncu"},
    {"rangefinder profile pipeline.ncu.ncu_cli.nvtx.include='decode*' -- ./app",
     "only what is launched inside these ranges"},
    {"rangefinder profile profiling/ncu@pipeline.ncu=ncu.memory -- ./app",
     "with another preset; `rangefinder config --groups` lists them"},
    {"rangefinder profile --dry-run pipeline.ncu.enable=true -- ./app",
     "what would be run, and what it would take"},
};
constexpr Example kDiscover[] = {
    {"rangefinder discover -- python3 serve.py",
     "regions, time on CPU and GPU, kernels"},
    {"rangefinder discover pipeline.trace.mode=regions -- ./app",
     "regions alone, which needs neither GPU nor driver"},
};
constexpr Example kReport[] = {
    {"rangefinder report RUN", "into the run directory, as `profile` did"},
    {"rangefinder report a.ncu-rep b.sqlite hydra.run.dir=OUT",
     "of loose files, into OUT"},
};
constexpr Example kShow[] = {
    {"rangefinder show RUN", "a run directory's table"},
    {"rangefinder show --format json run.ncu-rep", "all of it, for a script"},
    {"rangefinder show --explain decode dram__bytes.sum run.ncu-rep",
     "how one number came about"},
};
constexpr Example kDiff[] = {
    {"rangefinder diff before after", "two runs, region by region"},
    {"rangefinder diff --gate --format md a,b,c,d,e f,g,h,i,j",
     "five runs a side; exit status 8 if something got worse"},
    {"rangefinder diff diff.gate.time=5% "
     "\"diff.gate.regions.'LLM/decode'.time=2%\" before after",
     "with thresholds of its own"},
    {"rangefinder diff --calibrate -o noise.json a b c d e f",
     "what the regions of one program deviate by"},
};
constexpr Example kCompare[] = {
    {"rangefinder compare --runs 5 -- ./old ::: ./new",
     "both five times, in turn, and the diff of them"},
    {"rangefinder compare --new-env NVIDIA_TF32_OVERRIDE=0 -- ./app",
     "one program in two environments"},
};
constexpr Example kSummarize[] = {
    {"rangefinder summarize RUN -o all.rfsum",
     "all ranks of a run directory as one small file"},
    {"rangefinder summarize RUN --rank 5 -o 5.rfsum",
     "one rank, where it ran; no other's files are opened"},
};
constexpr Example kMerge[] = {
    {"rangefinder merge a.rfsum b.rfsum -o both.rfsum",
     "two ranks; `rangefinder show both.rfsum` has them"},
    {"rangefinder merge @list -o job.rfsum",
     "ten thousand, whose names are in a file, a line each"},
};
constexpr Example kFilter[] = {
    {"rangefinder filter 'decode*' run.ncu-rep",
     "what the pattern selects, and what ncu is told"},
    {"rangefinder filter --native A/ run.ncu-rep",
     "the same of an expression in ncu's own words"},
};
constexpr Example kKernels[] = {
    {"rangefinder kernels --top 5 RUN", "the five that take most time"},
    {"rangefinder kernels --output top.yaml RUN",
     "a list for `rangefinder profile pipeline.ncu.kernel_config=top.yaml`"},
};
constexpr Example kCounters[] = {
    {"rangefinder counters", "the units of the GPU, and their metrics"},
    {"rangefinder counters 'dram__*'",
     "a unit's metrics, with passes, unit and meaning"},
    {"rangefinder counters --chip GH100 sm__inst_executed.sum "
     "dram__bytes_read.sum",
     "what these two take together on another GPU"},
};
constexpr Example kConfig[] = {
    {"rangefinder config --explain pipeline.ncu.budget",
     "what a key means, what it may be, what it is"},
    {"rangefinder config --groups", "the presets"},
    {"rangefinder config --sources pipeline.ncu.enable=true",
     "where each value comes from"},
};
constexpr Example kCompletion[] = {
    {"source <(rangefinder completion bash)", "for this shell"},
};
constexpr Example kDoctor[] = {
    {"rangefinder doctor", "what is missing for profiling, and what to do"},
};

struct Row {
  std::string_view command;
  CommandHelp help;
};

constexpr Row kRows[] = {
    {"profile",
     {"[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…]",
      "Runs PROGRAM once under Rangefinder's own tracer, then under ncu, and "
      "writes the reports into a run directory. What is measured is said by "
      "the keys of pipeline.ncu; where nothing is asked, one pass of time, "
      "activity, memory traffic and occupancy.\n\n"
      "Without PROGRAM it is the one that pipeline.workload names.",
      kProfile}},
    {"discover",
     {"[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…]",
      "Runs PROGRAM once under Rangefinder's own tracer. Nothing is replayed "
      "and no counter is read, so it takes little longer than by itself.",
      kDiscover}},
    {"report",
     {"[OPTIONS] PATH… [KEY=VALUE…]",
      "Makes the reports again, where neither GPU nor ncu is needed. PATH is a "
      "run directory, a .ncu-rep, a trace (.rftrace) or an export of Nsight "
      "Systems (.sqlite).",
      kReport}},
    {"show",
     {"[OPTIONS] PATH… [KEY=VALUE…]",
      "Prints a report and writes no file. PATH is a run directory, a "
      ".ncu-rep, "
      "a trace (.rftrace) or an export of Nsight Systems (.sqlite).",
      kShow}},
    {"diff",
     {"[OPTIONS] BASE NEW [KEY=VALUE…]",
      "Compares two runs: slower and faster regions, changed launches, and the "
      "contributions to the change. A side is a PATH as `show` takes it, or "
      "several with commas between them. Each run counts as one value; timing "
      "gates need at least five runs per side.",
      kDiff}},
    {"compare",
     {"[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…] [::: PROGRAM [ARG…]]",
      "Profiles two programs, or one program in two ways, and compares them. "
      "The runs alternate, so that drift affects both sides equally; they are "
      "kept below hydra.run.dir.",
      kCompare}},
    {"summarize",
     {"[OPTIONS] PATH… -o FILE [KEY=VALUE…]",
      "Makes of a capture a small summary, which is merged with those of other "
      "ranks and reported like any capture. PATH is what `show` takes.",
      kSummarize}},
    {"merge",
     {"[OPTIONS] SUMMARY… -o FILE",
      "Makes one summary of any number of them. The order and the grouping of "
      "merges do not show in the result; what is missing or cut is left out "
      "and said. @LIST is a file with a name a line.",
      kMerge}},
    {"filter",
     {"[OPTIONS] EXPR PATH…",
      "Says which regions and kernels of a capture an NVTX filter selects, and "
      "why nothing. EXPR is a pattern as regions.include and nvtx.include take "
      "it.",
      kFilter}},
    {"kernels",
     {"[OPTIONS] PATH [KEY=VALUE…]",
      "Ranks the kernels of a capture by GPU time. PATH is what `show` takes, "
      "or a table that `nsys stats --report cuda_gpu_kern_sum --format csv` "
      "wrote.",
      kKernels}},
    {"counters",
     {"[OPTIONS] [PATTERN…]",
      "Lists the hardware counters that CUPTI offers of this machine's GPU, or "
      "of another chip without one, and how many passes each takes: by samples "
      "beside a running program (sample), and exactly around a region (count). "
      "PATTERN is a metric, a glob or regex:RE.",
      kCounters}},
    {"config",
     {"[OPTIONS] [KEY=VALUE…]",
      "Prints what `profile` would take from the same words. It is composed as "
      "Hydra 1.3 composes it.",
      kConfig}},
    {"completion",
     {"bash|zsh",
      "Prints a script that completes commands, options, keys and presets.",
      kCompletion}},
    {"doctor",
     {"[OPTIONS] [KEY=VALUE…]",
      "Looks for GPU, driver, ncu and permissions. Ends with 0 where profiling "
      "can work, with 4 where it cannot.",
      kDoctor}},
};

}  // namespace

const CommandHelp& HelpOf(std::string_view command) {
  const Row* const row = std::ranges::find(kRows, command, &Row::command);
  assert(row != std::end(kRows));
  return row->help;
}

const CommandHelp& ProgramHelp() {
  return kProgram;
}

}  // namespace rangefinder
