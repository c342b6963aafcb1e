// The tables of --format sqlite have the numbers of report.json.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "export/formats.h"
#include "export/table_rows.h"
#include "tests/support/analyze.h"
#include "tests/support/sql.h"
#include "tests/support/trace_builder.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

using testing::Ask;
using testing::AskOne;
using ::testing::ElementsAre;
using Json = nlohmann::json;
using CsvRows = std::vector<std::vector<std::string>>;

// Two instances of step, and an inner region in the first of them.
constexpr std::string_view kStepsTrace = R"(
process pid=7 rank=3 exe=/bin/app
10 push step
12 launch 1
13 push LLM@inner
14 launch 2
15 pop LLM
20 pop
50 push step
52 launch 3
60 pop
70 push alone
75 pop
80 launch 4
kernel gemm 20-40 of=1 grid=4 block=64
kernel relu 30-50 of=2 stream=8
kernel gemm 100-110 of=3 grid=4 block=64
kernel outside 120-121 of=4
copy 120-125 of=3 stream=8 bytes=4096
)";

class Tables : public ::testing::Test {
 protected:
  void Read(const std::filesystem::path& path) {
    analysis_ = testing::AnalyzeFile(path);
    const Report report = testing::ShippedReport(*analysis_);
    std::ostringstream tables, json;
    WriteSqlite(report, tables);
    WriteJson(report, json);
    tables_ = std::move(tables).str();
    json_ = Json::parse(json.str());
  }
  void Make(std::string_view trace) {
    Read(testing::WriteTo(folder_, "a.rftrace", testing::BuildTrace(trace)));
  }
  CsvRows In(std::string_view query) { return Ask(tables_, query); }
  std::string One(std::string_view query) { return AskOne(tables_, query); }

  TempDir folder_;
  std::unique_ptr<Analysis> analysis_;
  std::string tables_;
  Json json_;
};

TEST_F(Tables, HaveEveryRegionOfEveryScopeWithItsTimes) {
  Make(kStepsTrace);
  EXPECT_EQ(
      In("SELECT region, gpu_ns, own_gpu_ns, launches, instances, "
         "cpu_ns, busy_ns, copies FROM region_times "
         "WHERE scope = 'aggregate' ORDER BY place"),
      (CsvRows{{"step", "50000.0", "30000.0", "3", "2", "20000", "45000", "1"},
               {"step/LLM@inner", "20000.0", "20000.0", "1", "1", "2000",
                "20000", "0"},
               {"alone", "NULL", "NULL", "0", "1", "5000", "0", "0"},
               {"(unattributed)", "1000.0", "1000.0", "1", "0", "NULL", "NULL",
                "NULL"}}));
  EXPECT_EQ(
      In("SELECT scope, rank, pid, device FROM scopes LEFT JOIN processes "
         "USING (process_id)"),
      (CsvRows{{"aggregate", "NULL", "NULL", "NULL"},
               {"process:7/device:0", "3", "7", "0"}}));
}

TEST_F(Tables, HaveKernelsLaunchesAndInstances) {
  Make(kStepsTrace);
  EXPECT_EQ(
      In("SELECT region, kernel, calls, own_calls, total_ns, min_ns, "
         "max_ns FROM kernels WHERE scope = 'aggregate' AND "
         "region LIKE 'step%'"),
      (CsvRows{{"step", "gemm", "2", "2", "30000.0", "10000.0", "20000.0"},
               {"step", "relu", "1", "0", "20000.0", "20000.0", "20000.0"},
               {"step/LLM@inner", "relu", "1", "1", "20000.0", "20000.0",
                "20000.0"}}));
  EXPECT_EQ(In("SELECT launch_id, region, kernel, grid, block, duration_ns, "
               "launches FROM launches"),
            (CsvRows{{"0", "step", "gemm", "4x1x1", "64x1x1", "20000.0", "1"},
                     {"1", "step/LLM@inner", "relu", "1x1x1", "32x1x1",
                      "20000.0", "1"},
                     {"2", "step", "gemm", "4x1x1", "64x1x1", "10000.0", "1"},
                     {"3", "(unattributed)", "outside", "1x1x1", "32x1x1",
                      "1000.0", "1"}}));
  EXPECT_EQ(In("SELECT region, ordinal, kept, cpu_ns, gpu_ns FROM instances"),
            (CsvRows{{"step", "0", "first", "10000", "40000"},
                     {"step", "1", "first", "10000", "10000"},
                     {"step/LLM@inner", "0", "first", "2000", "20000"},
                     {"alone", "0", "first", "5000", "0"}}));
}

TEST_F(Tables, KeysAreOfTheNamesAlone) {
  Make(kStepsTrace);
  const std::string step = RegionKey("", "", "step");
  EXPECT_EQ(One("SELECT region_key FROM regions WHERE path = 'step'"), step);
  EXPECT_EQ(One("SELECT region_key FROM regions WHERE name = 'inner'"),
            RegionKey(step, "LLM", "inner"));
  EXPECT_EQ(One("SELECT kernel_key FROM kernel_names WHERE name = 'relu'"),
            KernelKey("relu"));
  const std::string run = One("SELECT run FROM runs");
  EXPECT_EQ(run.size(), 16U);
  const std::string before = tables_;
  Make(kStepsTrace);
  EXPECT_EQ(tables_, before);
  Make("10 push step\n12 launch 1\n20 pop\nkernel gemm 20-40 of=1\n");
  EXPECT_EQ(One("SELECT region_key FROM regions WHERE path = 'step'"), step);
  EXPECT_NE(One("SELECT run FROM runs"), run);
}

TEST_F(Tables, TheCommandIsJsonWhateverItsBytes) {
  Make(
      "process exe=/bin/a\x7f\u0085\xff\n10 push A\n12 launch 1\n20 pop\n"
      "kernel gemm 20-40 of=1\n");
  EXPECT_EQ(One("SELECT command FROM runs"),
            "[\"/bin/a\\u007f\\u0085\uFFFD\"]");
}

// Of every region in every scope, inclusive and exclusive: all cells of a
// report in which all are in place.
TEST_F(Tables, HaveTheValuesOfTheReport) {
  Read(testing::Fixture("multiproc.ncu-rep"));
  std::size_t cells = 0;
  for (const Json& scope : json_["scopes"]) {
    for (const Json& region : scope["regions"]) {
      for (const char* part : {"inclusive", "exclusive"}) {
        for (const auto& [metric, cell] : region[part]["metrics"].items()) {
          const std::string query =
              "SELECT CASE WHEN value NOT NULL THEN printf('%!.17g', value) "
              "END, text, how FROM metrics WHERE kernel IS NULL AND "
              "scope = '" +
              scope["scope"].get<std::string>() + "' AND part = '" + part +
              "' AND metric = '" + metric +
              "' AND region_key = (SELECT "
              "region_key FROM regions WHERE region_id = " +
              region["id"].dump() + ")";
          if (cells++ % 97 != 0) continue;  // a sample of them
          const CsvRows rows = In(query);
          ASSERT_EQ(rows.size(), 1U) << query;
          EXPECT_EQ(rows[0][2], cell["how"].get<std::string>());
          if (cell["value"].is_number())
            EXPECT_DOUBLE_EQ(std::stod(rows[0][0]), cell["value"]);
          else if (cell["value"].is_string())
            EXPECT_EQ(rows[0][1], cell["value"].get<std::string>());
          else
            EXPECT_EQ(rows[0][0], "NULL");
        }
      }
    }
  }
  EXPECT_GT(cells, 0U);
}

TEST_F(Tables, OwnTimesAddUpToTheScopes) {
  for (const char* fixture :
       {"graph_node.ncu-rep", "multiproc.ncu-rep", "llm_counted.rftrace.zst"}) {
    Read(testing::Fixture(fixture));
    EXPECT_EQ(One("SELECT count(*) FROM (SELECT s.scope_id FROM scopes s JOIN "
                  "scope_regions USING (scope_id) GROUP BY s.scope_id HAVING "
                  "abs(sum(own_measured_ns) - s.measured_ns) > 1e-6 * "
                  "s.measured_ns OR "
                  "sum(own_measured_kernels) != s.measured_kernels)"),
              "0")
        << fixture;
    EXPECT_EQ(One("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(In("PRAGMA foreign_key_check"), CsvRows());
  }
}

TEST_F(Tables, RangesThatWereMeasuredAsAWholeAreNoSums) {
  Read(testing::Fixture("range_ABprefill.ncu-rep"));
  EXPECT_EQ(One("SELECT count(DISTINCT source) || min(source) FROM "
                "region_times WHERE gpu_ns IS NOT NULL"),
            "1range");
  EXPECT_EQ(One("SELECT count(*) > 0 FROM metrics WHERE part = 'range' AND "
                "mode = 'range' AND value IS NOT NULL"),
            "1");
  EXPECT_EQ(One("SELECT count(*) FROM metrics WHERE part = 'exclusive'"), "0");
}

TEST_F(Tables, WhatIsAbsentIsNullWithAReason) {
  Read(testing::Fixture("multiproc.ncu-rep"));
  EXPECT_EQ(One("SELECT count(*) FROM metrics WHERE how = 'absent' AND "
                "(value IS NOT NULL OR text IS NOT NULL OR reason IS NULL)"),
            "0");
  EXPECT_EQ(One("SELECT count(*) FROM metrics WHERE how != 'absent' AND "
                "value IS NULL AND text IS NULL"),
            "0");
}

}  // namespace
}  // namespace rangefinder
