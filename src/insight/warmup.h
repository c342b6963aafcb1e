// Warm-up: the first instances of a region, where they differ from the others
// because modules are loaded, kernels tuned, caches filled. Every total
// includes them; figures of the steady state do not.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder {

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

// Sums over the warm-up of a region, and means over its other instances.
struct Warmup {
  std::uint64_t instances = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t gpu_ns = 0;  // of their kernels
  WallTime wall{};           // cpu_ns by parts
  std::uint64_t steady = 0;  // instances after them
  // Of those that were closed, and of those that launched something.
  std::optional<double> steady_cpu_ns{};
  std::optional<double> steady_gpu_ns{};
};

// Of a region in a scope, as far as traces know its instances; nothing without
// warm-up, or where no instance would be left.
std::optional<Warmup> WarmupOf(const Profile& profile, const Region& region,
                               const Scope& scope, const WarmupRule& rule);

// Notes how many regions have a warm-up.
void NoteWarmup(const Profile& profile, const RegionTree& tree,
                const WarmupRule& rule, Notes& notes);

}  // namespace rangefinder
