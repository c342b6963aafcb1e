// The rank of this process in a parallel program, from its launcher, and the
// environment for starting the rank's program several times: a launcher expects
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

// Returns the value of an environment variable, or nullptr.
using Getenv = std::function<const char*(const char*)>;

// From RANK (torchrun), OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID, in this
// order. Nothing if this process runs alone, also under a launcher.
std::optional<Rank> DetectRank(const Getenv& getenv);

// Why there is only one run if Launcher::starts_once, and the alternative: the
// end of a sentence.
inline constexpr const char* kMpiOnce =
    "an MPI launcher lets each of its processes start MPI only once; let "
    "rangefinder start the launcher instead, as often as it needs: "
    "rangefinder profile ... -- mpirun -n 2 ./program";

// From the variables of Open MPI, PMI and PMIx (not for workers of torchrun),
// and from MASTER_PORT.
Launcher DetectLauncher(const Getenv& getenv);

// kUsage if the program cannot be started `runs` times.
Status CheckStarts(const Launcher& launcher, std::size_t runs);

// The variables to change for start number `run` (from 0) of the program.
//
// The workers of torchrun share a store that lives as long as torchrun. It
// keeps the keys of earlier starts, and a rank that reads such a key connects
// to a socket that no longer exists. So every start after the first, and each
// start that repeats the program (`repeats`: application replay), uses a store
// of its own. Its rank 0 holds it at a port that all ranks compute alike.
// Without torchrun, rank 0 holds the store anyway, and the port separates a
// rank from ranks of the start before.
std::map<std::string, std::optional<std::string>> MeetingPlace(
    const Launcher& launcher, int run, bool repeats);

}  // namespace rangefinder
