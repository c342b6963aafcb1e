// The first instances of a region, where they are not like the others: modules
// are loaded, kernels tuned, caches filled. They stay in every total; what a
// steady instance takes is said without them.

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
    kAuto,   // those that are outliers
    kCount,  // the first `count` in each process
  };
  Kind kind = Kind::kAuto;
  std::uint64_t count = 0;
};

// "auto", "off" or a number of instances, 64 at most; else kUsage.
Result<WarmupRule> ParseWarmup(std::string_view text);

// A region's instances apart: sums of the first ones, means of all others.
struct Warmup {
  std::uint64_t instances = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t gpu_ns = 0;  // of their kernels
  std::uint64_t steady = 0;  // instances after them
  // Of those that were closed, and of those that launched something.
  std::optional<double> steady_cpu_ns{};
  std::optional<double> steady_gpu_ns{};
};

// Of a region in a scope, as far as traces know its instances; nothing where
// none is set apart, or none would be left.
std::optional<Warmup> WarmupOf(const Profile& profile, const Region& region,
                               const Scope& scope, const WarmupRule& rule);

// Says how many regions have outliers that are shown apart.
void NoteWarmup(const Profile& profile, const RegionTree& tree,
                const WarmupRule& rule, Notes& notes);

}  // namespace rangefinder
