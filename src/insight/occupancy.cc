#include "insight/occupancy.h"

#include <algorithm>
#include <array>

namespace rangefinder {
namespace {

// From the CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability".
struct ChipLimits {
  int major, minor;
  std::uint64_t threads, blocks, shared_bytes;
};
constexpr std::uint64_t kRegistersOfSm = 65536;
constexpr std::array<ChipLimits, 10> kChips = {{{7, 0, 2048, 32, 96 << 10},
                                                {7, 5, 1024, 16, 64 << 10},
                                                {8, 0, 2048, 32, 164 << 10},
                                                {8, 6, 1536, 16, 100 << 10},
                                                {8, 7, 1536, 16, 164 << 10},
                                                {8, 9, 1536, 24, 100 << 10},
                                                {9, 0, 2048, 32, 228 << 10},
                                                {10, 0, 2048, 32, 228 << 10},
                                                {10, 3, 2048, 32, 228 << 10},
                                                {12, 0, 1536, 24, 100 << 10}}};

const ChipLimits* LimitsOf(int major, int minor) {
  const auto chip = std::ranges::find_if(kChips, [&](const ChipLimits& one) {
    return one.major == major && one.minor == minor;
  });
  return chip == kChips.end() ? nullptr : &*chip;
}

std::uint64_t RoundedUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::optional<ResidentBlocks> ResidentBlocksOf(const Measurement& m, int major,
                                               int minor) {
  const ChipLimits* chip = LimitsOf(major, minor);
  const std::uint64_t threads = m.block.x * m.block.y * m.block.z;
  if (chip == nullptr || threads == 0 || m.registers == 0) return std::nullopt;
  const std::uint64_t warps = RoundedUp(threads, 32) / 32;
  // Registers are allocated to a warp in units of 256; a block takes 1 KiB of
  // shared memory for the system since compute capability 8.0.
  const std::uint64_t registers =
      RoundedUp(std::uint64_t{m.registers} * 32, 256) * warps;
  const std::uint64_t shared = std::uint64_t{m.static_shared} +
                               m.dynamic_shared + (major >= 8 ? 1024 : 0);
  ResidentBlocks resident{
      .blocks = std::min(chip->blocks, chip->threads / (warps * 32)),
      .limiter = "blocks of few threads",
      .warp_slots_of_one =
          static_cast<double>(warps * 32) / static_cast<double>(chip->threads)};
  const auto limit = [&](std::uint64_t blocks, std::string_view by) {
    if (blocks >= resident.blocks) return;
    resident.blocks = blocks;
    resident.limiter = by;
  };
  limit(kRegistersOfSm / registers, "registers");
  if (shared > 0) limit(chip->shared_bytes / shared, "shared memory");
  if (resident.blocks == 0) return std::nullopt;
  return resident;
}

}  // namespace rangefinder
