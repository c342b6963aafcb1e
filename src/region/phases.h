// The phases of regions, where the framework is known that named them
// (region/frameworks.h): prefill, decode, sampling, ...
//
// A region is of the phase of the nearest range around its work that has one.
// Weak phases (NameFacts::weak_phase) count only where there is no other; among
// them the innermost.

#pragma once

#include <vector>

#include "region/name_facts.h"
#include "region/tree.h"

namespace rangefinder {

// By RegionId; empty names where none is known.
std::vector<StringId> PhasesOfRegions(const KnownNames& names,
                                      const RegionTree& tree);

}  // namespace rangefinder
