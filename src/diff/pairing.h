// Pairs the regions and kernels of two sides.
//
// By name if possible. The others are paired by similarity: a renamed region by
// its kernels and inner regions, below paired parents; a kernel by its name
// without template arguments and compiler suffixes, then as the only kernel
// left on both sides. Every such guess is marked.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "diff/run_facts.h"

namespace rangefinder {

enum class PairedBy : std::uint8_t {
  kName,   // the same on both sides
  kGiven,  // by the user
  kGuess,
};

struct PairingRules {
  bool guess = true;
  // From the base's path to the new path, in the form of Side::PathOf(); for
  // kernels from name to name.
  std::map<std::string, std::string> regions{};
  std::map<std::string, std::string> kernels{};
};

struct RegionPair {
  std::optional<std::size_t> base{}, other{};  // at least one
  PairedBy by = PairedBy::kName;
  std::size_t parent = 0;  // into the pairs
  std::size_t depth = 0;
};

// [0] is the whole run. Each region comes before its inner regions, in the
// order of the new side; regions of the base alone come last. kUsage: a rule
// names no region, or no pair below a pair.
Result<std::vector<RegionPair>> PairRegions(const Side& base, const Side& other,
                                            const PairingRules& rules);

struct KernelPair {
  std::optional<std::string> base{}, other{};  // names, at least one
  PairedBy by = PairedBy::kName;
  Side::Kernel before{}, after{};  // without launches: the side lacks it
};

// The kernels of a pair of regions, sorted by the change of time, largest
// first.
std::vector<KernelPair> PairKernels(
    const std::map<std::string, Side::Kernel>& base,
    const std::map<std::string, Side::Kernel>& other,
    const PairingRules& rules);

// The name without template arguments, parameters and suffixes of compilers:
// `.cold`, `_0d1d2`, a hash of hexadecimal digits.
std::string BareKernelName(const std::string& name);

}  // namespace rangefinder
