// Where work stands under the roofline: how much arithmetic for each byte, how
// fast, and how fast it could be with this device's own peaks.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollup/rollup.h"

namespace rangefinder {

// One precision of one region or kernel.
struct RooflineRow {
  std::string precision{};  // "fp64" "fp32" "fp16" "tensor"
  How how = How::kExact;    // the worst of what it is made of
  double flop = 0;
  double dram_bytes = 0;
  double intensity = 0;       // flop/byte
  double achieved_flops = 0;  // flop/s
  // Peaks at the clocks that were measured; absent when they were not.
  std::optional<double> peak_flops{};
  std::optional<double> peak_bandwidth{};  // byte/s
  std::optional<double> limit_flops{};     // what the roofline allows
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

  // A row for every precision in which something was done; none when the inputs
  // were not collected.
  std::vector<RooflineRow> RowsOf(const Amounts& amounts) const;

 private:
  struct Precision {
    std::string name{};
    std::size_t flop = 0;  // columns; kNone: there is none
    std::size_t peak_flops = 0;
  };

  std::vector<Precision> precisions_;
  std::size_t bytes_;
  std::size_t seconds_;
  std::size_t peak_bandwidth_;
};

}  // namespace rangefinder
