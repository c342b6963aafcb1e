// Which rank of a parallel program this process is, as its launcher says.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "capture/options.h"

namespace rangefinder {

// The value of an environment variable, or nullptr: std::getenv, or a test's.
using Getenv = std::function<const char*(const char*)>;

// From RANK (torchrun), OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID, in that
// order. None when this process runs alone, also under a launcher.
std::optional<Rank> DetectRank(const Getenv& getenv);

}  // namespace rangefinder
