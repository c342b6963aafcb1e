#include "app/setting.h"
#include "app/settings.h"

namespace rangefinder {
namespace {

using enum KeyType;

// ---- How a row is written ---------------------------------------------------
// Key<members that lead to the value>("key", "sentence"), then the deviations
// from the defaults of a row. The member's type gives the key's type.

template <typename T>
constexpr KeyType kTypeOf = kText;
template <typename T>
constexpr KeyType kTypeOf<std::optional<T>> = kTypeOf<T>;
template <>
constexpr KeyType kTypeOf<bool> = kBool;
template <>
constexpr KeyType kTypeOf<std::optional<bool>> = kAutoBool;
template <>
constexpr KeyType kTypeOf<double> = kNumber;
template <>
constexpr KeyType kTypeOf<std::uint64_t> = kInteger;
template <>
constexpr KeyType kTypeOf<Texts> = kNames;
template <>
constexpr KeyType kTypeOf<WarmupRule> = kWarmup;
template <>
constexpr KeyType kTypeOf<CounterBudget> = kBudget;

struct Row : Setting {
  constexpr Row As(KeyType is) {
    type = is;
    return *this;
  }
  constexpr Row OneOf(std::string_view words) {
    values = words;
    return *this;
  }
  constexpr Row Flag(std::string_view passed_as) {
    flag = passed_as;
    return *this;
  }
  constexpr Row Within(double from, double to) {
    least = from;
    most = to;
    return *this;
  }
  constexpr Row OrNull() {
    nullable = true;
    return *this;
  }
  constexpr Row OfPreset() {
    of_preset = true;
    return *this;
  }
};

template <auto... kMembers>
constexpr Row Key(std::string_view key, std::string_view about) {
  Row row;
  row.key = key;
  row.about = about;
  if constexpr (sizeof...(kMembers) > 0) {
    using Member = std::remove_reference_t<decltype((std::declval<Settings&>().*
                                                     ....*kMembers))>;
    row.type = kTypeOf<Member>;
    row.store = [](const Setting& setting, const Node& value, Settings& to) {
      return Store(setting, value, (to.*....*kMembers));
    };
    row.show = [](const Setting& setting, const Settings& settings) {
      return Show(setting, (settings.*....*kMembers));
    };
  }
  return row;
}

template <auto... kMembers>
constexpr auto Target = Key<&Settings::workload, kMembers...>;
template <auto... kMembers>
constexpr auto Ncu = Key<&Settings::ncu, kMembers...>;
template <auto... kMembers>
constexpr auto Nsys = Key<&Settings::nsys, kMembers...>;
template <auto... kMembers>
constexpr auto Counters = Key<&Settings::counters, kMembers...>;
template <auto... kMembers>
constexpr auto Analysed = Key<&Settings::analysis, kMembers...>;
template <auto... kMembers>
constexpr auto Selected =
    Key<&Settings::analysis, &AnalysisOptions::selection, kMembers...>;
template <auto... kMembers>
constexpr auto Reported = Key<&Settings::report, kMembers...>;
template <auto... kMembers>
constexpr auto Table =
    Key<&Settings::report, &ReportSettings::table, kMembers...>;
template <auto... kMembers>
constexpr auto Diff = Key<&Settings::diff, kMembers...>;
template <auto... kMembers>
constexpr auto DiffRule =
    Key<&Settings::diff, &DiffSettings::rules, kMembers...>;

// ---- The table --------------------------------------------------------------

constexpr Setting kTable[] = {
    Target<&Workload::device>(
        "device",
        "Device of the bundled workload: `cuda:0`, `cuda:1`, … Your own "
        "program chooses its device itself.")
        .As(kDevice),
    Key<>("hydra.run.dir",
          "The run directory; relative to the folder in which Rangefinder was "
          "started."),
    Target<&Workload::start_in_run_dir>(
        "hydra.job.chdir",
        "`true` starts the program in the run directory; otherwise the program "
        "starts in the folder in which Rangefinder was started.")
        .OrNull()
        .OfPreset(),
    Key<>("hydra.output_subdir",
          "Only null: config.yaml is written into the run directory itself.")
        .OrNull(),
    Target<&Workload::argv>(
        "pipeline.workload.argv",
        "The program to profile and its arguments; a program behind `--` wins.")
        .As(kWords)
        .OrNull(),
    Target<&Workload::module>(
        "pipeline.workload.module",
        "A Python module: `python3 -m MODULE`, then `argv`.")
        .OrNull(),
    Key<>("pipeline.ncu.description", "Purpose of the preset.")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::enable>("pipeline.ncu.enable",
                              "Collect with Nsight Compute."),
    Ncu<&NcuSettings::gating_nvtx>(
        "pipeline.ncu.gating_nvtx",
        "Collect only kernels inside ranges: the ranges of `nvtx.include`, or "
        "any range. `false`: collect all kernels."),
    Ncu<&NcuSettings::ncu>("pipeline.ncu.path",
                           "The `ncu` to run: a name in `PATH`, or a file."),
    Ncu<&NcuSettings::fallback>("pipeline.ncu.fallback",
                                "Replay modes to try in turn where the "
                                "requested mode cannot profile the program.")
        .OneOf("kernel|application|range|app-range|none")
        .OrNull(),
    Ncu<&NcuSettings::exclude_communication>(
        "pipeline.ncu.exclude_communication",
        "Leave out kernels that wait for other processes (NCCL, NVSHMEM), "
        "selected by name."),
    Ncu<&NcuSettings::exact_rollup>(
        "pipeline.ncu.exact_rollup",
        "Also collect the inputs that make combined metrics exact."),
    Ncu<&NcuSettings::timeout_s>(
        "pipeline.ncu.timeout",
        "Time limit of one run of ncu in seconds; 0: none.")
        .OrNull(),
    Ncu<&NcuSettings::hang_s>(
        "pipeline.ncu.hang_timeout",
        "Seconds without progress after which ncu counts as hung; 0: never.")
        .OrNull(),
    Ncu<&NcuSettings::budget_s>(
        "pipeline.ncu.budget",
        "Time limit of all runs of ncu together: `5m`, `90s`, `1h30m`, or "
        "seconds. A note names the measurements that do not fit.")
        .As(kDuration)
        .OrNull(),
    Ncu<&NcuSettings::kernel_config>(
        "pipeline.ncu.kernel_config",
        "A list of kernels, as `rangefinder kernels --format yaml` writes it; "
        "each kernel is profiled in a run of its own.")
        .OrNull(),
    Ncu<&NcuSettings::kernel_top>("pipeline.ncu.kernel_top",
                                  "Number of kernels to profile, from the "
                                  "beginning of the list; null: all.")
        .OrNull(),
    Ncu<&NcuSettings::kernel_launch_skip>(
        "pipeline.ncu.kernel_launch_skip",
        "Launches of each listed kernel to skip as warm-up.")
        .Flag("--launch-skip"),
    Ncu<&NcuSettings::kernel_launch_count>(
        "pipeline.ncu.kernel_launch_count",
        "Launches of each listed kernel to measure after the skipped launches.")
        .Flag("--launch-count"),
    Ncu<&NcuSettings::kernel_sections>(
        "pipeline.ncu.kernel_sections",
        "Sections to collect for listed kernels, in addition to `sections`.")
        .Flag("--section")
        .OrNull(),
    Ncu<&NcuSettings::replay_mode>("pipeline.ncu.ncu_cli.replay_mode",
                                   "The unit that ncu replays for each pass.")
        .OneOf("kernel|application|range|app-range")
        .Flag("--replay-mode")
        .OfPreset(),
    Ncu<&NcuSettings::nvtx_include>(
        "pipeline.ncu.ncu_cli.nvtx.include",
        "Regions to collect, as patterns of region names.")
        .As(kPatterns)
        .Flag("--nvtx --nvtx-include")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::nvtx_exclude>(
        "pipeline.ncu.ncu_cli.nvtx.exclude",
        "Regions to leave out; not with range and app-range replay.")
        .As(kPatterns)
        .Flag("--nvtx-exclude")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::nvtx_native>(
        "pipeline.ncu.ncu_cli.nvtx.native",
        "The patterns are ncu's own expressions and are passed unchanged.")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::set>("pipeline.ncu.ncu_cli.set", "A section set of ncu.")
        .Flag("--set")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::sections>("pipeline.ncu.ncu_cli.sections",
                                "Sections to collect, by identifier.")
        .Flag("--section")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::metrics>("pipeline.ncu.ncu_cli.metrics",
                               "Metrics to collect; a note names the metrics "
                               "that the device does not have.")
        .Flag("--metrics")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::export_csv>(
        "pipeline.ncu.ncu_cli.export.csv",
        "Also write `raw.csv`, for the run and for each region.")
        .OrNull()
        .OfPreset(),
    Key<>("pipeline.nsys.description", "Purpose of the preset.")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::enable>("pipeline.nsys.enable",
                                "Collect with Nsight Systems."),
    Nsys<&NsysSettings::gating_nvtx>("pipeline.nsys.gating_nvtx",
                                     "Let `capture_range` apply."),
    Nsys<&NsysSettings::nsys>(
        "pipeline.nsys.path",
        "The `nsys` to run: a name in `PATH`, or a file."),
    Nsys<&NsysSettings::trace>("pipeline.nsys.trace", "APIs to trace.")
        .Flag("--trace")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::sample>("pipeline.nsys.sample",
                                "CPU sampling; `none` passes no option.")
        .Flag("--sample")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::capture_range>(
        "pipeline.nsys.capture_range",
        "The event that starts and ends the collection.")
        .OneOf("none|nvtx|cudaProfilerApi|hotkey")
        .Flag("--capture-range")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::capture_range_end>(
        "pipeline.nsys.capture_range_end",
        "The action at the end of the range.")
        .Flag("--capture-range-end")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::nvtx_capture>(
        "pipeline.nsys.nvtx_capture",
        "The range that starts the collection, with `capture_range=nvtx`.")
        .Flag("--nvtx-capture")
        .OrNull()
        .OfPreset(),
    Key<&Settings::trace, &TraceSettings::enable>(
        "pipeline.trace.enable",
        "Run the program once under the tracer before ncu runs: the baseline "
        "run gives the plan, its cost and the times."),
    Key<&Settings::trace, &TraceSettings::mode>(
        "pipeline.trace.mode",
        "`regions`: NVTX ranges alone; `trace`: also launches and GPU times.")
        .OneOf("regions|trace"),
    Key<&Settings::trace, &TraceSettings::api>(
        "pipeline.trace.api",
        "Calls of CUDA to time: `calls`: calls that wait, load or allocate; "
        "`launches`: launches too; `none`.")
        .OneOf("calls|launches|none"),
    Key<&Settings::trace, &TraceSettings::source>(
        "pipeline.trace.source",
        "Record the lines of the source where kernels begin, and have "
        "torch.compile record the lines of the model, which changes how it "
        "compiles (docs/kernel-names.md)."),
    Key<>("pipeline.counters.description", "Purpose of the preset.")
        .OrNull()
        .OfPreset(),
    Counters<&CounterSettings::enable>(
        "pipeline.counters.enable",
        "Read hardware counters while the program runs, without replay."),
    Counters<&CounterSettings::mode>(
        "pipeline.counters.mode",
        "`sample`: samples of the whole run, divided among the regions; "
        "`count`: exact counts of chosen instances; `off`: neither (in a file, "
        "write `'off'`).")
        .OneOf("sample|count|off"),
    Counters<&CounterSettings::metrics>(
        "pipeline.counters.metrics",
        "Metrics by full name; `rangefinder counters` lists the metrics of the "
        "GPU. null: one of `sets`.")
        .OrNull()
        .OfPreset(),
    Key<>("pipeline.counters.sets",
          "Named sets of metrics, used if `metrics` is null: the first that "
          "the GPU has in one pass is sampled. The last set is for all other "
          "GPUs, and for exact counts.")
        .As(kMap)
        .OrNull()
        .OfPreset(),
    Counters<&CounterSettings::optional>(
        "pipeline.counters.optional",
        "Metrics to add to a set where the GPU has them: NVLink.")
        .OrNull()
        .OfPreset(),
    Counters<&CounterSettings::interval_us>(
        "pipeline.counters.interval_us",
        "Microseconds from one sample to the next. auto: 200 for each 12 "
        "metrics or part of them, and twice as many (up to eightfold) whenever "
        "more than 1 % of 10,000 samples are lost.")
        .As(kAutoInteger)
        .Within(10, 1e6),
    Counters<&CounterSettings::budget>(
        "pipeline.counters.budget",
        "Time that exact counts may add to the run: a share of the run (`5%`), "
        "or a time (`30s`)."),
    Counters<&CounterSettings::check>(
        "pipeline.counters.check",
        "Count some instances exactly in a second run, and compare the counts "
        "with the estimates."),
    Counters<&CounterSettings::precision>(
        "pipeline.counters.precision",
        "Desired half-width of an estimate's 95 % interval, as a share of its "
        "value (`2%`). For less precise values, reports say how many more "
        "instances are needed. null: do not say.")
        .As(kShare)
        .OrNull(),
    Selected<&SelectionOptions::include>(
        "regions.include", "Patterns of region paths to report; empty: all.")
        .As(kPatterns)
        .OrNull(),
    Selected<&SelectionOptions::exclude>(
        "regions.exclude",
        "Patterns of regions to leave out; wins over `include`.")
        .As(kPatterns)
        .OrNull(),
    Selected<&SelectionOptions::only>(
        "regions.only",
        "`true`: the report holds the included regions, their inner regions "
        "and their totals; one line has the rest of the run. Without "
        "`include`, the regions of `ncu_cli.nvtx.include` are included. "
        "`false`: the report holds all regions but the excluded. `auto`: "
        "`true` where any are included."),
    Selected<&SelectionOptions::domains_include>(
        "regions.domains.include",
        "NVTX domains whose ranges make regions; empty: all.")
        .As(kPatterns)
        .OrNull(),
    Selected<&SelectionOptions::domains_exclude>(
        "regions.domains.exclude",
        "NVTX domains to leave out; wins over `include`.")
        .As(kPatterns)
        .OrNull(),
    Selected<&SelectionOptions::kernels_include>(
        "regions.kernels.include",
        "Kernels to count in each region, by name; empty: all.")
        .As(kPatterns)
        .OrNull(),
    Selected<&SelectionOptions::kernels_exclude>(
        "regions.kernels.exclude", "Kernels to leave out; wins over `include`.")
        .As(kPatterns)
        .OrNull(),
    Selected<&SelectionOptions::kernels_base>(
        "regions.kernels.base",
        "Form of the kernel name that the patterns match. `any`: the demangled "
        "name, the short name of the tables, or the name of the function.")
        .OneOf("any|demangled|function|mangled"),
    Analysed<&AnalysisOptions::merge, &MergeOptions::by_itself>(
        "regions.merge.auto",
        "Treat ranges whose names differ only by a counter as instances of one "
        "region (docs/attribution.md, section 9)."),
    Analysed<&AnalysisOptions::merge, &MergeOptions::patterns>(
        "regions.merge.patterns",
        "Further names that are instances of one region: `layer[0-9]*`, or "
        "`regex:` with groups, which stay in the name.")
        .As(kPatterns)
        .OrNull(),
    Analysed<&AnalysisOptions::merge, &MergeOptions::framework>(
        "regions.framework",
        "Framework whose names of ranges are read (docs/frameworks.md): "
        "`auto`: each whose names occur; `none`; or one of `frameworks`, "
        "such as `vllm`."),
    Analysed<&AnalysisOptions::rollup, &RollupOptions::aggregate>(
        "regions.aggregate",
        "Also report the aggregate of all processes and devices."),
    Selected<&SelectionOptions::start_end>(
        "regions.start_end",
        "`path`: start/end ranges make regions; `ignore`: start/end ranges are "
        "ignored.")
        .OneOf("path|ignore"),
    Analysed<&AnalysisOptions::threads>(
        "regions.threads",
        "Region of a kernel that another thread launches. `own`: the ranges of "
        "the launching thread; `adopt`: the ranges of the thread that waits "
        "for the launching thread; `forward`: the forward region by `seq` of "
        "PyTorch, otherwise as `adopt`.")
        .OneOf("own|adopt|forward"),
    Analysed<&AnalysisOptions::graphs>(
        "regions.graphs",
        "Region of a kernel in a CUDA graph. `nested`: the captured regions "
        "below the launch of the graph; `launch`: the region of the launch; "
        "`capture`: the region of the capture.")
        .OneOf("nested|launch|capture"),
    Reported<&ReportSettings::max_rows>(
        "regions.max_rows",
        "Rows of a table at most; one more line counts the rest."),
    Analysed<&AnalysisOptions::warmup>(
        "regions.warmup",
        "First instances of a region that are shown apart as warm-up: outliers "
        "(`auto`), none (`off`), or a number in each process."),
    Analysed<&AnalysisOptions::instances, &InstanceWindow::skip>(
        "regions.instances.skip",
        "First instances of each region to leave out as warm-up."),
    Analysed<&AnalysisOptions::instances, &InstanceWindow::count>(
        "regions.instances.count",
        "Instances of each region to count; null: all.")
        .OrNull(),
    Reported<&ReportSettings::formats>("report.formats",
                                       "Formats of the reports to write.")
        .OneOf("md|json|html|sqlite")
        .OrNull(),
    Reported<&ReportSettings::format_metrics>(
        "report.format.metrics",
        "Metrics that stand in place in report.json; the others are packed "
        "(docs/report-json.md). `auto`: the metrics requested by name; if "
        "none, all of a small report.")
        .OneOf("auto|requested|all"),
    Reported<&ReportSettings::format_kernel_names>(
        "report.format.kernel_names",
        "Kernel names in tables. `short`: without namespaces, parameters and "
        "most template arguments (docs/kernel-names.md); `full`: as the "
        "compiler wrote them.")
        .Flag("--kernel-names")
        .OneOf("short|full"),
    Reported<&ReportSettings::provenance>(
        "report.provenance",
        "A file of Inductor's that says which operators are in each kernel of "
        "torch.compile (docs/kernel-names.md).")
        .OrNull(),
    Reported<&ReportSettings::metrics>(
        "report.metrics",
        "Metrics of the tables; empty: the metrics requested from ncu.")
        .OrNull(),
    Reported<&ReportSettings::max_folders>(
        "report.max_folders",
        "Number of regions that get a folder of their own: the regions with "
        "the most GPU time that are within fewer than 32 others; report.json "
        "has all regions. With folders, `kernels.md`, `ncu/raw.csv` and the "
        "texts of sections are written, too. null: 200 where ncu measured, "
        "else 0.")
        .OrNull(),
    Reported<&ReportSettings::parameter_bytes>(
        "report.parameter_bytes",
        "Bytes of the model's parameters on one device, which each step has to "
        "read: DRAM reads per step are compared with it "
        "(docs/frameworks.md).")
        .OrNull(),
    Table<&TableView::by>(
        "report.table.by",
        "Rows of the terminal's table: the regions, the regions of each name "
        "together, the kernels, or the ranks.")
        .Flag("--by")
        .OneOf("region|name|kernel|rank"),
    Table<&TableView::columns>("report.table.columns",
                               "Columns of the table: wall, each, spread, "
                               "time, share, GPU each, idle, launches, "
                               "instances, busy, cause, exclusive, replay, "
                               "max/mean, or metrics; empty: as many as fit.")
        .Flag("--columns")
        .OrNull(),
    Table<&TableView::sort>(
        "report.table.sort",
        "Column by which the rows are sorted, largest first.")
        .Flag("--sort"),
    Table<&TableView::top>("report.table.top",
                           "Rows at most, the first by the sort order; 0: all, "
                           "up to `regions.max_rows`.")
        .Flag("--top"),
    Table<&TableView::depth>("report.table.depth",
                             "Levels of the tree at most; null or 0: all.")
        .Flag("--depth")
        .OrNull(),
    Table<&TableView::min_share>(
        "report.table.min_share",
        "Rows below this percentage of the time are hidden.")
        .Flag("--min-share")
        .As(kPercent)
        .Within(0, 100),
    Table<&TableView::flat>("report.table.flat",
                            "Show whole paths in sort order instead of a tree.")
        .Flag("--flat"),
    Table<&TableView::expand>(
        "report.table.expand",
        "Show each region: siblings that behave alike are one row otherwise.")
        .Flag("--expand"),
    Table<&TableView::scope>("report.table.scope",
                             "One process and device, or one rank, or `all` "
                             "for each of them; null: all together.")
        .Flag("--scope")
        .OrNull(),
    DiffRule<&DiffRules::threshold, &Threshold::relative>(
        "diff.gate.time",
        "Smallest relative change of GPU time at which a region can be SLOWER "
        "or FASTER.")
        .As(kShare),
    DiffRule<&DiffRules::threshold, &Threshold::absolute_ns>(
        "diff.gate.absolute",
        "Smallest change of the time of a run (`20us`, `1.5ms`) at which a "
        "region can be SLOWER or FASTER.")
        .As(kShortTime),
    DiffRule<&DiffRules::counter>(
        "diff.gate.counters",
        "Smallest relative change at which an exact counter counts as changed.")
        .As(kShare),
    DiffRule<&DiffRules::alpha>(
        "diff.gate.alpha",
        "Probability that a report of two equal programs contains any SLOWER "
        "or FASTER; half of it is for SLOWER.")
        .As(kShare)
        .Within(0.001, 0.5),
    DiffRule<&DiffRules::least_runs>(
        "diff.gate.runs", "Runs per side that a gate on times needs."),
    Key<>("diff.gate.metrics",
          "Limits of metrics, in every region (docs/diff.md).")
        .As(kMap),
    Key<>("diff.gate.regions", "Limits of single regions (docs/diff.md).")
        .As(kMap),
    Diff<&DiffSettings::strict>("diff.strict",
                                "Pair regions and kernels by name alone.")
        .Flag("--strict"),
    Diff<&DiffSettings::match>(
        "diff.match",
        "A file with the pairs of regions and kernels that were renamed.")
        .Flag("--match")
        .OrNull(),
    Diff<&DiffSettings::calibration>(
        "diff.calibration",
        "A file of `diff --calibrate` with the noise of each region.")
        .OrNull(),
    Diff<&DiffSettings::accepted>(
        "diff.accepted",
        "A file of accepted regressions, each with a reason and a last day.")
        .OrNull(),
};

}  // namespace

std::span<const Setting> SettingsTable() {
  return kTable;
}

}  // namespace rangefinder
