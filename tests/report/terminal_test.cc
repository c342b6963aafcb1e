// The table on the terminal, drawn.

#include <sstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/documents.h"
#include "tests/support/analyze.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCapture = R"(
kernel gemm gpu__time_duration.sum=60000 dram__bytes.sum=100 @ step/forward
kernel relu gpu__time_duration.sum=10000 dram__bytes.sum=400 @ step/forward
kernel gemm gpu__time_duration.sum=20000 dram__bytes.sum=100 @ step/backward
kernel copy gpu__time_duration.sum=10000 dram__bytes.sum=900 @ load
)";

std::string DrawnTable(const TableView& view, std::size_t width = 80,
                       std::string_view capture = kCapture) {
  Settings settings = ShippedSettings();
  settings.report.metrics = {"dram__bytes.sum"};
  const auto analysis = testing::AnalyzeText(capture, settings);
  const Report report = MakeReport(*analysis, ReportOptionsOf(settings));
  std::ostringstream out;
  WriteTerminal(
      ShowDocument(report, {.view = view, .rollup = settings.analysis.rollup}),
      {.width = width, .unicode = false}, out);
  std::string text = std::move(out).str();
  // The table, without the text before and after it.
  text.erase(0, text.find("\n\n") + 2);
  text.erase(0, text.find('\n') + 1);
  const std::size_t end = text.find("\n\n");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

TEST(TerminalTable, IsATreeWithTimeShareAndLaunches) {
  EXPECT_EQ("\n" + DrawnTable({}), R"(
                                                    dram
region                     time   share  launches  bytes  exclusive
step         #######.  90.00 µs  90.0 %         3  600 B       0 ns
|- forward   ######..  70.00 µs  70.0 %         2  500 B   70.00 µs
`- backward  ##......  20.00 µs  20.0 %         1  100 B   20.00 µs
load         #.......  10.00 µs  10.0 %         1  900 B   10.00 µs
)");
}

TEST(TerminalTable, RowsThatAreCutAreCountedWithTheirTime) {
  EXPECT_THAT(DrawnTable({.top = 2}, 100),
              HasSubstr("2 more regions are not shown (--top 2), with 30.00 µs "
                        "exclusive, 30.0 % of the time\n"));
  EXPECT_THAT(DrawnTable({.min_share = 15}), Not(HasSubstr("load")));
  EXPECT_THAT(DrawnTable({.depth = 1}), Not(HasSubstr("forward")));
}

TEST(TerminalTable, ATreeKeepsTheOuterRegionsOfWhatIsShown) {
  const std::string text = DrawnTable({.sort = "dram__bytes", .top = 2});
  EXPECT_THAT(text, HasSubstr("load"));
  EXPECT_THAT(text, Not(HasSubstr("backward")));
  EXPECT_THAT(DrawnTable({.columns = {"dram__bytes"},
                          .sort = "dram__bytes.sum",
                          .top = 1,
                          .flat = true}),
              HasSubstr("load"));
}

TEST(TerminalTable, KernelsOfSeveralRegionsAreRolledUpTogether) {
  const std::string text = DrawnTable({.by = TableBy::kKernel});
  EXPECT_THAT(text, HasSubstr("gemm"));
  EXPECT_THAT(text, HasSubstr("200 B"));
}

TEST(TerminalTable, WhatItNamesMustBeThere) {
  const auto analysis = testing::AnalyzeText(kCapture);
  const Report report = testing::ShippedReport(*analysis);
  EXPECT_TRUE(CheckView(report, {}).ok());
  EXPECT_TRUE(CheckView(report, {.sort = "dram__bytes"}).ok());
  EXPECT_EQ(CheckView(report, {.sort = "tme"}).error().message(),
            "report.table.sort (--sort): there is no column 'tme'; did you "
            "mean 'time'?");
  EXPECT_EQ(CheckView(report, {.scope = "rank 3"}).error().code(),
            ErrorCode::kUsage);
}

TEST(NotesList, HasLossesAndWarningsFirst) {
  Notes notes;
  notes.Add(Severity::kInfo, "rollup_inputs", "59 more metrics");
  notes.Add(Severity::kInfo, "instances", "the first 3");
  notes.Add(Severity::kWarning, "failed", "it failed with code 3", "run.log");
  const auto drawn = [&](Detail detail) {
    Document document;
    document.AddList(NotesList(notes, detail));
    std::ostringstream out;
    WriteTerminal(document, {}, out);
    return std::move(out).str();
  };
  EXPECT_EQ(
      drawn(Detail::kShort),
      "warning: it failed with code 3 (run.log)\nthe first 3\n1 note that "
      "changes no number: --verbose\n");
  EXPECT_EQ(drawn(Detail::kVerbose),
            "warning: it failed with code 3 (run.log)\n59 more metrics\nthe "
            "first 3\n");
}

}  // namespace
}  // namespace rangefinder
