// Times of regions in a trace: how often a region ran, how long on the CPU, and
// how it used the GPU. For a region without kernels this is the only record.
//
// A trace has every instance; a Profile has sums over the instances of a
// region, the first and the slowest instances, and the spans of all instances
// within bounded memory. Times of an instance include its inner regions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profile/value.h"
#include "profile/wall_time.h"

namespace rangefinder {

// The distribution of many values: count, sum, extremes, mean and standard
// deviation are exact; quantiles are exact for up to 256 values, and within one
// percent above. Its size does not grow with the number of values.
class Spread {
 public:
  // Values that are equal within one percent.
  struct Bucket {
    std::uint32_t index = 0;  // see BucketOf()
    std::uint64_t count = 0;
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  static constexpr std::uint32_t kBuckets = (64 - 6 + 1) << 6;
  static std::uint32_t BucketOf(std::uint64_t value);  // below kBuckets

  // The form of a spread in a file.
  struct Kept {
    std::uint64_t count = 0, sum = 0, min = 0, max = 0;
    double mean = 0;
    double squares = 0;
    std::vector<Bucket> buckets{};  // ascending
  };
  static Spread Of(const Kept& kept);
  // The buckets that are not empty, ascending.
  std::vector<Bucket> Buckets() const;

  void Add(std::uint64_t value);
  void Merge(const Spread& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t min() const { return count_ > 0 ? min_ : 0; }
  std::uint64_t max() const { return max_; }
  double mean() const { return mean_; }
  // Squared distances from the mean, summed.
  double squares() const { return squares_; }
  // Of the population; 0 for fewer than two values.
  double standard_deviation() const;
  // The value below which the share `q` (0 to 1) of all values lies; nothing
  // without values.
  std::optional<double> Quantile(double q) const;
  std::optional<double> median() const { return Quantile(0.5); }

 private:
  // 64 buckets for each power of two.
  static constexpr int kBits = 6;
  static constexpr std::size_t kExact = 256;

  static double MiddleOf(std::uint32_t bucket);
  void Count(std::uint32_t bucket, std::uint64_t times);
  void ToBuckets();

  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  std::vector<std::uint64_t> values_{};  // while there are at most kExact
  std::vector<std::uint64_t> buckets_{};
  std::uint32_t first_bucket_ = 0;  // the index of buckets_[0]
};

// An interval of time, or several short ones that lie close together.
struct TimeSpan {
  std::uint64_t start_ns = 0;  // on the profile's clock
  std::uint64_t end_ns = 0;
  std::uint64_t busy_ns = 0;  // sum of the intervals' lengths
  std::uint64_t count = 1;    // intervals
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

// Lists of any number of intervals in bounded memory: if there are too many,
// short intervals of one list that lie close together become one TimeSpan.
// Equal intervals in equal order give equal lists.
class SpanKeeper {
 public:
  static constexpr std::size_t kMost = 100000;

  // Keeps at most `most` spans, and one more per list.
  explicit SpanKeeper(std::size_t most = kMost) : most_(most) {}

  // The spans of a list are added by their start.
  void Add(std::size_t list, const TimeSpan& span);

  std::size_t lists() const { return lists_.size(); }
  std::vector<TimeSpan> Take(std::size_t list);

 private:
  bool Join(std::vector<TimeSpan>& list, const TimeSpan& span) const;
  void Coarsen();

  std::size_t most_;
  std::size_t count_ = 0;
  // Shorter spans that start in the same step are joined; 0: none.
  std::uint64_t step_ns_ = 0;
  std::vector<std::vector<TimeSpan>> lists_{};
};

// One execution of a region.
struct InstanceTimes {
  std::uint64_t ordinal = 0;   // in its thread, from 0, in order of opening
  std::uint64_t start_ns = 0;  // of opening, on the profile's clock
  std::uint64_t cpu_ns = 0;    // from open to close
  bool closed = false;         // false: cpu_ns is not known
  // Its GPU work: the kernels' summed time; the time from the start of the
  // first activity to the end of the last; and the part of that time without
  // activity. All 0 without GPU work.
  std::uint64_t gpu_ns = 0;
  std::uint64_t span_ns = 0;
  std::uint64_t idle_ns = 0;
  WallTime wall{};  // cpu_ns by parts; all 0 until the instance is closed
};

// Calls of one function in a region, inner regions included.
struct CallUse {
  StringId function{};  // "cudaStreamSynchronize"
  WallPart part = WallPart::kOtherCalls;
  std::uint64_t count = 0;
  std::uint64_t ns = 0;  // summed durations
};

// GPU work of another region that ran while instances of a region were open.
struct ForeignWork {
  NvtxStateId launched_in{};
  std::uint64_t thread = 0;
  std::uint64_t ns = 0;
};

// One region in one thread.
struct RangeVisits {
  static constexpr std::size_t kFirst = 64;
  static constexpr std::size_t kSlowest = 3;

  ProcessId process{};
  std::uint64_t thread = 0;  // OS id
  // The path is PathOf() of a measurement with this process, thread and state;
  // its last frame is the region.
  NvtxStateId nvtx{};
  std::uint64_t instances = 0;
  std::uint64_t unclosed = 0;  // instances still open when the trace ended
  Spread cpu_ns{};             // of closed instances, from open to close
  // Over the instances with GPU work; see InstanceTimes.
  Spread gpu_ns{};
  Spread gpu_span_ns{};
  Spread gpu_idle_ns{};
  std::vector<InstanceTimes> first{};        // at most kFirst, by ordinal
  std::vector<InstanceTimes> slowest{};      // by cpu_ns, at most kSlowest
  std::vector<InstanceTimes> slowest_gpu{};  // by gpu_ns, at most kSlowest
  std::vector<TimeSpan> spans{};             // closed instances, by start
  WallTime wall{};  // of the closed instances; their sum is cpu_ns.sum()
  // The time in which GPU work of instances ran after their closing.
  std::uint64_t deferred_ns = 0;
  // The time of closed instances in which pages of unified memory migrated.
  std::uint64_t migrating_ns = 0;
  // The launches of other threads of the process in closed instances.
  std::uint64_t launches_beside = 0;
  std::vector<CallUse> calls{};  // in order of first use
  // The largest, for regions with much foreign work.
  std::vector<ForeignWork> foreign{};
  // Each instance, by ordinal; only if instances are to be selected.
  struct Opening {
    std::uint64_t ns = 0;
    bool launched = false;  // GPU work
  };
  std::vector<Opening> openings{};
};

// Memory that a copy reads or writes, as reported by CUPTI.
enum class MemoryKind : std::uint8_t {
  kUnknown,
  kPageable,
  kPinned,
  kDevice,
  kArray,
  kManaged,
};

// Copies of one kind.
struct CopyUse {
  std::uint8_t kind = 0;  // CUpti_ActivityMemcpyKind
  MemoryKind from{}, to{};
  std::uint64_t count = 0;
  std::uint64_t ns = 0;  // summed durations
  std::uint64_t bytes = 0;
};

// Add to the element of the same kind, or of the same function and part.
void AddCopies(std::vector<CopyUse>& list, const CopyUse& more);
void AddCallUse(std::vector<CallUse>& list, const CallUse& more);

// The GPU work in one stream.
struct StreamUse {
  std::uint64_t context = 0;
  std::uint64_t stream = 0;
  std::uint64_t kernels = 0, copies = 0, sets = 0;
  std::uint64_t kernel_ns = 0, copy_ns = 0, set_ns = 0;  // summed durations
};

// The GPU work of a region on one device, with inner regions.
struct GpuUse {
  std::int32_t device = -1;
  std::uint64_t kernels = 0, copies = 0, sets = 0;
  std::uint64_t kernel_ns = 0, copy_ns = 0, set_ns = 0;  // summed durations
  std::uint64_t copy_bytes = 0, set_bytes = 0;
  std::uint64_t first_ns = 0, last_ns = 0;  // first start, last end
  // The time in which at least one kernel, copy or set ran.
  std::uint64_t busy_ns = 0;
  Spread latency_ns{};  // from the launch call to the start of the kernel
  std::vector<StreamUse> streams{};       // in order of first use
  std::vector<CopyUse> copies_by_kind{};  // in order of first use
};

// The GPU work of one region in one process, of all threads. Unknown if `gpu`
// is empty: work of other threads was placed in the region (regions.threads).
struct RegionUse {
  ProcessId process{};
  // The path is as in RangeVisits; the empty path is the whole process.
  std::uint64_t thread = 0;  // a thread that ran the region
  NvtxStateId nvtx{};
  std::vector<GpuUse> gpu{};  // by device
};

}  // namespace rangefinder
