#include "analysis/nvtx_filter.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "plan/ncu_request.h"
#include "region/nvtx_hints.h"
#include "region/nvtx_translate.h"
#include "region/path.h"
#include "region/pattern.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

using RegionText = std::vector<std::string>;

RegionText TextOf(const Profile& profile, std::span<const Frame> path) {
  RegionText text;
  for (const Frame& frame : path) text.push_back(FrameText(profile, frame));
  return text;
}

// The input of a selection: a program has far fewer pairs of NVTX state and
// thread than launches.
using Context = std::pair<NvtxStateId, std::uint64_t>;

Context ContextOf(const Measurement& m) {
  return {m.nvtx, m.thread};
}

// Keeps the measurements for which `selected` has regions, and these regions.
template <typename Selected>
void Choose(const Profile& profile, Selected selected, FilterAnswer& answer) {
  std::map<Context, bool> chosen;
  std::set<RegionText> known;
  const auto choose = [&](const Measurement& m) {
    const auto [at, is_new] = chosen.try_emplace(ContextOf(m), false);
    if (!is_new) return at->second;
    for (RegionText& region : selected(m)) {
      at->second = true;
      if (known.insert(region).second)
        answer.regions.push_back(std::move(region));
    }
    return at->second;
  };
  for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
    if (choose(profile.measurements[i]))
      answer.measurements.push_back(static_cast<MeasurementId>(i));
  }
  for (const RangeVisits& visits : profile.visits) choose(LaunchIn(visits));
}

// Keeps the measurements that ncu's expressions select.
template <typename Selects>
void ChooseAsNcu(const Profile& profile, Selects selects,
                 FilterAnswer& answer) {
  Choose(
      profile,
      [&](const Measurement& m) -> std::vector<RegionText> {
        if (!selects(m)) return {};
        return {TextOf(profile, PathOf(profile, m))};
      },
      answer);
}

FilterAnswer Refused(FilterAnswer answer, const Error& error) {
  answer.valid = false;
  answer.error = error.message();
  return answer;
}

FilterAnswer FilterNative(const FilterRequest& request,
                          const Profile& profile) {
  FilterAnswer answer{.expression = request.expression};
  const auto expression = ncu::ParseNvtxExpression(request.expression);
  if (expression.ok()) {
    answer.translated = {request.expression};
    ChooseAsNcu(
        profile,
        [&](const Measurement& m) {
          return ncu::Matches(expression.value(), profile, m, request.scope);
        },
        answer);
  } else {
    answer = Refused(std::move(answer), expression.error());
  }
  if (answer.regions.empty()) {
    answer.hints =
        ExplainExpression(request.expression, profile, request.scope);
  }
  return answer;
}

// Of the regions open at a launch, the ones that the patterns select: the
// outermost match, and all regions inside it.
std::vector<RegionText> Meant(std::span<const Pattern> patterns,
                              const Profile& profile, const Measurement& m) {
  const std::vector<Frame> path = PathOf(profile, m);
  const std::vector<FrameName> names = FrameNames(profile, path);
  std::vector<RegionText> meant;
  for (std::size_t length = path.empty() ? 0 : 1; length <= path.size();
       ++length) {
    if (!meant.empty() || AnyMatches(patterns, std::span(names).first(length)))
      meant.push_back(TextOf(profile, std::span(path).first(length)));
  }
  return meant;
}

FilterAnswer FilterPatterns(const FilterRequest& request,
                            const Profile& profile) {
  FilterAnswer answer{.expression = request.expression};
  const std::vector<std::string> texts = SplitPatterns(request.expression);
  const auto patterns = ParsePatterns(texts);
  if (!patterns.ok()) return Refused(std::move(answer), patterns.error());
  if (texts.empty()) {
    return Refused(std::move(answer),
                   Error(ErrorCode::kUsage, "an empty pattern"));
  }
  const std::vector<KnownPath> known = KnownRegions(profile);
  auto translation = TranslatePatterns(texts, &known);
  if (translation.ok()) {
    answer.translated = std::move(translation.value().expressions);
    answer.hints = std::move(translation.value().remarks);
  }
  Choose(
      profile,
      [&](const Measurement& m) { return Meant(patterns.value(), profile, m); },
      answer);
  for (const Pattern& pattern : patterns.value()) {
    const std::string& text = pattern.text();
    const auto is_meant = [&](const RangeVisits& visits) {
      return !Meant({&pattern, 1}, profile, LaunchIn(visits)).empty();
    };
    if (TranslatePattern(text, &known).value().expressions.empty() &&
        text != RegionTree::kUnattributed &&
        std::ranges::none_of(profile.visits, is_meant)) {
      for (std::string& hint : ExplainPattern(text, profile))
        answer.hints.push_back(std::move(hint));
    }
  }
  const ncu::NvtxFilter filter = NvtxFilterOf(answer.translated, {});
  FilterAnswer by_ncu;
  if (!filter.include.empty()) {
    ChooseAsNcu(
        profile,
        [&](const Measurement& m) {
          return Selects(filter, profile, m, request.scope);
        },
        by_ncu);
  }
  const std::size_t selected = by_ncu.measurements.size();
  if (!filter.include.empty() && selected != answer.measurements.size()) {
    answer.hints.push_back(fmt::format(
        "ncu would measure {} with these expressions: it sees one domain's "
        "ranges at a time, and the choice is made afterwards",
        selected));
  }
  return answer;
}

// "2-7, 9" of a sorted list.
std::string Intervals(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    if (!text.empty()) text += ", ";
    text += last == i ? fmt::format("{}", numbers[i])
                      : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string Shown(const RegionText& path) {
  if (path.empty()) return std::string(RegionTree::kUnattributed);
  std::string text;
  for (const std::string& frame : path)
    text += (text.empty() ? "" : " > ") + Printable(frame);
  return text;
}

}  // namespace

FilterAnswer Filter(const FilterRequest& request, const Profile& profile) {
  return request.native ? FilterNative(request, profile)
                        : FilterPatterns(request, profile);
}

std::string FilterText(const FilterAnswer& answer, const Profile& profile) {
  std::string text;
  if (!answer.valid) {
    text += fmt::format("refused   {}\n", Printable(answer.error));
  } else {
    for (const std::string& expression : answer.translated)
      text += fmt::format("ncu       --nvtx-include {}\n",
                          Printable(ShellQuote(expression)));
    text += fmt::format("selects   {} of {} measurements, in {} region{}\n",
                        answer.measurements.size(), profile.measurements.size(),
                        answer.regions.size(),
                        answer.regions.size() == 1 ? "" : "s");
  }
  std::map<Context, RegionText> paths;
  std::map<RegionText, std::vector<std::size_t>> by_region;
  for (const MeasurementId id : answer.measurements) {
    const Measurement& m = profile.measurements[Index(id)];
    const auto [known, is_new] = paths.try_emplace(ContextOf(m));
    if (is_new) known->second = TextOf(profile, PathOf(profile, m));
    by_region[known->second].push_back(Index(id));
  }
  std::size_t width = 0;
  for (const auto& region : answer.regions)
    width = std::max(width, DisplayWidth(Shown(region)));
  if (!answer.regions.empty()) text += '\n';
  for (const auto& region : answer.regions) {
    const std::vector<std::size_t>& numbers = by_region[region];
    text +=
        fmt::format("  {}  {}\n", PadRight(Shown(region), width),
                    numbers.empty() ? "none of its own" : Intervals(numbers));
  }
  if (!answer.hints.empty()) text += '\n';
  for (const std::string& hint : answer.hints)
    text += fmt::format("hint: {}\n", hint);
  return text;
}

std::string FilterJson(const FilterAnswer& answer) {
  using nlohmann::ordered_json;
  ordered_json ids = ordered_json::array();
  for (const MeasurementId id : answer.measurements) ids.push_back(Index(id));
  const ordered_json document = {
      {"expression", answer.expression},
      {"valid", answer.valid},
      {"error", answer.valid ? ordered_json() : ordered_json(answer.error)},
      {"translated", answer.translated},
      {"measurements", std::move(ids)},
      {"regions", answer.regions},
      {"hints", answer.hints}};
  return JsonDocument(document, 2) + "\n";
}

}  // namespace rangefinder
