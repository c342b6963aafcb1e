#include "insight/occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// "8 registers 0.125" for a launch on an SM of compute capability 9.0.
std::string Resident(std::uint64_t threads, std::uint32_t registers,
                     std::uint32_t shared, int major = 9) {
  Measurement m;
  m.block = {threads, 1, 1};
  m.registers = registers;
  m.dynamic_shared = shared;
  const auto resident = ResidentBlocksOf(m, major, 0);
  if (!resident) return "unknown";
  return fmt::format("{} {} {}", resident->blocks, resident->limiter,
                     resident->warp_slots_of_one);
}

// The numbers of the CUDA Occupancy Calculator.
TEST(ResidentBlocks, AreLimitedByTheScarcestResource) {
  EXPECT_EQ(Resident(256, 32, 0), "8 blocks of few threads 0.125");
  EXPECT_EQ(Resident(32, 16, 0), "32 blocks of few threads 0.015625");
  EXPECT_EQ(Resident(256, 64, 0), "4 registers 0.125");
  EXPECT_EQ(Resident(256, 33, 0), "6 registers 0.125");  // rounded up to 40
  EXPECT_EQ(Resident(64, 32, 108 << 10), "2 shared memory 0.03125");
  EXPECT_EQ(Resident(1024, 32, 0), "2 blocks of few threads 0.5");
  // A block of 33 threads takes two warps.
  EXPECT_EQ(Resident(33, 32, 0), "32 blocks of few threads 0.03125");
}

TEST(ResidentBlocks, AreUnknownWithoutResourcesOrLimits) {
  EXPECT_EQ(Resident(0, 32, 0), "unknown");
  EXPECT_EQ(Resident(256, 0, 0), "unknown");
  EXPECT_EQ(Resident(256, 32, 0, 99), "unknown");
  EXPECT_EQ(Resident(1024, 255, 0), "unknown");  // does not fit
}

}  // namespace
}  // namespace rangefinder
