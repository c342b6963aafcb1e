#include "rollup/traced.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "base/median.h"

namespace rangefinder {
namespace {

// The time of shorter kernels is mostly launch overhead, which the two tools
// count differently.
constexpr double kLongNs = 20000;

LaunchSum LaunchSumOf(const Profile& profile, const Measurement& m) {
  return {.count = LaunchesOf(profile, m),
          .ns = DurationNs(profile, m).value_or(0)};
}

// Whether the metric is a sum. The cells of a single measurement have no rule;
// then the name decides.
bool IsAdditive(const Column& column, const Cell& total) {
  if (total.how == How::kAbsent || total.is_text) return false;
  return total.rule == "sum" ||
         (total.how == How::kMeasured && column.name.ends_with(".sum"));
}

}  // namespace

TracedRun::TracedRun(const Profile& profile, const RegionTree& tree,
                     const Rollup& rollup)
    : profile_(profile), tree_(tree), rollup_(rollup) {
  if (profile.traced.empty()) return;
  mangled_ = std::ranges::any_of(
      profile.measurements,
      [](const Measurement& m) { return m.mangled_name != StringId{}; });
  // Several kernels may share a function name, but not a mangled name.
  for (const Measurement& m : profile.measurements) {
    if (mangled_ && m.mangled_name != StringId{})
      measured_names_.try_emplace(m.mangled_name, m.demangled_name);
  }
  const ByScope<std::uint32_t> traced(tree, &Region::traced, profile.traced);
  const ByScope<MeasurementId> measured(tree, &Region::kernels,
                                        profile.measurements);
  for (const ScopeRollup& scope : rollup.scopes)
    scopes_.push_back(Sum(scope.scope, traced, measured));
  MatchLaunches();
}

void TracedRun::MatchLaunches() {
  struct Pair {
    std::vector<MeasurementId> measured{};
    std::vector<const Measurement*> traced{};
  };
  std::map<std::pair<ProcessId, Class>, Pair> classes;
  for (const Region& region : tree_.regions()) {
    classes.clear();
    for (const std::uint32_t index : region.traced) {
      const Measurement& m = profile_.traced[index];
      classes[{m.process, ClassOf(m)}].traced.push_back(&m);
    }
    for (const MeasurementId id : region.kernels) {
      const Measurement& m = profile_.measurements[Index(id)];
      if (m.kind == MeasurementKind::kKernel)
        classes[{m.process, ClassOf(m)}].measured.push_back(id);
    }
    for (auto& [key, pair] : classes) {
      if (pair.measured.size() != pair.traced.size()) continue;
      std::ranges::sort(pair.measured);
      std::ranges::stable_sort(pair.traced, {}, &Measurement::launch_ns);
      for (std::size_t i = 0; i < pair.measured.size(); ++i) {
        if (const auto ns = DurationNs(profile_, *pair.traced[i]))
          undisturbed_ns_[pair.measured[i]] = *ns;
      }
    }
  }
}

std::optional<double> TracedRun::UndisturbedNs(MeasurementId id) const {
  const auto at = undisturbed_ns_.find(id);
  if (at == undisturbed_ns_.end()) return std::nullopt;
  return at->second;
}

StringId TracedRun::KeyOf(const Measurement& m) const {
  if (mangled_ && m.mangled_name != StringId{}) return m.mangled_name;
  return mangled_ ? m.demangled_name : m.function_name;
}

// The two runs spell demangled names differently.
StringId TracedRun::NameOf(const Measurement& traced) const {
  const auto known = measured_names_.find(traced.mangled_name);
  return known == measured_names_.end() ? traced.demangled_name : known->second;
}

TracedRun::Class TracedRun::ClassOf(const Measurement& m) const {
  return {KeyOf(m), m.grid, m.block, m.device};
}

std::size_t TracedRun::PlaceOf(const ScopeRollup& scope) const {
  return static_cast<std::size_t>(&scope - rollup_.scopes.data());
}

const TracedRegion& TracedRun::Of(const ScopeRollup& scope,
                                  RegionId region) const {
  return scopes_[PlaceOf(scope)].regions[Index(region)];
}

TracedRun::ScopeRun TracedRun::Sum(
    const Scope& scope, const ByScope<std::uint32_t>& traced,
    const ByScope<MeasurementId>& measured) const {
  const std::size_t size = tree_.regions().size();
  ScopeRun run{.regions = {size, {}}, .classes = {size, {}}};
  std::set<std::size_t> regions = {0};
  traced.AddRegions(scope, regions);
  measured.AddRegions(scope, regions);
  AddOuter(tree_, regions);
  std::map<std::size_t, Kernels> inner;
  // Backwards, inner regions come before their outer region.
  for (const std::size_t i : regions | std::views::reverse) {
    const Region& region = tree_.regions()[i];
    TracedRegion& sums = run.regions[i];
    Classes& classes = run.classes[i];
    const auto id_of_region = static_cast<RegionId>(i);
    for (const std::uint32_t index : traced.Of(scope, id_of_region)) {
      const Measurement& m = profile_.traced[index];
      Launches& launches = classes[ClassOf(m)];
      launches.name = NameOf(m);
      launches.traced += LaunchSumOf(profile_, m);
    }
    for (const MeasurementId id : measured.Of(scope, id_of_region)) {
      const Measurement& m = profile_.measurements[Index(id)];
      if (m.kind != MeasurementKind::kKernel) continue;
      Launches& launches = classes[ClassOf(m)];
      launches.name = m.demangled_name;
      launches.measured += LaunchSumOf(profile_, m);
      launches.measurements.push_back(id);
    }
    for (const auto& [key, launches] : classes) {
      sums.exclusive += launches.traced;
      sums.coverage.launches += launches.traced.count;
      sums.coverage.ns += launches.traced.ns;
      sums.coverage.measured +=
          std::min(launches.measured.count, launches.traced.count);
      if (launches.measured.count > 0)
        sums.coverage.covered_ns += launches.traced.ns;
    }
    sums.inclusive += sums.exclusive;
    Kernels kernels = KernelsOf(classes);
    sums.kernels = Sorted(kernels);
    if (i == 0) break;
    if (const auto within = inner.extract(i)) {
      AddKernels(kernels, within.mapped());
      sums.kernels_with_inner = Sorted(kernels);
    }
    if (region.parent != RegionTree::kRoot)
      AddKernels(inner[Index(region.parent)], kernels);
    TracedRegion& outer = run.regions[Index(region.parent)];
    outer.inclusive += sums.inclusive;
    outer.coverage.launches += sums.coverage.launches;
    outer.coverage.measured += sums.coverage.measured;
    outer.coverage.ns += sums.coverage.ns;
    outer.coverage.covered_ns += sums.coverage.covered_ns;
  }
  return run;
}

TracedRun::Kernels TracedRun::KernelsOf(const Classes& classes) {
  Kernels kernels;
  for (const auto& [of, launches] : classes) {
    const KernelId id{std::get<0>(of), std::get<3>(of)};
    AddKernels(kernels, {{id,
                          {.key = id.first,
                           .name = launches.name,
                           .device = id.second,
                           .traced = launches.traced,
                           .measured = launches.measured}}});
  }
  return kernels;
}

void TracedRun::AddKernels(Kernels& sums, const Kernels& more) {
  for (const auto& [id, kernel] : more) {
    const auto [at, is_new] = sums.try_emplace(id, kernel);
    if (is_new) continue;
    at->second.traced += kernel.traced;
    at->second.measured += kernel.measured;
    if (kernel.measured.count > 0) at->second.name = kernel.name;
  }
}

std::vector<TracedKernel> TracedRun::Sorted(const Kernels& kernels) const {
  std::vector<TracedKernel> rows;
  for (const auto& [id, kernel] : kernels) rows.push_back(kernel);
  std::ranges::stable_sort(rows, [&](const auto& a, const auto& b) {
    if (a.traced.ns != b.traced.ns) return a.traced.ns > b.traced.ns;
    return profile_.Name(a.name) < profile_.Name(b.name);
  });
  return rows;
}

const TracedKernel* TracedRun::Find(const ScopeRollup& scope, RegionId region,
                                    const KernelRow& row) const {
  if (!there()) return nullptr;
  for (const TracedKernel& kernel : Of(scope, region).all_kernels()) {
    if (kernel.name == row.name && kernel.device == row.device &&
        kernel.measured.count > 0)
      return kernel.traced.count > 0 ? &kernel : nullptr;
  }
  return nullptr;
}

std::vector<ScaledMetric> TracedRun::Scaled(
    const ScopeRollup& scope, RegionId region,
    std::span<const std::size_t> columns) const {
  const ScopeRun& run = scopes_[PlaceOf(scope)];
  std::vector<RegionId> inside = {region};
  for (std::size_t i = 0; i < inside.size(); ++i) {
    for (const RegionId child : tree_[inside[i]].children) {
      if (run.classes.there().contains(Index(child))) inside.push_back(child);
    }
  }
  std::vector<ScaledMetric> all;
  for (const std::size_t c : columns) {
    const Column& column = rollup_.columns[c];
    if (column.metric == kNoMetric || c >= scope.totals.cells.size() ||
        !IsAdditive(column, scope.totals.cells[c]))
      continue;
    ScaledMetric scaled{.column = c};
    double variance = 0;
    bool spread = false;
    for (const RegionId id : inside) {
      for (const auto& [key, launches] : run.classes[Index(id)]) {
        double n = 0, mean = 0, squares = 0;
        for (const MeasurementId m : launches.measurements) {
          const auto value =
              profile_.ValueOf(profile_.measurements[Index(m)], column.metric)
                  .number();
          if (!value) continue;
          const double distance = *value - mean;
          mean += distance / ++n;
          squares += distance * (*value - mean);
        }
        if (n == 0) continue;
        const double of =
            std::max(n, static_cast<double>(launches.traced.count));
        scaled.value += mean * of;
        if (n >= of) continue;
        if (n < 2) {
          ++scaled.single;
          continue;
        }
        // The variance of a total from a sample without replacement.
        spread = true;
        variance += of * of * (1 - n / of) * (squares / (n - 1)) / n;
      }
    }
    if (spread) scaled.error = std::sqrt(variance);
    all.push_back(scaled);
  }
  return all;
}

std::optional<TracedRun::Ratio> TracedRun::ratio() const {
  if (!there()) return std::nullopt;
  std::map<Class, Launches> kernels;
  for (const auto& [region, classes] : scopes_.front().classes.there()) {
    for (const auto& [key, launches] : classes) {
      kernels[key].traced += launches.traced;
      kernels[key].measured += launches.measured;
    }
  }
  std::vector<double> all, long_ones;
  for (const auto& [key, launches] : kernels) {
    if (launches.traced.ns <= 0 || launches.measured.ns <= 0) continue;
    const double ratio = launches.measured.mean() / launches.traced.mean();
    all.push_back(ratio);
    if (launches.traced.mean() >= kLongNs) long_ones.push_back(ratio);
  }
  std::vector<double>& ratios = long_ones.empty() ? all : long_ones;
  if (ratios.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(ratios);
  return Ratio{Median(ratios), low, high, ratios.size()};
}

void TracedRun::NoteDifferences(Notes& notes) const {
  if (!there()) return;
  std::uint64_t more = 0;
  for (const auto& [region, classes] : scopes_.front().classes.there()) {
    for (const auto& [key, launches] : classes) {
      if (launches.measured.count > launches.traced.count)
        more += launches.measured.count - launches.traced.count;
    }
  }
  if (more > 0) {
    notes.Add(
        Severity::kWarning, "runs_differ",
        "launches were measured that the baseline run did not make "
        "(compared by region, kernel, grid and block): the program or its "
        "ranges differ from run to run",
        "", more);
  }
  const auto times = ratio();
  if (times && (times->median > 1.1 || times->median < 0.9)) {
    notes.Add(
        Severity::kInfo, "replay_times_differ",
        fmt::format(
            "measured kernels took {:.2f} times as long as in the baseline run "
            "(median of {}, from {:.2f} to {:.2f}): the profiler changes "
            "clocks "
            "and caches (pipeline.ncu.ncu_cli.clock_control=none and "
            "cache_control=none keep them)",
            times->median, times->kernels, times->low, times->high));
  }
}

}  // namespace rangefinder
