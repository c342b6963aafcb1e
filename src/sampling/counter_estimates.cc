#include "sampling/counter_estimates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "sampling/estimated_cells.h"
#include "sampling/sampled_metric.h"

namespace rangefinder {
namespace {

constexpr std::uint32_t kUnsampled = 0xFFFFFFFF;

// `ends_early`: the samples are of a window or a killed program. Work at the
// borders may have no record, so samples before the first launch and after the
// last launch are left out.
DeviceSamples SamplesFrom(const CounterSamples& samples,
                          const SampledLaunches& launches, bool ends_early) {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  if (ends_early && !launches.launches.empty()) {
    std::swap(first, last);
    for (const SampledLaunch& launch : launches.launches) {
      first = std::min(first, launch.start_ns);
      last = std::max(last, launch.end_ns);
    }
  }
  DeviceSamples out;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::int64_t start_ns = launches.SinceOrigin(samples.start_ns[i]);
    const std::int64_t end_ns = launches.SinceOrigin(samples.end_ns[i]);
    if (start_ns < first || end_ns > last) continue;
    out.start_ns.push_back(start_ns);
    out.end_ns.push_back(end_ns);
    out.values.insert(out.values.end(), samples.Row(i).begin(),
                      samples.Row(i).end());
  }
  return out;
}

// Adds the estimate of another device; the errors of two devices are
// independent.
void AddEstimate(CounterEstimate& sum, const CounterEstimate& more) {
  if (sum.absence != EstimateAbsence::kNone) return;
  if (!more.total || !sum.total) {
    sum = more;
    return;
  }
  const double reach =
      std::hypot(sum.high - *sum.total, more.high - *more.total);
  *sum.total += *more.total;
  sum.statistical = std::hypot(sum.statistical, more.statistical);
  sum.systematic = std::hypot(sum.systematic, more.systematic);
  sum.error = std::hypot(sum.error, more.error);
  sum.lasting = std::hypot(sum.lasting, more.lasting);
  sum.low = std::max(0.0, *sum.total - reach);
  sum.high = *sum.total + reach;
  sum.degrees_of_freedom =
      std::min(sum.degrees_of_freedom, more.degrees_of_freedom);
}

}  // namespace

CounterEstimates::CounterEstimates(const Profile& profile,
                                   const RegionTree& tree)
    : profile_(profile),
      tree_(tree),
      own_(tree.regions().size()),
      copies_(tree.regions().size()) {
  if (profile.counter_samples.empty()) return;
  const LaunchRegions regions(profile, tree);
  for (const CounterSamples& samples : profile.counter_samples)
    AddDevice(samples, regions);
  FindShares(regions);
  copies_ = EstimateCopies(false);
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (!devices_[d].fit) continue;
    for (CountsOverTime& one :
         FindOverTime(profile, tree, devices_[d].launches, *devices_[d].fit, d))
      over_time_.push_back(std::move(one));
  }
}

void CounterEstimates::AddDevice(const CounterSamples& samples,
                                 const LaunchRegions& regions) {
  SampledDevice device{.samples = &samples};
  for (const StringId metric : samples.metrics) {
    device.metrics.emplace_back(profile_.Name(metric));
    AddOnce(metrics_, device.metrics.back());
  }
  if (samples.size() > 0 && !samples.metrics.empty()) {
    device.launches = LaunchesOn(profile_, regions, samples);
    std::vector<EstimatedMetric> metrics;
    for (const std::string& name : device.metrics)
      metrics.push_back(SampledMetric(name, device.launches.sms));
    device.fit = std::make_unique<CounterFit>(CounterFit::Make(
        device.launches.launches,
        SamplesFrom(samples, device.launches,
                    profile_.processes[Index(samples.process)].ends_early),
        metrics));
    device.outside = device.fit->Outside();
  }
  devices_.push_back(std::move(device));
}

void CounterEstimates::FindShares(const LaunchRegions& regions) {
  using Key = std::tuple<RegionId, std::uint32_t, std::uint32_t, ProcessId>;
  std::map<Key, Share> shares;
  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    const SampledDevice& device = devices_[d];
    if (!device.fit) continue;
    const SampledLaunches& all = device.launches;
    const auto groups = device.fit->group_of_launch();
    for (std::size_t i = 0; i < all.launches.size(); ++i) {
      if (all.regions[i] == kNotInTree || groups[i] == CounterFit::kNoGroup)
        continue;
      const ProcessId process = all.processes[i];
      Share& share = shares[{all.regions[i], d, groups[i], process}];
      share.device = d;
      share.group = groups[i];
      share.process = regions.FirstOf(process);
      share.first_run = profile_.processes[Index(process)].run == 0;
      share.kernel = all.kernels[i];
      if (share.index < 0)
        share.index = regions.IndexOfSampled(*device.samples, process);
      ++share.launches;
      if (all.kernels[i] != StringId{})
        share.ns += static_cast<double>(all.launches[i].end_ns -
                                        all.launches[i].start_ns);
    }
  }
  for (auto& [key, share] : shares)
    own_[Index(std::get<RegionId>(key))].push_back(share);
  // Kernels on devices without samples.
  for (const auto& [launch, region] : regions.kernels()) {
    const Measurement& m = *launch;
    if (region == kNotInTree || profile_.processes[Index(m.process)].run > 0)
      continue;
    const bool sampled = std::ranges::any_of(devices_, [&](const auto& device) {
      return device.fit &&
             regions.IndexOfSampled(*device.samples, m.process) == m.device;
    });
    std::vector<Share>& own = own_[Index(region)];
    if (sampled ||
        (!own.empty() && own.back().device == kUnsampled &&
         own.back().process == m.process && own.back().index == m.device &&
         own.back().kernel == m.demangled_name))
      continue;
    own.push_back({.device = kUnsampled,
                   .process = m.process,
                   .kernel = m.demangled_name,
                   .index = m.device,
                   .launches = 1});
  }
}

std::vector<std::vector<CounterEstimate>> CounterEstimates::EstimateCopies(
    bool and_kernels) const {
  std::vector<std::vector<Share>> rows(own_.size());
  std::vector<bool> has_copies(own_.size());
  for (std::size_t r = own_.size(); r-- > 0;) {
    for (const Share& share : own_[r]) {
      const bool is_copy = share.kernel == StringId{};
      if (share.device == kUnsampled || !(is_copy || and_kernels)) continue;
      rows[r].push_back(share);
      has_copies[r] = has_copies[r] || is_copy;
    }
    if (r == 0) continue;
    const std::size_t parent = Index(tree_.regions()[r].parent);
    rows[parent].insert(rows[parent].end(), rows[r].begin(), rows[r].end());
    has_copies[parent] = has_copies[parent] || has_copies[r];
  }
  std::vector<std::size_t> regions;
  std::vector<std::vector<Share>> asked;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!has_copies[r]) continue;
    regions.push_back(r);
    asked.push_back(std::move(rows[r]));
  }
  std::vector<RowCounts> counts = Estimate(asked);
  std::vector<std::vector<CounterEstimate>> of(rows.size());
  for (std::size_t i = 0; i < regions.size(); ++i)
    of[regions[i]] = std::move(counts[i].metrics);
  return of;
}

std::vector<SharedCount> CounterEstimates::SharedCountsOf(
    RegionId region) const {
  std::vector<SharedCount> shared;
  if (devices_.empty() || !devices_.front().fit) return shared;
  const CounterFit& fit = *devices_.front().fit;
  std::map<std::uint32_t, SharedCount> by_pool;
  for (std::size_t r = 0; r < own_.size(); ++r) {
    auto at = static_cast<RegionId>(r);
    while (at != region && at != RegionTree::kRoot)
      at = tree_.regions()[Index(at)].parent;
    if (at != region) continue;
    for (const Share& share : own_[r]) {
      if (share.device != 0 || share.kernel == StringId{} ||
          fit.pools().empty())
        continue;
      SharedCount& one = by_pool[fit.groups()[share.group].pool];
      one.kernel = share.kernel;
      one.ns += share.ns;
    }
  }
  for (auto& [pool, one] : by_pool) {
    const FitPool& described = fit.pools()[pool];
    std::set<RegionId> regions;
    for (const std::uint32_t group : described.groups)
      regions.insert(static_cast<RegionId>(fit.groups()[group].region));
    if (regions.size() < 2) continue;
    one.regions.assign(regions.begin(), regions.end());
    one.scatter = described.scatter;
    one.deviates = described.deviates;
    shared.push_back(std::move(one));
  }
  std::ranges::stable_sort(shared, std::ranges::greater{}, &SharedCount::ns);
  return shared;
}

std::vector<CounterEstimates::RowCounts> CounterEstimates::Estimate(
    const std::vector<std::vector<Share>>& rows) const {
  std::vector<RowCounts> counts(rows.size());
  for (RowCounts& row : counts) row.metrics.resize(metrics_.size());
  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    if (!devices_[d].fit) continue;
    std::vector<RegionQuery> queries;
    std::vector<std::size_t> row_of_query;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      RegionQuery query;
      for (const Share& share : rows[r]) {
        if (share.device != d) continue;
        query.groups.push_back(
            {.group = share.group,
             .launches = static_cast<double>(share.launches)});
      }
      if (query.groups.empty()) continue;
      queries.push_back(std::move(query));
      row_of_query.push_back(r);
    }
    const std::vector<RegionEstimate> estimates =
        devices_[d].fit->Estimate(queries);
    for (std::size_t q = 0; q < queries.size(); ++q)
      Add(devices_[d], estimates[q], counts[row_of_query[q]]);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const Share& share : rows[r]) {
      counts[r].unsampled |= share.device == kUnsampled;
      if (share.kernel == StringId{} || !share.first_run) continue;
      counts[r].launches += share.launches;
      counts[r].ns += share.ns;
    }
  }
  return counts;
}

void CounterEstimates::Add(const SampledDevice& device,
                           const RegionEstimate& estimate,
                           RowCounts& row) const {
  const bool first = row.samples == 0;
  row.samples += estimate.samples;
  const FitQuality& quality = device.fit->quality();
  for (std::size_t m = 0; m < device.metrics.size(); ++m) {
    const auto at = static_cast<std::size_t>(
        std::ranges::find(metrics_, device.metrics[m]) - metrics_.begin());
    CounterEstimate one = estimate.metrics[m];
    if (quality.verdict == FitVerdict::kBad ||
        quality.metrics[m].verdict == FitVerdict::kBad) {
      one = {.absence = EstimateAbsence::kNoFit,
             .why = quality.reasons.empty()
                        ? "the samples do not fit the launches"
                        : "the samples do not fit the launches: " +
                              quality.reasons.front()};
    }
    if (first && !row.metrics[at].total)
      row.metrics[at] = std::move(one);
    else
      AddEstimate(row.metrics[at], one);
  }
}

Word CounterEstimates::Keep(const std::string& text) {
  return texts_.insert(text).first->c_str();
}

// The rows of one scope: the shares of each row, and the cells to fill.
class ScopeFilling {
 public:
  using Share = CounterEstimates::Share;

  ScopeFilling(CounterEstimates& estimates, ScopeRollup& scope)
      : estimates_(estimates),
        scope_(scope),
        inclusive_(estimates.own_.size()),
        own_(estimates.own_.size()),
        rows_of_kernels_(estimates.profile_.traced.empty()) {
    FindShares();
    for (std::size_t r = 0; r < scope.regions.size(); ++r) {
      if (!inclusive_[r].empty())
        AddRegion(static_cast<RegionId>(r), scope.regions[r]);
    }
    AddTarget(scope.totals, nullptr, inclusive_.front());
    for (NameRow& row : scope.names) AddName(row);
  }

  void Fill(const EstimatedColumns& columns) {
    const auto counts = estimates_.Estimate(shares_);
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const CounterEstimates::RowCounts& row = counts[i];
      EstimatedRow estimated{
          .launches = row.launches, .samples = row.samples, .time_ns = row.ns};
      for (std::size_t m = 0; m < estimates_.metrics_.size(); ++m)
        estimated.cells.push_back(CellOf(row, row.metrics[m]));
      Amounts& amounts = *targets_[i].amounts;
      auto [cells, beside] =
          columns.Fill(amounts.cells, amounts.kernel_count, estimated);
      amounts.cells = std::move(cells);
      amounts.estimated = true;
      if (targets_[i].beside != nullptr)
        *targets_[i].beside = std::move(beside);
    }
  }

 private:
  struct Target {
    Amounts* amounts = nullptr;
    std::vector<EstimateBeside>* beside = nullptr;
  };

  // Kernels in the scope, by region.
  void FindShares() {
    const RegionTree& tree = estimates_.tree_;
    for (std::size_t r = tree.regions().size(); r-- > 0;) {
      for (const Share& share : estimates_.own_[r]) {
        const bool is_here =
            scope_.scope.aggregate || (share.process == scope_.scope.process &&
                                       share.index == scope_.scope.device);
        if (is_here && share.kernel != StringId{}) own_[r].push_back(share);
      }
      inclusive_[r].insert(inclusive_[r].end(), own_[r].begin(), own_[r].end());
      if (r == 0) continue;
      std::vector<Share>& outer = inclusive_[Index(tree.regions()[r].parent)];
      outer.insert(outer.end(), inclusive_[r].begin(), inclusive_[r].end());
    }
  }

  void AddRegion(RegionId id, RegionRollup& region) {
    const std::size_t r = Index(id);
    AddTarget(region.inclusive, &region.inclusive_beside, inclusive_[r]);
    if (!own_[r].empty())
      AddTarget(region.exclusive, &region.exclusive_beside, own_[r]);
    if (!rows_of_kernels_) return;
    AddKernels(region.kernels, own_[r]);
    AddKernels(region.kernels_with_inner, inclusive_[r]);
  }

  void AddKernels(std::vector<KernelRow>& rows,
                  const std::vector<Share>& shares) {
    std::map<std::pair<StringId, std::int32_t>, std::vector<Share>> by_kernel;
    for (const Share& share : shares)
      by_kernel[{share.kernel, share.index}].push_back(share);
    for (KernelRow& row : rows) {
      const auto at = by_kernel.find({row.name, row.device});
      if (at != by_kernel.end()) AddTarget(row.amounts, nullptr, at->second);
    }
  }

  // Skips a region inside another region of the same name, since the shares of
  // the outer region include the shares of the inner region.
  void AddName(NameRow& row) {
    const std::set<RegionId> named(row.regions.begin(), row.regions.end());
    std::vector<Share> shares;
    for (const RegionId id : row.regions) {
      if (IsInside(id, named)) continue;
      const std::vector<Share>& more = inclusive_[Index(id)];
      shares.insert(shares.end(), more.begin(), more.end());
    }
    AddTarget(row.amounts, nullptr, shares);
  }

  bool IsInside(RegionId id, const std::set<RegionId>& named) const {
    const RegionTree& tree = estimates_.tree_;
    for (RegionId at = id; at != RegionTree::kRoot;) {
      at = tree[at].parent;
      if (named.contains(at)) return true;
    }
    return false;
  }

  void AddTarget(Amounts& amounts, std::vector<EstimateBeside>* beside,
                 const std::vector<Share>& shares) {
    if (shares.empty()) return;
    targets_.push_back({&amounts, beside});
    shares_.push_back(shares);
  }

  Cell CellOf(const CounterEstimates::RowCounts& row,
              const CounterEstimate& estimate) {
    Cell cell{.rule = "regression"};
    if (row.unsampled) {
      cell.reason = "some of its kernels ran on a GPU while it was not sampled";
    } else if (!estimate.total) {
      cell.reason = estimates_.Keep(estimate.why);
    } else {
      cell.how = How::kEstimated;
      cell.value = *estimate.total;
      cell.error = static_cast<float>(estimate.error);
      cell.low = estimate.low;
      cell.high = estimate.high;
      cell.lasting = static_cast<float>(estimate.lasting);
      cell.degrees = static_cast<float>(estimate.degrees_of_freedom);
      MarkBound(cell);
    }
    return cell;
  }

  CounterEstimates& estimates_;
  ScopeRollup& scope_;
  std::vector<std::vector<Share>> inclusive_, own_;  // by RegionId
  bool rows_of_kernels_;
  std::vector<Target> targets_;
  std::vector<std::vector<Share>> shares_;  // by targets_
};

void CounterEstimates::Fill(Rollup& rollup,
                            std::span<const DerivedMetric> derived) {
  if (devices_.empty()) return;
  const EstimatedColumns columns(profile_, rollup.columns, metrics_, derived);
  const bool alike =
      rollup.scopes.size() == 2 && rollup.scopes[0].scope.aggregate;
  for (ScopeRollup& scope : rollup.scopes) {
    if (alike && !scope.scope.aggregate) {
      const Scope own = scope.scope;
      scope = rollup.scopes[0];
      scope.scope = own;
      continue;
    }
    ScopeFilling(*this, scope).Fill(columns);
  }
}

void CounterEstimates::NoteQuality(Notes& notes) const {
  for (const SampledDevice& device : devices_) {
    if (!device.fit) continue;
    const FitQuality& quality = device.fit->quality();
    if (quality.groups_by_time > 0)
      notes.Add(
          Severity::kInfo, "estimates_bounded",
          fmt::format("the counters of GPU {}: {} kinds of launches ({:.1f} % "
                      "of the GPU time) share one count by GPU time, as a fit "
                      "has {} counts at most",
                      device.samples->device, quality.groups_by_time,
                      100 * quality.share_by_time, quality.columns));
    if (quality.verdict == FitVerdict::kGood) continue;
    const bool bad = quality.verdict == FitVerdict::kBad;
    notes.Add(
        Severity::kWarning, bad ? "estimates_bad" : "estimates_doubtful",
        fmt::format("{} counters of GPU {}: {}",
                    bad ? "no estimates of the" : "doubtful estimates of the",
                    device.samples->device,
                    JoinedAsList(quality.reasons, "and")));
  }
}

}  // namespace rangefinder
