// The configuration image, by which CUPTI sets up a device's counters for
// metrics.

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

// kUnsupported if these metrics cannot be in one image with any number of
// passes (NVLink or PCIe together with SM in mode count); kProfiler for other
// refusals of CUPTI, such as a metric that the chip lacks.
Result<ConfigImage> MakeConfigImage(const CuptiLibrary& library,
                                    const ConfigImageRequest& request);

}  // namespace rangefinder
