// The regions and measurements of a profile that an NVTX expression selects,
// the expressions for ncu, and the reason if nothing is selected: the answer of
// `rangefinder filter`.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "region/nvtx_expression.h"

namespace rangefinder {

struct FilterRequest {
  std::string expression{};
  bool native = false;  // ncu's own text; false: patterns for SplitPatterns
  ncu::NvtxScope scope = ncu::NvtxScope::kRecorded;
};

struct FilterAnswer {
  std::string expression{};
  bool valid = true;
  std::string error{};                        // when not valid
  std::vector<std::string> translated{};      // for --nvtx-include, one each
  std::vector<MeasurementId> measurements{};  // selected, in file order
  // The selected regions, in order of first appearance; each frame as
  // FrameText, none for (unattributed). Includes regions of a trace without
  // launches.
  std::vector<std::vector<std::string>> regions{};
  std::vector<std::string> hints{};
};

FilterAnswer Filter(const FilterRequest& request, const Profile& profile);

// For a terminal: the selected measurements by region, then the hints.
std::string FilterText(const FilterAnswer& answer, const Profile& profile);

// One JSON document, and a newline.
std::string FilterJson(const FilterAnswer& answer);

}  // namespace rangefinder
