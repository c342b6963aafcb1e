// The NVTX expressions of ncu for a capture.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "plan/settings.h"
#include "profile/profile.h"

namespace rangefinder {

struct NvtxFilters {
  std::vector<std::string> include{};  // ncu's expressions
  std::vector<std::string> exclude{};
};

// The patterns of pipeline.ncu.ncu_cli.nvtx as expressions of ncu. With a
// profile (`known`) they name its regions; without (null) they select at least
// the meant regions. Gated without a pattern: any range.
Result<NvtxFilters> MakeNvtxFilters(const NcuSettings& ncu,
                                    const Profile* known, Notes& notes);

// The same, put into `options`.
Status SetNvtxFilters(const NcuSettings& ncu, const Profile* known,
                      NcuOptions& options, Notes& notes);

}  // namespace rangefinder
