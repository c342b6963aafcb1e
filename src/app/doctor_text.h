// The checks of `doctor` for hardware counters without ncu, and all checks as
// text.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "capture/doctor.h"
#include "counters/probe.h"

namespace rangefinder {

// Tries a mode on the first device; ProbeCounters() but in tests.
using CounterTrial = std::function<Result<ProbeAnswer>(CounterMode mode)>;

// Three checks: "CUPTI counters" looks at the installed CUPTI; "sampling" and
// "counting" try the mode on the GPU. None is required: ncu and tracing work
// without them.
std::vector<Check> CounterChecks(bool has_gpu, const CounterTrial& trial);

// The table, `width` cells wide, for people.
std::string DoctorTable(std::span<const Check> checks, std::size_t width);

std::string DoctorJson(std::span<const Check> checks);

}  // namespace rangefinder
