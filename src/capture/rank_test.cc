#include "capture/rank.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

std::optional<Rank> Detect(const std::map<std::string, std::string>& set) {
  return DetectRank([&](const char* name) -> const char* {
    const auto at = set.find(name);
    return at == set.end() ? nullptr : at->second.c_str();
  });
}

TEST(Rank, ComesFromTheLaunchersVariables) {
  const auto torchrun =
      Detect({{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}});
  ASSERT_TRUE(torchrun.has_value());
  EXPECT_EQ(torchrun->rank, 3);
  EXPECT_EQ(torchrun->world, 8);
  EXPECT_EQ(torchrun->local, 1);
  EXPECT_EQ(torchrun->launcher, "torchrun");

  EXPECT_EQ(
      Detect({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}})
          ->launcher,
      "mpirun");
  EXPECT_EQ(Detect({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}})->rank, 1);
  EXPECT_EQ(
      Detect({{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "6"}})->rank, 5);
}

TEST(Rank, TheInnermostLauncherCounts) {
  EXPECT_EQ(Detect({{"SLURM_PROCID", "0"},
                    {"SLURM_STEP_NUM_TASKS", "2"},
                    {"RANK", "9"},
                    {"WORLD_SIZE", "16"}})
                ->rank,
            9);
}

TEST(Rank, ASingleProcessHasNone) {
  EXPECT_FALSE(Detect({}).has_value());
  EXPECT_FALSE(Detect({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).has_value());
  // A batch script that runs no step.
  EXPECT_FALSE(
      Detect({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).has_value());
  EXPECT_FALSE(Detect({{"RANK", "first"}, {"WORLD_SIZE", "2"}}).has_value());
}

Launcher Launch(const std::map<std::string, std::string>& set) {
  return DetectLauncher([&](const char* name) -> const char* {
    const auto at = set.find(name);
    return at == set.end() ? nullptr : at->second.c_str();
  });
}

TEST(Launcher, OfMpiStartsOnce) {
  EXPECT_TRUE(Launch({{"OMPI_COMM_WORLD_RANK", "0"}}).starts_once);
  EXPECT_TRUE(Launch({{"PMI_RANK", "0"}, {"RANK", "0"}}).starts_once);
  EXPECT_TRUE(Launch({{"SLURM_PROCID", "0"},
                      {"SLURM_STEP_NUM_TASKS", "2"},
                      {"PMIX_RANK", "0"}})
                  .starts_once);
  // srun --pty bash
  EXPECT_FALSE(Launch({{"SLURM_PROCID", "0"},
                       {"SLURM_STEP_NUM_TASKS", "1"},
                       {"PMIX_RANK", "0"}})
                   .starts_once);
  // srun without MPI, torchrun inside mpirun.
  EXPECT_FALSE(Launch({{"SLURM_PROCID", "0"}}).starts_once);
  EXPECT_FALSE(
      Launch({{"OMPI_COMM_WORLD_RANK", "0"}, {"TORCHELASTIC_RUN_ID", "none"}})
          .starts_once);
  EXPECT_TRUE(CheckStarts({.starts_once = false}, 3).ok());
  EXPECT_TRUE(CheckStarts({.starts_once = true}, 1).ok());
  const Status refused = CheckStarts({.starts_once = true}, 3);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kUsage);
}

TEST(Launcher, EveryStartAfterTheFirstHasItsOwnPort) {
  const Launcher launcher = Launch({{"MASTER_PORT", "29500"}});
  EXPECT_TRUE(MeetingPlace(launcher, 0, false).empty());
  const auto second = MeetingPlace(launcher, 1, false);
  EXPECT_EQ(second.at("TORCHELASTIC_USE_AGENT_STORE"), "False");
  std::set<std::string> ports = {"29500"};
  for (int run = 1; run < 20; ++run)
    ports.insert(MeetingPlace(launcher, run, false).at("MASTER_PORT").value());
  ports.insert(MeetingPlace(launcher, 0, true).at("MASTER_PORT").value());
  EXPECT_EQ(ports.size(), 21u);
  // After the last port, the ports begin again above those of the system.
  const auto wrapped =
      MeetingPlace(Launch({{"MASTER_PORT", "65535"}}), 1, false);
  EXPECT_EQ(wrapped.at("MASTER_PORT"), "1225");
  EXPECT_TRUE(MeetingPlace(Launch({}), 5, true).empty());
  EXPECT_TRUE(MeetingPlace(Launch({{"MASTER_PORT", "0"}}), 5, true).empty());
}

}  // namespace
}  // namespace rangefinder
