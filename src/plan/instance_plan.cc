#include "plan/instance_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/lists.h"
#include "region/path.h"

namespace rangefinder {
namespace {

// Limit of a list of numbers on a command line, where a word has at most 128
// KiB.
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

// An execution of a region in which something was launched.
struct Instance {
  std::string label{};
  bool chosen = false;
  std::uint64_t launch_ns = 0;  // of the first
  std::tuple<ProcessId, std::uint64_t> thread{};
};

bool Chosen(const InstanceWindow& window,
            const std::optional<std::uint64_t>& ordinal) {
  return !ordinal || window.Takes(*ordinal);
}

// The executions of all regions, in the order of their first launches.
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
           .launch_ns = m->launch_ns,
           .thread = {m->process, m->thread}});
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

// The launches of the selected instances, and of unknown instances.
std::vector<std::size_t> ChosenOf(const Profile& profile,
                                  const InstanceWindow& window,
                                  std::span<const Measurement* const> which) {
  Executions executions(profile);
  for (const Measurement* m : which) executions.Add(*m);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const Measurement& m = *which[i];
    if (Chosen(window, executions.Ordinal(m, PathOf(profile, m))))
      chosen.push_back(i);
  }
  return chosen;
}

// A trace's facts about a region's instances, besides their launches.
struct Visits {
  std::uint64_t all = 0;
  std::vector<std::uint64_t> idle{};  // start of instances without launches
  std::set<std::tuple<ProcessId, std::uint64_t>> threads{};
};

std::map<std::string, Visits> VisitsOf(const Profile& profile) {
  std::map<std::string, Visits> visits;
  for (const RangeVisits& row : profile.visits) {
    Visits& known =
        visits[RegionLabel(profile, PathOf(profile, LaunchIn(row)))];
    known.all += row.instances;
    known.threads.emplace(row.process, row.thread);
    for (const InstanceTimes& instance : row.first) {
      if (instance.span_ns == 0) known.idle.push_back(instance.start_ns);
    }
  }
  return visits;
}

// The numbers that ncu gives the selected ranges of `run`: ncu counts all
// ranges that match any expression in the order of the program, including
// ranges without launches. Nothing if this order is unknown: several threads,
// or idle ranges after the first of a region. `last` is the number of ranges.
std::optional<std::vector<std::uint64_t>> NumbersIn(
    const PlannedRun& run, const std::vector<Instance>& instances,
    const std::map<std::string, Visits>& visits, std::uint64_t& last) {
  std::vector<std::pair<std::uint64_t, bool>> order;  // time, chosen
  std::map<std::string, std::uint64_t> launching;
  std::set<std::tuple<ProcessId, std::uint64_t>> threads;
  for (const Instance& instance : instances) {
    if (!Has(run.regions, instance.label)) continue;
    ++launching[instance.label];
    order.emplace_back(instance.launch_ns, instance.chosen);
    threads.insert(instance.thread);
  }
  for (const auto& [label, count] : launching) {
    const auto known = visits.find(label);
    if (known == visits.end() ||
        known->second.all != count + known->second.idle.size())
      return std::nullopt;
    threads.insert(known->second.threads.begin(), known->second.threads.end());
    for (const std::uint64_t start : known->second.idle)
      order.emplace_back(start, false);
  }
  if (threads.size() > 1) return std::nullopt;
  std::ranges::stable_sort(order, {}, &std::pair<std::uint64_t, bool>::first);
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i].second) numbers.push_back(i + 1);
  }
  last = order.size();
  return numbers;
}

}  // namespace

std::string NumbersText(const std::vector<std::uint64_t>& numbers,
                        std::uint64_t last) {
  // All numbers from the first one to the last.
  if (numbers.size() > 20 && numbers.back() == last &&
      last - numbers.front() + 1 == numbers.size())
    return AtLeast(numbers.front());
  return fmt::format("{}", fmt::join(numbers, "|"));
}

Status CheckInstances(const InstanceWindow& window, const NcuOptions& ncu) {
  if (window.takes_all()) return Ok();
  if (ncu.options.contains("range_filter")) {
    return Error(ErrorCode::kUsage,
                 "regions.instances and pipeline.ncu.ncu_cli.range_filter both "
                 "choose instances; remove one of them");
  }
  if (window.count == std::uint64_t{0}) {
    return Error(ErrorCode::kUsage,
                 "regions.instances.count=0 leaves nothing to measure; null "
                 "takes all instances");
  }
  return Ok();
}

void CountInstances(const InstanceWindow& window, const Profile& profile,
                    std::vector<RegionToMeasure>& regions, Notes& notes) {
  if (window.takes_all()) return;
  const auto counts = CountsOf(InstancesOf(profile, window));
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
                        WindowText(window), measured, total));
  if (!short_of.empty()) {
    notes.Add(Severity::kWarning, "instances_too_few",
              fmt::format("{} region{} ran no more than {} time{} and {} "
                          "skipped whole: {}",
                          short_of.size(), short_of.size() == 1 ? "" : "s",
                          window.skip, window.skip == 1 ? "" : "s",
                          short_of.size() == 1 ? "is" : "are",
                          fmt::join(short_of, ", ")));
  }
}

void FilterRanges(const InstanceWindow& window, const Profile& profile,
                  CapturePlan& plan, Notes& notes) {
  if (window.takes_all()) return;
  const auto instances = InstancesOf(profile, window);
  const auto counts = CountsOf(instances);
  const auto visits = VisitsOf(profile);
  for (PlannedRun& run : plan.runs) {
    if (run.regions.empty()) continue;
    std::uint64_t last = 0;
    const auto numbers = NumbersIn(run, instances, visits, last);
    if (numbers && numbers->size() == last) {
      run.window = window;
      continue;
    }
    std::string text = numbers ? NumbersText(*numbers, last) : std::string();
    if (numbers && text.size() <= kMostText) {
      run.window = window;
      run.range_filter = "::" + std::move(text);
      continue;
    }
    run.instances = 0;
    for (std::size_t i = 0; i < run.regions.size(); ++i) {
      const auto count = counts.find(run.regions[i]);
      run.region_instances[i] = count == counts.end() ? 0 : count->second.all;
      run.instances += run.region_instances[i];
    }
    notes.Add(
        Severity::kInfo, "instances_in_report",
        fmt::format("{} measures all {} instances, and the report takes "
                    "the selected ones: the number that ncu gives each is "
                    "not known beforehand (several threads, or many "
                    "instances without a launch)",
                    run.name, run.instances));
  }
}

bool LaunchesAreInOrder(const Profile& profile, const NcuOptions& ncu) {
  for (const char* name :
       {"kernel_id", "filter_mode", "launch_count", "launch_skip",
        "launch_skip_before_match", "graph_profiling"}) {
    if (ncu.options.contains(name)) return false;
  }
  const Measurement* first = nullptr;
  std::set<std::uint64_t> calls;
  for (const Measurement& m : profile.measurements) {
    if (m.kind != MeasurementKind::kKernel) continue;
    if (first == nullptr) first = &m;
    // A graph launches many kernels in one call.
    if (m.process != first->process || m.thread != first->thread ||
        m.device != first->device || !calls.insert(m.api_call).second)
      return false;
  }
  return first != nullptr;
}

void FilterLaunches(const InstanceWindow& window, const Profile& profile,
                    const std::vector<const Measurement*>& which,
                    PlannedRun& run, Notes& notes) {
  const std::vector<std::size_t> chosen = ChosenOf(profile, window, which);
  if (chosen.empty() || chosen.size() == which.size()) return;
  const std::size_t end = chosen.back() + 1;
  const bool together = end - chosen.front() == chosen.size();
  if (!together &&
      ChosenOf(profile, window, std::span(which).first(end)) != chosen)
    return;  // the report would not know which instances were measured
  if (together) {
    run.launch_skip = chosen.front();
    run.window = window;
  }
  run.launch_count = end - run.launch_skip;
  std::string text =
      fmt::format("{}: ncu measures {} of {} launches, ", WindowText(window),
                  run.launch_count, which.size());
  text += together ? "the launches of these instances"
                   : fmt::format(
                         "up to the last of these instances, and the "
                         "report takes the {} of them",
                         chosen.size());
  notes.Add(Severity::kInfo, "instances", text);
}

}  // namespace rangefinder
