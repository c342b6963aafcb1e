#include "app/command_settings.h"
#include "app/commands.h"

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

SettingsRequest RequestOfProfile(const Invocation& asked) {
  return ProfileRequest(asked.request);
}

SettingsRequest RequestOfRun(const Invocation& asked) {
  return RunRequest(asked.request, asked.paths);
}

constexpr Subcommand kSubcommands[] = {
    {.name = "profile",
     .about = "run a program, measure it and report it: the main job",
     .synopsis = "[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…]",
     .text =
         "Runs PROGRAM once under Rangefinder's own tracer, then under ncu, "
         "and writes the reports into a run directory. What is measured is "
         "said by the keys of pipeline.ncu; where nothing is asked, one pass "
         "of time, activity, memory traffic and occupancy.\n\nWithout PROGRAM "
         "it is the one that pipeline.workload names.",
     .examples = kProfile,
     .keys = "device pipeline report regions rollup derived hydra",
     .flag_keys = "report.table",
     .run = DoProfile,
     .add_options = ProfileOptions,
     .request = RequestOfProfile},
    {.name = "discover",
     .about =
         "run it once under the tracer: regions, time, kernels; no counters",
     .synopsis = "[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…]",
     .text = "Runs PROGRAM once under Rangefinder's own tracer. Nothing is "
             "replayed and no counter is read, so it takes little longer than "
             "by itself.",
     .examples = kDiscover,
     .keys = "device hydra pipeline.workload pipeline.trace report regions "
             "rollup derived",
     .flag_keys = "report.table",
     .run = DoDiscover,
     .request = RequestOfProfile},
    {.name = "report",
     .about = "make the reports again from what was captured",
     .synopsis = "[OPTIONS] PATH… [KEY=VALUE…]",
     .text = "Makes the reports again, where neither GPU nor ncu is needed. "
             "PATH is a run directory, a .ncu-rep, a trace (.rftrace) or an "
             "export of Nsight Systems (.sqlite).",
     .examples = kReport,
     .keys = "report regions rollup derived hydra.run",
     .run = DoReport,
     .request = RequestOfRun},
    {.name = "show",
     .about = "print a report on the terminal",
     .synopsis = "[OPTIONS] PATH… [KEY=VALUE…]",
     .text = "Prints a report and writes no file. PATH is a run directory, a "
             ".ncu-rep, a trace (.rftrace) or an export of Nsight Systems "
             "(.sqlite).",
     .examples = kShow,
     .keys = "report regions rollup derived",
     .flag_keys = "report.table",
     .run = DoShow,
     .add_options = ShowOptions,
     .request = RequestOfRun},
    {.name = "diff",
     .about = "compare two runs, region by region; --gate for CI",
     .synopsis = "[OPTIONS] BASE NEW [KEY=VALUE…]",
     .text =
         "Says what changed between two runs: which regions are slower, what "
         "they launch otherwise, and where the change comes from. A side is "
         "what `show` takes, or several with commas between them: a run is one "
         "value, and of times nothing is gated with fewer than five a side.",
     .examples = kDiff,
     .keys = "diff regions rollup derived",
     .flag_keys = "diff",
     .run = DoDiff,
     .add_options = DiffOptions},
    {.name = "compare",
     .about = "run two programs in turn, and diff them: -- A ::: B",
     .synopsis =
         "[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…] [::: PROGRAM [ARG…]]",
     .text = "Profiles two programs, or one in two ways, and diffs them. The "
             "runs take turns, so that what drifts meets both alike; they are "
             "kept below hydra.run.dir.",
     .examples = kCompare,
     .keys = "diff device pipeline report regions rollup derived hydra",
     .flag_keys = "diff",
     .run = DoCompare,
     .add_options = CompareOptions},
    {.name = "summarize",
     .about = "a rank's run as a small summary that merges",
     .synopsis = "[OPTIONS] PATH… -o FILE [KEY=VALUE…]",
     .text = "Makes of a capture a small summary, which is merged with those "
             "of other ranks and reported like any capture. PATH is what "
             "`show` takes.",
     .examples = kSummarize,
     .keys = "regions rollup derived",
     .run = DoSummarize,
     .add_options = SummarizeOptions,
     .request = RequestOfRun},
    {.name = "merge",
     .about = "any number of summaries into one, in any order",
     .synopsis = "[OPTIONS] SUMMARY… -o FILE",
     .text = "Makes one summary of any number of them. The order and the "
             "grouping of merges do not show in the result; what is missing or "
             "cut is left out and said. @LIST is a file with a name a line.",
     .examples = kMerge,
     .keys = "",
     .run = DoMerge,
     .add_options = SummaryMergeOptions},
    {.name = "filter",
     .about = "which regions and kernels an NVTX filter selects, and what ncu "
              "makes of it",
     .synopsis = "[OPTIONS] EXPR PATH…",
     .text = "Says which regions and kernels of a capture an NVTX filter "
             "selects, and why nothing. EXPR is a pattern as regions.include "
             "and nvtx.include take it.",
     .examples = kFilter,
     .keys = "",
     .run = DoFilter,
     .add_options = FilterOptions},
    {.name = "kernels",
     .about = "the top kernels, and a list of kernels that profile can take",
     .synopsis = "[OPTIONS] PATH [KEY=VALUE…]",
     .text = "Ranks the kernels of a capture by GPU time. PATH is what `show` "
             "takes, or a table that `nsys stats --report cuda_gpu_kern_sum "
             "--format csv` wrote.",
     .examples = kKernels,
     .keys = "regions",
     .run = DoKernels,
     .add_options = KernelsOptions,
     .request = RequestOfRun},
    {.name = "counters",
     .about = "what the GPU can count, and in how many passes",
     .synopsis = "[OPTIONS] [PATTERN…]",
     .text =
         "Lists the hardware counters that CUPTI offers of this machine's GPU, "
         "or of another chip without one, and how many passes each takes: by "
         "samples beside a running program (sample), and exactly around a "
         "region (count). PATTERN is a metric, a glob or regex:RE.",
     .examples = kCounters,
     .keys = "",
     .run = DoCounters,
     .add_options = CountersOptions},
    {.name = "config",
     .about = "print the configuration, explain a key",
     .synopsis = "[OPTIONS] [KEY=VALUE…]",
     .text = "Prints what `profile` would take from the same words. It is "
             "composed as Hydra 1.3 composes it.",
     .examples = kConfig,
     .keys = "device pipeline report regions rollup derived hydra diff",
     .run = DoConfig,
     .add_options = ConfigOptions},
    {.name = "completion",
     .about = "print a script that completes on the shell's command line",
     .synopsis = "bash|zsh",
     .text =
         "Prints a script that completes commands, options, keys and presets.",
     .examples = kCompletion,
     .keys = "",
     .run = DoCompletion},
    {.name = "doctor",
     .about = "what is installed, what is permitted, what to do about it",
     .synopsis = "[OPTIONS] [KEY=VALUE…]",
     .text = "Looks for GPU, driver, ncu and permissions. Ends with 0 where "
             "profiling can work, with 4 where it cannot.",
     .examples = kDoctor,
     .keys = "pipeline.ncu.path",
     .run = DoDoctor,
     .add_options = DoctorOptions},
};

constexpr Subcommand kProgram = {
    .synopsis = "COMMAND [KEY=VALUE…] …",
    .text =
        "Rangefinder profiles a CUDA program by its NVTX regions: for each "
        "region the GPU time, the kernels, the hardware metrics and what "
        "limits them. The program is not changed; the ranges are those that it "
        "has.",
    .examples = kProgramExamples};

}  // namespace

std::span<const Subcommand> Subcommands() {
  return kSubcommands;
}

const Subcommand& ProgramHelp() {
  return kProgram;
}

}  // namespace rangefinder
