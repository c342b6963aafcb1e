// `rangefinder kernels PATH…`: the kernels that take the most GPU time, for
// people, for scripts, and as the list that profile takes.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/console.h"
#include "app/run_settings.h"
#include "base/error.h"

namespace rangefinder {

struct KernelsRequest {
  std::string format{};    // table, json or yaml; empty: as `output` ends
  std::uint64_t top = 20;  // 0: all
  std::string output{};    // a file to write instead of standard output
};

// Of captures and traces, or of kernel summaries of Nsight Systems; not of both
// at once, for their numbers are never added (kUsage). A malformed summary is
// kCorrupt, with its line.
Status RunKernels(const std::vector<std::string>& paths,
                  const KernelsRequest& request, const RunSettings& settings,
                  const Console& console);

}  // namespace rangefinder
