// Rooflines: the work per byte, its rate, and the rate that the device's own
// peaks allow. Work is the arithmetic of a precision or, without counted FLOP,
// instructions of warps, as in Ding and Williams, "An Instruction Roofline
// Model for GPUs", 2019.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rollup/rollup.h"

namespace rangefinder {

// One kind of work of one region or kernel.
struct RooflineRow {
  std::string precision{};  // "fp64" "fp32" "fp16" "tensor" "instructions"
  std::string unit{};       // of the work: "flop", or "inst" of warps
  How how = How::kExact;    // the worst of its inputs
  double work = 0;
  double dram_bytes = 0;
  double intensity = 0;  // work per byte
  double achieved = 0;   // work a second
  // Peaks at the measured clocks; absent if these are unknown. For
  // instructions, the peaks at the device's highest clocks, unless measured.
  std::optional<double> peak{};            // work a second
  std::optional<double> peak_bandwidth{};  // byte/s
  std::optional<double> limit{};           // by the roofline
  std::optional<double> percent{};         // of the limit
  bool memory_side = false;  // left of the ridge: the memory is the limit
};

class Roofline {
 public:
  // Finds the columns once, for the amounts of many regions and kernels.
  explicit Roofline(const Rollup& rollup);

  // A row for every precision with work, else a row for instructions; none if
  // the inputs were not collected.
  std::vector<RooflineRow> RowsOf(const Amounts& amounts) const;

 private:
  struct Work {
    std::string name{};
    std::string unit{};
    // Columns; nothing: there is none.
    std::optional<std::size_t> work{};
    std::optional<std::size_t> peak{};
    std::optional<std::size_t> peak_bandwidth{};
    std::optional<std::size_t> other_bandwidth{};  // without peak_bandwidth
  };

  std::optional<RooflineRow> RowOf(const Amounts& amounts,
                                   const Work& work) const;

  std::vector<Work> precisions_;
  Work instructions_;
  std::optional<std::size_t> bytes_;
  std::optional<std::size_t> seconds_;
};

}  // namespace rangefinder
