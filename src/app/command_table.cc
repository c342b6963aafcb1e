#include "app/command_settings.h"
#include "app/commands.h"

namespace rangefinder {
namespace {

constexpr Example kProgramExamples[] = {
    {"rangefinder profile -- ./my_program its arguments",
     "the tree of its NVTX ranges with time, kernels and hardware metrics"},
    {"rangefinder show run.ncu-rep",
     "the same tree from an existing report of Nsight Compute"},
    {"rangefinder discover -- python3 train.py",
     "regions and time alone: one run, no replay, no counters"},
};

constexpr Example kProfile[] = {
    {"rangefinder profile -- ./my_program its arguments",
     "one run under the tracer, with hardware counters by samples"},
    {"rangefinder profile pipeline.ncu.ncu_cli.nvtx.include='decode*' -- ./app",
     "ncu measures the kernels inside these ranges"},
    {"rangefinder profile profiling/ncu@pipeline.ncu=ncu.memory -- ./app",
     "ncu with a preset; `rangefinder config --groups` lists all presets"},
    {"rangefinder profile --dry-run pipeline.ncu.enable=true -- ./app",
     "print the plan, run nothing"},
    {"rangefinder profile --example",
     "a small CUDA program that comes with Rangefinder"},
};
constexpr Example kDiscover[] = {
    {"rangefinder discover -- python3 serve.py",
     "regions, time on CPU and GPU, kernels"},
    {"rangefinder discover pipeline.trace.mode=regions -- ./app",
     "regions alone; needs neither GPU nor driver"},
};
constexpr Example kRun[] = {
    {"rangefinder run -- python3 serve.py &",
     "a server that a window can open in: rangefinder window $!"},
    {"rangefinder run --print-env",
     "the variables that do the same, for a container"},
};
constexpr Example kWindow[] = {
    {"rangefinder window 4711 --for 10s",
     "ten seconds of the armed process 4711 and of those that it started"},
    {"rangefinder window 4711 --after warmup:100 --instances decode:50",
     "fifty instances of a region, after a hundred of another"},
    {"rangefinder window /run/sockets/1.sock",
     "a process of a container, by the socket in a mounted folder"},
};
constexpr Example kReport[] = {
    {"rangefinder report RUN",
     "write the reports into the run directory, as `profile` did"},
    {"rangefinder report -o OUT a.ncu-rep b.sqlite",
     "report loose files into OUT"},
    {"rangefinder report --format html,json -o OUT run.rftrace",
     "the page and the document for scripts alone"},
};
constexpr Example kExplain[] = {
    {"rangefinder explain RUN", "why the program is slow"},
    {"rangefinder explain RUN --for agent --budget 500",
     "the same for a program to read, in at most 500 tokens"},
    {"rangefinder explain RUN --region decode", "one region alone"},
};
constexpr Example kShow[] = {
    {"rangefinder show RUN", "the table of a run directory"},
    {"rangefinder show --format json run.ncu-rep",
     "the whole report, for a script"},
    {"rangefinder show --explain decode dram__bytes.sum run.ncu-rep",
     "how one value was computed"},
};
constexpr Example kDiff[] = {
    {"rangefinder diff before after", "two runs, region by region"},
    {"rangefinder diff --gate --format md a,b,c,d,e f,g,h,i,j",
     "five runs per side; exit status 8 if a region got worse"},
    {"rangefinder diff before after --for agent",
     "what changed, for a program to read"},
    {"rangefinder diff diff.gate.time=5% "
     "\"diff.gate.regions.'LLM/decode'.time=2%\" before after",
     "with other thresholds"},
    {"rangefinder diff --calibrate -o noise.json a b c d e f",
     "the noise of each region of one program"},
};
constexpr Example kCompare[] = {
    {"rangefinder compare --runs 5 -- ./old ::: ./new",
     "run both programs five times in turn, and diff them"},
    {"rangefinder compare --new-env NVIDIA_TF32_OVERRIDE=0 -- ./app",
     "one program in two environments"},
};
constexpr Example kSummarize[] = {
    {"rangefinder summarize RUN -o all.rfsum",
     "all ranks of a run directory as one small file"},
    {"rangefinder summarize RUN --rank 5 -o 5.rfsum",
     "one rank, on its own machine; files of other ranks stay closed"},
};
constexpr Example kMerge[] = {
    {"rangefinder merge a.rfsum b.rfsum -o both.rfsum",
     "two ranks; `rangefinder show both.rfsum` shows both"},
    {"rangefinder merge @list -o job.rfsum",
     "the summaries whose names stand in the file `list`, one per line"},
};
constexpr Example kFilter[] = {
    {"rangefinder filter 'decode*' run.ncu-rep",
     "the selected regions, and the expressions for ncu"},
    {"rangefinder filter --native A/ run.ncu-rep",
     "the same for an expression of ncu"},
};
constexpr Example kKernels[] = {
    {"rangefinder kernels --top 5 RUN",
     "the five kernels with the most GPU time"},
    {"rangefinder kernels --output top.yaml RUN",
     "a list for `rangefinder profile pipeline.ncu.kernel_config=top.yaml`"},
};
constexpr Example kCounters[] = {
    {"rangefinder counters", "the units of the GPU, and their metrics"},
    {"rangefinder counters 'dram__*'",
     "the metrics of one unit, with passes, unit and meaning"},
    {"rangefinder counters --chip GH100 sm__inst_executed.sum "
     "dram__bytes_read.sum",
     "the passes of two metrics together on another GPU"},
};
constexpr Example kServe[] = {
    {"rangefinder serve 4711",
     "a window of 2 s of an armed process every minute"},
    {"rangefinder serve 4711 4712 --every 30s --window 1s --listen "
     "0.0.0.0:9760",
     "of two processes, for everybody on the network"},
};
constexpr Example kMcp[] = {
    {"rangefinder mcp tmp/profile-output",
     "answers about the runs in a folder, over standard input and output"},
    {"rangefinder mcp --allow-run runs",
     "and profiles programs that an agent names"},
};
constexpr Example kConfig[] = {
    {"rangefinder config --explain pipeline.ncu.budget",
     "meaning, type and value of a key"},
    {"rangefinder config --groups", "the presets"},
    {"rangefinder config --sources pipeline.ncu.enable=true",
     "the file and line of each value"},
};
constexpr Example kCompletion[] = {
    {"source <(rangefinder completion bash)", "complete in this shell"},
};
constexpr Example kDoctor[] = {
    {"rangefinder doctor", "what is missing for profiling, and how to get it"},
};

SettingsRequest RequestOfProfile(const Invocation& asked) {
  return ProfileRequest(asked.request);
}

SettingsRequest RequestOfRun(const Invocation& asked) {
  return RunRequest(asked.request, asked.paths);
}

constexpr Subcommand kSubcommands[] = {
    {.name = "profile",
     .about = "run a program, measure it and report it",
     .synopsis = "[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…]",
     .text = "Runs PROGRAM under Rangefinder's tracer with hardware counters "
             "by samples, and writes the reports into a run directory. A key "
             "of pipeline.ncu or a preset of profiling/ncu runs ncu after the "
             "tracer, for metrics of single kernels.\n\nWithout PROGRAM the "
             "program of pipeline.workload runs.",
     .examples = kProfile,
     .keys = "device pipeline report regions rollup derived causes hydra",
     .flag_keys = "report.table report.format.kernel_names",
     .run = DoProfile,
     .add_options = AddProfileOptions,
     .request = RequestOfProfile},
    {.name = "discover",
     .about = "run a program once under the tracer: regions, time, kernels; no "
              "counters",
     .synopsis = "[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…]",
     .text = "Runs PROGRAM once under Rangefinder's tracer. No kernel is "
             "replayed and no counter is read: the run takes little longer "
             "than the program alone.",
     .examples = kDiscover,
     .keys = "device hydra pipeline.workload pipeline.trace report regions "
             "rollup derived causes",
     .flag_keys = "report.table report.format.kernel_names",
     .run = DoDiscover,
     .add_options = AddDiscoverOptions,
     .request = RequestOfProfile},
    {.name = "run",
     .about = "start a program armed: nothing is measured until a window opens",
     .synopsis = "[OPTIONS] -- PROGRAM [ARG…]",
     .text = "Becomes PROGRAM, with the injection library asleep in it and in "
             "the processes that it starts: ranges are followed, nothing is "
             "recorded, and CUPTI is not loaded. `rangefinder window` measures "
             "a part of the run.",
     .examples = kRun,
     .keys = "",
     .run = DoRun,
     .add_options = AddRunOptions},
    {.name = "window",
     .about = "measure a window of an armed program",
     .synopsis = "[OPTIONS] PID [KEY=VALUE…]",
     .text = "Measures a part of a program that `rangefinder run` started, and "
             "writes the reports into a run directory as `profile` does. PID "
             "is the number of the process, whose children are measured too, "
             "or the path of a process's socket. The program goes on when the "
             "window ends.",
     .examples = kWindow,
     .keys = "pipeline.counters pipeline.trace report regions rollup derived "
             "causes hydra",
     .flag_keys = "report.table report.format.kernel_names",
     .run = DoWindow,
     .add_options = AddWindowOptions,
     .request = RequestOfProfile},
    {.name = "report",
     .about = "write the reports of a capture again",
     .synopsis = "[OPTIONS] PATH… [KEY=VALUE…]",
     .text = "Writes the reports again; needs neither GPU nor ncu. PATH is a "
             "run directory, a .ncu-rep, a trace (.rftrace) or an export of "
             "Nsight Systems (.sqlite).",
     .examples = kReport,
     .keys = "report regions rollup derived causes hydra.run",
     .run = DoReport,
     .add_options = AddReportOptions,
     .request = RequestOfRun},
    {.name = "show",
     .about = "print a report on the terminal",
     .synopsis = "[OPTIONS] PATH… [KEY=VALUE…]",
     .text = "Prints a report and writes no file. PATH is a run directory, a "
             ".ncu-rep, a trace (.rftrace) or an export of Nsight Systems "
             "(.sqlite).",
     .examples = kShow,
     .keys = "report regions rollup derived causes",
     .flag_keys = "report.table report.format.kernel_names",
     .run = DoShow,
     .add_options = AddShowOptions,
     .request = RequestOfRun},
    {.name = "explain",
     .about = "say why a run is slow: causes, and wall time by parts",
     .synopsis = "[OPTIONS] PATH… [KEY=VALUE…]",
     .text = "Prints all causes of a run's wall time, ranked by what the run "
             "would save without them, and the wall time of regions by parts. "
             "PATH is as for `show`.",
     .examples = kExplain,
     .keys = "report regions rollup derived causes",
     .flag_keys = "report.format.kernel_names",
     .run = DoExplain,
     .add_options = AddExplainOptions,
     .request = RequestOfRun},
    {.name = "diff",
     .about = "compare two runs, region by region; --gate for CI",
     .synopsis = "[OPTIONS] BASE NEW [KEY=VALUE…]",
     .text = "Compares two runs: which regions are slower, which launches "
             "differ, and where the change comes from. A side is a path as for "
             "`show`, or several paths with commas between them. Timing gates "
             "need at least five runs per side.",
     .examples = kDiff,
     .keys = "diff regions rollup derived causes",
     .flag_keys = "diff",
     .run = DoDiff,
     .add_options = AddDiffOptions},
    {.name = "compare",
     .about = "run two programs in turn and diff them: -- A ::: B",
     .synopsis =
         "[OPTIONS] [KEY=VALUE…] -- PROGRAM [ARG…] [::: PROGRAM [ARG…]]",
     .text = "Profiles two programs, or one program in two ways, and diffs "
             "them. The runs take turns, so that a drift of the machine "
             "affects both sides; they are kept below hydra.run.dir.",
     .examples = kCompare,
     .keys = "diff device pipeline report regions rollup derived causes hydra",
     .flag_keys = "diff",
     .run = DoCompare,
     .add_options = AddCompareOptions},
    {.name = "summarize",
     .about = "write the run of a rank as a small file that can be merged",
     .synopsis = "[OPTIONS] PATH… -o FILE [KEY=VALUE…]",
     .text = "Writes a small summary of a capture. Summaries of several ranks "
             "can be merged, and every command that reads captures reads "
             "summaries. PATH is a path as for `show`.",
     .examples = kSummarize,
     .keys = "regions rollup derived causes",
     .run = DoSummarize,
     .add_options = AddSummarizeOptions,
     .request = RequestOfRun},
    {.name = "merge",
     .about = "merge any number of summaries, in any order",
     .synopsis = "[OPTIONS] SUMMARY… -o FILE",
     .text = "Merges summaries into one. The result does not depend on the "
             "order or the grouping of merges. A summary that is missing or "
             "cut is left out, and the command names it. @LIST is a file with "
             "one name per line.",
     .examples = kMerge,
     .keys = "",
     .run = DoMerge,
     .add_options = AddMergeOptions},
    {.name = "filter",
     .about = "regions and kernels that an NVTX filter selects, and ncu's "
              "expressions for it",
     .synopsis = "[OPTIONS] EXPR PATH…",
     .text = "Lists the regions and kernels of a capture that an NVTX filter "
             "selects, or the reason why there are none. EXPR is a pattern as "
             "in regions.include and nvtx.include.",
     .examples = kFilter,
     .keys = "",
     .run = DoFilter,
     .add_options = AddFilterOptions},
    {.name = "kernels",
     .about = "kernels by GPU time, and a list of kernels for profile",
     .synopsis = "[OPTIONS] PATH [KEY=VALUE…]",
     .text = "Ranks the kernels of a capture by GPU time. PATH is a path as "
             "for `show`, or a table that `nsys stats --report "
             "cuda_gpu_kern_sum --format csv` wrote.",
     .examples = kKernels,
     .keys = "regions",
     .run = DoKernels,
     .add_options = AddKernelsOptions,
     .request = RequestOfRun},
    {.name = "counters",
     .about = "metrics that the GPU can count, and their passes",
     .synopsis = "[OPTIONS] [PATTERN…]",
     .text = "Lists the hardware counters that CUPTI offers for the GPU of "
             "this machine, or for another chip, and the passes of each: by "
             "samples while the program runs (sample), and exactly around a "
             "region (count). PATTERN is a metric, a glob or regex:RE.",
     .examples = kCounters,
     .keys = "",
     .run = DoCounters,
     .add_options = AddCountersOptions},
    {.name = "serve",
     .about = "windows at intervals, for Prometheus and a browser",
     .synopsis = "[OPTIONS] RUN… [KEY=VALUE…]",
     .text = "Opens a window in each RUN at intervals and serves the latest "
             "one over HTTP: /metrics for Prometheus, / with the page and a "
             "history, /report.json. RUN is the PID of a process that "
             "`rangefinder run` started, or the path of its socket, as for "
             "`window`. The last 20 windows stay below hydra.run.dir. Ctrl-C "
             "ends it with status 0.",
     .examples = kServe,
     .keys = "device pipeline report regions rollup derived causes hydra",
     .run = DoServe,
     .add_options = AddServeOptions},
    {.name = "mcp",
     .about = "answer an agent's questions about runs (Model Context Protocol)",
     .synopsis = "[OPTIONS] FOLDER…",
     .text = "A server of the Model Context Protocol over standard input and "
             "output: lists and explains the runs in the folders, shows "
             "regions, explains numbers and compares runs. Other files cannot "
             "be read, and no program is run, unless --allow-run is given.",
     .examples = kMcp,
     .keys = "",
     .run = DoMcp,
     .add_options = AddMcpOptions},
    {.name = "config",
     .about = "print the configuration, explain a key",
     .synopsis = "[OPTIONS] [KEY=VALUE…]",
     .text = "Prints the configuration that `profile` takes from the same "
             "words, composed as Hydra 1.3 composes it.",
     .examples = kConfig,
     .keys = "device pipeline report regions rollup derived causes hydra diff",
     .run = DoConfig,
     .add_options = AddConfigOptions},
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
     .text = "Checks GPU, driver, ncu and permissions. The exit status is 0 "
             "where profiling can work, and 4 where it cannot.",
     .examples = kDoctor,
     .keys = "pipeline.ncu.path",
     .run = DoDoctor,
     .add_options = AddDoctorOptions},
};

constexpr Subcommand kProgram = {
    .synopsis = "COMMAND [KEY=VALUE…] …",
    .text =
        "Rangefinder profiles a CUDA program by its NVTX regions: for each "
        "region the GPU time, the kernels, the hardware metrics and their "
        "limits. The program is not changed.",
    .examples = kProgramExamples};

}  // namespace

std::span<const Subcommand> Subcommands() {
  return kSubcommands;
}

const Subcommand& ProgramHelp() {
  return kProgram;
}

}  // namespace rangefinder
