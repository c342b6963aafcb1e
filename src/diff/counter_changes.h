// How the counters of a region changed.

#pragma once

#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// Of the metrics that both sides have, medians over their runs. An estimate
// changed where the difference is more than 1.96 standard errors of both; an
// exact value where it is more than `tolerance` of the base's.
std::vector<CounterChange> CounterChanges(const Side& base, std::size_t old,
                                          const Side& other, std::size_t fresh,
                                          double tolerance);

}  // namespace rangefinder
