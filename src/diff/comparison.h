// The changes between two sides, region by region: the input of every document
// of a diff and of the gate. docs/diff.md has the rules and their simulations.

#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/pairing.h"
#include "diff/run_facts.h"
#include "diff/statistics.h"

namespace rangefinder {

enum class DiffVerdict : std::uint8_t {
  kSame,
  kFaster,
  kSlower,
  kAmbiguous,  // it may have changed: more runs would decide
  kNew,
  kGone,
  kRenamed,       // and otherwise the same
  kIncomparable,  // the runs cannot be compared, or no time is known
};

// The words for a verdict: its name, and its word in a summary.
struct VerdictWords {
  DiffVerdict verdict{};
  std::string_view name{};
  std::string_view counted{};
};
// In the order of a summary.
inline constexpr VerdictWords kVerdicts[] = {
    {DiffVerdict::kSlower, "SLOWER", "slower"},
    {DiffVerdict::kFaster, "FASTER", "faster"},
    {DiffVerdict::kAmbiguous, "AMBIGUOUS", "ambiguous"},
    {DiffVerdict::kNew, "NEW", "new"},
    {DiffVerdict::kGone, "GONE", "gone"},
    {DiffVerdict::kRenamed, "RENAMED", "renamed"},
    {DiffVerdict::kIncomparable, "INCOMPARABLE", "incomparable"},
    {DiffVerdict::kSame, "SAME", "the same"}};
std::string_view DiffVerdictName(DiffVerdict verdict);
// Whether a region with the verdict changed, or may have changed.
bool IsChange(DiffVerdict verdict);

// A change counts if it exceeds both.
struct Threshold {
  double relative = 0.02;
  double absolute_ns = 20000;  // per run
};

// The noise of one region, from runs of the same program.
struct Noise {
  double deviation = 0;  // standard deviation of the logarithm of a run's time
  std::size_t runs = 0;
};
using Calibration = std::map<std::string, Noise>;  // by path; "": the whole

struct DiffRules {
  Threshold threshold{};
  // By the path of a region; takes precedence over `threshold`.
  std::map<std::string, Threshold> regions{};
  double alpha = 0.01;  // probability of any false SLOWER or FASTER in a report
  std::size_t least_runs = 5;  // per side, for a verdict that gates
  double counter = 0.01;  // smaller relative changes of a counter do not count
  Calibration calibration{};
  PairingRules pairing{};
};

// The change of a region's GPU time: per instance if the sides ran the region a
// different number of times; else per run.
struct TimeChange {
  std::vector<double> base_ns{}, other_ns{};  // by run
  double base = 0, other = 0;                 // medians
  bool per_instance = false;
  std::optional<double> ratio{};       // other / base
  std::optional<Interval> interval{};  // 95 %; from two runs a side on
  std::optional<double> chance{};      // PermutationP
  // Ratio of cycles, if both sides counted them.
  std::optional<double> cycles{};
  // Ratio of the time per cycle: from the region's cycles, else from those of
  // an outer region.
  std::optional<double> cycle{};
  std::size_t runs_needed = 0;  // per side, for a verdict; 0: unknown
};

enum class FactKind : std::uint8_t {
  kInstances,
  kLaunches,
  kKernelNew,
  kKernelGone,
  kKernelReplaced,
  kKernelMoved,
  kShape,
  kBytes,
};

// A certain change: noise cannot explain it.
struct Fact {
  FactKind kind{};
  std::string text{};    // "1 more launch per instance: gemm"
  std::string kernel{};  // or empty
  double base = 0, other = 0;
};

struct CounterChange {
  std::string metric{};
  std::string unit{};
  double base = 0, other = 0;  // medians over the runs
  std::optional<double> base_error{}, other_error{};
  double base_reach = 0, other_reach = 0;  // half of an interval of 95 %
  double ratio = 1;
  bool changed = false;  // beyond its error, and beyond DiffRules::counter
};

struct RegionChange {
  std::string path{};       // on the new side; if GONE, on the base side
  std::string base_path{};  // if it differs
  // Whether rules may name the region by `base_path`: no other region of the
  // comparison has it as its path.
  bool has_base_path_alone = false;
  std::string frame{};
  std::size_t parent = 0;  // into Comparison::regions
  std::size_t depth = 0;
  bool in_base = false, in_other = false;
  bool has_no_launches = false;  // it is known that no run launched anything
  PairedBy by = PairedBy::kName;
  DiffVerdict verdict = DiffVerdict::kSame;
  std::string why{};  // reason of the verdict, if it needs one
  TimeChange time{};
  // Means over the runs: their changes add up over inner regions and the
  // region's own time. 0 if no time is known.
  double base_mean_ns = 0, other_mean_ns = 0;
  double own_base_ns = 0, own_other_ns = 0;
  // Wall time of its instances, medians over the runs; 0: unknown. Not part of
  // the verdict.
  double base_wall_ns = 0, other_wall_ns = 0;
  // Change of each part of the wall time, new minus base; 0: unknown.
  std::array<double, kWallParts> wall_change_ns{};
  std::vector<Fact> facts{};
  std::vector<KernelPair> kernels{};
  std::vector<CounterChange> counters{};

  bool IsCalled(std::string_view name) const {
    return name == path || (has_base_path_alone && name == base_path);
  }
  // False: a side has the region, and not each of its runs knows the GPU time.
  bool knows_change() const {
    return (!in_base || !time.base_ns.empty()) &&
           (!in_other || !time.other_ns.empty());
  }
  // 0 if unknown.
  double change_ns() const {
    return knows_change() ? other_mean_ns - base_mean_ns : 0;
  }
  double own_change_ns() const {
    return knows_change() ? own_other_ns - own_base_ns : 0;
  }
};

// The entry for a region in a map by path: under its path, else under its path
// in the base. Null: none.
template <typename Value>
const Value* EntryFor(const RegionChange& region,
                      const std::map<std::string, Value>& by_path) {
  auto found = by_path.find(region.path);
  if (found == by_path.end() && region.has_base_path_alone)
    found = by_path.find(region.base_path);
  return found == by_path.end() ? nullptr : &found->second;
}

// A contribution to the whole change: the contributions add up to it.
struct Contribution {
  std::size_t region = 0;           // into Comparison::regions
  std::string kernel{};             // empty: time that belongs to no kernel
  double change_ns = 0;             // mean of a run
  std::vector<std::string> with{};  // accompanying changes
};

// A difference in how the runs were made, or what a run lacks.
struct Caveat {
  bool fatal = false;  // the runs are not comparable
  std::string text{};
};

struct Comparison {
  std::vector<std::string> base_sources{}, other_sources{};
  std::vector<RunSetting> base_settings{}, other_settings{};
  std::vector<Caveat> caveats{};
  std::vector<RegionChange> regions{};        // [0]: the whole; see RegionPair
  std::vector<Contribution> contributions{};  // most time first
  std::size_t tested = 0;                     // regions whose times were tested
  DiffRules rules{};

  bool comparable() const;
  std::size_t base_runs() const { return base_sources.size(); }
  std::size_t other_runs() const { return other_sources.size(); }
  std::size_t Count(DiffVerdict verdict) const;
};

// "2 slower, 1 faster, 3 ambiguous, 40 the same".
std::string VerdictSummary(const Comparison& comparison);

}  // namespace rangefinder
