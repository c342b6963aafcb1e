#include "diff/settings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// Of which a difference makes times incomparable.
constexpr std::array<std::string_view, 4> kFatal = {
    "device", "mode", "clock control", "cache control"};
// Of which it says nothing.
constexpr std::array<std::string_view, 1> kIgnored = {"rangefinder"};

// Selections, which say nothing where they are of everything.
constexpr std::array<std::string_view, 2> kSelections = {"regions", "kernels"};

std::string ValueOf(const RunFacts& run, const std::string& name) {
  const auto found = std::ranges::find(run.settings, name, &RunSetting::name);
  return found == run.settings.end() ? "" : found->value;
}

std::set<std::string> ValuesOf(std::span<const RunFacts> runs,
                               const std::string& name) {
  std::set<std::string> values;
  for (const RunFacts& run : runs) values.insert(ValueOf(run, name));
  return values;
}

bool IsOneOf(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string Quoted(std::string_view name, const std::set<std::string>& values) {
  const std::string empty = IsOneOf(kSelections, name) ? "all" : "(not said)";
  std::string text;
  for (const std::string& value : values)
    text += (text.empty() ? "" : "; ") + (value.empty() ? empty : value);
  return text;
}

// A list that may be long: what only one side has, "4 (a, b, c, …)".
std::string OnlyIn(const std::set<std::string>& these,
                   const std::set<std::string>& others) {
  constexpr std::size_t kNamed = 3;
  std::set<std::string> mine, theirs;
  for (const std::string& list : these)
    for (std::string& one : Split(list, ',')) mine.insert(std::move(one));
  for (const std::string& list : others)
    for (std::string& one : Split(list, ',')) theirs.insert(std::move(one));
  std::vector<std::string> only;
  std::ranges::set_difference(mine, theirs, std::back_inserter(only));
  if (only.empty()) return "none";
  const std::size_t named = std::min(only.size(), kNamed);
  return fmt::format(
      "{} ({}{})", only.size(),
      fmt::join(only.begin(), only.begin() + static_cast<long>(named), ", "),
      only.size() > named ? ", …" : "");
}

}  // namespace

std::vector<Caveat> CaveatsOf(std::span<const RunFacts> base,
                              std::span<const RunFacts> other) {
  std::vector<std::string> names;
  for (const auto side : {base, other})
    for (const RunFacts& run : side)
      for (const RunSetting& setting : run.settings)
        if (std::ranges::find(names, setting.name) == names.end())
          names.push_back(setting.name);
  std::vector<Caveat> caveats;
  for (const std::string& name : names) {
    if (IsOneOf(kIgnored, name)) continue;
    const auto before = ValuesOf(base, name), after = ValuesOf(other, name);
    if (before == after && before.size() == 1) continue;
    const std::string differ =
        fmt::format("{} {}", name, name.ends_with('s') ? "differ" : "differs");
    const bool unknown = before.contains("") || after.contains("");
    if (name == "metrics" && !unknown && before != after) {
      caveats.push_back(
          {.text = fmt::format("{}: only before {}, only now {}", differ,
                               OnlyIn(before, after), OnlyIn(after, before))});
      continue;
    }
    caveats.push_back(
        {.fatal = !unknown && IsOneOf(kFatal, name),
         .text = before == after
                     ? fmt::format("{} between the runs of each side: {}",
                                   differ, Quoted(name, before))
                     : fmt::format("{}: {} before, {} now", differ,
                                   Quoted(name, before), Quoted(name, after))});
  }
  return caveats;
}

}  // namespace rangefinder
