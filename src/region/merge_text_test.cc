// What the names of ranges say of being instances of one region.

#include "region/merge_text.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

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

TEST(WithoutOperands, LeavesNamesAloneThatHaveNone) {
  for (const char* name :
       {"", "decode_5", "seq 5", "subseq = 5", "seq = abc", "op_id =", "0xff",
        "sizes", "box_0x1234g", "seq = 5x", "A::A1"})
    EXPECT_EQ(WithoutOperands(name), std::nullopt) << name;
}

TEST(NumbersIn, KnowWhatTheWordBeforeThemSays) {
  const auto meanings = [](std::string_view name) {
    std::string text;
    for (const NameNumber& number : NumbersIn(name)) {
      text +=
          fmt::format("{}{}", text.empty() ? "" : " ",
                      number.meaning == NumberMeaning::kCount   ? "count "
                      : number.meaning == NumberMeaning::kIndex ? "index "
                                                                : "unknown ");
      text += std::to_string(number.value);
    }
    return text;
  };
  EXPECT_EQ(meanings("decode_63"), "count 63");
  EXPECT_EQ(meanings("Step 30 to 40"), "count 30 unknown 40");
  EXPECT_EQ(meanings("trainStep17"), "count 17");
  EXPECT_EQ(meanings("iter[3]"), "count 3");
  EXPECT_EQ(meanings("DecoderLayer12"), "index 12");
  EXPECT_EQ(meanings("model.layers.31.step#4"), "index 31 count 4");
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
  // Shown name and how many have it; of what stays as it is, nothing.
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

TEST(MergeCounters, MergesWhatCountsUp) {
  EXPECT_EQ(MergedOf("decode_{}", 64), (Merged{{"decode_*", 64}}));
  EXPECT_EQ(MergedOf("step {}", 8), (Merged{{"step *", 8}}));
  EXPECT_EQ(MergedOf("iter[{}]", 9, 100, 100), (Merged{{"iter[*]", 9}}));
  // A loop in a loop: known by its word.
  EXPECT_EQ(MergedOf("microbatch {}", 8, 0, 1, true),
            (Merged{{"microbatch *", 8}}));
  // A word that says nothing: each ran once, in order, none left out.
  EXPECT_EQ(MergedOf("chunk-{}", 8), (Merged{{"chunk-*", 8}}));
  Names names;
  for (std::uint64_t i = 0; i < 10; ++i)
    names.Add(fmt::format("Step {} to {}", 30 + i * 10, 40 + i * 10), i);
  EXPECT_EQ(names.Merged(), (Merged{{"Step * to *", 10}}));
}

TEST(MergeCounters, LeavesApartWhatIsNoCounterForSure) {
  EXPECT_EQ(MergedOf("decode_{}", 7), Merged());
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
