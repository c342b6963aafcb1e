// Names of ranges by the rows of a framework.

#include "region/frameworks.h"

#include <gtest/gtest.h>

#include "region/merged_names.h"
#include "region/phases.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using testing::ProfileBuilder;

Framework Server() {
  return {.id = "server",
          .title = "Server",
          .names = {{.id = "decode",
                     .match = R"(step (?P<iteration>\d+): (?P<batch>\d+))",
                     .name = "step (decode)",
                     .phase = "decode"},
                    {.id = "layer",
                     .match = R"(layer (?P<path>[\w.]+))",
                     .name = "{path}",
                     .phase = "forward",
                     .weak_phase = true,
                     .tells = false},
                    {.id = "sample",
                     .match = "sample",
                     .phase = "sampling",
                     .tells = false}}};
}

// The regions of a program with their phases, as "a/b: phase".
std::vector<std::string> Phases(std::string_view program,
                                const MergeOptions& options) {
  Profile profile = ProfileBuilder::Build(program);
  const KnownNames names =
      MergeNames(NameMerging::Make(options).value(), profile);
  Notes notes;
  const RegionTree tree =
      BuildRegionTree(profile, Selection::Make({}).value(), notes);
  const std::vector<StringId> phases = PhasesOfRegions(names, tree);
  std::vector<std::string> drawn;
  for (std::size_t r = 1; r < tree.regions().size(); ++r) {
    drawn.push_back(PathText(profile, tree.PathTo(static_cast<RegionId>(r))) +
                    ": " + std::string(profile.Name(phases[r])));
  }
  return drawn;
}

constexpr std::string_view kProgram =
    "kernel k @ step 1: 5#1\n"
    "kernel k @ step 2: 6#2/layer a.3.mlp#3\n"
    "kernel k @ step 2: 6#2/layer a.4.mlp#4\n"
    "kernel k @ layer b#5/sample#6\n";

TEST(Frameworks, NamesArePutTogetherAndPhasesGoDown) {
  const std::vector<std::string> expected = {
      "step (decode): decode", "step (decode)/a.*.mlp: decode", "b: forward",
      "b/sample: sampling"};
  EXPECT_EQ(Phases(kProgram, {.frameworks = {Server()}}), expected);
  EXPECT_EQ(Phases(kProgram, {.framework = "server", .frameworks = {Server()}}),
            expected);
}

TEST(Frameworks, WithoutATellingNameTheyAreNotRead) {
  constexpr std::string_view kOther = "kernel k @ layer b.1#5/sample#6\n";
  EXPECT_EQ(Phases(kOther, {.frameworks = {Server()}}),
            (std::vector<std::string>{"layer b.1: ", "layer b.1/sample: "}));
  EXPECT_EQ(Phases(kOther, {.framework = "server", .frameworks = {Server()}}),
            (std::vector<std::string>{"b.*: forward", "b.*/sample: sampling"}));
}

TEST(Frameworks, APatternOfTheUserComesFirstAndKeepsThePhase) {
  EXPECT_EQ(Phases("kernel k @ step 1: 5#1\n",
                   {.patterns = {"step*"}, .frameworks = {Server()}}),
            (std::vector<std::string>{"step*: decode"}));
  EXPECT_EQ(Phases("kernel k @ step 1: 5#1\n",
                   {.by_itself = false, .frameworks = {Server()}}),
            (std::vector<std::string>{"step 1: 5: decode"}));
}

TEST(Frameworks, NumbersStayWithTheInstance) {
  Profile profile = ProfileBuilder::Build(kProgram);
  const KnownNames names = MergeNames(
      NameMerging::Make({.frameworks = {Server()}}).value(), profile);
  EXPECT_EQ(names.frameworks, (std::vector<std::string>{"Server"}));
  const NameFacts* facts =
      names.Of(StringId{}, *profile.strings.Find("step 2: 6"));
  ASSERT_NE(facts, nullptr);
  EXPECT_EQ(facts->numbers[static_cast<std::size_t>(Covariate::kBatch)], 6);
  EXPECT_EQ(facts->numbers[static_cast<std::size_t>(Covariate::kIteration)], 2);
  EXPECT_FALSE(facts->numbers[static_cast<std::size_t>(Covariate::kRequests)]);
}

TEST(Frameworks, ARowWithAFaultReadsNothing) {
  Framework broken = Server();
  broken.names.insert(broken.names.begin(),
                      {{.id = "open", .match = "(", .phase = "host"},
                       {.id = "nameless",
                        .match = "layer.*",
                        .name = "{none}",
                        .phase = "host"}});
  EXPECT_EQ(Phases(kProgram, {.frameworks = {broken}}),
            Phases(kProgram, {.frameworks = {Server()}}));
}

TEST(Frameworks, AFaultNamesItsKey) {
  const auto fault = [](auto change) {
    Framework server = Server();
    change(server.names);
    const auto found = FaultOf(server);
    return found ? found->rule + "." + found->key : "none";
  };
  EXPECT_EQ(fault([](auto&) {}), "none");
  EXPECT_EQ(fault([](auto& rows) { rows[0].match = "("; }), "decode.match");
  EXPECT_EQ(fault([](auto& rows) { rows[0].match = ""; }), "decode.match");
  EXPECT_EQ(fault([](auto& rows) { rows[1].name = "{road}"; }), "layer.name");
  EXPECT_EQ(fault([](auto& rows) { rows[1].name = "{path"; }), "layer.name");
  EXPECT_EQ(fault([](auto& rows) { rows[0].name = "{batch}"; }), "decode.name");
  EXPECT_EQ(fault([](auto& rows) { rows[2].phase = "A|B"; }), "sample.phase");
  EXPECT_EQ(fault([](auto& rows) { rows[2].name = "step (decode)"; }),
            "sample.name");
}

}  // namespace
}  // namespace rangefinder
