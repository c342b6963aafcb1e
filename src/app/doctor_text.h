// The checks of `doctor` for hardware counters without ncu and for frameworks,
// and all checks as text.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "capture/doctor.h"
#include "counters/probe.h"
#include "document/document.h"
#include "region/frameworks.h"

namespace rangefinder {

// Tries a mode on the first device; ProbeCounters() outside tests.
using CounterTrial = std::function<Result<ProbeAnswer>(CounterMode mode)>;

// Three checks: "CUPTI" looks at the installed CUPTI; "sampling" and
// "counting" try the mode on the GPU. None is required: ncu and tracing work
// without them.
std::vector<Check> CounterChecks(bool has_gpu, const CounterTrial& trial);

// One check for each framework that `python3` has: whether the variables and
// packages that its ranges need exist. None is required.
std::vector<Check> FrameworkChecks(ProcessRunner& runner, const Getenv& getenv,
                                   std::span<const Framework> frameworks);

Document DoctorDocument(std::span<const Check> checks);

std::string DoctorJson(std::span<const Check> checks);

}  // namespace rangefinder
