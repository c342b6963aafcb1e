#include "app/instance_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/executions.h"
#include "app/region_plan.h"
#include "region/path.h"

namespace rangefinder {
namespace {

// Of a list of numbers on a command line, which has room for 128 KiB a word.
constexpr std::size_t kMostText = 60'000;

// Numbers of at least `n`, digit by digit.
std::string AtLeast(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::vector<std::string> ways = {digits};
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (digits[i] == '9') continue;
    std::string way = digits.substr(0, i) +
                      fmt::format("[{}-9]", static_cast<char>(digits[i] + 1));
    for (std::size_t rest = i + 1; rest < digits.size(); ++rest) way += "[0-9]";
    ways.push_back(std::move(way));
  }
  std::string longer = "[1-9]";
  for (std::size_t i = 0; i < digits.size(); ++i) longer += "[0-9]";
  ways.push_back(longer + "[0-9]*");
  return fmt::format("{}", fmt::join(ways, "|"));
}

std::string Said(const RegionSettings& settings) {
  std::string text =
      fmt::format("regions.instances.skip={}", settings.instances_skip);
  if (settings.instances_count)
    text += fmt::format(" count={}", *settings.instances_count);
  return text;
}

// An execution of a region in which something was launched.
struct Instance {
  std::string label{};
  bool chosen = false;
  std::tuple<std::uint32_t, ProcessId, std::uint64_t> thread{};
};

bool Chosen(const InstanceWindow& window,
            const std::optional<std::uint64_t>& ordinal) {
  if (!ordinal) return true;
  return *ordinal >= window.skip &&
         (!window.count || *ordinal - window.skip < *window.count);
}

// Of all regions, in the order of their first launches.
std::vector<Instance> InstancesOf(const Profile& profile,
                                  const InstanceWindow& window) {
  const std::vector<const Measurement*> launches = InLaunchOrder(profile);
  Executions executions(profile);
  for (const Measurement* m : launches) {
    if (m->kind != MeasurementKind::kRange) executions.Add(*m);
  }
  std::set<std::tuple<std::string, std::uint32_t, ProcessId, std::uint64_t>>
      seen;
  std::vector<Instance> instances;
  for (const Measurement* m : launches) {
    if (m->kind == MeasurementKind::kRange) continue;
    const std::vector<Frame> path = PathOf(profile, *m);
    for (std::size_t depth = 1; depth <= path.size(); ++depth) {
      const auto region = std::span(path).first(depth);
      std::string label = RegionLabel(profile, region);
      if (!seen.emplace(label, m->artifact, m->process, region.back().execution)
               .second)
        continue;
      instances.push_back(
          {.label = std::move(label),
           .chosen = Chosen(window, executions.Ordinal(*m, region)),
           .thread = {m->artifact, m->process, m->thread}});
    }
  }
  return instances;
}

struct Counts {
  std::uint64_t all = 0;
  std::uint64_t chosen = 0;
};

std::map<std::string, Counts> CountsOf(const std::vector<Instance>& instances) {
  std::map<std::string, Counts> counts;
  for (const Instance& instance : instances) {
    ++counts[instance.label].all;
    if (instance.chosen) ++counts[instance.label].chosen;
  }
  return counts;
}

// How often each region ran, idle executions and all; nothing where only
// launches are known.
std::map<std::string, std::uint64_t> VisitsOf(const Profile& profile) {
  std::map<std::string, std::uint64_t> visits;
  for (const RangeVisits& row : profile.visits) {
    const Measurement there{
        .process = row.process, .thread = row.thread, .nvtx = row.nvtx};
    visits[RegionLabel(profile, PathOf(profile, there))] += row.instances;
  }
  return visits;
}

// The numbers that ncu gives the chosen ranges of `run`: it counts all ranges
// that match an expression, whichever it is, in the order of the program.
// Nothing where that order is not known: idle ranges, several threads.
std::optional<std::vector<std::uint64_t>> NumbersIn(
    const PlannedRun& run, const std::vector<Instance>& instances,
    const std::map<std::string, std::uint64_t>& visits, std::uint64_t& last) {
  std::vector<std::uint64_t> numbers;
  std::map<std::string, std::uint64_t> counted;
  const Instance* first = nullptr;
  last = 0;
  for (const Instance& instance : instances) {
    if (std::ranges::find(run.regions, instance.label) == run.regions.end())
      continue;
    if (first == nullptr) first = &instance;
    if (instance.thread != first->thread) return std::nullopt;
    ++counted[instance.label];
    ++last;
    if (instance.chosen) numbers.push_back(last);
  }
  for (const auto& [label, count] : counted) {
    const auto ran = visits.find(label);
    if (ran == visits.end() || ran->second != count) return std::nullopt;
  }
  return numbers;
}

}  // namespace

bool AsksForInstances(const RegionSettings& settings) {
  return settings.instances_skip > 0 || settings.instances_count.has_value();
}

InstanceWindow WindowOf(const RegionSettings& settings) {
  return {.skip = settings.instances_skip, .count = settings.instances_count};
}

std::string NumbersText(const std::vector<std::uint64_t>& numbers,
                        std::uint64_t last) {
  // All of the last ones.
  if (numbers.size() > 20 && numbers.back() == last &&
      last - numbers.front() + 1 == numbers.size())
    return AtLeast(numbers.front());
  return fmt::format("{}", fmt::join(numbers, "|"));
}

Status CheckInstances(const RegionSettings& settings, const NcuOptions& ncu) {
  if (!AsksForInstances(settings)) return Ok();
  if (ncu.options.contains("range_filter")) {
    return Error(ErrorCode::kUsage,
                 "regions.instances and pipeline.ncu.ncu_cli.range_filter both "
                 "choose instances; remove one of them");
  }
  if (settings.instances_count == std::uint64_t{0}) {
    return Error(ErrorCode::kUsage,
                 "regions.instances.count=0 leaves nothing to measure; null "
                 "takes all instances");
  }
  return Ok();
}

void CountInstances(const RegionSettings& settings, const Profile& profile,
                    std::vector<RegionToMeasure>& regions, Notes& notes) {
  if (!AsksForInstances(settings)) return;
  const auto counts = CountsOf(InstancesOf(profile, WindowOf(settings)));
  std::uint64_t measured = 0;
  std::uint64_t total = 0;
  std::vector<std::string> short_of;
  for (RegionToMeasure& region : regions) {
    const auto at = counts.find(region.label);
    const Counts count = at == counts.end() ? Counts() : at->second;
    region.instances = count.chosen;
    if (!region.wanted || region.kernels == 0) continue;
    total += count.all;
    measured += count.chosen;
    if (count.chosen > 0) continue;
    region.wanted = false;
    short_of.push_back(region.label);
  }
  notes.Add(Severity::kInfo, "instances",
            fmt::format("{}: {} of {} instances of the wanted regions are "
                        "measured",
                        Said(settings), measured, total));
  if (!short_of.empty()) {
    notes.Add(Severity::kWarning, "instances_too_few",
              fmt::format("{} region{} ran no more than {} time{} and {} "
                          "skipped whole: {}",
                          short_of.size(), short_of.size() == 1 ? "" : "s",
                          settings.instances_skip,
                          settings.instances_skip == 1 ? "" : "s",
                          short_of.size() == 1 ? "is" : "are",
                          fmt::join(short_of, ", ")));
  }
}

void FilterRanges(const RegionSettings& settings, const Profile& profile,
                  CapturePlan& plan, Notes& notes) {
  if (!AsksForInstances(settings)) return;
  const auto instances = InstancesOf(profile, WindowOf(settings));
  const auto counts = CountsOf(instances);
  const auto visits = VisitsOf(profile);
  for (PlannedRun& run : plan.runs) {
    if (run.regions.empty()) continue;
    std::uint64_t last = 0;
    const auto numbers = NumbersIn(run, instances, visits, last);
    if (numbers && numbers->size() == last) {
      run.window = WindowOf(settings);
      continue;
    }
    std::string text = numbers ? NumbersText(*numbers, last) : std::string();
    if (numbers && text.size() <= kMostText) {
      run.window = WindowOf(settings);
      run.range_filter = "::" + std::move(text);
      continue;
    }
    run.instances = 0;
    for (std::size_t i = 0; i < run.regions.size(); ++i) {
      const auto count = counts.find(run.regions[i]);
      run.region_instances[i] = count == counts.end() ? 0 : count->second.all;
      run.instances += run.region_instances[i];
    }
    notes.Add(Severity::kInfo, "instances_in_report",
              fmt::format("{} measures all {} instances, and the report takes "
                          "those that were asked for: which number ncu gives "
                          "each is not known beforehand (several threads, or "
                          "instances without a launch)",
                          run.name, run.instances));
  }
}

std::function<bool(const Measurement&)> OfWantedInstances(
    const RegionSettings& settings, const Profile& profile) {
  Executions executions(profile);
  for (const Measurement* m : InLaunchOrder(profile)) executions.Add(*m);
  return [window = WindowOf(settings), executions = std::move(executions),
          &profile](const Measurement& m) {
    return Chosen(window, executions.Ordinal(m, PathOf(profile, m)));
  };
}

void KeepInstances(const RegionSettings& settings,
                   const std::map<std::string, InstanceWindow>& chosen,
                   Profile& profile, Notes& notes) {
  if (!AsksForInstances(settings)) return;
  const InstanceWindow window = WindowOf(settings);
  // What ncu chose already is taken as it is.
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < profile.artifacts.size(); ++i) {
    const auto at = chosen.find(profile.artifacts[i].path);
    if (at == chosen.end()) continue;
    taken.insert(static_cast<std::uint32_t>(i));
    if (at->second == window) continue;
    RegionSettings had;
    had.instances_skip = at->second.skip;
    had.instances_count = at->second.count;
    notes.Add(Severity::kWarning, "instances_not_measured",
              fmt::format("{}: not applied, since ncu measured other instances "
                          "alone ({}); profile again to see those",
                          Said(settings), Said(had)),
              profile.artifacts[i].path);
  }
  Executions executions(profile);
  std::uint64_t all = 0;
  for (const Measurement* m : InLaunchOrder(profile)) {
    if (taken.contains(m->artifact)) continue;
    executions.Add(*m);
    ++all;
  }
  if (all == 0) return;
  std::uint64_t ranges = 0;
  const auto left_out =
      std::erase_if(profile.measurements, [&](const Measurement& m) {
        if (taken.contains(m.artifact)) return false;
        const bool out =
            !Chosen(window, executions.Ordinal(m, PathOf(profile, m)));
        if (out && m.kind == MeasurementKind::kRange) ++ranges;
        return out;
      });
  std::string what = ranges == 0          ? "kernels"
                     : ranges == left_out ? "ranges"
                                          : "kernels and ranges";
  notes.Add(Severity::kInfo, "instances_selected",
            fmt::format("{}: {} of {} {} are left out, those of other "
                        "instances",
                        Said(settings), left_out, all, what));
}

}  // namespace rangefinder
