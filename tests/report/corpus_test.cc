// The fuzzer's corpus and every recorded capture, cut down, through the
// function that it fuzzes.

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/fuzz/fuzz_report.h"
#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

TEST(Corpus, EveryFileComesToAnEnd) {
  std::size_t files = 0;
  std::size_t reports = 0;
  for (const auto& entry : fs::directory_iterator(
           fs::path(RANGEFINDER_SOURCE_DIR) / "tests/fuzz/corpus/ncu")) {
    SCOPED_TRACE(entry.path().string());
    ++files;
    reports += testing::ReportOfAnyBytes(ReadFile(entry.path()).value());
  }
  EXPECT_GE(files, 8U);
  EXPECT_GE(reports, 2U);
}

TEST(Corpus, SoDoTheCaptures) {
  for (const char* name : {"nested_basic.ncu-rep", "graph_graph.ncu-rep",
                           "nested_full_A.ncu-repz"})
    EXPECT_TRUE(
        testing::ReportOfAnyBytes(ReadFile(testing::Fixture(name)).value()))
        << name;
}

}  // namespace
}  // namespace rangefinder
