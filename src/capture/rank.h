// Which rank of a parallel program this process is, as its launcher says, and
// what it takes to start the rank's program more than once: a launcher expects
// one start, a profiler makes several.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "capture/options.h"

namespace rangefinder {

// The value of an environment variable, or nullptr: std::getenv, or a test's.
using Getenv = std::function<const char*(const char*)>;

// From RANK (torchrun), OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID, in that
// order. None when this process runs alone, also under a launcher.
std::optional<Rank> DetectRank(const Getenv& getenv);

// Why there is but one run where Launcher::starts_once, and what to do then;
// the end of a sentence.
inline constexpr const char* kMpiOnce =
    "an MPI launcher lets each of its processes start MPI only once; let "
    "rangefinder start the launcher, and it can do so as often as it needs: "
    "rangefinder profile ... -- mpirun -n 2 ./program";

// By the variables of Open MPI, PMI and PMIx, but for the workers of torchrun,
// and by MASTER_PORT.
Launcher DetectLauncher(const Getenv& getenv);

// kUsage where the program cannot be started as often as that.
Status CheckStarts(const Launcher& launcher, std::size_t runs);

// The variables to change for the start number `run` (from 0) of the program.
//
// The workers of torchrun meet at a store that lives as long as torchrun does.
// The keys of an earlier start are still in it, and a rank that reads one of
// them connects to a socket that is gone. So every start after the first, and
// each that makes several by itself (`repeats`: application replay), meets at a
// store of its own, held by its rank 0 at a port that every rank works out
// alike. Without torchrun rank 0 holds the store anyway, and the port keeps a
// rank from meeting one that is still in the start before.
std::map<std::string, std::optional<std::string>> MeetingPlace(
    const Launcher& launcher, int run, bool repeats);

}  // namespace rangefinder
