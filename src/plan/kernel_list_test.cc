#include "plan/kernel_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "region/tree.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Path = std::vector<std::string>;

std::vector<TopKernel> KernelsOf(std::string_view text, Notes* said = nullptr) {
  Profile profile = testing::BuildProfile(text);
  Notes notes;
  const RegionTree tree =
      BuildRegionTree(profile, Selection::Make({}).value(), notes);
  std::vector<TopKernel> kernels = TopKernels(profile, tree, notes);
  if (said != nullptr) *said = notes;
  return kernels;
}

TEST(TopKernels, AreRankedByTimeWithTheirRegions) {
  const auto kernels = KernelsOf(R"(
    kernel f ns=100
    kernel g ns=500 @ A
    kernel f ns=300 @ A/B
    kernel h ns=100 @ A
  )");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "g");
  EXPECT_DOUBLE_EQ(kernels[0].share, 0.5);
  EXPECT_EQ(kernels[1].name, "f");
  EXPECT_EQ(kernels[1].calls, 2u);
  EXPECT_EQ(kernels[1].total_ns, 400);
  EXPECT_EQ(kernels[1].min_ns, 100);
  EXPECT_EQ(kernels[1].max_ns, 300);
  EXPECT_THAT(kernels[1].regions, ElementsAre(Path{"A", "B"}, Path{}));
  EXPECT_EQ(kernels[2].name, "h");
}

TEST(TopKernels, CallsWithoutADurationCountInNoMean) {
  const auto kernels =
      KernelsOf("kernel f ns=100\nkernel f\nkernel f ns=300\nkernel g");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].calls, 3u);
  EXPECT_EQ(kernels[0].mean_ns(), 200);
  EXPECT_EQ(kernels[1].known_ns(), std::nullopt);
  EXPECT_EQ(kernels[1].mean_ns(), std::nullopt);
}

TEST(TopKernels, RangesAndGraphsAreNoted) {
  Notes notes;
  const auto kernels = KernelsOf("kernel f ns=1\nrange @ A\ngraph @ A", &notes);
  EXPECT_EQ(kernels.size(), 1u);
  ASSERT_EQ(notes.all().size(), 1u);
  EXPECT_EQ(notes.all()[0].kind, "no_kernels");
  EXPECT_EQ(notes.all()[0].count, 2u);
}

TEST(TopKernels, RowsOfASummaryWithOneNameAreOneKernel) {
  const std::vector<KernelSummaryRow> rows = {
      {.name = "f", .calls = 2, .total_ns = 10, .share = 0.1},
      {.name = "g", .calls = 1, .total_ns = 50, .share = 0.5, .max_ns = 50},
      {.name = "f", .calls = 1, .total_ns = 40, .share = 0.4}};
  const auto kernels = TopKernels(rows);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "f");
  EXPECT_EQ(kernels[0].calls, 3u);
  EXPECT_DOUBLE_EQ(kernels[0].share, 0.5);
  EXPECT_EQ(kernels[1].min_ns, 50);
}

TEST(KernelList, EscapesAsPythonDoes) {
  EXPECT_EQ(
      EscapeRegex("std::f<(int)7, T*>(a[2]) {x|y}+?^$.\\ &~#-_/!%'\"@="),
      R"(std::f<\(int\)7,\ T\*>\(a\[2\]\)\ \{x\|y\}\+\?\^\$\.\\\ \&\~\#\-_/!%'"@=)");
  EXPECT_EQ(ExactRegex("a b"), "^a\\ b$");
}

TEST(TopKernels, KernelsOfEqualTimeAreSortedByCallsThenByName) {
  const auto kernels = KernelsOf(R"(
    kernel z ns=100
    kernel b ns=100
    kernel a ns=50
    kernel a ns=50
  )");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "a");
  EXPECT_EQ(kernels[1].name, "b");
  EXPECT_EQ(kernels[2].name, "z");
}

}  // namespace
}  // namespace rangefinder
