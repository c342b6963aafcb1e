// Where work stands under the roofline: how much of it for each byte, how fast,
// and how fast it could be with this device's own peaks. Work is arithmetic of
// a precision; where no FLOP were counted it is the instructions of warps, as
// in Ding and Williams, "An Instruction Roofline Model for GPUs", 2019.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollup/rollup.h"

namespace rangefinder {

// One kind of work of one region or kernel.
struct RooflineRow {
  std::string precision{};  // "fp64" "fp32" "fp16" "tensor" "instructions"
  std::string unit{};       // of the work: "flop", or "inst" of warps
  How how = How::kExact;    // the worst of what it is made of
  double work = 0;
  double dram_bytes = 0;
  double intensity = 0;  // work for each byte
  double achieved = 0;   // work a second
  // Peaks at the clocks that were measured; absent when they were not. Of
  // instructions those of the device's highest clocks, unless measured.
  std::optional<double> peak{};            // work a second
  std::optional<double> peak_bandwidth{};  // byte/s
  std::optional<double> limit{};           // what the roofline allows
  std::optional<double> percent{};         // of that
  bool memory_side = false;  // left of the ridge: the memory is the limit
};

// The derived metrics (conf/derived) that rows are made of, for
// RollupOptions::metrics.
std::vector<std::string> RooflineMetrics();

class Roofline {
 public:
  // Finds the columns once, for the amounts of many regions and kernels.
  explicit Roofline(const Rollup& rollup);

  // A row for every precision in which something was done, or one of
  // instructions where there is none of those; none when the inputs were not
  // collected.
  std::vector<RooflineRow> RowsOf(const Amounts& amounts) const;

 private:
  struct Work {
    std::string name{};
    std::string unit{};
    std::size_t work = 0;  // columns; kNone: there is none
    std::size_t peak = 0;
    std::size_t peak_bandwidth = 0;
    std::size_t other_bandwidth = 0;  // where that has no value
  };

  std::optional<RooflineRow> RowOf(const Amounts& amounts,
                                   const Work& work) const;

  std::vector<Work> precisions_;
  Work instructions_;
  std::size_t bytes_;
  std::size_t seconds_;
};

}  // namespace rangefinder
