#include "writers/terminal/terminal_writer.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_document.h"
#include "writers/terminal/table_layout.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Drawn(const Document& document, std::size_t width,
                  bool color = false, bool unicode = false) {
  std::ostringstream out;
  WriteTerminal(document, {.width = width, .color = color, .unicode = unicode},
                out);
  return std::move(out).str();
}

Document Of(Block block) {
  Document document;
  document.Add(std::move(block));
  return document;
}

TEST(TerminalWriter, DrawsEveryBlock) {
  EXPECT_EQ("\n" + Drawn(SampleDocument(), 80), R"(
Report
GPU idle 96 % of step: launch-bound
  look at: a CUDA graph

  ./train --name=<x>

Regions  12 kernels, 9.00 ms GPU time
                                                    DRAM %
region                        time  launches       of peak  max/mean
step             ########  9.00 ms    12,345  41.2 ± 1.6 %     1.50×
`- a|b\x1b       ####....  4.50 ms         2             –         –
     as a whole  ........  6.00 ms                       –         –
load             ........    10 ns         1           3 %         –
  was setup
2 more rows: regions.max_rows

All 3 regions
12 of 840 launches carry counters

Notes
warning: the file ends early
  at *byte* 7
1. is not a number

1. nothing was measured
)");
}

// A part whose numbers are all in hidden columns would be a row of dashes.
TEST(TerminalWriter, LeavesOutPartsWithoutAVisibleNumber) {
  Table table = SampleTable();
  table.rows[2].cells[2] = TableCell();
  table.rows[2].cells[4] = ValueOf(7, "%");
  EXPECT_EQ("\n" + Drawn(Of(table), 56), R"(
region                        time  launches  max/mean
step             ########  9.00 ms    12,345     1.50×
`- a|b\x1b       ####....  4.50 ms         2         –
load             ........    10 ns         1         –
  was setup
Hidden columns: DRAM % of peak, and values of whole
  regions in them (show with --columns)
)");
}

TEST(TerminalWriter, HidesColumnsThatGiveWayAndSaysWhich) {
  EXPECT_EQ("\n" + Drawn(Of(SampleTable()), 56), R"(
region                        time  launches  max/mean
step             ########  9.00 ms    12,345     1.50×
`- a|b\x1b       ####....  4.50 ms         2         –
     as a whole  ........  6.00 ms                   –
load             ........    10 ns         1         –
  was setup
Hidden columns: DRAM % of peak (show with --columns)
)");
  EXPECT_EQ("\n" + Drawn(Of(SampleTable()), 40), R"(
region              time  launches
step             9.00 ms    12,345
`- a|b\x1b       4.50 ms         2
     as a whole  6.00 ms
load               10 ns         1
  was setup
Hidden columns: DRAM % of peak,
  max/mean (show with --columns)
)");
}

TEST(TerminalWriter, WrapsProseAndItsRemarksBesideTheOtherColumns) {
  using Kind = TableColumn::Kind;
  const Table checks{
      .columns = {{"check", Kind::kText},
                  {"status", Kind::kText},
                  {"found", Kind::kProse}},
      .rows = {{.cells = {"GPU", "ok", "one NVIDIA H200"}},
               {.cells = {"perf", Text("MISSING"),
                          "counters need rights that this user lacks"},
                .below = {"ask the administrator for CAP_SYS_ADMIN"}}}};
  EXPECT_EQ("\n" + Drawn(Of(checks), 44), R"(
check  status   found
GPU    ok       one NVIDIA H200
perf   MISSING  counters need rights that
                this user lacks
                ask the administrator for
                CAP_SYS_ADMIN
)");
}

TEST(TerminalWriter, ColoursTonesAndBars) {
  const std::string text = Drawn(SampleDocument(), 80, true, true);
  EXPECT_THAT(text, HasSubstr("\x1b[1mGPU idle 96 % of step: launch-bound"));
  EXPECT_THAT(text, HasSubstr("  \x1b[2mlook at: a CUDA graph\x1b[0m\n"));
  EXPECT_THAT(text, HasSubstr("\x1b[36m████████\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[33mwarning: the file ends early\x1b[0m"));
}

TEST(ChangeBar, GoesLeftForLessAndRightForMore) {
  EXPECT_EQ(ChangeBar(-0.5, false), "   ###|      ");
  EXPECT_EQ(ChangeBar(1, false), "      |######");
  EXPECT_EQ(ChangeBar(0, true), "      │      ");
  EXPECT_EQ(ChangeBar(7, false), "      |######");
}

TEST(TableHeading, HasTwoNarrowLines) {
  EXPECT_THAT(HeadingLines("share", 7), ElementsAre("", "share"));
  EXPECT_THAT(HeadingLines("Compute (SM) Throughput", 7),
              ElementsAre("Compute", "(SM) Thrpt"));
  EXPECT_THAT(HeadingLines("Achieved Occupancy", 7),
              ElementsAre("Achieved", "Occupancy"));
}

}  // namespace
}  // namespace rangefinder
