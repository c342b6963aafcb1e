#include "document/quantity.h"

#include <gtest/gtest.h>

#include "document/document.h"

namespace rangefinder {
namespace {

TEST(Quantity, IsFormattedByItsUnitAndHint) {
  EXPECT_EQ(FormatQuantity(TimeOf(12345)), "12.35 µs");
  EXPECT_EQ(FormatQuantity(CountOf(12345)), "12,345");
  EXPECT_EQ(FormatQuantity({.value = 2e19, .hint = Hint::kCount}), "2e+19");
  EXPECT_EQ(FormatQuantity({.value = -3, .hint = Hint::kCount}), "-3");
  EXPECT_EQ(FormatQuantity(ShareOfWhole(0.1234)), "12.3 %");
  EXPECT_EQ(FormatQuantity(RatioOf(1.317)), "1.32×");
  EXPECT_EQ(FormatQuantity(ValueOf(12.3e6, "byte")), "12.30 MB");
  EXPECT_EQ(FormatQuantity(EstimateOf(1.234e9, 3.2e7, "byte")),
            "1.234 ± 0.032 GB");
  EXPECT_EQ(FormatQuantity({.value = 3, .unit = "%", .hint = Hint::kAbout}),
            "~ 3 %");
  EXPECT_EQ(FormatQuantity({.value = 3, .unit = "%", .hint = Hint::kAtLeast}),
            "≥ 3 %");
  EXPECT_EQ(FormatQuantity({.value = 3, .unit = "%", .hint = Hint::kAtMost}),
            "≤ 3 %");
  EXPECT_EQ(FormatQuantity(
                {.value = 3, .unit = "%", .hint = Hint::kRange, .high = 5}),
            "3 % … 5 %");
  EXPECT_EQ(
      FormatQuantity({.value = 1.2e6, .unit = "ns", .hint = Hint::kChange}),
      "+1.20 ms");
  EXPECT_EQ(
      FormatQuantity({.value = -1.2e6, .unit = "ns", .hint = Hint::kChange}),
      "-1.20 ms");
}

TEST(Table, LosesColumnsInWhichEveryRowIsAbsent) {
  Table table{.columns = {{.heading = "name", .kind = TableColumn::Kind::kText},
                          {.heading = "time"},
                          {.heading = "idle"},
                          {.heading = "blank"}},
              .rows = {{.cells = {"a", TimeOf(1), {}, BlankCell()}},
                       {.cells = {{}, {}, {}, BlankCell()}}}};
  table.DropAbsentColumns(1);
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.columns[1].heading, "time");
  EXPECT_EQ(table.columns[2].heading, "blank");
  EXPECT_EQ(table.rows[0].cells.size(), 3U);
}

TEST(Document, LeavesOutEmptyParagraphsAndLists) {
  Document document;
  document.AddParagraph("");
  document.AddList({});
  EXPECT_TRUE(document.blocks.empty());
  document.AddParagraph(Text("only ") + Code("A"));
  ASSERT_EQ(document.blocks.size(), 1U);
  EXPECT_EQ(std::get<Paragraph>(document.blocks[0]).text.Plain(), "only A");
}

}  // namespace
}  // namespace rangefinder
