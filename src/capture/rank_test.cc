#include "capture/rank.h"

#include <map>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

std::optional<Rank> Detect(const std::map<std::string, std::string>& set) {
  return DetectRank([&](const char* name) -> const char* {
    const auto at = set.find(name);
    return at == set.end() ? nullptr : at->second.c_str();
  });
}

TEST(Rank, IsWhatTheLauncherSays) {
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

TEST(Rank, AProcessAloneHasNone) {
  EXPECT_FALSE(Detect({}).has_value());
  EXPECT_FALSE(Detect({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).has_value());
  // A batch script that runs no step.
  EXPECT_FALSE(
      Detect({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).has_value());
  EXPECT_FALSE(Detect({{"RANK", "first"}, {"WORLD_SIZE", "2"}}).has_value());
}

}  // namespace
}  // namespace rangefinder
