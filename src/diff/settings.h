// Whether two sides can be compared at all.

#pragma once

#include <span>
#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// What differs in how the runs were made: between the sides, and within one.
// Fatal: another device model, another replay mode.
std::vector<Caveat> CaveatsOf(std::span<const RunFacts> base,
                              std::span<const RunFacts> other);

}  // namespace rangefinder
