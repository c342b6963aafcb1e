// One run of a program, reduced to comparable facts: times, counts and counters
// of its regions, and the kernels in each.
//
// The facts come from the run's report, so from here on a run directory, a
// .ncu-rep, a trace and an nsys export are the same. The processes and devices
// of a run are added up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/wall_time.h"
#include "report/report.h"

namespace rangefinder {

// How a kernel was launched.
struct LaunchShape {
  Dim3 grid{};
  Dim3 block{};
  std::uint64_t shared = 0;     // dynamic, bytes a block
  std::uint64_t registers = 0;  // per thread; 0: unknown
  friend auto operator<=>(const LaunchShape&, const LaunchShape&) = default;
};

// The launches of a kernel in one region, without inner regions.
struct KernelFacts {
  std::uint64_t launches = 0;
  double time_ns = 0;
  bool is_timed = true;  // false: `time_ns` lacks launches without a duration
  std::map<LaunchShape, std::uint64_t> shapes{};  // launches of each
};

// The value of a metric over a region and its inner regions.
struct CounterFacts {
  double value = 0;               // base units
  std::optional<double> error{};  // one standard error, if estimated
  double reach = 0;    // of an estimate: half of its interval of 95 %
  bool exact = false;  // measured, or combined without loss
};

struct RegionFacts {
  // RegionName(), printable: a region without a name is `""`. Empty: the root.
  std::string frame{};
  std::size_t parent = 0;
  // GPU time with and without inner regions; of all launches, or absent.
  std::optional<double> time_ns{}, own_ns{};
  std::optional<double> cpu_ns{};  // of the closed instances, open to close
  std::optional<WallTime> wall{};  // of all instances, by part
  std::optional<std::uint64_t> instances{};
  std::optional<std::uint64_t> launches{}, own_launches{};
  std::optional<std::uint64_t> copy_bytes{};
  std::map<std::string, KernelFacts> kernels{};    // by demangled name
  std::map<std::string, CounterFacts> counters{};  // by metric
};

// Settings that must be equal for two runs to be comparable.
struct RunSetting {
  std::string name{};  // "device" "driver" "mode" "clock control" ...
  std::string value{};
};

struct RunFacts {
  std::string source{};  // as the user named it
  std::vector<RunSetting> settings{};
  std::vector<std::string> losses{};           // the notes on what is missing
  std::map<std::string, std::string> units{};  // of the metrics
  // [0] is the whole run; each region before its inner ones.
  std::vector<RegionFacts> regions{};
};

// A selection by patterns, in words: "all but b*", "a*, c"; empty: everything
// is selected.
std::string Selected(const std::vector<std::string>& include,
                     const std::vector<std::string>& exclude);

// Whether a metric is about the program, and not about the profiler
// (`profiler__…`) or the device (`device__attribute_…`).
bool IsOfTheProgram(std::string_view metric);

// Takes this profiler's own time off the wall time.
void LeaveOutProfiler(RegionFacts& facts);

// Adds a note to the losses of a run if it says that something is missing: data
// loss, or a selection that selects nothing.
void TakeNote(std::string_view severity, std::string_view kind,
              std::string_view text, RunFacts& run);

RunFacts FactsOfRun(const Report& report, std::string source);

// ---- Runs of a side --------------------------------------------------------

// The runs of one side together: every region that any run has, with the facts
// of each run.

// The value, if all of `runs` runs have one and all values are equal.
std::optional<double> SameInAll(std::span<const double> values,
                                std::size_t runs);

struct SideRegion {
  std::string frame{};  // a second one that is printed alike is "name (2)"
  std::size_t parent = 0;
  std::vector<std::size_t> children{};     // in order of first appearance
  std::vector<const RegionFacts*> runs{};  // by run; null: it lacks the region
};

class Side {
 public:
  // `runs` must outlive it; at least one.
  explicit Side(std::span<const RunFacts> runs);

  std::span<const RunFacts> runs() const { return runs_; }
  // [0] is the whole run; each region before its inner ones.
  std::span<const SideRegion> regions() const { return regions_; }
  const SideRegion& operator[](std::size_t region) const {
    return regions_[region];
  }
  // "LLM/decode"; "" for the whole run.
  std::string PathOf(std::size_t region) const;
  // The kernels of a region in any run, with the mean launches and time per
  // run; runs without the kernel count as 0.
  struct Kernel {
    double launches = 0;
    double time_ns = 0;
    bool is_timed = true;                           // as in KernelFacts
    std::map<LaunchShape, std::uint64_t> shapes{};  // of the first run with it
    std::vector<double> counts{};                   // launches, by run
  };
  std::map<std::string, Kernel> KernelsOf(std::size_t region) const;

  // The values of the runs that have one. `member`: a member, or a function of
  // a RegionFacts; it gives an optional number.
  template <typename Member>
  std::vector<double> Take(std::size_t region, Member member) const {
    std::vector<double> values;
    for (const RegionFacts* facts : regions_[region].runs) {
      if (facts == nullptr) continue;
      if (const auto value = std::invoke(member, *facts))
        values.push_back(static_cast<double>(*value));
    }
    return values;
  }

 private:
  std::span<const RunFacts> runs_;
  std::vector<SideRegion> regions_{};
};

// ---- From a report.json ----
// For users who kept only report.json. The document lacks some facts: grid,
// block and registers of kernels, and counters that are packed in its columns.

// The facts of the aggregate scope, or of the only one. kCorrupt: the text is
// no JSON, or a field does not follow docs/report.schema.json. kUnsupported: a
// document of a region alone, or of several scopes without an aggregate.
// `forget` gets the parts of `text` that will not be read again.
Result<RunFacts> FactsOfDocument(
    std::string_view text, std::string source,
    std::function<void(std::string_view)> forget = {});

}  // namespace rangefinder
