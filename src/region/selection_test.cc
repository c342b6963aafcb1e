#include "region/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using Path = std::vector<FrameName>;

Selection Make(const SelectionOptions& options) {
  Result<Selection> selection = Selection::Make(options);
  EXPECT_TRUE(selection.ok());
  return selection.ok() ? std::move(selection).value() : Selection();
}

const Path kA = {{"", "A"}};
const Path kInner = {{"", "A"}, {"", "A::A1"}};
const Path kDecode = {{"LLM", "decode_0"}};

TEST(Selection, KeepsEverythingByDefault) {
  const Selection all;
  EXPECT_TRUE(all.KeepsRegion(kInner));
  EXPECT_TRUE(all.KeepsRegion({}));
  EXPECT_TRUE(all.KeepsDomain("LLM"));
  EXPECT_TRUE(all.KeepsDomain(""));
  EXPECT_TRUE(all.start_end());
}

TEST(Selection, AnIncludedRegionKeepsItsInnerRegions) {
  const Selection a = Make({.include = {"A"}});
  EXPECT_TRUE(a.KeepsRegion(kA));
  EXPECT_TRUE(a.KeepsRegion(kInner));
  EXPECT_FALSE(a.KeepsRegion(kDecode));
  EXPECT_FALSE(a.KeepsRegion({}));
  const Selection inner = Make({.include = {"A::A1", "(unattributed)"}});
  EXPECT_FALSE(inner.KeepsRegion(kA));
  EXPECT_TRUE(inner.KeepsRegion(kInner));
  EXPECT_TRUE(inner.KeepsRegion({}));
}

TEST(Selection, ExcludingWinsAndTakesInnerRegionsAlong) {
  const Selection a = Make({.include = {"A", "decode_*"}, .exclude = {"A::*"}});
  EXPECT_TRUE(a.KeepsRegion(kA));
  EXPECT_FALSE(a.KeepsRegion(kInner));
  EXPECT_TRUE(a.KeepsRegion(kDecode));
  const Selection no_a = Make({.include = {"A::A1"}, .exclude = {"A"}});
  EXPECT_FALSE(no_a.KeepsRegion(kInner));
}

TEST(Selection, DomainsAreNamedOrTheDefault) {
  const Selection llm = Make({.domains_include = {"LL*"}});
  EXPECT_TRUE(llm.KeepsDomain("LLM"));
  EXPECT_FALSE(llm.KeepsDomain(""));
  const Selection unnamed = Make({.domains_include = {"<default domain>"}});
  EXPECT_TRUE(unnamed.KeepsDomain(""));
  EXPECT_FALSE(unnamed.KeepsDomain("LLM"));
  const Selection empty = Make({.domains_exclude = {""}});
  EXPECT_FALSE(empty.KeepsDomain(""));
  EXPECT_TRUE(empty.KeepsDomain("LLM"));
}

TEST(Selection, KernelsAreSelectedByTheChosenName) {
  Profile profile;
  const Measurement kernel{
      .demangled_name = profile.strings.Intern("void burn<(int)256>(int)"),
      .function_name = profile.strings.Intern("burn"),
      .mangled_name = profile.strings.Intern("_Z4burnILi256EEvi")};
  const Measurement graph{.kind = MeasurementKind::kGraph};
  const auto keeps = [&](const SelectionOptions& options) {
    return Make(options).KeepsKernel(profile, kernel);
  };
  EXPECT_TRUE(keeps({.kernels_include = {"void burn<(int)256>(int)"}}));
  EXPECT_TRUE(keeps({.kernels_include = {"*burn*"}}));
  EXPECT_FALSE(keeps({.kernels_include = {"burn"}}));
  EXPECT_TRUE(keeps({.kernels_include = {"burn"}, .kernels_base = "function"}));
  EXPECT_TRUE(
      keeps({.kernels_include = {"regex:Li256"}, .kernels_base = "mangled"}));
  EXPECT_FALSE(
      keeps({.kernels_include = {"*"}, .kernels_exclude = {"regex:burn"}}));
  EXPECT_TRUE(Make({.kernels_include = {"x"}}).KeepsKernel(profile, graph));
}

TEST(Selection, NamesTheKeyThatIsWrong) {
  const auto message = [](const SelectionOptions& options) {
    return Selection::Make(options).error().message();
  };
  EXPECT_EQ(message({.exclude = {"regex:["}}),
            "regions.exclude: the pattern 'regex:[': missing ]: [");
  EXPECT_EQ(message({.kernels_base = "demangle"}),
            "regions.kernels.base: 'demangle' is none of demangled, function, "
            "mangled; did you mean 'demangled'?");
  EXPECT_EQ(message({.start_end = "no"}),
            "regions.start_end: 'no' is none of path, ignore");
}

}  // namespace
}  // namespace rangefinder
