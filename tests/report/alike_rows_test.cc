// Siblings that behave alike are one row, and siblings that do not are not.

#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/documents.h"
#include "report/tables.h"
#include "tests/support/analyze.h"
#include "tests/support/trace_builder.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Layer {
  std::string name{};
  int wall = 100;
  int gpu = 40;
  int kernels = 1;
};

// One after the other, each with an inner range that launches.
std::string TraceOf(const std::vector<Layer>& layers) {
  std::string text = "process pid=7 exe=/bin/app\n";
  std::string kernels;
  int at = 0;
  int launch = 0;
  for (const Layer& layer : layers) {
    text += fmt::format("{} push {}\n{} push attn\n", at, layer.name, at + 1);
    for (int k = 0; k < layer.kernels; ++k) {
      text += fmt::format("{} launch {}\n", at + 2 + k, ++launch);
      const int start = at + 10 + k * layer.gpu;
      kernels += fmt::format("kernel gemm {}-{} of={}\n", start,
                             start + layer.gpu, launch);
    }
    text += fmt::format("{0} pop\n{0} pop\n", at + layer.wall);
    at += layer.wall + 10;
  }
  return text + kernels;
}

class AlikeRows : public ::testing::Test {
 protected:
  // The names of the rows, behind that of the outer row and a dot.
  std::vector<std::string> Fold(const std::vector<Layer>& layers) {
    const TempDir folder;
    analysis_ = testing::AnalyzeFile(testing::WriteTo(
        folder, "a.rftrace", testing::BuildTrace(TraceOf(layers))));
    report_ = testing::ShippedReport(*analysis_);
    rows_ = RowsOf(report_, Scope(), TableBy::kRegion);
    FoldAlikeRows(rows_);
    std::vector<std::string> names;
    for (const ReportRow& row : rows_.rows)
      names.push_back(row.outer == kNoRow
                          ? row.name
                          : rows_.rows[row.outer].name + "." + row.name);
    return names;
  }
  const ScopeRollup& Scope() const { return report_.rollup->scopes.front(); }
  double Value(std::string_view column, std::size_t row) const {
    const ReportColumns columns(report_, Scope());
    return columns.Find(column).value().value(rows_.rows[row]).value();
  }

  std::string Shown(const TableView& view) const {
    std::ostringstream out;
    WriteTerminal(ShowDocument(report_, {.view = view}), {}, out);
    return std::move(out).str();
  }

  std::unique_ptr<Analysis> analysis_;
  Report report_;
  ReportRows rows_;
};

TEST_F(AlikeRows, AddTimesAndShowTheMeanAndTheSpread) {
  EXPECT_THAT(Fold({{"layer0"}, {"layer1", 110}, {"layer2", 90}}),
              ElementsAre("layer* ×3", "layer* ×3.attn ×3"));
  EXPECT_EQ(Value("wall", 0), 300'000);
  EXPECT_EQ(Value("each", 0), 100'000);
  EXPECT_EQ(Value("spread", 0), 20'000);
  EXPECT_EQ(Value("time", 0), 120'000);
  EXPECT_EQ(Value("GPU each", 1), 40'000);
  EXPECT_EQ(Value("launches", 1), 3);
  EXPECT_EQ(Value("instances", 1), 3);
  EXPECT_NEAR(Value("idle", 0), 0.6, 0.01);
}

TEST_F(AlikeRows, LeaveOutASiblingThatIsSlower) {
  EXPECT_THAT(
      Fold({{"layer0"}, {"layer1"}, {"layer2", 100, 46}, {"layer3"}}),
      ElementsAre("layer2", "layer2.attn", "layer* ×3", "layer* ×3.attn ×3"));
  EXPECT_THAT(Fold({{"layer0"}, {"layer1"}, {"layer2", 130}, {"layer3"}}),
              ::testing::Contains("layer2"));
}

TEST_F(AlikeRows, NeedEquallyManyLaunchesAndOneName) {
  EXPECT_THAT(Fold({{"layer0", 200, 20, 2},
                    {"layer1", 200, 40, 1},
                    {"layer2", 200, 40, 1}}),
              Not(::testing::Contains(HasSubstr("×"))));
  EXPECT_THAT(Fold({{"up"}, {"gate"}, {"down"}, {"layer0"}, {"layer1"}}),
              Not(::testing::Contains(HasSubstr("×"))));
}

TEST_F(AlikeRows, AreExpandedOnRequest) {
  Fold({{"layer0"}, {"layer1"}, {"layer2"}});
  EXPECT_THAT(Shown({}), HasSubstr("layer* ×3"));
  EXPECT_THAT(Shown({.expand = true}), Not(HasSubstr("×3")));
  EXPECT_THAT(Shown({.flat = true}), Not(HasSubstr("×3")));
  // Hidden regions are counted, not their common row.
  EXPECT_THAT(Shown({.depth = 1}), HasSubstr("3 more regions are not shown"));
}

}  // namespace
}  // namespace rangefinder
