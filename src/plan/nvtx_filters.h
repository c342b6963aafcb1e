// Which of ncu's own NVTX expressions a capture is to be made with.

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

// The patterns of pipeline.ncu.ncu_cli.nvtx said in ncu's language: in terms of
// the regions of `known` where there is a profile, and so that they select at
// least what is meant where not (null). Gated without a pattern: any range.
Result<NvtxFilters> MakeNvtxFilters(const NcuSettings& ncu,
                                    const Profile* known, Notes& notes);

// The same, put into `options`.
Status SetNvtxFilters(const NcuSettings& ncu, const Profile* known,
                      NcuOptions& options, Notes& notes);

}  // namespace rangefinder
