// The image by which CUPTI configures a device's counters for some metrics.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "counters/cupti_library.h"

namespace rangefinder {

struct ConfigImage {
  std::vector<std::uint8_t> bytes{};
  std::size_t passes = 0;  // of all metrics together, at least 1
};

struct ConfigImageRequest {
  cupti::ProfilerType type = cupti::ProfilerType::kRange;
  std::string chip{};                      // "GH100"
  std::span<const std::string> metrics{};  // full names, at least one
  std::span<const std::uint8_t>
      available{};  // of a device; empty: all counters
};

// kUnsupported: no number of passes can have these metrics in one image (NVLink
// or PCIe beside SM in mode count). kProfiler: CUPTI refuses for another
// reason, such as a metric that the chip lacks.
Result<ConfigImage> MakeConfigImage(const CuptiLibrary& library,
                                    const ConfigImageRequest& request);

}  // namespace rangefinder
