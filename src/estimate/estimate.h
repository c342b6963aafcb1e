// Counters of launches and regions, estimated from samples of the whole device.
//
// A sample holds the counts of the device within an interval; the launches say
// which kernels ran in it. A sample's count is the sum, over the launches, of
// the part of their time that lies in the sample times the mean count of a
// launch of their group. Least squares find these means. docs/counters.md
// describes the method.
//
// Arithmetic alone: no files, no profile, no CUDA. Times are nanoseconds of one
// clock for launches and samples; counts are in the metric's own unit.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "estimate/fit_quality.h"

namespace rangefinder {

struct FitState;

// A kernel's grid, in the quantities that the tracer's own work grows with. All
// are 0 for a copy or a set that runs no kernel.
struct LaunchSize {
  double warps = 0;        // of all blocks
  double block_warps = 0;  // of one block
  double sms = 0;          // with at least one block; 0: not known

  void Add(const LaunchSize& other, double part = 1) {
    warps += part * other.warps;
    block_warps += part * other.block_warps;
    sms += part * other.sms;
  }
};

// A kernel, a copy or a set that ran on the device. Ids are the caller's own;
// different things need different ids.
struct SampledLaunch {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t region = 0;    // path of the innermost region that launched it
  std::uint32_t kernel = 0;    // name; copies and sets have names of their own
  std::uint32_t shape = 0;     // grid, block, memory; size class of a copy
  std::uint32_t mode = 0;      // any other distinction of launches; 0: none
  std::uint32_t ordinal = 0;   // place within the region's instance, from 0
  std::uint32_t instance = 0;  // which execution of the region
  LaunchSize size{};
};

// What the recording of a kernel's time adds to a count.
struct TracerWork {
  LaunchSize per{};     // counts per warp, per warp of one block, per SM
  LaunchSize unsure{};  // standard errors of these

  double Of(const LaunchSize& size) const {
    return per.warps * size.warps + per.block_warps * size.block_warps +
           per.sms * size.sms;
  }
  double Variance(const LaunchSize& size) const {
    const double warps = unsure.warps * size.warps;
    const double of_block = unsure.block_warps * size.block_warps;
    const double sms = unsure.sms * size.sms;
    return warps * warps + of_block * of_block + sms * sms;
  }
};

// A count that adds up over time: a sum over the device's units, or a mean over
// them. No ratio, no percentage, no maximum.
struct EstimatedMetric {
  std::string name{};
  // If set, estimates exclude the tracer's own work.
  std::optional<TracerWork> tracer{};
  // The counts come later than the launches that cause them, as memory is
  // written when lines leave a cache.
  bool comes_later = false;
  // False: an idle device, the host or other devices count as well. Where work
  // lies in launches' windows is then taken from the other metrics.
  bool of_launches = true;
  // How far the groups of one kernel differ in any case: relative, a standard
  // deviation. A pool knows its groups no better than this.
  double alike = 1e-3;
  // A launch counts the same whatever ran before it: instructions, unlike
  // traffic and cycles.
  bool of_code = false;
  // Of code: counts of one instruction of a warp, at most.
  double of_instruction = 1;
  // Per ns of launches' time; the device can count some hundred times as much.
  // Fewer counts, as of an idle device, say nothing about the fit.
  double little = 0;

  // Whether the fit is bad if launches explain this metric badly.
  bool judges() const { return of_launches && !comes_later; }
};

// Sample i covers [start_ns[i], end_ns[i]). Values are samples x metrics, one
// sample after the other. Times that no sample covers are gaps. Samples without
// a length, or with a value that is not finite, are left out.
struct DeviceSamples {
  std::vector<std::int64_t> start_ns{};
  std::vector<std::int64_t> end_ns{};
  std::vector<double> values{};
};

struct EstimateOptions {
  bool fit_edges = true;  // false: windows as the launches' times say
  // False: one group per region, kernel, shape and mode.
  bool split_groups = true;
  bool scan_clocks = true;  // false: no search for a shift between the clocks
  // Most blocks of time; errors are derived from them.
  std::size_t blocks = 48;
};

// The launches of one place in a region's instance, or one mode of them:
// launches of like duration.
struct LaunchKind {
  std::uint32_t ordinal = 0;
  std::uint32_t mode = 0;  // mode of durations, the shortest is 1; 0: any

  friend auto operator<=>(const LaunchKind&, const LaunchKind&) = default;
};

// Launches that are assumed to count alike. A group's estimate is a mean.
struct FitGroup {
  std::uint32_t region = 0;
  std::uint32_t kernel = 0;
  std::uint32_t shape = 0;
  std::uint32_t mode = 0;
  // The group's part of its region, kernel and shape; empty: all of it.
  std::vector<LaunchKind> kinds{};
  std::uint64_t launches = 0;
  double busy_ns = 0;      // summed over its launches
  std::uint32_t pool = 0;  // index into pools()
};

// Groups of one kernel and shape whose launches last alike: they share a count,
// and each may deviate from it.
struct FitPool {
  std::vector<std::uint32_t> groups{};
  // By how much more than chance the groups of its kernel and shape scatter, in
  // the mean square, in most metrics; 0: unknown. `deviates`: the scatter is so
  // large that groups deviate from the pool as far as the samples say.
  double scatter = 0;
  bool deviates = false;
};

struct GroupShare {
  std::uint32_t group = 0;  // index into groups()
  double launches = 0;      // number of its launches; may be a fraction
};

// The launches that an estimate is about: by their index in the input, each
// once, or as shares of groups, or both, added up.
struct RegionQuery {
  std::vector<std::uint32_t> launches{};
  std::vector<GroupShare> groups{};
};

enum class EstimateAbsence {
  kNone,          // there is an estimate
  kNoLaunch,      // the query is empty
  kNoSample,      // no used sample touches it
  kNotSeparable,  // other groups run in the same samples
  kNoFit,         // there are too few samples for any estimate
};

struct CounterEstimate {
  std::optional<double> total{};  // over all the launches asked about
  double statistical = 0;         // standard error, from blocks of time
  double systematic = 0;  // standard error, from how work lies in windows
  double error = 0;       // both together: the root of the sum of squares
  // 95 % interval by Student's t, with the blocks that carry the estimate for
  // the statistical part and the kernels for the systematic part; never below
  // 0.
  double low = 0;
  double high = 0;
  // The part of high - total that a longer run does not narrow.
  double lasting = 0;
  double degrees_of_freedom = 0;
  EstimateAbsence absence = EstimateAbsence::kNone;
  std::string why{};  // for an absence: a sentence without a full stop
};

struct RegionEstimate {
  std::uint64_t launches = 0;
  std::uint64_t samples = 0;  // used samples that contain its launches
  std::vector<CounterEstimate> metrics{};  // as the input's metrics
};

// The quantile of Student's t for a two-sided interval of 95 %.
double StudentQuantile(double degrees_of_freedom);

// A block of time of a region, in the order of time.
struct RegionBlock {
  std::int64_t start_ns = 0;  // of the first launch of its first instance
  std::int64_t end_ns = 0;    // of the last launch of its last instance
  std::uint64_t instances = 0;
  std::uint64_t launches = 0;
  std::vector<CounterEstimate> per_instance{};  // as the input's metrics
};

// One instance of a region: the counts of the samples that it lies in, divided
// in proportion to the estimates of all launches in them. At its ends, and in
// samples longer than the instance, the estimates of its groups decide.
struct InstanceCounts {
  double seen = 0;  // part of its launches' time in samples
  std::vector<double>
      counts{};  // as the input's metrics; empty: none are known
};

// A fit of one device's samples. Keeps no reference to its input.
class CounterFit {
 public:
  // values.size() must be samples x metrics. Same input, same estimates.
  static CounterFit Make(std::span<const SampledLaunch> launches,
                         const DeviceSamples& samples,
                         std::span<const EstimatedMetric> metrics,
                         const EstimateOptions& options = {});
  CounterFit(CounterFit&&) noexcept;
  CounterFit& operator=(CounterFit&&) noexcept;
  ~CounterFit();

  const FitQuality& quality() const;
  const std::vector<FitGroup>& groups() const;
  const std::vector<FitPool>& pools() const;
  // By launch; kNoGroup for a launch without a length.
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
  std::span<const std::uint32_t> group_of_launch() const;

  // One call with many queries costs less than many calls.
  std::vector<RegionEstimate> Estimate(
      std::span<const RegionQuery> queries) const;

  // Counts of the used samples outside all launches: the idle device, the
  // system's own work, other processes. By metric.
  std::vector<CounterEstimate> Outside() const;

  // The course of a region's counts over the run, in at most `blocks` blocks of
  // equally many instances. A query is the launches of one instance; shares of
  // groups in it are ignored.
  std::vector<RegionBlock> OverTime(std::span<const RegionQuery> instances,
                                    std::size_t blocks = 8) const;

  // The counts of each instance; a query is as for OverTime(). Linear in the
  // launches.
  std::vector<InstanceCounts> PerInstance(
      std::span<const RegionQuery> instances) const;

 private:
  CounterFit(std::unique_ptr<const FitState> state,
             std::unique_ptr<const FitState> code);
  std::unique_ptr<const FitState> state_;
  // The fit of the metrics of code, with sample weights of their own; or null.
  std::unique_ptr<const FitState> code_;
};

}  // namespace rangefinder
