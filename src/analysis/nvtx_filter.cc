#include "analysis/nvtx_filter.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "region/nvtx_hints.h"
#include "region/nvtx_translate.h"
#include "region/pattern.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

std::vector<std::string> PathText(const Profile& profile,
                                  const Measurement& m) {
  std::vector<std::string> text;
  for (const Frame& frame : GivenPathOf(profile, m))
    text.push_back(FrameText(profile, frame));
  return text;
}

// The inputs of the choice: launches of one thread in one NVTX state share
// them, and a program has far fewer states than launches.
using Context = std::pair<NvtxStateId, std::uint64_t>;

Context ContextOf(const Measurement& m) {
  return {m.nvtx, m.thread};
}

// Keeps the measurements that `selects` accepts, and their regions.
template <typename Selects>
void Choose(const Profile& profile, Selects selects, FilterAnswer& answer) {
  std::map<Context, bool> chosen;
  std::set<std::vector<std::string>> regions;
  for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
    const Measurement& m = profile.measurements[i];
    const auto [known, is_new] = chosen.try_emplace(ContextOf(m), false);
    if (is_new && selects(m)) {
      known->second = true;
      std::vector<std::string> path = PathText(profile, m);
      if (regions.insert(path).second)
        answer.regions.push_back(std::move(path));
    }
    if (known->second)
      answer.measurements.push_back(static_cast<MeasurementId>(i));
  }
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
    Choose(
        profile,
        [&](const Measurement& m) {
          return ncu::Matches(expression.value(), profile, m, request.scope);
        },
        answer);
  } else {
    answer = Refused(std::move(answer), expression.error());
  }
  if (answer.measurements.empty()) {
    answer.hints =
        ExplainExpression(request.expression, profile, request.scope);
  }
  return answer;
}

// Whether a launch happened inside a region that matches one of the patterns.
bool IsMeant(const std::vector<Pattern>& patterns, const Profile& profile,
             const Measurement& m) {
  const std::vector<Frame> path = PathOf(profile, m);
  const std::vector<FrameName> names = FrameNames(profile, path);
  if (names.empty()) return AnyMatches(patterns, names);
  for (std::size_t length = 1; length <= names.size(); ++length) {
    if (AnyMatches(patterns, std::span(names).first(length))) return true;
  }
  return false;
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
      [&](const Measurement& m) {
        return IsMeant(patterns.value(), profile, m);
      },
      answer);
  for (const std::string& text : texts) {
    if (TranslatePattern(text, &known).value().expressions.empty() &&
        text != RegionTree::kUnattributed) {
      for (std::string& hint : ExplainPattern(text, profile))
        answer.hints.push_back(std::move(hint));
    }
  }
  ncu::NvtxFilter filter;
  for (const std::string& text : answer.translated) {
    auto expression = ncu::ParseNvtxExpression(text);
    if (expression.ok())
      filter.include.push_back(std::move(expression).value());
  }
  FilterAnswer by_ncu;
  if (!filter.include.empty()) {
    Choose(
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

std::string Shown(const std::vector<std::string>& path) {
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
  std::map<Context, std::vector<std::string>> paths;
  std::map<std::vector<std::string>, std::vector<std::size_t>> by_region;
  for (const MeasurementId id : answer.measurements) {
    const Measurement& m = profile.measurements[Index(id)];
    const auto [known, is_new] = paths.try_emplace(ContextOf(m));
    if (is_new) known->second = PathText(profile, m);
    by_region[known->second].push_back(Index(id));
  }
  std::size_t width = 0;
  for (const auto& region : answer.regions)
    width = std::max(width, DisplayWidth(Shown(region)));
  if (!answer.regions.empty()) text += '\n';
  for (const auto& region : answer.regions) {
    const std::string shown = Shown(region);
    text += fmt::format("  {}{}  {}\n", shown,
                        std::string(width - DisplayWidth(shown), ' '),
                        Intervals(by_region[region]));
  }
  if (!answer.hints.empty()) text += '\n';
  for (const std::string& hint : answer.hints)
    text += fmt::format("hint: {}\n", hint);
  return text;
}

std::string FilterJson(const FilterAnswer& answer) {
  using nlohmann::ordered_json;
  const auto texts = [](const std::vector<std::string>& list) {
    ordered_json array = ordered_json::array();
    for (const std::string& text : list) array.push_back(ValidUtf8(text));
    return array;
  };
  ordered_json ids = ordered_json::array();
  for (const MeasurementId id : answer.measurements) ids.push_back(Index(id));
  ordered_json regions = ordered_json::array();
  for (const auto& region : answer.regions) regions.push_back(texts(region));
  ordered_json document;
  document["expression"] = ValidUtf8(answer.expression);
  document["valid"] = answer.valid;
  if (answer.valid) {
    document["error"] = nullptr;
  } else {
    document["error"] = ValidUtf8(answer.error);
  }
  document["translated"] = texts(answer.translated);
  document["measurements"] = std::move(ids);
  document["regions"] = std::move(regions);
  document["hints"] = texts(answer.hints);
  return EscapedJson(document.dump(2)) + "\n";
}

}  // namespace rangefinder
