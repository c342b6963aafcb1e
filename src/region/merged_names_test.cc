// Ranges whose names differ by a counter are one region everywhere.

#include "region/merged_names.h"

#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "region/nvtx_expression.h"
#include "region/nvtx_translate.h"
#include "region/path.h"
#include "region/tree.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using testing::ProfileBuilder;

// The children of `at`, each with its kernels, as lines.
void Draw(const Profile& profile, const RegionTree& tree, RegionId at,
          std::string& text) {
  for (const RegionId id : tree[at].children) {
    const Region& region = tree[id];
    text += fmt::format(
        "{:{}}{} {} kernels, {} executions", "", 2 * region.depth,
        region.unattributed ? "-" : FrameText(profile, region.frame),
        region.kernels.size(), region.executions.size());
    if (!region.members.empty())
      text += fmt::format(", {} names", region.members.size());
    text += '\n';
    Draw(profile, tree, id, text);
  }
}

std::string Drawn(Profile& profile, const MergeOptions& options = {},
                  const SelectionOptions& selection = {}) {
  MergeNames(NameMerging::Make(options).value(), profile);
  Notes notes;
  const RegionTree tree =
      BuildRegionTree(profile, Selection::Make(selection).value(), notes);
  std::string text;
  Draw(profile, tree, RegionTree::kRoot, text);
  return text;
}

std::string Drawn(std::string_view program, const MergeOptions& options = {},
                  const SelectionOptions& selection = {}) {
  Profile profile = ProfileBuilder::Build(program);
  return Drawn(profile, options, selection);
}

// Lines for i of 0 to n - 1.
std::string Lines(int n, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 0; i < n; ++i) text += line(i) + "\n";
  return text;
}

std::string Decode(int n) {
  return Lines(n, [](int i) {
    return fmt::format(
        "kernel mm ns=10 @ generate#1/decode_{0}#{1}/layer0#{2}\n"
        "kernel mm ns=10 @ generate#1/decode_{0}#{1}/layer1#{3}\n"
        "kernel add ns=5 @ generate#1/decode_{0}#{1}",
        i, 10 * i + 2, 10 * i + 3, 10 * i + 5);
  });
}

TEST(MergeNames, MakesOneRegionOfACounterAndKeepsItsLayersApart) {
  EXPECT_EQ(Drawn(Decode(8)),
            "generate 0 kernels, 1 executions\n"
            "  decode_* 8 kernels, 8 executions, 8 names\n"
            "    layer0 8 kernels, 8 executions\n"
            "    layer1 8 kernels, 8 executions\n");
}

TEST(MergeNames, CountsInsideByTheStepsOutside) {
  EXPECT_EQ(Drawn(Lines(8,
                        [](int i) {
                          return fmt::format(
                              "kernel k api={} @ Step {} to {}#{}/Compute "
                              "{}#{}\n",
                              i, i * 10, i * 10 + 10, 2 * i + 1, i * 10,
                              2 * i + 2);
                        })),
            "Step * to * 0 kernels, 8 executions, 8 names\n"
            "  Compute * 8 kernels, 8 executions, 8 names\n");
}

// Their states are of paths, so the orders in them are no times.
TEST(MergeNames, RowsOfInstancesAreNoFurtherExecutions) {
  Profile profile = ProfileBuilder::Build(Lines(8, [](int i) {
    return fmt::format("kernel k api={0} @ chunk-{0}#{1}", i, i + 10);
  }));
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t thread = profile.measurements[0].thread;
    NvtxState state{.domains = {{}}, .stacks = {{.thread = thread}}};
    state.stacks[0].ranges.push_back(
        {.name = profile.strings.Intern(fmt::format("chunk-{}", i)),
         .order = 1});
    profile.visits.push_back(
        {.thread = thread,
         .nvtx = static_cast<NvtxStateId>(profile.nvtx_states.size()),
         .instances = 1});
    profile.nvtx_states.push_back(std::move(state));
  }
  EXPECT_EQ(Drawn(profile), "chunk-* 8 kernels, 8 executions, 8 names\n");
}

TEST(MergeNames, LeavesFewNamesAsTheyAre) {
  EXPECT_EQ(Drawn(Decode(2)),
            "generate 0 kernels, 1 executions\n"
            "  decode_0 1 kernels, 1 executions\n"
            "    layer0 1 kernels, 1 executions\n"
            "    layer1 1 kernels, 1 executions\n"
            "  decode_1 1 kernels, 1 executions\n"
            "    layer0 1 kernels, 1 executions\n"
            "    layer1 1 kernels, 1 executions\n");
}

TEST(MergeNames, MergesAnyNumberOfOperandsUnderEveryParent) {
  EXPECT_EQ(Drawn("kernel mm @ A#1/aten::linear, op_id = 7#2\n"
                  "kernel mm @ A#1/aten::linear, op_id = 8#3\n"
                  "kernel mm @ B#4/aten::linear, op_id = 9#5\n"),
            "A 0 kernels, 1 executions\n"
            "  aten::linear, op_id = * 2 kernels, 2 executions, 2 names\n"
            "B 0 kernels, 1 executions\n"
            "  aten::linear, op_id = * 1 kernels, 1 executions, 1 names\n");
}

TEST(MergeNames, TellsExecutionsWithoutCallsBetweenThemApart) {
  EXPECT_EQ(Drawn("kernel mm @ op, seq = 1#5\n"
                  "kernel mm @ op, seq = 2#5\n"),
            "op, seq = * 2 kernels, 2 executions, 2 names\n");
}

TEST(MergeNames, IsOffOnRequest) {
  EXPECT_EQ(Drawn("kernel mm @ op, seq = 1\n", {.by_itself = false}),
            "op, seq = 1 1 kernels, 1 executions\n");
}

TEST(MergeNames, KeepsDomainsApart) {
  EXPECT_EQ(Drawn(Lines(8,
                        [](int i) {
                          return fmt::format("kernel mm @ X@step {}#{}", i, i);
                        }) +
                  "kernel mm @ step 9#99\n"),
            "X@step * 8 kernels, 8 executions, 8 names\n"
            "step 9 1 kernels, 1 executions\n");
}

TEST(MergeNames, DoesNotMergeARangeThatHasTheMergedName) {
  const std::string text = Drawn(Decode(8) + "kernel mm @ generate/decode_*\n");
  EXPECT_NE(text.find("  decode_0 "), std::string::npos) << text;
  EXPECT_NE(text.find("  decode_* 1 kernels, 1 executions\n"),
            std::string::npos)
      << text;
}

TEST(MergePatterns, MergeNamesThatStayApartOtherwise) {
  const std::string layers =
      "kernel mm @ layer0.mlp\nkernel mm @ layer1.mlp\nkernel mm @ layer1.attn";
  EXPECT_EQ(Drawn(layers, {.patterns = {"layer[0-9]*"}}),
            "layer* 3 kernels, 3 executions, 3 names\n");
  EXPECT_EQ(Drawn(layers, {.patterns = {R"(regex:^(layer)\d+(\.\w+))"}}),
            "layer*.mlp 2 kernels, 2 executions, 2 names\n"
            "layer*.attn 1 kernels, 1 executions, 1 names\n");
  EXPECT_EQ(Drawn(layers, {.patterns = {R"(regex:\d+)"}}),
            "layer*.mlp 2 kernels, 2 executions, 2 names\n"
            "layer*.attn 1 kernels, 1 executions, 1 names\n");
  EXPECT_EQ(Drawn(layers, {.patterns = {"X@layer*", "A/layer*"}}),
            "layer0.mlp 1 kernels, 1 executions\n"
            "layer1.mlp 1 kernels, 1 executions\n"
            "layer1.attn 1 kernels, 1 executions\n");
}

TEST(MergePatterns, AWrongPatternNamesItsKey) {
  for (const char* text : {"regex:(", "", "A/**"}) {
    const auto made = NameMerging::Make({.patterns = {text}});
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_NE(made.error().message().find("regions.merge.patterns"),
              std::string::npos);
  }
}

TEST(MergedRegions, AreMatchedByTheirNameAndByNamesOfTheirRanges) {
  const std::string program = Decode(8);
  const auto kernels = [&](SelectionOptions options) {
    return Drawn(program, {}, options);
  };
  EXPECT_EQ(kernels({.include = {"decode_*"}}),
            "generate 0 kernels, 1 executions\n"
            "  decode_* 8 kernels, 8 executions, 8 names\n"
            "    layer0 8 kernels, 8 executions\n"
            "    layer1 8 kernels, 8 executions\n");
  EXPECT_EQ(kernels({.include = {"decode_3"}}),
            "generate 0 kernels, 1 executions\n"
            "  decode_* 1 kernels, 1 executions, 1 names\n"
            "    layer0 1 kernels, 1 executions\n"
            "    layer1 1 kernels, 1 executions\n");
  EXPECT_EQ(kernels({.exclude = {"generate/decode_\\*"}}), "");
  EXPECT_EQ(kernels({.exclude = {"regex:^generate/decode_[1-7]"}}),
            kernels({.include = {"decode_0"}}));
}

TEST(MergedRegions, HaveMembersByTimeWithTheTimeOfEach) {
  Profile profile = ProfileBuilder::Build(Decode(8));
  for (Measurement& m : profile.measurements)
    m.launch_ns = 1000 - 10 * (&m - profile.measurements.data()) / 3;
  // These count down in time, which a word like decode allows.
  MergeNames(NameMerging(), profile);
  Notes notes;
  const RegionTree tree = BuildRegionTree(profile, Selection(), notes);
  const Region& region = tree.regions()[2];
  ASSERT_EQ(region.members.size(), 8U);
  std::uint64_t kernels = 0;
  for (std::size_t i = 0; i < region.members.size(); ++i) {
    const Member& member = region.members[i];
    EXPECT_EQ(profile.Name(member.name), fmt::format("decode_{}", 7 - i));
    ASSERT_EQ(member.shares.size(), 1U);
    EXPECT_EQ(member.shares[0].gpu_time_ns, 25);
    EXPECT_EQ(member.executions.size(), 1U);
    kernels += member.shares[0].kernel_count;
  }
  EXPECT_EQ(kernels, profile.measurements.size());
}

TEST(MergedRegions, AreCountedAsInstances) {
  Profile profile = ProfileBuilder::Build(Decode(8));
  MergeNames(NameMerging(), profile);
  Executions executions(profile);
  for (const Measurement& m : profile.measurements) executions.Add(m);
  const Measurement& last = profile.measurements.back();
  EXPECT_EQ(executions.Ordinal(last, PathOf(profile, last)), 7U);
}

TEST(MergeNamesAs, MergesAPartOfARunAsTheWholeRun) {
  Profile whole = ProfileBuilder::Build(Decode(8));
  MergeNames(NameMerging(), whole);
  Profile part = ProfileBuilder::Build(
      "range @ generate/decode_3\nrange @ generate/decode_5\n");
  MergeNamesAs(whole, part);
  for (const Measurement& m : part.measurements)
    EXPECT_EQ(PathText(part, PathOf(part, m)), "generate/decode_*");
}

// The time to merge `names` names: a counter under each of two parents.
double SecondsFor(int names) {
  Profile profile;
  const StringId kernel = profile.strings.Intern("k");
  profile.processes.push_back({.pid = 1});
  for (int i = 0; i < names; ++i) {
    const auto range = [&](const std::string& name, int order) {
      return NvtxRange{.name = profile.strings.Intern(name),
                       .order = static_cast<std::uint64_t>(order)};
    };
    NvtxState state{.domains = {{}}};
    state.stacks.push_back(
        {.thread = 1,
         .ranges = {range(i % 2 == 0 ? "A" : "B", i % 2),
                    range(i % 2 == 0 ? fmt::format("step {}", i / 2)
                                     : fmt::format("op, op_id = {}", i),
                          i + 2)}});
    Measurement m{.thread = 1, .demangled_name = kernel};
    m.nvtx = static_cast<NvtxStateId>(profile.nvtx_states.size());
    profile.nvtx_states.push_back(std::move(state));
    profile.measurements.push_back(std::move(m));
  }
  const std::clock_t begin = std::clock();
  MergeNames(NameMerging(), profile);
  Notes notes;
  const RegionTree tree = BuildRegionTree(profile, Selection(), notes);
  const std::clock_t end = std::clock();
  EXPECT_EQ(tree.regions().size(), 5U);  // the root, two and two
  return static_cast<double>(end - begin) / CLOCKS_PER_SEC;
}

TEST(MergeNames, CostsTimeLinearInTheNames) {
  SecondsFor(2'000);
  const double few = SecondsFor(2'000);
  const double many = SecondsFor(200'000);
  EXPECT_LT(many, 100 * 8 * few + 0.1);  // quadratic: 100 * 100
}

// ---- In ncu's language ----

// The measurements that ncu selects with these expressions.
std::vector<std::size_t> Taken(const Profile& profile,
                               const std::vector<std::string>& expressions) {
  ncu::NvtxFilter filter;
  for (const std::string& text : expressions)
    filter.include.push_back(ncu::ParseNvtxExpression(text).value());
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
    if (Selects(filter, profile, profile.measurements[i],
                ncu::NvtxScope::kThread))
      taken.push_back(i);
  }
  return taken;
}

TEST(MergedRegions, AreSelectedInNcuByTheNamesOfTheirRanges) {
  const std::string program = Lines(9, [](int i) {
    return fmt::format(
        "kernel k @ D@iter[{0}]#{0}\nkernel k @ D@iter[{0}]#{0}/in, seq = {0}",
        i);
  });
  Profile profile =
      ProfileBuilder::Build(program + "kernel k @ D@iter[x]#100\n");
  MergeNames(NameMerging(), profile);
  const auto known = KnownRegions(profile);
  const auto asked = [&](std::string_view pattern) {
    return TranslatePattern(pattern, &known).value().expressions;
  };
  EXPECT_EQ(asked("iter[*]"),
            (std::vector<std::string>{R"(regex:^D$@^iter\[[0-9]+\]$/)"}));
  EXPECT_EQ(Taken(profile, asked("iter[*]")).size(), 18U);
  EXPECT_EQ(asked("in, seq = *"),
            (std::vector<std::string>{R"(regex:^D$@^in\, seq = [0-9]+$/)"}));
  EXPECT_EQ(Taken(profile, asked("in, seq = *")).size(), 9U);
  // One of them alone.
  EXPECT_EQ(asked("iter\\[3]"), (std::vector<std::string>{R"(D@iter\[3\]/)"}));
  EXPECT_EQ(Taken(profile, asked("iter\\[3]")),
            (std::vector<std::size_t>{6, 7}));
}

TEST(WithoutOperands, TakesTheValuesOfPyTorchsKeysAndAddresses) {
  const std::vector<std::pair<std::string, std::string>> kTable = {
      {"aten::linear, op_id = 318126", "aten::linear, op_id = *"},
      {"aten::t, seq = 12, op_id = 4", "aten::t, seq = *, op_id = *"},
      {"AddmmBackward0, stashed seq = 7", "AddmmBackward0, stashed seq = *"},
      {"aten::mm, sizes = [[8, 64], [64, 3]]", "aten::mm, sizes = *"},
      {"aten::mm, seq = -1, sizes = [], input_op_ids = [(1,0), (2,0)]",
       "aten::mm, seq = *, sizes = *, input_op_ids = *"},
      {"aten::cat, sizes = [[1, 2", "aten::cat, sizes = *"},
      {"copy 0x7f3a00001000 -> 0x7F3A0000beef", "copy * -> *"},
      {"alloc ptr=140234 n", "alloc ptr=* n"},
      {"seq=5", "seq=*"}};
  for (const auto& [name, shown] : kTable)
    EXPECT_EQ(WithoutOperands(name), shown) << name;
}

TEST(WithoutOperands, IsNothingForNamesWithoutOperands) {
  for (const char* name :
       {"", "decode_5", "seq 5", "subseq = 5", "seq = abc", "op_id =", "0xff",
        "sizes", "box_0x1234g", "seq = 5x", "A::A1"})
    EXPECT_EQ(WithoutOperands(name), std::nullopt) << name;
}

TEST(NumbersIn, HaveTheMeaningOfTheWordBefore) {
  const auto meanings = [](std::string_view name) {
    std::string text;
    for (const NameNumber& number : NumbersIn(name)) {
      text +=
          fmt::format("{}{}", text.empty() ? "" : " ",
                      number.meaning == NumberMeaning::kLoop    ? "loop "
                      : number.meaning == NumberMeaning::kCount ? "count "
                      : number.meaning == NumberMeaning::kIndex ? "index "
                                                                : "unknown ");
      text += std::to_string(number.value);
    }
    return text;
  };
  EXPECT_EQ(meanings("decode_63"), "count 63");
  EXPECT_EQ(meanings("Step 30 to 40"), "loop 30 unknown 40");
  EXPECT_EQ(meanings("trainStep17"), "loop 17");
  EXPECT_EQ(meanings("iter[3]"), "loop 3");
  EXPECT_EQ(meanings("DecoderLayer12"), "index 12");
  EXPECT_EQ(meanings("model.layers.31.step#4"), "index 31 loop 4");
  EXPECT_EQ(meanings("h.0.1"), "index 0 index 1");
  EXPECT_EQ(meanings("chunk-7"), "unknown 7");
  EXPECT_EQ(meanings("17"), "index 17");
  EXPECT_EQ(meanings("conv2d 3x3"), "index 3");
  EXPECT_EQ(meanings("step 99999999999999999999"), "");
}

struct Names {
  std::deque<std::string> texts{};
  std::vector<SiblingName> siblings{};

  void Add(std::string text, std::uint64_t since, bool recurs = false) {
    siblings.push_back({.name = texts.emplace_back(std::move(text)),
                        .since = since,
                        .recurs = recurs});
  }
  // Names as "pattern" of the numbers first, first + step, ...
  void AddCounted(std::string_view pattern, std::uint64_t count,
                  std::uint64_t first = 0, std::uint64_t step = 1,
                  bool recurs = false) {
    for (std::uint64_t i = 0; i < count; ++i)
      Add(fmt::format(fmt::runtime(pattern), first + i * step), i, recurs);
  }
  // Merged names, each with the number of its members.
  std::map<std::string, int> Merged() const {
    std::map<std::string, int> merged;
    for (const auto& shown : MergeCounters(siblings)) {
      if (shown) ++merged[*shown];
    }
    return merged;
  }
};

std::map<std::string, int> MergedOf(std::string_view pattern,
                                    std::uint64_t count,
                                    std::uint64_t first = 0,
                                    std::uint64_t step = 1,
                                    bool recurs = false) {
  Names names;
  names.AddCounted(pattern, count, first, step, recurs);
  return names.Merged();
}

using Merged = std::map<std::string, int>;

TEST(MergeCounters, MergesNamesThatCountUp) {
  EXPECT_EQ(MergedOf("decode_{}", 64), (Merged{{"decode_*", 64}}));
  EXPECT_EQ(MergedOf("step {}", 8), (Merged{{"step *", 8}}));
  EXPECT_EQ(MergedOf("iter[{}]", 9, 100, 100), (Merged{{"iter[*]", 9}}));
  // A loop in a loop, known by its word.
  EXPECT_EQ(MergedOf("microbatch {}", 8, 0, 1, true),
            (Merged{{"microbatch *", 8}}));
  // Turns of a loop, in a short run.
  EXPECT_EQ(MergedOf("step {}", 2), (Merged{{"step *", 2}}));
  EXPECT_EQ(MergedOf("batch {}", 3, 5), (Merged{{"batch *", 3}}));
  // An unknown word: each name ran once, in order, without a gap.
  EXPECT_EQ(MergedOf("chunk-{}", 8), (Merged{{"chunk-*", 8}}));
  Names names;
  for (std::uint64_t i = 0; i < 10; ++i)
    names.Add(fmt::format("Step {} to {}", 30 + i * 10, 40 + i * 10), i);
  EXPECT_EQ(names.Merged(), (Merged{{"Step * to *", 10}}));
}

TEST(MergeCounters, KeepsDoubtfulCountersApart) {
  EXPECT_EQ(MergedOf("decode_{}", 7), Merged());
  EXPECT_EQ(MergedOf("batch {}", 2, 16, 16), Merged());
  EXPECT_EQ(MergedOf("step {}", 1), Merged());
  EXPECT_EQ(MergedOf("layer{}", 32), Merged());
  EXPECT_EQ(MergedOf("h.{}", 32), Merged());
  EXPECT_EQ(MergedOf("{}", 32), Merged());
  EXPECT_EQ(MergedOf("rank {}", 8), Merged());
  EXPECT_EQ(MergedOf("chunk-{}", 8, 0, 1, true), Merged());
  EXPECT_EQ(MergedOf("gemm {}", 8, 1024, 1024), Merged());
  Names sizes;
  for (std::uint64_t i = 0; i < 10; ++i)
    sizes.Add(fmt::format("tokens {}", 128U << i), i);
  EXPECT_EQ(sizes.Merged(), Merged());
  Names backwards;
  for (std::uint64_t i = 0; i < 10; ++i)
    backwards.Add(fmt::format("chunk {}", 10 - i), i);
  EXPECT_EQ(backwards.Merged(), Merged());
}

TEST(MergeCounters, KeepsLayersApartInsideAndNumbersThatStayTheSame) {
  Names names;
  for (int layer = 0; layer < 2; ++layer) {
    for (std::uint64_t step = 0; step < 8; ++step)
      names.Add(fmt::format("v2 layer{}_step{}", layer, step), step);
  }
  EXPECT_EQ(names.Merged(),
            (Merged{{"v2 layer0_step*", 8}, {"v2 layer1_step*", 8}}));
}

}  // namespace

}  // namespace rangefinder
