#include "report/report.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "insight/imbalance.h"
#include "profile/metric_facts.h"
#include "region/path.h"
#include "region/phases.h"
#include "report/kernel_names.h"

namespace rangefinder {
namespace {

// Metrics of a table if none are requested: how busy the SMs and the memory
// were, and how full the SMs.
constexpr std::array<std::string_view, 4> kTableMetrics = {
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active"};

// The same, if counters were estimated.
constexpr std::array<std::string_view, 6> kEstimatedMetrics = {
    "dram_peak_share",  "tensor_peak_share", "sm_busy_share",
    "issue_peak_share", "dram_bandwidth",    "bytes_per_instruction"};

// A page has room for this many columns.
constexpr std::size_t kMostTableColumns = 6;

std::vector<std::string> Words(std::string_view command_line) {
  std::vector<std::string> words;
  for (std::string& word : Split(command_line, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

// The values that `option` takes on a command line, in order.
std::vector<std::string> ValuesOf(const std::vector<std::string>& words,
                                  std::string_view option) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size())
      values.push_back(words[i + 1]);
    else if (words[i].starts_with(std::string(option) + "="))
      values.push_back(words[i].substr(option.size() + 1));
  }
  return values;
}

// Keeps the first of equal elements.
template <typename T>
class Once {
 public:
  explicit Once(std::vector<T>& list) : list_(list) {}

  void Add(const T& one) {
    if (seen_.insert(one).second) list_.push_back(one);
  }

 private:
  std::vector<T>& list_;
  std::set<T> seen_;
};

}  // namespace

CaptureFacts FactsOf(const Profile& profile) {
  CaptureFacts facts;
  std::vector<ReplayMode> modes;
  Once once_a_mode(modes);
  for (const Measurement& m : profile.measurements) once_a_mode.Add(m.mode);
  for (const ReplayMode mode : modes) {
    facts.mode += facts.mode.empty() ? "" : "+";
    facts.mode += ModeName(mode);
  }
  std::vector<std::string> tools;
  Once once_a_tool(tools);
  std::map<std::string, std::set<std::string>> versions_of;
  Once once_a_metric(facts.metrics);
  bool ncu = false;
  for (const Artifact& artifact : profile.artifacts) {
    ncu = ncu || artifact.format == "ncu-rep";
    for (const auto& [tool, version] : artifact.versions) {
      if (tool == "world") continue;
      once_a_tool.Add(tool);
      versions_of[tool].insert(version);
    }
    const std::vector<std::string> words = Words(artifact.command_line);
    if (facts.command.empty()) facts.command = words;
    for (const std::string& list : ValuesOf(words, "--metrics")) {
      for (const std::string& metric : Split(list, ','))
        once_a_metric.Add(metric);
    }
    for (std::string& value : ValuesOf(words, "--clock-control"))
      facts.clock_control = std::move(value);
    for (std::string& value : ValuesOf(words, "--cache-control"))
      facts.cache_control = std::move(value);
  }
  for (const std::string& tool : tools)
    facts.tools.emplace_back(
        tool, fmt::format("{}", fmt::join(versions_of[tool], ", ")));
  // The defaults of ncu 2025.3.
  if (ncu && facts.clock_control.empty()) facts.clock_control = "base";
  if (ncu && facts.cache_control.empty()) facts.cache_control = "all";
  for (const Device& device : profile.devices) {
    facts.devices.push_back(
        device.name == StringId{}
            ? fmt::format("{}", device.index)
            : fmt::format("{}: {}", device.index, profile.Name(device.name)));
  }
  return facts;
}

namespace {

// The largest time of each region over the scopes.
std::vector<double> MostTimes(const Report& report) {
  std::vector<double> most(report.tree->regions().size());
  for (const ScopeRollup& scope : report.rollup->scopes) {
    const auto see = [&](std::size_t region) {
      most[region] =
          std::max(most[region],
                   report.rows->TimeNs(scope, static_cast<RegionId>(region)));
    };
    if (report.traced->there()) {
      for (std::size_t i = 0; i < most.size(); ++i) see(i);
    } else {
      for (const auto& [region, rolled] : scope.regions.there()) see(region);
    }
  }
  return most;
}

}  // namespace

std::vector<RegionId> ReportedByTime(const Report& report) {
  const std::vector<double> most = MostTimes(report);
  std::vector<RegionId> regions;
  for (std::size_t i = 1; i < most.size(); ++i) {
    const auto id = static_cast<RegionId>(i);
    if (IsReported(report, id)) regions.push_back(id);
  }
  std::ranges::stable_sort(regions, std::greater<>(),
                           [&](RegionId id) { return most[Index(id)]; });
  return regions;
}

namespace {

// Metrics that were counted for regions; empty if counters were sampled.
std::vector<std::string> CountedMetricsOf(const Profile& profile) {
  std::vector<std::string> metrics;
  Once once(metrics);
  if (!profile.counter_samples.empty()) return metrics;
  for (const Measurement& m : profile.measurements) {
    if (m.mode != ReplayMode::kCounters) continue;
    for (const Sample& sample : profile.SamplesOf(m)) {
      once.Add(std::string(profile.MetricName(sample.metric)));
    }
  }
  return metrics;
}

}  // namespace

Report Compose(const Profile& profile, const RegionTree& tree,
               const Rollup& rollup, const Notes& notes,
               ReportOptions options) {
  Report report{ViewOf(profile, tree, rollup, options.warmup)};
  report.notes = &notes;
  report.capture = FactsOf(profile);
  report.options = std::move(options);
  if (!report.options.max_folders) {
    const bool by_ncu =
        std::ranges::any_of(profile.artifacts, [](const Artifact& artifact) {
          return artifact.format.starts_with("ncu-");
        });
    report.options.max_folders = by_ncu ? kUsualFolders : 0;
  }
  std::vector<std::string> wanted = report.options.table_metrics;
  if (wanted.empty()) wanted = report.capture.metrics;
  if (wanted.empty()) wanted = CountedMetricsOf(profile);
  const bool asked = !wanted.empty();
  if (!asked) {
    wanted.assign(kTableMetrics.begin(), kTableMetrics.end());
    if (report.options.estimates)
      wanted.insert(wanted.end(), kEstimatedMetrics.begin(),
                    kEstimatedMetrics.end());
  }
  std::multimap<std::string_view, std::size_t> columns;
  for (std::size_t c = 0; c < rollup.columns.size(); ++c)
    columns.emplace(rollup.columns[c].name, c);
  for (const std::string& name : wanted) {
    const auto [first, last] = columns.equal_range(name);
    for (auto at = first; at != last; ++at) {
      const std::size_t c = at->second;
      report.asked_columns.push_back(c);
      // The time has columns of its own.
      if (name != "gpu__time_duration.sum" &&
          report.table_columns.size() < kMostTableColumns)
        report.table_columns.push_back(c);
    }
  }
  report.sections = std::make_shared<SectionCatalog>(profile, tree, rollup,
                                                     report.options.sections);
  KernelSources sources = profile.kernel_sources;
  if (report.options.kernel_sources)
    sources.Add(*report.options.kernel_sources);
  report.kernel_names = std::make_shared<KernelNames>(
      profile, rollup, report.options.full_kernel_names, std::move(sources));
  if (report.options.names) {
    report.phases = PhasesOfRegions(*report.options.names, tree);
    report.unit_costs = FindUnitCosts(report, *report.options.names,
                                      report.options.estimates.get());
  }
  report.diagnosis = Diagnose(report, CauseTable(report.options.causes));
  return report;
}

std::optional<MetricsInPlace> FindMetricsInPlace(std::string_view name) {
  if (name == "auto") return MetricsInPlace::kAuto;
  if (name == "requested") return MetricsInPlace::kRequested;
  if (name == "all") return MetricsInPlace::kAll;
  return std::nullopt;
}

std::span<const std::string_view> UsualMetrics() {
  return kTableMetrics;
}

namespace {

// Headings of the derived metrics that tables show (conf/derived).
constexpr std::array<std::pair<std::string_view, std::string_view>, 7>
    kHeadings = {{{"dram_peak_share", "DRAM % of peak"},
                  {"tensor_peak_share", "tensor % of peak"},
                  {"compute_peak_share", "compute % of peak"},
                  {"issue_peak_share", "issue % of peak"},
                  {"sm_busy_share", "SM busy"},
                  {"dram_bandwidth", "DRAM bandwidth"},
                  {"bytes_per_instruction", "bytes per instruction"}}};

// A metric's name without the parts that nearly all names share.
std::string ShortMetric(const std::string& metric, bool has_unit) {
  for (const auto& [name, heading] : kHeadings) {
    if (name == metric) return std::string(heading);
  }
  std::string name = metric;
  const auto replace = [&](std::string_view from, std::string_view to) {
    if (const std::size_t at = name.find(from); at != std::string::npos)
      name.replace(at, from.size(), to);
  };
  replace(".pct_of_peak_sustained_elapsed", has_unit ? "" : " %");
  replace(".pct_of_peak_sustained_active", has_unit ? "" : " %");
  replace(".per_second", "/s");
  replace(".per_cycle_active", "/active cycle");
  replace(".per_cycle_elapsed", "/cycle");
  replace(".sum", "");
  replace(".avg", "");
  replace("__", " ");
  std::ranges::replace(name, '_', ' ');
  return name;
}

// The label of a metric in the sections of the capture, or nothing.
std::string SectionLabel(const Profile& profile, MetricId metric) {
  if (metric == kNoMetric) return {};
  for (const Section& section : profile.sections) {
    for (const Section::Row& row : section.header) {
      if (row.metric == metric && row.label != StringId{})
        return std::string(profile.Name(row.label));
    }
  }
  return {};
}

}  // namespace

std::string MetricHeading(const Report& report, std::size_t column) {
  const Column& metric = report.rollup->columns[column];
  std::string heading = SectionLabel(*report.profile, metric.metric);
  if (heading.empty()) heading = ShortMetric(metric.name, !metric.unit.empty());
  return Ellipsize(Printable(heading), 28);
}

std::string MetricDoc(const Report& report, std::size_t column) {
  const std::string& name = report.rollup->columns[column].name;
  const auto derived = report.options.metric_docs.find(name);
  std::string doc = derived != report.options.metric_docs.end()
                        ? std::string(Trim(derived->second))
                        : CounterDoc(name);
  if (doc.ends_with('.')) doc.pop_back();
  return doc;
}

std::vector<std::string> ColumnHeadings(const Report& report) {
  std::vector<std::string> headings;
  for (const std::size_t c : report.table_columns)
    headings.push_back(MetricHeading(report, c));
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const auto same = std::ranges::count(headings, headings[i]);
    if (same < 2) continue;
    const std::string shared = headings[i];
    for (std::size_t j = i; j < headings.size(); ++j) {
      if (headings[j] == shared)
        headings[j] =
            Printable(report.rollup->columns[report.table_columns[j]].name);
    }
  }
  return headings;
}

Result<RegionId> RegionNamed(const Report& report, std::string text) {
  // Accepts the separator that reports print.
  for (std::size_t at; (at = text.find(" › ")) != std::string::npos;)
    text.replace(at, std::string_view(" › ").size(), "/");
  std::vector<RegionId> by_name;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < report.tree->regions().size(); ++i) {
    const auto id = static_cast<RegionId>(i);
    std::string path = PathText(*report.profile, report.tree->PathTo(id));
    if (path.empty()) path = RegionName(report, id);
    if (path == text) return id;
    if (RegionName(report, id) == text) by_name.push_back(id);
    names.push_back(path);
  }
  if (by_name.size() == 1) return by_name.front();
  std::string message = by_name.empty()
                            ? "no such region"
                            : "several regions have this name; give the whole "
                              "path, joined by /";
  if (by_name.empty()) message += DidYouMean(text, names);
  return Error(ErrorCode::kUsage, std::move(message));
}

}  // namespace rangefinder
