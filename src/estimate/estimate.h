// Counters of launches and regions, from samples of the whole device.
//
// A sample says what the device counted within some time, the launches say what
// ran within it. A count is the sum, over the launches, of the part of their
// time that lies in the sample times the mean count of a launch of their group;
// least squares find the means. docs/counters.md is the method.
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

// A kernel, a copy or a set that ran on the device. The ids are the caller's:
// all that is asked of them is that they differ where the things differ.
struct SampledLaunch {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t region = 0;    // path of the innermost region that launched it
  std::uint32_t kernel = 0;    // name; copies and sets have names of their own
  std::uint32_t shape = 0;     // grid, block, memory; of a copy class of sizes
  std::uint32_t mode = 0;      // what else tells launches apart; 0: nothing
  std::uint32_t ordinal = 0;   // place within the region's instance, from 0
  std::uint32_t instance = 0;  // which execution of the region
  double warps = 0;            // of the whole grid; 0 for what is no kernel
};

// What recording a kernel's time adds to a count of instructions: CUPTI's
// records of concurrent kernels, measured on Hopper.
struct InstructionCorrection {
  double per_warp = 8;
  double per_launch = 40;  // of a kernel; nothing is added to copies and sets
  double unsure = 0.03;    // of all that is added, a standard error
};

// A count that adds up over time: a sum over the device's units, or a mean over
// them. No ratio, no percentage, no maximum.
struct EstimatedMetric {
  std::string name{};
  // Where set, the tracer's own instructions are no part of any estimate.
  std::optional<InstructionCorrection> tracer{};
  // What it counts comes later than the launches that cause it, as memory is
  // written when lines leave a cache.
  bool comes_later = false;
  // Else an idle device, the host or other devices count, too: where the work
  // of launches lies in their windows is taken from the other metrics.
  bool of_launches = true;
  // How far launches of one kernel differ from group to group in any case, by
  // which no pool knows its groups better: relative, a standard deviation.
  double alike = 1e-3;

  // Whether the fit is bad where launches explain the metric badly.
  bool judges() const { return of_launches && !comes_later; }
};

// Sample i covers [start_ns[i], end_ns[i]). Values are samples x metrics, a
// sample's side by side. Times that no sample covers are gaps. A sample that
// has a value which is no finite number, or no length, is left out.
struct DeviceSamples {
  std::vector<std::int64_t> start_ns{};
  std::vector<std::int64_t> end_ns{};
  std::vector<double> values{};
};

struct EstimateOptions {
  bool fit_edges = true;     // else the launches' windows are taken as they are
  bool split_groups = true;  // else one group a region, kernel, shape and mode
  bool scan_clocks = true;   // else no shift between the clocks is looked for
  std::size_t blocks = 48;   // of time, which errors are taken from; at most
};

// Launches of one place in a region's instance, or those of them that last
// alike.
struct LaunchKind {
  std::uint32_t ordinal = 0;
  std::uint32_t mode = 0;  // of their durations, the shortest 1; 0: any

  friend auto operator<=>(const LaunchKind&, const LaunchKind&) = default;
};

// Launches that are taken to count alike. A group's estimate is a mean.
struct FitGroup {
  std::uint32_t region = 0;
  std::uint32_t kernel = 0;
  std::uint32_t shape = 0;
  std::uint32_t mode = 0;
  // What it has of its region, kernel and shape; empty: all of it.
  std::vector<LaunchKind> kinds{};
  std::uint64_t launches = 0;
  std::uint64_t samples = 0;  // used ones that a launch of it lies in
  double busy_ns = 0;         // summed over its launches
  std::uint32_t pool = 0;     // index into pools()
};

// Groups of one kernel and shape whose launches last alike: they share a count,
// and each may deviate from it.
struct FitPool {
  std::vector<std::uint32_t> groups{};
  // By how much more than chance groups of its kernel and shape scatter, in the
  // mean square, in most metrics; 0: nothing is known of it. Whether that is so
  // much that they deviate as far as the samples say.
  double scatter = 0;
  bool deviates = false;
};

struct GroupShare {
  std::uint32_t group = 0;  // index into groups()
  double launches = 0;      // how many of its launches; may be a part
};

// What an estimate is asked of: launches by their index in the input, each
// once, or shares of groups, or both, added up.
struct RegionQuery {
  std::vector<std::uint32_t> launches{};
  std::vector<GroupShare> groups{};
};

enum class EstimateAbsence {
  kNone,          // there is an estimate
  kNoLaunch,      // the query is empty
  kNoSample,      // no used sample touches it
  kNotSeparable,  // its samples are those of other groups as well
  kNoFit,         // there are too few samples for any estimate
};

struct CounterEstimate {
  std::optional<double> total{};  // over all the launches asked about
  double statistical = 0;         // standard error, from blocks of time
  double systematic = 0;  // standard error, from how work lies in its windows
  double error = 0;       // both together: the root of the sum of squares
  // 95 %, by Student's t with the blocks that carry the estimate, and by the
  // kernels that the systematic part is known from; never below 0.
  double low = 0;
  double high = 0;
  double lasting = 0;  // of high - total: what a longer run does not narrow
  double degrees_of_freedom = 0;
  EstimateAbsence absence = EstimateAbsence::kNone;
  std::string why{};  // of an absence, a sentence without a full stop
};

struct RegionEstimate {
  std::uint64_t launches = 0;
  std::uint64_t samples = 0;  // used ones that a launch of it lies in
  double sampled_share = 0;   // of its launches' time that used samples cover
  std::vector<CounterEstimate> metrics{};      // as the input's metrics
  std::vector<std::uint32_t> confused_with{};  // groups, where not separable
};

// Student's t that 95 % lie within, both sides.
double StudentQuantile(double degrees_of_freedom);

// A block of time of a region, in the order of time.
struct RegionBlock {
  std::int64_t start_ns = 0;  // of the first launch of its first instance
  std::int64_t end_ns = 0;    // of the last launch of its last instance
  std::uint64_t instances = 0;
  std::uint64_t launches = 0;
  std::vector<CounterEstimate> per_instance{};  // as the input's metrics
};

// One instance of a region: what the samples that it lies in counted, each in
// the proportion of the estimates of what ran in it. At its ends, and where
// samples are longer than it, the estimates of its groups decide.
struct InstanceCounts {
  double seen = 0;  // part of its launches' time, by samples
  std::vector<double>
      counts{};  // as the input's metrics; empty: none are known
};

// A fit of one device's samples. Does not refer to what it was made of.
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
  // By launch; kNoGroup for one that has no length.
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
  std::span<const std::uint32_t> group_of_launch() const;

  // Ask for many at once: that costs less than one after the other.
  std::vector<RegionEstimate> Estimate(
      std::span<const RegionQuery> queries) const;

  // What the used samples counted beyond all launches: the device idle, the
  // system's own work, other processes. By metric.
  std::vector<CounterEstimate> Outside() const;

  // How the counts of a region's instances went over the run, in at most
  // `blocks` blocks of equally many instances. A query is the launches of one
  // instance; their shares of groups do not count.
  std::vector<RegionBlock> OverTime(std::span<const RegionQuery> instances,
                                    std::size_t blocks = 8) const;

  // Each instance by itself; a query is as for OverTime(). Linear in the
  // launches.
  std::vector<InstanceCounts> PerInstance(
      std::span<const RegionQuery> instances) const;

 private:
  explicit CounterFit(std::unique_ptr<const FitState> state);
  std::unique_ptr<const FitState> state_;
};

}  // namespace rangefinder
