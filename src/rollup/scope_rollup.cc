// Rolls up one scope from the bottom: kernels to rows, rows to regions, regions
// to their parents.
//
//   row   saxpy  -+
//   row   burn   -+-> exclusive -+-> inclusive -> parent's inclusive ...
//   inner regions' inclusive ----+
//
// Rows are handed up as well, one for each kernel: the rows of a region and its
// inner regions add up to its inclusive amounts. The root has no rows.
//
// Every arrow adds one tally to another, each tally once, so that the exclusive
// amounts of all regions add up to the root's.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "rollup/by_scope.h"
#include "rollup/metric_plan.h"
#include "rollup/rollup.h"
#include "rollup/tally.h"

namespace rangefinder {
namespace {

using KernelKey = std::pair<StringId, std::int32_t>;  // demangled name, device

// Most time first, then by name and device.
void SortByTime(const Profile& profile, std::vector<KernelRow>& rows) {
  std::ranges::sort(rows, [&](const auto& a, const auto& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    const auto key = [&](const KernelRow& row) {
      return std::tuple(profile.Name(row.name), row.device);
    };
    return key(a) < key(b);
  });
}

// The kernel rows of regions together with those of their inner regions. Rows
// wait for the outer region, each with its tally. A region has no rows here if
// its inner regions have no kernels: its own rows are complete then.
class KernelRows {
 public:
  KernelRows(const Profile& profile, const Plan& plan, std::size_t regions)
      : profile_(profile), plan_(plan), waiting_(regions) {}

  // Whether inner regions handed rows on.
  bool HasInner(RegionId region) const {
    return waiting_[Index(region)] != nullptr;
  }

  // Adds a row of the region itself.
  void Add(RegionId region, const KernelRow& row,
           std::unique_ptr<Tally> tally) {
    Waiting own{.row = {.name = row.name,
                        .device = row.device,
                        .calls = row.calls,
                        .own_calls = row.calls,
                        .own_ns = row.total_ns,
                        .min_ns = row.min_ns,
                        .max_ns = row.max_ns,
                        .amounts = row.amounts},
                .tally = std::move(tally)};
    auto& rows = waiting_[Index(region)];
    if (!rows) rows = std::make_unique<Rows>();
    Merge(rows->by_key[{row.name, row.device}], std::move(own));
  }

  // Moves the rows of a region whose inner regions have kernels to `rows`,
  // sorted.
  void Finish(RegionId region, std::vector<KernelRow>& rows) {
    const auto& waiting = waiting_[Index(region)];
    if (!waiting || !waiting->inner) return;
    for (auto& [key, one] : waiting->by_key) {
      KernelRow& row = rows.emplace_back(one.row);
      // A row of one region alone has its amounts already.
      if (row.amounts.kernel_count != row.calls) {
        row.amounts = one.tally->Finish(plan_);
        one.row.amounts = row.amounts;
      }
      row.total_ns = row.amounts.gpu_time_ns;
    }
    SortByTime(profile_, rows);
  }

  // Hands all rows of `region` to the region around it.
  void HandOn(RegionId region, RegionId outer) {
    auto rows = std::move(waiting_[Index(region)]);
    if (!rows) return;
    for (auto& [key, one] : rows->by_key) {
      one.row.own_calls = 0;
      one.row.own_ns = 0;
    }
    auto& waiting = waiting_[Index(outer)];
    if (!waiting) {
      waiting = std::move(rows);
    } else {
      for (auto& [key, one] : rows->by_key)
        Merge(waiting->by_key[key], std::move(one));
    }
    waiting->inner = true;
  }

 private:
  struct Waiting {
    KernelRow row{};
    std::unique_ptr<Tally> tally{};
  };
  struct Rows {
    std::map<KernelKey, Waiting> by_key{};
    bool inner = false;  // some rows are of inner regions
  };

  static void Merge(Waiting& into, Waiting&& from) {
    if (!into.tally) {
      into = std::move(from);
      return;
    }
    const bool timed = into.tally->timed() > 0;
    if (from.tally->timed() > 0) {
      KernelRow& row = into.row;
      row.min_ns =
          timed ? std::min(row.min_ns, from.row.min_ns) : from.row.min_ns;
      row.max_ns = std::max(row.max_ns, from.row.max_ns);
    }
    into.row.calls += from.row.calls;
    into.row.own_calls += from.row.own_calls;
    into.row.own_ns += from.row.own_ns;
    into.tally->Add(*from.tally);
  }

  const Profile& profile_;
  const Plan& plan_;
  std::vector<std::unique_ptr<Rows>> waiting_;  // by RegionId
};

// The regions that share their name and domain with another: `forward` of every
// step, `layer_0` under each parent.
class NameGroups {
 public:
  explicit NameGroups(const RegionTree& tree)
      : counted_in_(tree.regions().size()) {
    using Name = std::pair<StringId, StringId>;
    const auto name_of = [&](std::size_t i) {
      const Frame& frame = tree.regions()[i].frame;
      return Name(frame.domain, frame.name);
    };
    const std::size_t count = tree.regions().size();
    std::map<Name, std::size_t> sizes;
    for (std::size_t i = 1; i < count; ++i) {
      if (!tree.regions()[i].unattributed) ++sizes[name_of(i)];
    }
    std::map<Name, std::size_t> places;
    for (std::size_t i = 1; i < count; ++i) {
      const auto id = static_cast<RegionId>(i);
      if (tree[id].unattributed || sizes[name_of(i)] < 2) continue;
      const auto [place, is_new] =
          places.try_emplace(name_of(i), groups_.size());
      if (is_new) groups_.push_back({.frame = tree[id].frame});
      groups_[place->second].regions.push_back(id);
      RegionId outer = tree[id].parent;
      while (outer != RegionTree::kRoot && name_of(Index(outer)) != name_of(i))
        outer = tree[outer].parent;
      if (outer == RegionTree::kRoot) counted_in_[i] = place->second;
    }
  }

  struct Group {
    Frame frame{};
    std::vector<RegionId> regions{};  // in the order of the tree
  };
  const std::vector<Group>& groups() const { return groups_; }

  // The group that the inclusive amounts of `id` count for. None if the name is
  // unique, and none inside a region of the same name, which counts them
  // already.
  std::optional<std::size_t> CountedIn(RegionId id) const {
    return counted_in_[Index(id)];
  }

 private:
  std::vector<Group> groups_;
  std::vector<std::optional<std::size_t>> counted_in_;  // by RegionId
};

// Adds up the groups of one scope, region by region.
class NameTallies {
 public:
  NameTallies(const NameGroups& groups, const Plan& plan)
      : groups_(groups), plan_(plan), tallies_(groups.groups().size()) {}

  // Adds the inclusive tally of region `id`.
  void Add(RegionId id, const Tally& inclusive) {
    const auto group = groups_.CountedIn(id);
    if (!group || inclusive.empty()) return;
    std::optional<Tally>& tally = tallies_[*group];
    if (!tally) tally.emplace(plan_);
    tally->Add(inclusive);
  }

  // The rows by time, most first; names without a measurement are left out.
  std::vector<NameRow> Finish() {
    std::vector<NameRow> rows;
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      if (!tallies_[i]) continue;
      const NameGroups::Group& group = groups_.groups()[i];
      rows.push_back({.frame = group.frame,
                      .regions = group.regions,
                      .amounts = tallies_[i]->Finish(plan_)});
    }
    std::ranges::stable_sort(rows, [](const NameRow& a, const NameRow& b) {
      return a.amounts.gpu_time_ns > b.amounts.gpu_time_ns;
    });
    return rows;
  }

 private:
  const NameGroups& groups_;
  const Plan& plan_;
  std::vector<std::optional<Tally>> tallies_;  // by group
};

// The lists of these metrics are occupancies of hypothetical launches.
constexpr std::string_view kCurve = "launch__occupancy_per_";

// The measurements of each region, by scope.
struct Placed {
  ByScope<MeasurementId> kernels;
  ByScope<MeasurementId> ranges;
};

// The scopes in order of first appearance, without the aggregate.
std::vector<Scope> FindScopes(const Profile& profile) {
  std::vector<Scope> scopes;
  std::set<std::pair<ProcessId, std::int32_t>> seen;
  for (const Measurement& m : profile.measurements) {
    if (!seen.insert({m.process, m.device}).second) continue;
    scopes.push_back(
        {.aggregate = false, .process = m.process, .device = m.device});
  }
  return scopes;
}

// Adds the processes that have regions and no measurement, which only the
// aggregate contains otherwise: on each device of their copies, sets and
// unmeasured launches, or without a device.
void AddUnmeasured(const Profile& profile, const RegionTree& tree,
                   std::vector<Scope>& scopes) {
  std::set<ProcessId> measured;
  for (const Scope& scope : scopes) measured.insert(scope.process);
  std::map<ProcessId, std::set<std::int32_t>> devices;
  for (const Region& region : tree.regions().subspan(1)) {
    for (const std::uint32_t index : region.visits) {
      const ProcessId process = profile.visits[index].process;
      if (!measured.contains(process)) devices.try_emplace(process);
    }
  }
  for (const RegionUse& row : profile.uses) {
    const auto at = devices.find(row.process);
    if (at == devices.end()) continue;
    for (const GpuUse& use : row.gpu) at->second.insert(use.device);
  }
  for (auto& [process, used] : devices) {
    if (used.empty()) used.insert(-1);
    for (const std::int32_t device : used)
      scopes.push_back(
          {.aggregate = false, .process = process, .device = device});
  }
}

// Rolls up the regions of one scope, innermost first.
class ScopeWork {
 public:
  // `nothing`: the amounts of an empty tally.
  ScopeWork(const Profile& profile, const RegionTree& tree,
            const Placed& placed, const Plan& plan, const NameGroups& names,
            const Amounts& nothing, const Scope& scope)
      : profile_(profile),
        tree_(tree),
        placed_(placed),
        plan_(plan),
        nothing_(nothing),
        names_(names, plan),
        row_(profile, plan),
        pending_(tree.regions().size()),
        rows_(profile, plan, tree.regions().size()) {
    result_.scope = scope;
    result_.regions = {tree.regions().size(), Nothing()};
  }

  ScopeRollup Run() {
    std::set<std::size_t> regions = {0};
    placed_.kernels.AddRegions(result_.scope, regions);
    placed_.ranges.AddRegions(result_.scope, regions);
    AddOuter(tree_, regions);
    for (auto at = regions.rbegin(); at != regions.rend(); ++at)
      FinishRegion(static_cast<RegionId>(*at));
    result_.totals = result_.regions.front().inclusive;
    result_.names = names_.Finish();
    return std::move(result_);
  }

 private:
  using TallyPtr = std::unique_ptr<Tally>;

  // The rollup of a region without a measurement of this scope.
  RegionRollup Nothing() const {
    return {.inclusive = nothing_, .exclusive = nothing_};
  }

  void FinishRegion(RegionId id) {
    const Region& region = tree_[id];
    RegionRollup& rollup = result_.regions[Index(id)];
    const bool inside = id != RegionTree::kRoot;
    const bool nested = inside && region.parent != RegionTree::kRoot;
    TallyPtr own = FinishKernels(
        id, rollup, inside && (nested || rows_.HasInner(id)) ? &id : nullptr);
    rows_.Finish(id, rollup.kernels_with_inner);
    if (nested) rows_.HandOn(id, region.parent);
    // A region with a single row has the amounts of the row.
    rollup.exclusive = rollup.kernels.size() == 1
                           ? rollup.kernels.front().amounts
                           : AmountsOf(*own);
    FinishWholes(id, rollup);

    TallyPtr& inner = pending_[Index(id)];
    if (inner && !inner->empty()) {
      inner->Add(*own);
      Release(std::move(own));
      rollup.inclusive = inner->Finish(plan_);
      own = std::move(inner);
    } else {
      rollup.inclusive = rollup.exclusive;
      if (inner) Release(std::move(inner));
    }
    if (!own->empty() || !rollup.measured.empty()) rollup.empty = false;
    names_.Add(id, *own);
    if (id == RegionTree::kRoot) return;
    if (!rollup.empty) result_.regions[Index(region.parent)].empty = false;
    HandOn(std::move(own), pending_[Index(region.parent)]);
  }

  // Frees empty tallies, of which there may be as many as regions.
  void HandOn(TallyPtr own, TallyPtr& parent) {
    if (!parent && !own->empty()) {
      parent = std::move(own);
      return;
    }
    if (parent) parent->Add(*own);
    Release(std::move(own));
  }

  // Most regions of a trace have no measured kernel; they share one list of
  // cells.
  Amounts AmountsOf(Tally& tally) const {
    return tally.empty() ? nothing_ : tally.Finish(plan_);
  }

  // Fills the rows and returns the tally of all of them. `keep`: the region, if
  // its rows are handed on to outer regions.
  TallyPtr FinishKernels(RegionId region, RegionRollup& rollup,
                         const RegionId* keep) {
    std::map<KernelKey, std::size_t> places;
    std::vector<TallyPtr> tallies;
    for (const MeasurementId id : placed_.kernels.Of(result_.scope, region)) {
      const Measurement& m = profile_.measurements[Index(id)];
      const auto [place, is_new] =
          places.try_emplace({m.demangled_name, m.device}, tallies.size());
      if (is_new) {
        tallies.push_back(Acquire());
        rollup.kernels.push_back(
            {.name = m.demangled_name, .device = m.device});
      }
      AddCall(rollup.kernels[place->second], *tallies[place->second], id);
    }
    const bool alone = tallies.size() == 1 && keep == nullptr;
    TallyPtr all = alone ? nullptr : Acquire();
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      KernelRow& row = rollup.kernels[i];
      row.amounts = tallies[i]->Finish(plan_);
      row.total_ns = row.own_ns = row.amounts.gpu_time_ns;
      if (alone) {
        all = std::move(tallies[i]);
        continue;
      }
      all->Add(*tallies[i]);
      if (keep != nullptr)
        rows_.Add(*keep, row, std::move(tallies[i]));
      else
        Release(std::move(tallies[i]));
    }
    SortByTime(profile_, rollup.kernels);
    return all;
  }

  void AddCall(KernelRow& row, Tally& tally, MeasurementId id) {
    row_.Load(profile_.measurements[Index(id)]);
    tally.Add(plan_, row_);
    row.measurements.push_back(id);
    const double ns = row_[Plan::kTimeSlot];
    if (ns == ns) {
      const auto [min_ns, max_ns] = TimesOf(profile_.measurements[Index(id)]);
      const bool first = tally.timed() == row_.launches();
      row.min_ns = first ? min_ns : std::min(row.min_ns, min_ns);
      row.max_ns = first ? max_ns : std::max(row.max_ns, max_ns);
    }
    row.calls += row_.launches();
    row.own_calls += row_.launches();
  }

  // The times of the shortest and longest launch that row_ stands for.
  std::pair<double, double> TimesOf(const Measurement& m) const {
    const double ns = row_[Plan::kTimeSlot];
    if (m.folded == 0) return {ns, ns};
    const FoldedLaunches& folded = profile_.folded[m.folded - 1];
    return {static_cast<double>(folded.min_ns),
            static_cast<double>(folded.max_ns)};
  }

  void FinishWholes(RegionId region, RegionRollup& rollup) {
    for (const MeasurementId id : placed_.ranges.Of(result_.scope, region)) {
      const Measurement& m = profile_.measurements[Index(id)];
      TallyPtr tally = Acquire();
      row_.Load(m);
      tally->Add(plan_, row_);
      Amounts amounts = tally->Finish(plan_);
      SpreadLaunches(m, amounts);
      rollup.measured.push_back({.measurement = id,
                                 .mode = m.mode,
                                 .instances = m.counted,
                                 .deviations = DeviationsOf(m),
                                 .amounts = std::move(amounts)});
      Release(std::move(tally));
    }
  }

  std::vector<WholeDeviation> DeviationsOf(const Measurement& m) const {
    std::vector<WholeDeviation> deviations;
    if (m.counted == 0) return deviations;
    for (const InstanceRef& ref : m.instances) {
      const std::vector<Instance>& list = profile_.instance_lists[ref.list];
      // Welford's algorithm gives exactly 0 for equal values.
      double n = 0, mean = 0, squares = 0;
      for (const Instance& i : list) {
        const double off = i.value.number().value_or(0) - mean;
        mean += off / ++n;
        squares += off * (i.value.number().value_or(0) - mean);
      }
      // Hostile values may differ by more than a double holds.
      const double value = std::sqrt(squares / (n - 1));
      if (list.size() < 2 || !std::isfinite(value)) continue;
      deviations.push_back(
          {.metric = ref.metric, .instances = list.size(), .value = value});
    }
    return deviations;
  }

  // Replaces launch attributes of a range by their spread: the value is of one
  // launch, the list of instances has all launches.
  void SpreadLaunches(const Measurement& m, Amounts& amounts) {
    std::vector<Cell> cells;
    for (const InstanceRef& ref : m.instances) {
      const std::string_view name = profile_.MetricName(ref.metric);
      if (!name.starts_with("launch__") || name.starts_with(kCurve)) continue;
      std::set<double> values;
      for (const Instance& instance : profile_.instance_lists[ref.list]) {
        if (const auto number = instance.value.number()) values.insert(*number);
      }
      const auto& columns = plan_.columns();
      const auto at = std::ranges::find(columns, ref.metric, &Column::metric);
      if (values.size() < 2 || at == columns.end()) continue;
      if (cells.empty())
        cells.assign(amounts.cells.begin(), amounts.cells.end());
      Cell& cell = cells[static_cast<std::size_t>(at - columns.begin())];
      cell.how = How::kAbsent;
      cell.value = 0;
      cell.has_spread = true;
      cell.low = *values.begin();
      cell.high = *values.rbegin();
      cell.distinct = static_cast<std::uint32_t>(values.size());
      cell.reason = "differs between the launches of the range";
    }
    if (!cells.empty()) amounts.cells = Cells(std::move(cells));
  }

  TallyPtr Acquire() {
    if (free_.empty()) return std::make_unique<Tally>(plan_);
    TallyPtr tally = std::move(free_.back());
    free_.pop_back();
    tally->Clear();
    return tally;
  }
  void Release(TallyPtr tally) { free_.push_back(std::move(tally)); }

  const Profile& profile_;
  const RegionTree& tree_;
  const Placed& placed_;
  const Plan& plan_;
  const Amounts& nothing_;
  NameTallies names_;
  Row row_;
  ScopeRollup result_;
  std::vector<TallyPtr> pending_;  // sums of inner regions, by RegionId
  KernelRows rows_;                // kernels of inner regions
  std::vector<TallyPtr> free_;
};

void NoteMissingTimes(const Rollup& rollup, Notes& notes) {
  if (rollup.scopes.empty()) return;
  std::uint64_t count = 0;
  for (const ScopeRollup& scope : rollup.scopes)
    count = std::max(count, scope.totals.without_time);
  if (count == 0) return;
  notes.Add(Severity::kWarning, "no_duration",
            "a kernel has no duration: it counts, but adds no GPU time; "
            "collect gpu__time_duration.sum",
            "", count);
}

}  // namespace

Rollup RollUp(const Profile& profile, const RegionTree& tree,
              const RollupOptions& options, Notes& notes) {
  const Plan plan(profile, options);
  Rollup rollup;
  rollup.columns = plan.columns();
  std::vector<Scope> scopes = FindScopes(profile);
  if (!options.aggregate) AddUnmeasured(profile, tree, scopes);
  const NameGroups names(tree);
  const Placed placed{{tree, &Region::kernels, profile.measurements},
                      {tree, &Region::ranges, profile.measurements}};
  const Amounts nothing = Tally(plan).Finish(plan);
  const auto add = [&](const Scope& scope) {
    rollup.scopes.push_back(
        ScopeWork(profile, tree, placed, plan, names, nothing, scope).Run());
  };
  if (options.aggregate) add(Scope{});
  for (const Scope& scope : scopes) {
    if (scopes.size() == 1 && options.aggregate) {
      // The only scope equals the aggregate.
      rollup.scopes.push_back(rollup.scopes.front());
      rollup.scopes.back().scope = scope;
    } else {
      add(scope);
    }
  }
  NoteMissingTimes(rollup, notes);
  return rollup;
}

std::vector<Amounts> AmountsOf(
    const Profile& profile, std::span<const std::vector<MeasurementId>> groups,
    const RollupOptions& options, std::span<const Column> columns) {
  const Plan plan(profile, options);
  const bool same = std::ranges::equal(plan.columns(), columns, {},
                                       &Column::name, &Column::name);
  std::vector<Amounts> all;
  Row row(profile, plan);
  Tally tally(plan);
  for (const std::vector<MeasurementId>& group : groups) {
    tally.Clear();
    for (const MeasurementId id : group) {
      row.Load(profile.measurements[Index(id)]);
      tally.Add(plan, row);
    }
    all.push_back(tally.Finish(plan));
    if (!same) all.back().cells = {};
  }
  return all;
}

}  // namespace rangefinder
