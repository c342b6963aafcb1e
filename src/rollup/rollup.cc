// Bottom up: kernels make rows, rows make a region, regions make their parent.
//
//   row   saxpy  -+
//   row   burn   -+-> exclusive -+-> inclusive -> parent's inclusive ...
//   inner regions' inclusive ----+
//
// Rows go up beside them, one a kernel: those of a region with its inner ones
// add up to its inclusive amounts. The root has none, and asks for none.
//
// Every arrow adds one tally to another; nothing is ever added twice, so the
// exclusive amounts of all regions are those of the root.

#include "rollup/rollup.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "rollup/by_name.h"
#include "rollup/by_scope.h"
#include "rollup/kernel_rows.h"
#include "rollup/plan.h"
#include "rollup/tally.h"

namespace rangefinder {
namespace {

// What the occupancy would be for other launches: no list of launches.
constexpr std::string_view kCurve = "launch__occupancy_per_";

// What was measured in each region, by scope.
struct Placed {
  Placed(const Profile& profile, const RegionTree& tree)
      : kernels(tree, &Region::kernels, Lookup{profile}),
        ranges(tree, &Region::ranges, Lookup{profile}) {}

  struct Lookup {
    const Profile& profile;
    const Measurement& operator()(MeasurementId id) const {
      return profile.measurements[Index(id)];
    }
  };
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

// Works through the regions of one scope, innermost first.
class ScopeWork {
 public:
  // `nothing`: what an empty tally amounts to.
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

  // What a region amounts to that has nothing of this scope.
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
    // Of one row of kernels it is that row.
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

  // An empty tally is not kept waiting: there may be as many as regions.
  void HandOn(TallyPtr own, TallyPtr& parent) {
    if (!parent && !own->empty()) {
      parent = std::move(own);
      return;
    }
    if (parent) parent->Add(*own);
    Release(std::move(own));
  }

  // A list of cells is long, and most regions of a trace have no kernel that
  // was measured: they share one.
  Amounts AmountsOf(Tally& tally) const {
    return tally.empty() ? nothing_ : tally.Finish(plan_);
  }

  // Fills the rows, and gives the tally of all of them. `keep`: whose rows are
  // wanted together with those of other regions.
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

  // Of the launches that row_ stands for, the shortest and the longest.
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
      // Welford's sums: of equal values they are exactly 0.
      double n = 0, mean = 0, squares = 0;
      for (const Instance& i : list) {
        const double off = i.value.number().value_or(0) - mean;
        mean += off / ++n;
        squares += off * (i.value.number().value_or(0) - mean);
      }
      // Values of any size may be in a file: some differ by more than a double
      // holds.
      const double value = std::sqrt(squares / (n - 1));
      if (list.size() < 2 || !std::isfinite(value)) continue;
      deviations.push_back(
          {.metric = ref.metric, .instances = list.size(), .value = value});
    }
    return deviations;
  }

  // A range has one value of an attribute, that of some launch, and a list with
  // those of all its launches.
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
  std::vector<TallyPtr> pending_;  // inner regions' sums, by RegionId
  KernelRows rows_;                // and their kernels
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
  const std::vector<Scope> scopes = FindScopes(profile);
  const NameGroups names(tree);
  const Placed placed(profile, tree);
  const Amounts nothing = Tally(plan).Finish(plan);
  if (options.aggregate)
    rollup.scopes.push_back(
        ScopeWork(profile, tree, placed, plan, names, nothing, Scope{}).Run());
  for (const Scope& scope : scopes) {
    if (scopes.size() == 1 && options.aggregate) {
      // The only scope is the aggregate under its own name.
      rollup.scopes.push_back(rollup.scopes.front());
      rollup.scopes.back().scope = scope;
    } else {
      rollup.scopes.push_back(
          ScopeWork(profile, tree, placed, plan, names, nothing, scope).Run());
    }
  }
  NoteMissingTimes(rollup, notes);
  return rollup;
}

}  // namespace rangefinder
