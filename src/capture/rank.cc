#include "capture/rank.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace rangefinder {
namespace {

struct Launcher {
  const char* name;
  const char* rank;
  const char* world;
  const char* local;
};

// torchrun comes first: its workers inherit the variables of the srun or mpirun
// that started it. srun counts only with its own variable of the step: a batch
// script has SLURM_PROCID too.
constexpr Launcher kLaunchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
};

std::optional<int> Number(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  int number = 0;
  const auto [end, bad] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (bad != std::errc() || end != digits.data() + digits.size() || number < 0)
    return std::nullopt;
  return number;
}

}  // namespace

std::optional<Rank> DetectRank(const Getenv& getenv) {
  for (const Launcher& launcher : kLaunchers) {
    const std::optional<int> rank = Number(getenv(launcher.rank));
    const std::optional<int> world = Number(getenv(launcher.world));
    if (!rank || !world) continue;
    if (*world <= 1) continue;
    return Rank{.rank = *rank,
                .world = world,
                .local = Number(getenv(launcher.local)),
                .launcher = launcher.name};
  }
  return std::nullopt;
}

}  // namespace rangefinder
