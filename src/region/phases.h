// The phases of regions, if the framework that named them is known
// (region/frameworks.h): prefill, decode, sampling, ...
//
// A region has the phase of the nearest range around its work that has a phase.
// Weak phases (NameFacts::weak_phase) count only if there is no other; the
// innermost weak phase wins.

#pragma once

#include <vector>

#include "region/name_facts.h"
#include "region/tree.h"

namespace rangefinder {

// By RegionId; an empty name if the phase is unknown.
std::vector<StringId> PhasesOfRegions(const KnownNames& names,
                                      const RegionTree& tree);

}  // namespace rangefinder
