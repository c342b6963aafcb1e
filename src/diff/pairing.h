// Which region of the one side is which of the other, and which kernel.
//
// By name wherever that is possible. What is left is paired by what it looks
// like: a renamed region by its kernels and inner regions, under parents that
// belong together; a kernel by its name without template arguments and
// compilers' suffixes, then by being the only one that is left. Every such
// guess is marked.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "diff/side.h"

namespace rangefinder {

enum class PairedBy : std::uint8_t {
  kName,   // the same on both sides
  kGiven,  // by the user
  kGuess,
};

struct PairingRules {
  bool guess = true;
  // Old path to new one, as Side::PathOf() has them; of kernels their names.
  std::map<std::string, std::string> regions{};
  std::map<std::string, std::string> kernels{};
};

struct RegionPair {
  std::optional<std::size_t> base{}, other{};  // at least one
  PairedBy by = PairedBy::kName;
  std::size_t parent = 0;  // into the pairs
  std::size_t depth = 0;
};

// [0] is the whole. Each before its inner ones: in the new side's order, what
// is gone behind. kUsage for a rule whose region is on neither side.
Result<std::vector<RegionPair>> PairRegions(const Side& base, const Side& other,
                                            const PairingRules& rules);

struct KernelPair {
  std::optional<std::string> base{}, other{};  // names, at least one
  PairedBy by = PairedBy::kName;
  Side::Kernel before{}, after{};  // nothing launched where there is none
};

// Of the kernels of one pair of regions, those that changed most time first.
std::vector<KernelPair> PairKernels(
    const std::map<std::string, Side::Kernel>& base,
    const std::map<std::string, Side::Kernel>& other,
    const PairingRules& rules);

// Without template arguments, parameters, and what compilers append: `.cold`,
// `_0d1d2`, a hash of hexadecimal digits.
std::string BareKernelName(const std::string& name);

}  // namespace rangefinder
