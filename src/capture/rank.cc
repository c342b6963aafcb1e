#include "capture/rank.h"

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

struct RankVariables {
  const char* name;
  const char* rank;
  const char* world;
  const char* local;
};

// torchrun comes first: its workers inherit the variables of the srun or mpirun
// that started it. srun needs its variable of the step: a batch script has
// SLURM_PROCID too.
constexpr RankVariables kLaunchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
};

std::optional<int> Number(const char* text) {
  const auto number = ParseNumber<int>(text == nullptr ? "" : text);
  return number && *number >= 0 ? number : std::nullopt;
}

bool IsSet(const char* text) {
  return text != nullptr && *text != '\0';
}

// Whether an MPI process manager started this process. Its rank can start MPI
// once: MPI_Init of a second process fails or hangs. A shell under srun has the
// variables of PMI too; it is a step of one task.
bool IsMpiRank(const Getenv& getenv) {
  if (IsSet(getenv("OMPI_COMM_WORLD_RANK"))) return true;
  if (!IsSet(getenv("PMI_RANK")) && !IsSet(getenv("PMIX_RANK"))) return false;
  if (!IsSet(getenv("SLURM_PROCID"))) return true;
  return Number(getenv("SLURM_STEP_NUM_TASKS")).value_or(1) > 1;
}

// The distance between the ports of a job's starts, which avoids the ports of
// another torchrun on the host.
constexpr int kPortStep = 101;
constexpr int kFirstPort = 1024;
constexpr int kPorts = 65536 - kFirstPort;

}  // namespace

std::optional<Rank> DetectRank(const Getenv& getenv) {
  for (const RankVariables& launcher : kLaunchers) {
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

Launcher DetectLauncher(const Getenv& getenv) {
  Launcher launcher;
  launcher.starts_once =
      !IsSet(getenv("TORCHELASTIC_RUN_ID")) && IsMpiRank(getenv);
  const std::optional<int> port = Number(getenv("MASTER_PORT"));
  if (port && *port >= kFirstPort && *port < kFirstPort + kPorts)
    launcher.master_port = port;
  return launcher;
}

Status CheckStarts(const Launcher& launcher, std::size_t runs) {
  if (!launcher.starts_once || runs <= 1) return Ok();
  return Error(ErrorCode::kUsage,
               fmt::format("the plan starts the program {} times, but {}", runs,
                           kMpiOnce));
}

std::map<std::string, std::optional<std::string>> MeetingPlace(
    const Launcher& launcher, int run, bool repeats) {
  if (!launcher.master_port || (run == 0 && !repeats)) return {};
  const int port =
      kFirstPort +
      (*launcher.master_port - kFirstPort + kPortStep * (run + 1)) % kPorts;
  return {{"MASTER_PORT", std::to_string(port)},
          {"TORCHELASTIC_USE_AGENT_STORE", "False"}};
}

}  // namespace rangefinder
