#include "plan/nvtx_filters.h"

#include <optional>
#include <utility>

#include "region/nvtx_expression.h"
#include "region/nvtx_translate.h"

namespace rangefinder {

Result<NvtxFilters> MakeNvtxFilters(const NcuSettings& ncu,
                                    const Profile* known, Notes& notes) {
  NvtxFilters filters;
  if (ncu.nvtx_native) {
    for (const auto* list : {&ncu.nvtx_include, &ncu.nvtx_exclude}) {
      for (const std::string& text : *list) {
        if (auto parsed = ncu::ParseNvtxExpression(text); !parsed.ok())
          return std::move(parsed).error();
      }
    }
    filters.include = ncu.nvtx_include;
    filters.exclude = ncu.nvtx_exclude;
  } else {
    std::optional<std::vector<KnownPath>> regions;
    if (known != nullptr) regions = KnownRegions(*known);
    const auto translate =
        [&](const std::vector<std::string>& patterns,
            NvtxPurpose purpose) -> Result<std::vector<std::string>> {
      NvtxTranslation translation = TRY(
          TranslatePatterns(patterns, regions ? &*regions : nullptr, purpose));
      for (const std::string& remark : translation.remarks)
        notes.Add(Severity::kInfo, "nvtx_translation", remark);
      return std::move(translation.expressions);
    };
    filters.include = TRY(translate(ncu.nvtx_include, NvtxPurpose::kInclude));
    filters.exclude = TRY(translate(ncu.nvtx_exclude, NvtxPurpose::kExclude));
  }
  if (ncu.gating_nvtx && ncu.nvtx_include.empty()) filters.include = AnyRange();
  return filters;
}

Status SetNvtxFilters(const NcuSettings& ncu, const Profile* known,
                      NcuOptions& options, Notes& notes) {
  NvtxFilters filters = TRY(MakeNvtxFilters(ncu, known, notes));
  options.nvtx_include = std::move(filters.include);
  options.nvtx_exclude = std::move(filters.exclude);
  return Ok();
}

}  // namespace rangefinder
