// Laws of all patterns, selections and trees, on random names and programs. The
// names have characters with a meaning in some language here.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "region/nvtx_expression.h"
#include "region/nvtx_translate.h"
#include "region/selection.h"
#include "region/tree.h"
#include "tests/support/draw.h"
#include "tests/support/profile_builder.h"
#include "tests/support/random_program.h"
#include "tests/support/selected_by_ncu.h"

namespace rangefinder {
namespace {

using testing::RandomProgram;

constexpr std::uint32_t kCases = 120;

const std::vector<std::string> kRangeNames = {
    "A",   "B",   "AB",  "a b", "x/y", "p@q", "*",    "[x]",
    "x*",  "\\",  "x\\", "\\y", "+",   "",    "A,B",  "\xC3\xA9",
    "A]",  "[A",  "^A",  "$",   "?",   "**",  "A::A", "(A)",
    "a.b", "{1}", "a|b", "!",   "S-1", "T#1", "LLM",  "regex:x"};

const std::vector<std::string> kPatterns = {
    "A",   "*",     "?",      "A*",       "[AB]",       "[!A]",
    "**",  "A/**",  "**/B",   "A/*",      "LLM@*",      "@A",
    "x/y", "p\\@q", "x\\*",   "regex:A",  "regex:^A$",  "regex:@A",
    "[x]", "\\",    "*/*/A*", "regex:/A", "regex:^x/y", "(unattributed)"};

using Path = std::vector<FrameName>;

Path RandomPath(RandomProgram& random, std::size_t depth) {
  Path path;
  for (std::size_t i = 0; i < depth; ++i)
    path.push_back(
        {random.Pick(2) == 0 ? "" : "LLM", random.Pick(kRangeNames)});
  return path;
}

std::vector<std::string> RandomPatterns(RandomProgram& random) {
  std::vector<std::string> patterns(random.Some(3));
  for (std::string& pattern : patterns) pattern = random.Pick(kPatterns);
  return patterns;
}

std::string Quoted(std::span<const FrameName> path) {
  std::string text;
  for (const FrameName& frame : path)
    text += fmt::format("[{}@{}]", frame.domain, frame.name);
  return text;
}

// The pattern of this path alone, every frame in its own domain.
std::string PatternOf(std::span<const FrameName> path) {
  std::string text;
  for (const FrameName& frame : path) {
    if (!text.empty()) text += '/';
    text += std::string(frame.domain) + "@";
    if (frame.name.starts_with(kRegexPrefix)) text += '\\';
    for (const char c : frame.name) {
      if (std::string_view("/@*?[\\").find(c) != std::string_view::npos)
        text += '\\';
      text += c;
    }
  }
  return text;
}

TEST(PatternLaws, APathAsAPatternMatchesThatPathAlone) {
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    const Path path = RandomPath(random, 1 + random.Some(3));
    const auto pattern = Pattern::Parse(PatternOf(path));
    ASSERT_TRUE(pattern.ok()) << PatternOf(path);
    EXPECT_TRUE(pattern.value().Matches(path)) << PatternOf(path);
    for (int i = 0; i < 30; ++i) {
      Path other = path;
      other[random.Pick(other.size())] = RandomPath(random, 1)[0];
      if (random.Pick(4) == 0) other.push_back(RandomPath(random, 1)[0]);
      if (random.Pick(4) == 0) other.erase(other.begin());
      EXPECT_EQ(pattern.value().Matches(other), other == path)
          << PatternOf(path) << " of " << Quoted(other);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(PatternLaws, ANameCopiedFromAReportMatches) {
  for (const std::string& name : kRangeNames) {
    if (name.empty() || name.starts_with(kRegexPrefix)) continue;
    const auto pattern = Pattern::Parse(name);
    ASSERT_TRUE(pattern.ok()) << name;
    EXPECT_TRUE(pattern.value().Matches(Path{{"", "B"}, {"LLM", name}}))
        << name;
  }
}

Selection Select(const SelectionOptions& options) {
  return Selection::Make(options).value();
}

TEST(SelectionLaws, KeepsIncludedRegionsThatAreNotExcluded) {
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    std::vector<std::string> some = RandomPatterns(random);
    const std::vector<std::string> others = RandomPatterns(random);
    const Selection both = Select({.include = some, .exclude = others});
    const Selection included = Select({.include = some});
    const Selection excluded = Select({.exclude = others});
    const Selection opposite = Select({.include = others});
    random.Shuffle(some);
    some.push_back(some.front());
    const Selection twice = Select({.include = some});
    for (int i = 0; i < 20; ++i) {
      const Path path = RandomPath(random, random.Pick(4));
      SCOPED_TRACE(fmt::format("{} without {} of {}", fmt::join(some, ";"),
                               fmt::join(others, ";"), Quoted(path)));
      EXPECT_EQ(both.KeepsRegion(path),
                included.KeepsRegion(path) && excluded.KeepsRegion(path));
      EXPECT_NE(excluded.KeepsRegion(path), opposite.KeepsRegion(path));
      EXPECT_EQ(included.KeepsRegion(path), twice.KeepsRegion(path))
          << "neither order nor number of patterns matters";
      if (path.size() > 1 && included.KeepsRegion(std::span(path).first(1))) {
        EXPECT_TRUE(included.KeepsRegion(path)) << "inner regions are kept";
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

std::string Text(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

// The region of each measurement; "-" without one.
std::vector<std::string> Places(const Profile& profile, const RegionTree& tree,
                                std::size_t* count = nullptr) {
  std::vector<std::string> places(profile.measurements.size(), "-");
  for (std::size_t i = 0; i < tree.regions().size(); ++i) {
    const Region& region = tree.regions()[i];
    const auto path = tree.PathTo(static_cast<RegionId>(i));
    for (const auto* ids : {&region.kernels, &region.ranges}) {
      for (const MeasurementId id : *ids) {
        places[Index(id)] = Quoted(FrameNames(profile, path));
        if (count != nullptr) ++*count;
      }
    }
  }
  return places;
}

TEST(TreeLaws, EveryMeasurementIsOnceAtItsPath) {
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    const auto lines = random.Kernels(kRangeNames, {});
    SCOPED_TRACE(Text(lines));
    const Profile profile = testing::BuildProfile(Text(lines));
    const SelectionOptions options{
        .include = random.Pick(2) == 0 ? RandomPatterns(random)
                                       : std::vector<std::string>(),
        .exclude = random.Pick(2) == 0 ? RandomPatterns(random)
                                       : std::vector<std::string>(),
        .domains_exclude = random.Pick(2) == 0 ? std::vector<std::string>{"LLM"}
                                               : std::vector<std::string>(),
        .start_end = random.Pick(2) == 0 ? "path" : "ignore"};
    const Selection selection = Select(options);
    Notes notes;
    const RegionTree tree = BuildRegionTree(profile, selection, notes);
    std::size_t placed = 0;
    const auto places = Places(profile, tree, &placed);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      Path path = FrameNames(profile, PathOf(profile, profile.measurements[i],
                                             selection.start_end()));
      std::erase_if(path, [&](const FrameName& frame) {
        return !selection.KeepsDomain(frame.domain);
      });
      const bool keeps = selection.KeepsRegion(path);
      kept += keeps;
      EXPECT_EQ(places[i], keeps ? Quoted(path) : "-") << lines[i];
    }
    EXPECT_EQ(placed, kept);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(TreeLaws, TheOrderOfMeasurementsDecidesOnlyTheOrderOfRegions) {
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    auto lines = random.Kernels(kRangeNames, {});
    const auto places = [](const std::vector<std::string>& of) {
      const Profile profile = testing::BuildProfile(Text(of));
      Notes notes;
      const auto all = Places(
          profile, BuildRegionTree(profile, Selection(), notes), nullptr);
      std::vector<std::string> drawn;
      for (std::size_t i = 0; i < all.size(); ++i)
        drawn.push_back(of[i] + " in " + all[i]);
      std::ranges::sort(drawn);
      return drawn;
    };
    const auto before = places(lines);
    random.Shuffle(lines);
    ASSERT_EQ(places(lines), before) << Text(lines);
  }
}

// Whether the measurement is inside a region of the pattern that (unless
// `unnamed`) ncu can select: no expression has an empty name or a path through
// one.
std::vector<std::size_t> Meant(const Profile& profile, const Pattern& pattern,
                               bool unnamed) {
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
    const auto frames = PathOf(profile, profile.measurements[i]);
    const Path path = FrameNames(profile, frames);
    for (std::size_t length = 1; length <= path.size(); ++length) {
      const auto region = std::span(path).first(length);
      const auto asked = pattern.is_path() ? region : region.last(1);
      if (!unnamed &&
          std::ranges::find(asked, "", &FrameName::name) != asked.end())
        continue;
      if (!pattern.Matches(region)) continue;
      meant.push_back(i);
      break;
    }
  }
  return meant;
}

TEST(TranslationLaws, NcuSelectsTheRegionsOfAPattern) {
  std::size_t compared = 0;
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    // ncu takes each byte of a character for a character.
    std::vector<std::string> names = kRangeNames;
    std::erase(names, "\xC3\xA9");
    const auto lines = random.Kernels(names, {});
    const Profile profile = testing::BuildProfile(Text(lines));
    const auto known = KnownRegions(profile);
    for (int i = 0; i < 8; ++i) {
      const std::string text = random.Pick(2) == 0 ? random.Pick(kPatterns)
                                                   : random.Pick(kRangeNames);
      // Where the regions are unknown, an @ in a name ends a domain.
      if (text.empty() || text == "p@q") continue;
      const Pattern pattern = Pattern::Parse(text).value();
      SCOPED_TRACE(fmt::format("{} in\n{}", text, Text(lines)));
      const auto meant = Meant(profile, pattern, false);
      const auto knowing = TranslatePattern(text, &known).value();
      const auto unknowing = TranslatePattern(text, nullptr).value();
      const auto selected =
          testing::SelectedByNcu(profile, knowing.expressions);
      EXPECT_TRUE(std::ranges::includes(selected, meant))
          << fmt::format("{}", fmt::join(knowing.expressions, "  "));
      // Very many regions are selected as if they were unknown.
      if (!pattern.is_path() && knowing.expressions != unknowing.expressions) {
        EXPECT_EQ(selected, meant);
        compared += meant.size();
      }
      if (unknowing.remarks.empty()) {
        EXPECT_TRUE(std::ranges::includes(
            testing::SelectedByNcu(profile, unknowing.expressions), meant))
            << fmt::format("{}", fmt::join(unknowing.expressions, "  "));
      }
      const auto exclude =
          TranslatePattern(text, nullptr, NvtxPurpose::kExclude).value();
      EXPECT_TRUE(std::ranges::includes(
          Meant(profile, pattern, true),
          testing::SelectedByNcu(profile, exclude.expressions)))
          << fmt::format("{}", fmt::join(exclude.expressions, "  "));
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, 300U);
}

}  // namespace
}  // namespace rangefinder
