#include "plan/ncu_request.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/lists.h"
#include "base/text.h"
#include "capture/ncu.h"
#include "profile/metric_facts.h"
#include "region/nvtx_expression.h"
#include "region/nvtx_translate.h"
#include "rollup/inputs.h"

namespace rangefinder {

// ---- Metrics ---------------------------------------------------------------

namespace {

// Names that ncu itself expands cannot be looked up.
bool IsExpanded(std::string_view name) {
  return name.find(':') != std::string_view::npos;
}

bool SomeChipHas(const std::string& name) {
  return IsExpanded(name) || FindMetricFacts("", name).has_value() ||
         ChipHasMetric("", name.substr(0, name.find('.')));
}

// The inputs of a metric are the counters from which it is computed, so
// scheduling them all together adds no pass. Only the duration may be new,
// which needs a pass of the hardware's counters (docs/rollup.md).
int MorePasses(const NcuSettings& ncu,
               const std::vector<std::string>& metrics) {
  const bool patched_alone = !ncu.set && ncu.sections.empty() &&
                             std::ranges::all_of(metrics, IsPatchedMetric);
  return patched_alone ? 1 : 0;
}

}  // namespace

std::vector<std::string> CollectedMetrics(
    const NcuSettings& ncu, std::span<const DerivedMetric> derived,
    Notes& notes) {
  std::vector<std::string> metrics;
  std::vector<std::string> unknown;
  const std::vector<std::string> measured =
      WithoutDerived(ncu.metrics, derived, SomeChipHas);
  for (const std::string& name : measured)
    (SomeChipHas(name) ? metrics : unknown).push_back(name);
  if (!unknown.empty()) {
    notes.Add(
        Severity::kWarning, "unknown_metric",
        fmt::format("no chip has the metric{} {}: left out",
                    unknown.size() == 1 ? "" : "s",
                    Printable(fmt::format("{}", fmt::join(unknown, ", ")))));
  }
  const bool range_mode = IsRangeMode(ncu.replay_mode);
  const std::size_t patched =
      range_mode ? std::erase_if(metrics, IsPatchedMetric) : 0;
  if (patched != 0) {
    notes.Add(
        Severity::kWarning, "patched_metrics_left_out",
        fmt::format("{} metric{} left out: ncu counts them by patching "
                    "instructions, which {} replay cannot; collect them "
                    "with pipeline.ncu.ncu_cli.replay_mode=kernel",
                    patched, patched == 1 ? " is" : "s are", ncu.replay_mode));
  }
  if (!ncu.exact_rollup) return metrics;
  std::vector<std::string> shown =
      InexactOfSections(ncu.set.value_or(std::string()), ncu.sections);
  shown.insert(shown.begin(), metrics.begin(), metrics.end());
  std::vector<std::string> inputs = InputsFor("", shown);
  if (range_mode) std::erase_if(inputs, IsPatchedMetric);
  if (inputs.empty()) return metrics;
  const std::size_t count = inputs.size();
  notes.Add(
      Severity::kInfo, "rollup_inputs",
      fmt::format(
          "{} more metric{} collected so that the wanted ones can be "
          "combined exactly; that takes {} "
          "(pipeline.ncu.exact_rollup=false leaves {} out)",
          count, count == 1 ? " is" : "s are",
          MorePasses(ncu, shown) == 0
              ? "no further pass, as the wanted ones are computed from them"
              : "1 further pass for each kernel",
          count == 1 ? "it" : "them"));
  metrics.insert(metrics.end(), inputs.begin(), inputs.end());
  return metrics;
}

namespace {

const std::vector<std::string>& ReplayModes() {
  static const std::vector<std::string> modes = {"kernel", "application",
                                                 "range", "app-range"};
  return modes;
}

Status CheckMode(std::string_view key, const std::string& mode) {
  if (Has(ReplayModes(), mode)) return Ok();
  return Error(
      ErrorCode::kUsage,
      fmt::format("{}: '{}' is no replay mode; there are kernel, application, "
                  "range and app-range{}",
                  key, Printable(mode), DidYouMean(mode, ReplayModes())));
}

// "none" adds no mode.
Result<std::vector<std::string>> Fallback(
    const std::vector<std::string>& asked) {
  std::vector<std::string> modes;
  for (const std::string& mode : asked) {
    if (mode == "none") continue;
    TRY(CheckMode("pipeline.ncu.fallback", mode));
    modes.push_back(mode);
  }
  return modes;
}

}  // namespace

Result<NcuOptions> NcuOptionsFor(const NcuSettings& asked,
                                 std::span<const DerivedMetric> derived,
                                 Notes& notes) {
  TRY(CheckMode("pipeline.ncu.ncu_cli.replay_mode", asked.replay_mode));
  NcuOptions ncu = asked;
  if (ncu.ncu.empty()) ncu.ncu = "ncu";
  ncu.nvtx_include.clear();  // patterns; SetNvtxFilters() sets expressions
  ncu.nvtx_exclude.clear();
  ncu.metrics = CollectedMetrics(asked, derived, notes);
  ncu.force_overwrite = ncu.options.erase("force_overwrite") > 0;
  ncu.fallback = TRY(Fallback(asked.fallback));
  return ncu;
}

// ---- NVTX filters -----------------------------------------------------------

ncu::NvtxFilter NvtxFilterOf(const std::vector<std::string>& include,
                             const std::vector<std::string>& exclude) {
  const auto parsed = [](const std::vector<std::string>& texts) {
    std::vector<ncu::NvtxExpression> expressions;
    for (const std::string& text : texts) {
      if (auto expression = ncu::ParseNvtxExpression(text); expression.ok())
        expressions.push_back(std::move(expression).value());
    }
    return expressions;
  };
  return {.include = parsed(include), .exclude = parsed(exclude)};
}

Status SetNvtxFilters(const NcuSettings& ncu, const Profile* known,
                      NcuOptions& options, Notes& notes) {
  if (ncu.nvtx_native) {
    for (const auto* list : {&ncu.nvtx_include, &ncu.nvtx_exclude}) {
      for (const std::string& text : *list) {
        if (auto parsed = ncu::ParseNvtxExpression(text); !parsed.ok())
          return std::move(parsed).error();
      }
    }
    options.nvtx_include = ncu.nvtx_include;
    options.nvtx_exclude = ncu.nvtx_exclude;
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
    options.nvtx_include =
        TRY(translate(ncu.nvtx_include, NvtxPurpose::kInclude));
    options.nvtx_exclude =
        TRY(translate(ncu.nvtx_exclude, NvtxPurpose::kExclude));
  }
  if (ncu.gating_nvtx && ncu.nvtx_include.empty())
    options.nvtx_include = AnyRange();
  return Ok();
}

}  // namespace rangefinder
