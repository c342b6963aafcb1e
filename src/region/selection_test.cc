#include "region/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

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

TEST(Selection, TheRangesThatNcuCollectsAreTheIncludedRegions) {
  const SelectionOptions options{
      .collected = {.include = {"A;LLM@*"}, .exclude = {"A::*"}}};
  const Selection collected = Make(options);
  EXPECT_TRUE(collected.chooses_regions());
  EXPECT_TRUE(collected.KeepsRegion(kA));
  EXPECT_FALSE(collected.KeepsRegion(kInner));
  EXPECT_TRUE(collected.KeepsRegion(kDecode));
  EXPECT_FALSE(collected.KeepsRegion({}));
  EXPECT_EQ(options.ChosenRegions(), std::vector<std::string>{"A;LLM@*"});

  SelectionOptions all = options;
  all.only = false;
  EXPECT_FALSE(Make(all).chooses_regions());
  EXPECT_TRUE(Make(all).KeepsRegion({}));
  EXPECT_TRUE(Make(all).KeepsRegion(kInner));
  EXPECT_TRUE(all.ChosenRegions().empty());

  // regions.include says it better.
  SelectionOptions included = options;
  included.include = {"A::A1"};
  EXPECT_FALSE(Make(included).KeepsRegion(kA));
  EXPECT_TRUE(Make(included).KeepsRegion(kInner));
}

TEST(Selection, NcusOwnExpressionsChooseByTheOpenRanges) {
  const Profile profile = testing::ProfileBuilder::Build(
      "kernel k @ A\nkernel k @ A/A1\nkernel k @ B\nkernel k\n");
  const auto kept = [&](const CollectedRanges& collected) {
    const Selection selection = Make({.collected = collected});
    std::string text;
    for (const Measurement& m : profile.measurements)
      text += selection.KeepsState(profile, m) ? '+' : '-';
    return text;
  };
  EXPECT_EQ(kept({.include = {"A/"}, .native = true}), "++--");
  EXPECT_EQ(kept({.include = {"A/"}, .exclude = {"A1]"}, .native = true}),
            "+---");
  EXPECT_EQ(kept({.include = {"A"}}), "++++") << "a pattern is of paths";
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
  const auto keeps_of = [&](const Measurement& m,
                            const SelectionOptions& options) {
    const Selection selection = Make(options);
    return KeptKernels(profile, selection).Keeps(m);
  };
  const auto keeps = [&](const SelectionOptions& options) {
    return keeps_of(kernel, options);
  };
  // By any name that one reads.
  for (const char* name : {"void burn<(int)256>(int)", "*burn*", "burn",
                           "burn<256>", "burn*", "regex:^burn<\\d+>$"})
    EXPECT_TRUE(keeps({.kernels_include = {name}})) << name;
  EXPECT_FALSE(keeps({.kernels_include = {"bur"}}));
  EXPECT_FALSE(keeps({.kernels_exclude = {"burn<256>"}}));
  EXPECT_FALSE(
      keeps({.kernels_include = {"burn"}, .kernels_base = "demangled"}));
  EXPECT_FALSE(
      keeps({.kernels_include = {"burn<256>"}, .kernels_base = "function"}));
  EXPECT_TRUE(keeps({.kernels_include = {"burn"}, .kernels_base = "function"}));
  EXPECT_TRUE(
      keeps({.kernels_include = {"regex:Li256"}, .kernels_base = "mangled"}));
  EXPECT_FALSE(
      keeps({.kernels_include = {"*"}, .kernels_exclude = {"regex:burn"}}));
  EXPECT_TRUE(keeps_of(graph, {.kernels_include = {"x"}}));
}

TEST(Selection, NamesTheKeyThatIsWrong) {
  const auto message = [](const SelectionOptions& options) {
    return Selection::Make(options).error().message();
  };
  EXPECT_EQ(message({.exclude = {"regex:["}}),
            "regions.exclude: the pattern 'regex:[': missing ]: [");
  EXPECT_EQ(message({.kernels_base = "demangle"}),
            "regions.kernels.base: 'demangle' is none of any, demangled, "
            "function, mangled; did you mean 'demangled'?");
  EXPECT_EQ(message({.start_end = "no"}),
            "regions.start_end: 'no' is none of path, ignore");
}

}  // namespace
}  // namespace rangefinder
