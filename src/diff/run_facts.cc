#include "diff/run_facts.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "insight/run_view.h"
#include "insight/times.h"

namespace rangefinder {

namespace {

constexpr std::string_view kRegisters = "launch__registers_per_thread";
constexpr double kMostRegisters = 65'536;  // of an SM

class Taking {
 public:
  Taking(const Report& report, RunFacts& run)
      : report_(report),
        profile_(*report.profile),
        scope_(report.rollup->scopes.front()),
        registers_(profile_.FindMetric(kRegisters)),
        run_(run) {}

  void All() {
    std::vector<std::size_t> place(report_.tree->regions().size(), 0);
    for (std::size_t i = 0; i < place.size(); ++i) {
      const auto id = static_cast<RegionId>(i);
      const Region& region = (*report_.tree)[id];
      if (i > 0 && !IsShown(report_, scope_, id)) continue;
      RegionFacts facts = Of(id);
      if (i > 0) facts.parent = place[Index(region.parent)];
      place[i] = run_.regions.size();
      run_.regions.push_back(std::move(facts));
    }
  }

 private:
  RegionFacts Of(RegionId id) {
    const Region& region = (*report_.tree)[id];
    RegionFacts facts;
    if (id != RegionTree::kRoot)
      facts.frame = Printable(RegionName(report_, id));
    const RegionRow row = report_.rows->Of(scope_, id);
    // A sum over some of the launches is not the region's time.
    const RegionRollup& rolled = scope_.regions[Index(id)];
    const bool by_kernel = row.source == TimeSource::kKernels;
    if (!by_kernel || rolled.inclusive.without_time == 0)
      facts.time_ns = row.time_ns;
    if (!by_kernel || rolled.exclusive.without_time == 0)
      facts.own_ns = row.own_ns;
    facts.launches = row.launches;
    facts.own_launches = row.own_launches;
    TakeTimes(id, facts);
    TakeKernels(region, row.source == TimeSource::kBaseline, facts);
    if (row.counters != nullptr) TakeCounters(*row.counters, facts);
    return facts;
  }

  void TakeTimes(RegionId id, RegionFacts& facts) {
    const auto times = TimesOf(report_, scope_.scope, id);
    if (!times) return;
    if (times->instances > 0) facts.instances = times->instances;
    if (times->cpu_ns.count() > 0)
      facts.cpu_ns = static_cast<double>(times->cpu_ns.sum());
    if (times->wall.total() > 0) facts.wall = times->wall;
    LeaveOutProfiler(facts);
    if (times->gpu_known) facts.copy_bytes = times->gpu.copy_bytes;
  }

  void Take(const Measurement& m, RegionFacts& facts) {
    if (m.kind == MeasurementKind::kRange) return;
    KernelFacts& kernel =
        facts.kernels[std::string(profile_.Name(m.demangled_name))];
    kernel.launches += LaunchesOf(profile_, m);
    const auto ns = DurationNs(profile_, m);
    kernel.time_ns += ns.value_or(0);
    kernel.is_timed = kernel.is_timed && ns;
    LaunchShape shape{.grid = m.grid,
                      .block = m.block,
                      .shared = m.dynamic_shared,
                      .registers = m.registers};
    if (registers_) {
      const auto value = profile_.ValueOf(m, *registers_).number();
      if (value && *value >= 0 && *value <= kMostRegisters)
        shape.registers = static_cast<std::uint64_t>(*value);
    }
    kernel.shapes[shape] += LaunchesOf(profile_, m);
  }

  // Takes the kernels of the run that gave the region's times.
  void TakeKernels(const Region& region, bool of_baseline, RegionFacts& facts) {
    if (of_baseline && !region.traced.empty()) {
      for (const std::uint32_t i : region.traced)
        Take(profile_.traced[i], facts);
      return;
    }
    for (const MeasurementId id : region.kernels)
      Take(profile_.measurements[Index(id)], facts);
  }

  void TakeCounters(const Amounts& amounts, RegionFacts& facts) {
    const auto& columns = report_.rollup->columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Cell& cell = amounts.cells[i];
      const bool is_partial = cell.how != How::kEstimated && cell.missing > 0;
      if (cell.how == How::kAbsent || is_partial || cell.is_text ||
          !IsOfTheProgram(columns[i].name))
        continue;
      CounterFacts counter{.value = cell.value};
      if (cell.how == How::kEstimated) {
        counter.error = static_cast<double>(cell.error);
        counter.reach = cell.high - cell.value;
      }
      counter.exact = cell.how == How::kMeasured || cell.how == How::kExact;
      facts.counters.emplace(columns[i].name, counter);
      run_.units.emplace(columns[i].name, columns[i].unit);
    }
  }

  const Report& report_;
  const Profile& profile_;
  const ScopeRollup& scope_;
  const std::optional<MetricId> registers_;
  RunFacts& run_;
};

// The number of processes that launched work.
std::size_t ProcessesOf(const Profile& profile) {
  std::set<ProcessId> processes;
  for (const auto* launches : {&profile.measurements, &profile.traced})
    for (const Measurement& m : *launches)
      if (m.kind != MeasurementKind::kRange) processes.insert(m.process);
  return processes.size();
}

void AddSettings(const Report& report, RunFacts& run) {
  const CaptureFacts& capture = report.capture;
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty())
      run.settings.push_back({std::move(name), Printable(value)});
  };
  std::set<std::string> models;
  for (const Device& device : report.profile->devices)
    models.insert(std::string(report.profile->Name(device.name)));
  add("device", fmt::format("{}", fmt::join(models, ", ")));
  add("devices", std::to_string(report.profile->devices.size()));
  // If there is a baseline run, all times are from its trace.
  const bool of_baseline =
      !report.rollup->scopes.empty() &&
      report.rows->Of(report.rollup->scopes.front(), RegionTree::kRoot)
              .source == TimeSource::kBaseline;
  std::set<std::int32_t> ranks;
  for (const Process& process : report.profile->processes)
    if (process.rank >= 0) ranks.insert(process.rank);
  if (!ranks.empty()) add("ranks", std::to_string(ranks.size()));
  add("regions", Selected(report.options.include_patterns,
                          report.options.exclude_patterns));
  add("kernels", Selected(report.options.kernel_include_patterns,
                          report.options.kernel_exclude_patterns));
  add("processes", std::to_string(ProcessesOf(*report.profile)));
  add("mode", of_baseline ? "trace" : capture.mode);
  add("clock control", capture.clock_control);
  add("cache control", capture.cache_control);
  for (const auto& [tool, version] : capture.tools)
    if (tool != "mode") add(tool, version);
  std::vector<std::string> metrics = capture.metrics;
  std::ranges::sort(metrics);
  add("metrics", fmt::format("{}", fmt::join(metrics, ",")));
}

}  // namespace

std::string Selected(const std::vector<std::string>& include,
                     const std::vector<std::string>& exclude) {
  if (include.empty() && exclude.empty()) return "";
  std::string text =
      include.empty() ? "all" : fmt::format("{}", fmt::join(include, ", "));
  if (!exclude.empty())
    text += fmt::format(" but {}", fmt::join(exclude, ", "));
  return text;
}

bool IsOfTheProgram(std::string_view metric) {
  return !metric.starts_with("profiler__") &&
         !metric.starts_with("device__attribute_");
}

void LeaveOutProfiler(RegionFacts& facts) {
  if (!facts.wall || !facts.cpu_ns) return;
  std::uint64_t& ns = (*facts.wall)[WallPart::kProfiler];
  *facts.cpu_ns -= static_cast<double>(std::exchange(ns, 0));
}

void TakeNote(std::string_view severity, std::string_view kind,
              std::string_view text, RunFacts& run) {
  if (severity == SeverityName(Severity::kDataLoss) ||
      kind == kNothingSelected || kind == kNoKernelSelected)
    run.losses.push_back(Printable(text));
}

RunFacts FactsOfRun(const Report& report, std::string source) {
  RunFacts run{.source = std::move(source)};
  AddSettings(report, run);
  for (const Note& note : report.notes->all())
    TakeNote(SeverityName(note.severity), note.kind, note.text, run);
  if (report.rollup->scopes.empty()) {
    run.regions.emplace_back();
    return run;
  }
  Taking(report, run).All();
  return run;
}

// ---- Runs of a side --------------------------------------------------------

std::optional<double> SameInAll(std::span<const double> values,
                                std::size_t runs) {
  if (values.empty() || values.size() != runs ||
      !std::ranges::all_of(values,
                           [&](double v) { return v == values.front(); }))
    return std::nullopt;
  return values.front();
}

Side::Side(std::span<const RunFacts> runs) : runs_(runs) {
  regions_.emplace_back();
  // Inner regions of one region that are printed alike: their names differ in
  // unprintable characters, or their ranges in kind. `of_run` counts the
  // regions of one run.
  struct Alike {
    std::vector<std::size_t> places{};
    std::size_t run = 0;
    std::size_t of_run = 0;
  };
  // By parent and frame: finds the regions that earlier runs have.
  std::vector<std::unordered_map<std::string, Alike>> inner(1);
  for (std::size_t number = 0; number < runs.size(); ++number) {
    std::vector<std::size_t> place(runs[number].regions.size(), 0);
    for (std::size_t i = 0; i < place.size(); ++i) {
      const RegionFacts& facts = runs[number].regions[i];
      if (i > 0) {
        const std::size_t parent = place[facts.parent];
        Alike& alike = inner[parent][facts.frame];
        if (alike.run != number) {
          alike.run = number;
          alike.of_run = 0;
        }
        if (alike.of_run == alike.places.size()) {
          alike.places.push_back(regions_.size());
          regions_[parent].children.push_back(regions_.size());
          regions_.push_back({.frame = facts.frame, .parent = parent});
          if (alike.of_run > 0)
            regions_.back().frame += fmt::format(" ({})", alike.of_run + 1);
        }
        place[i] = alike.places[alike.of_run++];
      }
      inner.resize(regions_.size());
      SideRegion& region = regions_[place[i]];
      region.runs.resize(runs.size(), nullptr);
      region.runs[number] = &facts;
    }
  }
}

std::string Side::PathOf(std::size_t region) const {
  std::vector<std::string_view> frames;
  for (; region != 0; region = regions_[region].parent)
    frames.push_back(regions_[region].frame);
  std::string path;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!path.empty()) path += '/';
    path += *frame;
  }
  return path;
}

std::map<std::string, Side::Kernel> Side::KernelsOf(std::size_t region) const {
  std::map<std::string, Kernel> kernels;
  const auto runs = static_cast<double>(runs_.size());
  for (const RegionFacts* facts : regions_[region].runs) {
    if (facts == nullptr) continue;
    for (const auto& [name, one] : facts->kernels) {
      Kernel& kernel = kernels[name];
      kernel.launches += static_cast<double>(one.launches);
      kernel.time_ns += one.time_ns;
      kernel.is_timed = kernel.is_timed && one.is_timed;
      if (kernel.shapes.empty()) kernel.shapes = one.shapes;
      kernel.counts.push_back(static_cast<double>(one.launches));
    }
  }
  for (auto& [name, kernel] : kernels) {
    kernel.launches /= runs;
    kernel.time_ns /= runs;
  }
  return kernels;
}

}  // namespace rangefinder
