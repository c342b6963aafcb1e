// The wall time of regions, divided into parts that add up to it exactly.
//
// Every nanosecond between the opening and the closing of an instance belongs
// to the first part of WallPart that applies at that moment. "Its GPU work" is
// every kernel, copy and set whose launch call lies in the instance or in an
// instance inside it. Between an instance and its inner instances the parts
// from kPageMigration on are conserved one by one (exclusive plus inner is
// inclusive), and the parts before it as a sum: a kernel of the outer instance
// that runs during an inner one is kKernels outside and kOtherGpuWork inside.
//
// GPU work takes precedence over calls of the thread, whichever instance
// launched the work. So the parts of the thread are the same for all instances
// that are open at a moment, and sums over an instance are differences of
// running sums: an instance costs the logarithm of the number of intervals,
// plus its own GPU work.
//
// Definition and conservation laws: docs/causes.md.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace rangefinder {

enum class WallPart : std::uint8_t {
  kKernels,       // a kernel of its GPU work runs
  kRankWait,      // only a collective of it runs, and waits for its last rank
  kCopies,        // a copy or set of its GPU work runs, and no kernel of it
  kOtherGpuWork,  // other GPU work of the process runs
  kPageMigration,
  kProfiler,  // this profiler holds the thread up, to prepare its counters
  kLoading,   // the thread loads modules or compiles
  kAllocating,
  kSynchronising,  // the thread waits for the idle GPU
  kLaunching,
  kOtherCalls,
  kHost,     // none of these
  kUnknown,  // calls were not recorded: kProfiler to kHost cannot be told apart
  // Known parts of kHost, which are no parts of the sum.
  kHostWaiting,  // the thread is off-CPU
  kHostRunning,  // it runs
};
inline constexpr std::size_t kWallParts = 13;  // that add up
inline constexpr std::size_t kWallTimes = 15;  // with the parts of kHost

// The name of a part in documents: "kernels", "rank_wait".
std::string_view NameOf(WallPart part);

// By part, in ns.
struct WallTime {
  std::array<std::uint64_t, kWallTimes> ns{};

  std::uint64_t& operator[](WallPart part) {
    return ns[static_cast<std::size_t>(part)];
  }
  std::uint64_t operator[](WallPart part) const {
    return ns[static_cast<std::size_t>(part)];
  }
  std::uint64_t total() const;  // of the parts that add up
  WallTime& operator+=(const WallTime& more);
  // Parts of `less` must not be larger.
  WallTime& operator-=(const WallTime& less);
  friend bool operator==(const WallTime&, const WallTime&) = default;
};

// Intervals in ns on one clock, from start to before end; an interval that does
// not end after its start is empty.
struct WallInterval {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};
struct WallCall {
  WallPart part = WallPart::kOtherCalls;  // kProfiler to kOtherCalls
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

// A reading of the CPU time of a thread: it has run for `cpu_ns` so far.
struct CpuReading {
  std::uint64_t at_ns = 0;
  std::uint64_t cpu_ns = 0;
};

// Disjoint intervals, with the time that they cover.
class CoveredTime {
 public:
  CoveredTime() = default;
  explicit CoveredTime(std::vector<WallInterval> intervals);  // in any order

  // The covered time before `ns`.
  std::uint64_t Until(std::uint64_t ns) const;

 private:
  std::vector<WallInterval> parts_{};    // by start
  std::vector<std::uint64_t> before_{};  // covered before each part
};

// The time in which GPU work of one instance ran between its opening and its
// closing, and after it.
class OwnGpuWork {
 public:
  OwnGpuWork() = default;
  OwnGpuWork(std::uint64_t open_ns, std::uint64_t close_ns)
      : open_ns_(open_ns), close_ns_(close_ns), deferred_until_ns_(close_ns) {}

  // Adds work, in order of start. `part` is kKernels, kRankWait or kCopies.
  void Add(WallPart part, std::uint64_t start_ns, std::uint64_t end_ns);

  // Moves the time of this work from kOtherGpuWork to its own parts.
  void MoveTo(WallTime& time) const;

  std::uint64_t open_ns() const { return open_ns_; }
  std::uint64_t close_ns() const { return close_ns_; }
  // The time in which some of the work ran after the closing.
  std::uint64_t deferred_ns() const { return deferred_ns_; }

 private:
  std::uint64_t open_ns_ = 0;
  std::uint64_t close_ns_ = 0;
  std::uint64_t deferred_until_ns_ = 0;
  std::uint64_t deferred_ns_ = 0;
  // By part, for the union of this part and the parts before it: the end so
  // far, and the covered time.
  std::array<std::uint64_t, 3> until_ns_{};
  std::array<std::uint64_t, 3> covered_ns_{};
};

// The activities of a process, for the wall times of its instances.
//
// Memory is linear in the GPU work and the calls.
class ProcessWallTimes {
 public:
  ProcessWallTimes() = default;
  // `gpu_work`: all kernels, copies and sets. `calls`: by thread, in any order;
  // nothing if calls were not recorded. `cpu_times`: by thread, in any order.
  ProcessWallTimes(
      std::vector<WallInterval> gpu_work,
      const std::vector<WallInterval>& migrations,
      std::optional<std::map<std::uint64_t, std::vector<WallCall>>> calls,
      std::map<std::uint64_t, std::vector<CpuReading>> cpu_times = {});

  // The parts of the time from `open_ns` to `close_ns` for `thread`, all GPU
  // work as kOtherGpuWork.
  WallTime Between(std::uint64_t thread, std::uint64_t open_ns,
                   std::uint64_t close_ns) const;
  // The same if another thread closes the range: the thread's own parts are
  // kUnknown.
  WallTime BetweenThreads(std::uint64_t open_ns, std::uint64_t close_ns) const;
  // The time of page migrations, with or without kernels.
  std::uint64_t MigratingNs(std::uint64_t open_ns,
                            std::uint64_t close_ns) const;

 private:
  // A time in which no call has an earlier part than `part`.
  struct Segment {
    WallPart part{};
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    WallTime before{};  // of the thread's calls, without GPU work
  };
  using ThreadCalls = std::vector<Segment>;  // disjoint, by start
  // The least time of kHost in which a thread waits and runs.
  struct ThreadCpu {
    CoveredTime waiting{}, running{};
  };

  ThreadCalls SegmentsOf(std::vector<WallCall> calls) const;
  ThreadCpu CpuOf(std::uint64_t thread, std::vector<CpuReading> readings) const;
  WallTime CallsUntil(const ThreadCalls& calls, std::uint64_t ns) const;
  WallTime GpuBetween(std::uint64_t open_ns, std::uint64_t close_ns) const;
  // The time from start to end without GPU work and migrations.
  std::uint64_t Free(std::uint64_t start_ns, std::uint64_t end_ns) const;

  bool calls_known_ = false;
  CoveredTime busy_;
  CoveredTime migrating_;
  CoveredTime busy_or_migrating_;
  std::map<std::uint64_t, ThreadCalls> threads_{};  // with calls
  std::map<std::uint64_t, ThreadCpu> cpu_{};        // with readings
};

}  // namespace rangefinder
