// The recorded tables again, over the reports that ncu itself was given: the
// reader, the evaluator and the filter command together.

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "analysis/nvtx_filter.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

class NvtxTable : public ::testing::TestWithParam<const char*> {};

TEST_P(NvtxTable, FilterNativeIsWhatNcuSelected) {
  const std::string stem =
      std::string(RANGEFINDER_SOURCE_DIR) + "/tests/fixtures/";
  const bool nested = GetParam() == std::string("nvtx_expressions");
  const std::filesystem::path report[] = {
      stem + (nested ? "nested_basic.ncu-rep" : "nvtx_contexts.ncu-rep")};
  Notes notes;
  const auto profile = ReadArtifacts(report, notes);
  ASSERT_TRUE(profile.ok()) << profile.error().message();

  std::ifstream table(stem + GetParam() + ".tsv");
  int rows = 0;
  for (std::string row; std::getline(table, row);) {
    std::istringstream columns(row);
    std::string expression;
    std::string status;
    std::string ids;
    std::getline(columns, expression, '\t');
    std::getline(columns, status, '\t');
    std::getline(columns, ids, '\t');
    // Several options of one run are the evaluator's own test.
    if (expression.find(" ;; ") != std::string::npos ||
        expression.starts_with("NOT "))
      continue;
    const FilterAnswer answer =
        Filter({.expression = expression, .native = true}, profile.value());
    EXPECT_EQ(answer.valid, status == "0") << expression;
    std::string selected;
    for (const MeasurementId id : answer.measurements)
      selected += (selected.empty() ? "" : ",") + std::to_string(Index(id));
    EXPECT_EQ(selected.empty() ? "-" : selected, ids) << expression;
    ++rows;
  }
  EXPECT_GE(rows, 150);
}

INSTANTIATE_TEST_SUITE_P(Recorded, NvtxTable,
                         ::testing::Values("nvtx_expressions",
                                           "nvtx_contexts"));

}  // namespace
}  // namespace rangefinder
