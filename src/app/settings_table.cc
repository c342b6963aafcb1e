#include "app/setting.h"
#include "app/settings.h"

namespace rangefinder {
namespace {

using enum KeyType;

// ---- How a row is written ---------------------------------------------------
// Key<members that lead to the value>("key", "sentence"), then what differs
// from the usual. The member's type gives the key's type.

template <typename T>
constexpr KeyType kTypeOf = kText;
template <typename T>
constexpr KeyType kTypeOf<std::optional<T>> = kTypeOf<T>;
template <>
constexpr KeyType kTypeOf<bool> = kBool;
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
  constexpr Row As(KeyType is) const {
    Row row = *this;
    row.type = is;
    return row;
  }
  constexpr Row OneOf(std::string_view words) const {
    Row row = *this;
    row.values = words;
    return row;
  }
  constexpr Row Flag(std::string_view passed_as) const {
    Row row = *this;
    row.flag = passed_as;
    return row;
  }
  constexpr Row Within(double from, double to) const {
    Row row = *this;
    row.least = from;
    row.most = to;
    return row;
  }
  constexpr Row OrNull() const {
    Row row = *this;
    row.nullable = true;
    return row;
  }
  constexpr Row OfPreset() const {
    Row row = *this;
    row.of_preset = true;
    return row;
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
    Key<&Settings::device>(
        "device",
        "Where the bundled workload runs: `cuda:0`, `cuda:1`, … A program of "
        "your own decides that itself.")
        .As(kDevice),
    Key<>("hydra.run.dir",
          "The run directory; relative to where Rangefinder was started."),
    Key<&Settings::start_in_run_dir>(
        "hydra.job.chdir",
        "`true` starts the program in the run directory; otherwise it is "
        "started where Rangefinder was, so that its paths mean what they say.")
        .OrNull()
        .OfPreset(),
    Key<>("hydra.output_subdir",
          "Only null: config.yaml is in the run directory itself.")
        .OrNull(),
    Key<&Settings::workload_argv>("pipeline.workload.argv",
                                  "The program to profile and its arguments; "
                                  "what follows `--` goes before it.")
        .As(kWords)
        .OrNull(),
    Key<&Settings::workload_module>(
        "pipeline.workload.module",
        "A Python module: `python3 -m MODULE`, then `argv`.")
        .OrNull(),
    Key<>("pipeline.ncu.description", "What the preset is for.")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::enable>("pipeline.ncu.enable",
                              "Collect with Nsight Compute."),
    Ncu<&NcuSettings::gating_nvtx>(
        "pipeline.ncu.gating_nvtx",
        "Collect only kernels inside ranges: those of `nvtx.include`, or any. "
        "With `false`, all kernels."),
    Ncu<&NcuSettings::ncu_path>(
        "pipeline.ncu.path", "The `ncu` to run: a name in `PATH`, or a file."),
    Ncu<&NcuSettings::fallback>("pipeline.ncu.fallback",
                                "Replay modes to try in turn where the one "
                                "asked for cannot profile the program.")
        .OneOf("kernel|application|range|app-range|none")
        .OrNull(),
    Ncu<&NcuSettings::exclude_communication>(
        "pipeline.ncu.exclude_communication",
        "Leave out kernels that wait for other processes (NCCL, NVSHMEM), by "
        "name."),
    Ncu<&NcuSettings::exact_rollup>(
        "pipeline.ncu.exact_rollup",
        "Collect the inputs that combining the metrics exactly needs."),
    Ncu<&NcuSettings::timeout_s>(
        "pipeline.ncu.timeout", "Seconds that one run of ncu may take; 0: any.")
        .OrNull(),
    Ncu<&NcuSettings::hang_s>(
        "pipeline.ncu.hang_timeout",
        "Seconds without progress that are a hang; 0: never.")
        .OrNull(),
    Ncu<&NcuSettings::budget_s>(
        "pipeline.ncu.budget",
        "Time that all runs of ncu may take together: `5m`, `90s`, `1h30m`, or "
        "seconds. What does not fit is left out, and said.")
        .As(kDuration)
        .OrNull(),
    Ncu<&NcuSettings::kernel_config>(
        "pipeline.ncu.kernel_config",
        "A list of kernels, as `rangefinder kernels --format yaml` writes it: "
        "each is profiled in a run of its own.")
        .OrNull(),
    Ncu<&NcuSettings::kernel_top>(
        "pipeline.ncu.kernel_top",
        "How many of that list, from its beginning; null: all.")
        .OrNull(),
    Ncu<&NcuSettings::kernel_launch_skip>(
        "pipeline.ncu.kernel_launch_skip",
        "Launches of each listed kernel to skip: the warm-up.")
        .Flag("--launch-skip"),
    Ncu<&NcuSettings::kernel_launch_count>(
        "pipeline.ncu.kernel_launch_count",
        "Launches of each listed kernel to measure after that.")
        .Flag("--launch-count"),
    Ncu<&NcuSettings::kernel_sections>(
        "pipeline.ncu.kernel_sections",
        "Sections to collect of listed kernels beside `sections`.")
        .Flag("--section")
        .OrNull(),
    Ncu<&NcuSettings::replay_mode>("pipeline.ncu.ncu_cli.replay_mode",
                                   "What is replayed for each pass.")
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
        "The patterns are ncu's own expressions, passed as they are.")
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
                               "Metrics to collect; those the device does not "
                               "have are left out with a note.")
        .Flag("--metrics")
        .OrNull()
        .OfPreset(),
    Ncu<&NcuSettings::export_csv>(
        "pipeline.ncu.ncu_cli.export.csv",
        "Also write `raw.csv`, of the run and of each region.")
        .OrNull()
        .OfPreset(),
    Key<>("pipeline.nsys.description", "What the preset is for.")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::enable>("pipeline.nsys.enable",
                                "Collect with Nsight Systems."),
    Nsys<&NsysSettings::gating_nvtx>("pipeline.nsys.gating_nvtx",
                                     "Let `capture_range` apply."),
    Nsys<&NsysSettings::nsys_path>(
        "pipeline.nsys.path",
        "The `nsys` to run: a name in `PATH`, or a file."),
    Nsys<&NsysSettings::trace>("pipeline.nsys.trace", "What to trace.")
        .Flag("--trace")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::sample>("pipeline.nsys.sample",
                                "CPU sampling; `none` is not passed.")
        .Flag("--sample")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::capture_range>("pipeline.nsys.capture_range",
                                       "What starts and ends the collection.")
        .OneOf("none|nvtx|cudaProfilerApi|hotkey")
        .Flag("--capture-range")
        .OrNull()
        .OfPreset(),
    Nsys<&NsysSettings::capture_range_end>(
        "pipeline.nsys.capture_range_end",
        "What happens at the end of the range.")
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
        "Run the program once under the tracer before ncu's runs: the plan, "
        "the cost and the undisturbed times come from it."),
    Key<&Settings::trace, &TraceSettings::mode>(
        "pipeline.trace.mode",
        "`regions`: ranges and launches; `trace`: GPU time too.")
        .OneOf("regions|trace"),
    Key<>("pipeline.counters.description", "What the preset is for.")
        .OrNull()
        .OfPreset(),
    Counters<&CounterSettings::enable>(
        "pipeline.counters.enable",
        "Sample hardware counters while the program runs once, and divide them "
        "among its regions."),
    Counters<&CounterSettings::mode>(
        "pipeline.counters.mode",
        "Samples of the whole run, divided among the regions; exact counts of "
        "chosen instances; or neither. In a file, `'off'` is in quotes.")
        .OneOf("sample|count|off"),
    Counters<&CounterSettings::metrics>(
        "pipeline.counters.metrics",
        "What is counted, by full names; `rangefinder counters` lists what the "
        "GPU has.")
        .OrNull()
        .OfPreset(),
    Counters<&CounterSettings::interval_us>(
        "pipeline.counters.interval_us",
        "Microseconds from one sample to the next, 10 to 1000000.")
        .Within(10, 1e6),
    Counters<&CounterSettings::budget>(
        "pipeline.counters.budget",
        "What exact counts may add to the run: a share of it (`5%`), or a time "
        "(`30s`)."),
    Counters<&CounterSettings::check>(
        "pipeline.counters.check",
        "Count some instances exactly in a second run, and compare with what "
        "the samples say."),
    Selected<&SelectionOptions::include>(
        "regions.include", "Patterns over region paths; empty: all.")
        .As(kPatterns)
        .OrNull(),
    Selected<&SelectionOptions::exclude>(
        "regions.exclude", "Regions to leave out; wins over `include`.")
        .As(kPatterns)
        .OrNull(),
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
        "Which name of a kernel the patterns are matched against.")
        .OneOf("demangled|function|mangled"),
    Analysed<&AnalysisOptions::merge, &MergeOptions::by_itself>(
        "regions.merge.auto",
        "Ranges whose names differ by a counter are instances of one region "
        "(docs/attribution.md, section 9)."),
    Analysed<&AnalysisOptions::merge, &MergeOptions::patterns>(
        "regions.merge.patterns",
        "Names that are instances of one region, too: `layer[0-9]*`, or "
        "`regex:` with groups that stay.")
        .As(kPatterns)
        .OrNull(),
    Analysed<&AnalysisOptions::rollup, &RollupOptions::aggregate>(
        "regions.aggregate",
        "Report the aggregate of all processes and devices too."),
    Selected<&SelectionOptions::start_end>(
        "regions.start_end", "Start/end ranges make regions, or are ignored.")
        .OneOf("path|ignore"),
    Analysed<&AnalysisOptions::threads>(
        "regions.threads",
        "Where kernels of other threads stand: under the launching thread's "
        "ranges (`own`); under those of the thread that waits for it "
        "(`adopt`); under their forward region, by PyTorch's `seq` (`forward`, "
        "the rest as `adopt`).")
        .OneOf("own|adopt|forward"),
    Analysed<&AnalysisOptions::graphs>(
        "regions.graphs",
        "Where kernels of CUDA graphs stand: under the graph's launch, in the "
        "regions they were captured in (`nested`); in the region of the "
        "launch; in that of the capture.")
        .OneOf("nested|launch|capture"),
    Reported<&ReportSettings::max_rows>(
        "regions.max_rows",
        "Rows of a table for people; the rest is one line."),
    Analysed<&AnalysisOptions::warmup>(
        "regions.warmup",
        "First instances of a region that are shown apart from a steady one: "
        "those that are outliers (`auto`), none (`off`), or a number in each "
        "process."),
    Analysed<&AnalysisOptions::instances, &InstanceWindow::skip>(
        "regions.instances.skip",
        "First instances of each region to leave out (warm-up)."),
    Analysed<&AnalysisOptions::instances, &InstanceWindow::count>(
        "regions.instances.count",
        "Instances of each region to count; null: all.")
        .OrNull(),
    Reported<&ReportSettings::formats>("report.formats",
                                       "Which reports to write.")
        .OneOf("md|json|html|sqlite")
        .OrNull(),
    Reported<&ReportSettings::format_metrics>(
        "report.format.metrics",
        "Metrics that stand in place in report.json; the others are packed "
        "(docs/report-json.md). `auto`: all of a small report.")
        .OneOf("auto|requested|all"),
    Reported<&ReportSettings::format_kernel_names>(
        "report.format.kernel_names",
        "Kernels in tables for people: without namespaces, parameters and most "
        "template arguments (docs/kernel-names.md), or as the capture has "
        "them.")
        .OneOf("short|full"),
    Reported<&ReportSettings::provenance>(
        "report.provenance",
        "A file of Inductor's that says which operators are in each kernel of "
        "torch.compile (docs/kernel-names.md).")
        .OrNull(),
    Reported<&ReportSettings::metrics>(
        "report.metrics",
        "Metrics of the tables for people; empty: those asked of ncu.")
        .OrNull(),
    Reported<&ReportSettings::max_folders>(
        "report.max_folders",
        "Regions that get a folder with files of their own, those with the "
        "most GPU time and within fewer than 32 others; report.json has all "
        "regions."),
    Table<&TableView::by>("report.table.by",
                          "What the rows of the terminal's table are (`--by`).")
        .OneOf("region|name|kernel|rank"),
    Table<&TableView::columns>(
        "report.table.columns",
        "Its columns: time, share, launches, own, replay, runs, CPU, busy, "
        "idle, max/mean, or metrics; empty: as many as fit (`--columns`).")
        .OrNull(),
    Table<&TableView::sort>(
        "report.table.sort",
        "The column by which its rows are sorted, most first (`--sort`)."),
    Table<&TableView::top>("report.table.top",
                           "Rows that it shows at most, those that sort first; "
                           "0: all, up to `regions.max_rows` (`--top`)."),
    Table<&TableView::depth>(
        "report.table.depth",
        "Levels of the tree that it shows; null or 0: all (`--depth`).")
        .OrNull(),
    Table<&TableView::min_share>(
        "report.table.min_share",
        "Percent of the time below which a row is not shown (`--min-share`)."),
    Table<&TableView::flat>(
        "report.table.flat",
        "Whole paths in one order in the place of a tree (`--flat`)."),
    Table<&TableView::scope>("report.table.scope",
                             "The process and device, or the rank, that it is "
                             "of, or `all`; null: all together (`--scope`).")
        .OrNull(),
    DiffRule<&DiffRules::threshold, &Threshold::relative>(
        "diff.gate.time",
        "From what relative change of GPU time on a region can be SLOWER or "
        "FASTER.")
        .As(kShare),
    DiffRule<&DiffRules::threshold, &Threshold::absolute_ns>(
        "diff.gate.absolute",
        "And from what change of a run's time (`20us`, `1.5ms`).")
        .As(kShortTime),
    DiffRule<&DiffRules::counter>(
        "diff.gate.counters",
        "From what relative change on an exact counter has changed.")
        .As(kShare),
    DiffRule<&DiffRules::alpha>(
        "diff.gate.alpha",
        "How often a whole report of equal programs may call anything SLOWER "
        "or FASTER, half of it SLOWER; 0.1 % or more.")
        .As(kShare)
        .Within(0.001, 0.5),
    DiffRule<&DiffRules::least_runs>(
        "diff.gate.runs", "Runs a side below which no time is gated."),
    Key<>("diff.gate.metrics",
          "Limits of metrics, in every region (docs/diff.md).")
        .As(kMap),
    Key<>("diff.gate.regions", "Limits of single regions (docs/diff.md).")
        .As(kMap),
    Diff<&DiffSettings::strict>(
        "diff.strict", "Pair regions and kernels by name alone (`--strict`)."),
    Diff<&DiffSettings::match>("diff.match",
                               "A file with the pairs of regions and kernels "
                               "that were renamed (`--match`).")
        .OrNull(),
    Diff<&DiffSettings::calibration>(
        "diff.calibration",
        "A file of `diff --calibrate`: the noise of every region.")
        .OrNull(),
    Diff<&DiffSettings::accepted>("diff.accepted",
                                  "A file of regressions that are accepted, "
                                  "each with a reason and a last day.")
        .OrNull(),
};

}  // namespace

std::span<const Setting> SettingsTable() {
  return kTable;
}

}  // namespace rangefinder
