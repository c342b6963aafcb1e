// A list of metrics for people and for scripts.

#pragma once

#include <cstddef>
#include <string>

#include "app/counter_list.h"

namespace rangefinder {

// One line a hardware unit: how many metrics each mode has of it, and as many
// names as fit into `width` cells.
std::string CounterUnitsTable(const CounterList& list, std::size_t width);

// One metric after the other: passes in each mode, "-" where it has none, the
// unit; below it what it says, and the suffixes where the list is short.
std::string CounterTable(const CounterList& list, std::size_t width);

// One JSON document, and a newline. `with_passes`: they were asked for, and a
// metric without them is not offered.
std::string CounterJson(const CounterList& list, bool with_passes);

}  // namespace rangefinder
