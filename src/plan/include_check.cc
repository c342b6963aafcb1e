#include "plan/include_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "capture/plan.h"
#include "plan/region_plan.h"
#include "region/nvtx_hints.h"
#include "region/nvtx_translate.h"
#include "region/pattern.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

constexpr const char* kKey = "pipeline.ncu.ncu_cli.nvtx.include";

std::vector<std::string> PatternsOf(const NcuSettings& ncu) {
  std::vector<std::string> patterns;
  for (const std::string& text : ncu.nvtx_include) {
    for (std::string& pattern : SplitPatterns(text))
      patterns.push_back(std::move(pattern));
  }
  return patterns;
}

struct Candidate {
  std::vector<FrameName> names{};
  std::string label{};
  bool launches = false;  // in it or in an inner region
};

// The names point into `profile`.
std::vector<Candidate> CandidatesOf(const Profile& profile) {
  Notes ignored;
  const RegionTree tree = BuildRegionTree(profile, Selection(), ignored);
  std::vector<Candidate> candidates(tree.regions().size());
  for (std::size_t i = tree.regions().size(); i-- > 1;) {
    const auto id = static_cast<RegionId>(i);
    const std::vector<Frame> path = tree.PathTo(id);
    Candidate& candidate = candidates[i];
    candidate.launches = candidate.launches || !tree[id].kernels.empty();
    candidate.names = FrameNames(profile, path);
    candidate.label = RegionLabel(profile, path);
    Candidate& outer = candidates[Index(tree[id].parent)];
    outer.launches = outer.launches || candidate.launches;
  }
  // No pattern means the root or (unattributed).
  std::erase_if(candidates, [](const auto& c) { return c.names.empty(); });
  return candidates;
}

// The note for a pattern that means no region with launches.
void NoteUnmatched(const std::string& text, const Candidate* idle,
                   const Profile& known, Notes& notes) {
  std::string said = fmt::format("{}: ", kKey);
  if (idle != nullptr) {
    said +=
        fmt::format("'{}' means {}, in which the program launched no kernel",
                    Printable(text), idle->label);
  } else {
    said +=
        fmt::format("no region of the program matches '{}'", Printable(text));
    const std::string again = fmt::format("no range is called '{}'; ", text);
    for (const std::string& hint : ExplainPattern(text, known))
      said += "; " + hint.substr(hint.starts_with(again) ? again.size() : 0);
  }
  notes.Add(Severity::kWarning, "include_matches_nothing", std::move(said));
}

}  // namespace

Result<bool> CheckIncludes(const NcuSettings& ncu, const Profile& known,
                           Notes& notes) {
  const std::vector<std::string> texts = PatternsOf(ncu);
  if (ncu.nvtx_native || texts.empty()) return true;
  const std::vector<Pattern> patterns = TRY(ParsePatterns(texts).In(kKey));
  const std::vector<Candidate> candidates = CandidatesOf(known);
  bool any = false;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const Candidate* idle = nullptr;
    bool launches = false;
    for (const Candidate& candidate : candidates) {
      if (!patterns[i].Matches(candidate.names)) continue;
      launches = launches || candidate.launches;
      if (idle == nullptr) idle = &candidate;
    }
    any = any || launches;
    if (!launches) NoteUnmatched(texts[i], idle, known, notes);
  }
  return any;
}

void NoteNothingToMeasure(const NcuSettings& ncu, const Profile& known,
                          Notes& notes) {
  const std::vector<Candidate> candidates = CandidatesOf(known);
  std::string why;
  if (candidates.empty()) {
    why = "the program opened no NVTX range";
    if (!IsRangeMode(ncu.replay_mode))
      why +=
          "; pipeline.ncu.gating_nvtx=false measures kernels outside of "
          "ranges too";
  } else if (std::ranges::none_of(candidates, &Candidate::launches)) {
    why = "the program launched no kernel inside its NVTX ranges";
  } else if (!ncu.nvtx_include.empty() && !ncu.nvtx_native) {
    std::vector<std::string> quoted;
    for (const std::string& pattern : PatternsOf(ncu))
      quoted.push_back("'" + Printable(pattern) + "'");
    why = fmt::format("no region that launches kernels matches {} ({})",
                      fmt::join(quoted, ", "), kKey);
  } else {
    why = "what was asked for leaves no launch to measure";
  }
  notes.Add(Severity::kWarning, kNoMatchingRegions,
            why + ": ncu has nothing to measure and is not started");
}

}  // namespace rangefinder
