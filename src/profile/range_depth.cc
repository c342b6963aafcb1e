#include "profile/range_depth.h"

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

// This many open ranges of one name at the end are no coincidence.
constexpr std::uint64_t kFewestLeaked = 8;
// Most leaked ranges with a note.
constexpr std::size_t kMostLeaks = 8;
constexpr std::size_t kNameCells = 80;

}  // namespace

std::string LeakText(const Profile& profile, const LeakedRange& leaked) {
  std::string name(profile.Name(leaked.name));
  if (leaked.domain != StringId{})
    name = std::string(profile.Name(leaked.domain)) + "@" + name;
  return fmt::format(
      "'{}' is opened {} times and never closed: {} is missing",
      Ellipsize(Printable(name), kNameCells), fmt::group_digits(leaked.count),
      leaked.kind == FrameKind::kPushPop ? "a pop" : "a range end");
}

std::string WithoutNumbers(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!IsAsciiDigit(name[i]))
      text += name[i];
    else if (i == 0 || !IsAsciiDigit(name[i - 1]))
      text += '*';
  }
  return text;
}

std::vector<LeakedRange> LeakFinder::Find(Profile& profile,
                                          std::uint64_t fewest) const {
  std::vector<LeakedRange> leaked;
  // Names with a number of their own, such as `step 5`, are open once each.
  std::map<std::tuple<FrameKind, StringId, std::string, std::uint64_t>,
           std::uint64_t>
      numbered;
  for (const auto& [key, seen] : seen_) {
    if (seen.open == 0 || seen.open < seen.ended) continue;
    const auto& [kind, domain, name, owner] = key;
    if (seen.open < fewest) {
      numbered[{kind, domain, WithoutNumbers(profile.Name(name)), owner}] +=
          seen.open;
      continue;
    }
    // The owners of one name follow each other.
    if (leaked.empty() || leaked.back().kind != kind ||
        leaked.back().domain != domain || leaked.back().name != name)
      leaked.push_back({.domain = domain, .name = name, .kind = kind});
    leaked.back().count += seen.open;
  }
  for (const auto& [key, count] : numbered) {
    if (count <= kDeepestOfOneName) continue;
    const auto& [kind, domain, name, owner] = key;
    leaked.push_back({domain, profile.strings.Intern(name), kind, count});
  }
  return leaked;
}

void LeakFinder::Finish(Profile& profile, std::uint64_t too_deep,
                        bool interrupted, Notes& notes,
                        std::string_view where) const {
  std::vector<LeakedRange> leaked =
      Find(profile, interrupted ? kDeepestOfOneName + 1 : kFewestLeaked);
  std::ranges::stable_sort(leaked, std::ranges::greater(), &LeakedRange::count);
  if (leaked.size() > kMostLeaks) leaked.resize(kMostLeaks);
  for (const LeakedRange& one : leaked) {
    notes.Add(Severity::kWarning, "never_closed", LeakText(profile, one),
              where);
    profile.leaked.push_back(one);
  }
  if (too_deep > 0) {
    notes.Add(Severity::kWarning, "deep_path",
              fmt::format("ranges opened inside {} others, or inside {} of "
                          "their own name, count for the region around them",
                          kDeepestPath, kDeepestOfOneName),
              where, too_deep);
  }
}

}  // namespace rangefinder
