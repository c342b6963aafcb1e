// Warm-up: the first instances of a region, if they take longer than the others
// because modules are loaded, kernels tuned, caches filled. Every total
// includes them; figures of the steady state do not.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder {

// The part of `places`, indices into `rows` of traces, that is in the scope.
template <typename Row>
std::span<const std::uint32_t> RowsIn(const Scope& scope,
                                      const std::vector<std::uint32_t>& places,
                                      const std::vector<Row>& rows) {
  if (scope.aggregate) return places;
  return OfProcess(places, rows, scope.process);
}

// regions.warmup.
struct WarmupRule {
  enum class Kind : std::uint8_t {
    kOff,
    kAuto,   // the first instances whose time above the usual is largest
    kCount,  // the first `count` in each process
  };
  Kind kind = Kind::kAuto;
  std::uint64_t count = 0;
};

// "auto", "off" or a number of instances, 64 at most; else kUsage.
Result<WarmupRule> ParseWarmup(std::string_view text);

// Sums over the warm-up instances of a region, and means over its other
// instances.
struct Warmup {
  std::uint64_t instances = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t gpu_ns = 0;  // of the kernels of warm-up instances
  WallTime wall{};           // cpu_ns by parts
  std::uint64_t steady = 0;  // instances after them
  // Means over the closed instances, and over the instances that launched work.
  std::optional<double> steady_cpu_ns{};
  std::optional<double> steady_gpu_ns{};

  // cpu_ns without the time of this profiler.
  std::uint64_t program_ns() const {
    return cpu_ns - wall[WallPart::kProfiler];
  }
};

// The warm-up of a region in a scope, from the instances in traces; nothing
// without warm-up, or if no other instance would be left.
std::optional<Warmup> WarmupOf(const Profile& profile, const Region& region,
                               const Scope& scope, const WarmupRule& rule);

// Whether warm-up may hide among the instances of a region: a report and a
// summary have spreads of all instances, without the first ones, and some
// instances take longer than others.
bool MayHideWarmup(const Profile& profile, const Region& region,
                   const Scope& scope, const WarmupRule& rule);

// Notes how many regions have a warm-up.
void NoteWarmup(const Profile& profile, const RegionTree& tree,
                const WarmupRule& rule, Notes& notes);

}  // namespace rangefinder
