// The fuzzers' corpora, all recorded captures in short form, and mutants of
// both keep the laws that the fuzzers check.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "ingest/compressed.h"
#include "tests/fuzz/dice.h"
#include "tests/fuzz/diff_oracles.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/json_schema.h"
#include "tests/fuzz/ncu_mutator.h"
#include "tests/fuzz/nsys_database.h"
#include "tests/fuzz/report_oracles.h"
#include "tests/fuzz/run_directory.h"
#include "tests/fuzz/summary_mutator.h"
#include "tests/fuzz/summary_oracles.h"
#include "tests/fuzz/trace_mutator.h"
#include "tests/support/analyze.h"
#include "tests/support/random_summary.h"
#include "tests/support/rep_builder.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using testing::ReportOfAnyBytes;

constexpr std::string_view kTrace = R"(
process pid=700 rank=1 exe=/usr/bin/app
10 push A
11 launch 1
12 push LLM@prefill
13 launch 2
14 pop LLM
15 start S id=7
16 launch 3
18 end id=7
20 pop
kernel gemm 100-110 of=1 grid=8 block=64
kernel relu 105-120 of=2 grid=1 block=32
kernel gemm 130-135 of=3 grid=4 block=64
copy 140-141 of=3 bytes=4096
gpu 0 NVIDIA_H200
peaks 0 memory_khz=3201000 bus=6144 sms=132 khz=1980000
sampling 0 interval=10 chip=GH100 metrics=a.sum,b.sum,c.avg
sample 0 100-110 1,2,0.5
sample 0 110-120 3,4,0.25
gap 0 120-150 missing=3 why=1
sample 0 150-160 5,6,0.125
stopped 0 170 reason=overflow
)";

constexpr std::string_view kCounts = R"(
counting 0 metrics=a.sum,b.sum
row A
row A/LLM@B
count 0 0 8,0.5
count 1 5 8,0.5 in=0 of=0
skipped 1 7 why=3
)";

constexpr std::string_view kReport =
    "kernel saxpy pid=2 device=1 ns=1500 gpu__time_duration.sum=7 @ A; LLM@p\n"
    "kernel stencil grid=4 block=64 dram__bytes.sum=64 @ A/B\n"
    "range @ A\n"
    "kernel saxpy\n";

std::vector<std::string> Corpus(std::string_view target) {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(
           fs::path(RANGEFINDER_SOURCE_DIR) / "tests/fuzz/corpus" / target))
    all.push_back(ReadFile(entry.path()).value());
  EXPECT_FALSE(all.empty()) << target;
  return all;
}

TEST(Corpus, EveryFileKeepsTheLaws) {
  std::size_t reports = 0;
  for (const std::string& bytes : Corpus("ncu"))
    reports += ReportOfAnyBytes(bytes);
  EXPECT_GE(reports, 2U);
  reports = 0;
  for (const std::string& bytes : Corpus("trace"))
    reports += ReportOfAnyBytes(bytes, "any.rftrace");
  EXPECT_GE(reports, 2U);
  reports = 0;
  for (const std::string& bytes : Corpus("summary"))
    reports += testing::SummaryOfAnyBytes(bytes);
  EXPECT_GE(reports, 2U);
  for (const std::string& steps : Corpus("nsys"))
    ReportOfAnyBytes(testing::NsysDatabase(steps), "any.sqlite");
  for (const std::string& manifest : Corpus("manifest"))
    testing::ReportOfAnyManifest(manifest);
  reports = 0;
  for (const std::string& files : Corpus("diff"))
    reports += testing::DiffOfAnyBytes(files);
  EXPECT_GE(reports, 1U);
}

TEST(Corpus, SoDoTheCaptures) {
  for (const char* name : {"range_ABprefill.ncu-rep", "graph_graph.ncu-rep",
                           "nested_full_A.ncu-repz"})
    EXPECT_TRUE(ReportOfAnyBytes(ReadFile(testing::Fixture(name)).value()))
        << name;
}

// Changes each byte of a trace that has every kind of record, and corrects the
// checksums.
TEST(Corpus, SoDoTracesWithAWrongByte) {
  const std::string trace = testing::BuildTrace(kTrace);
  std::size_t tried = 0;
  std::size_t read = 0;
  for (std::size_t at = 0; at < trace.size(); ++at) {
    if (trace[at] == 0 || at % 5 != 0) continue;  // most of it is padding
    std::string bytes = trace;
    bytes[at] = static_cast<char>(at % 2 == 0 ? '\xff' : trace[at] ^ 1);
    testing::MakeChecksumsRight(bytes);
    ++tried;
    read += ReportOfAnyBytes(bytes, "any.rftrace");
  }
  EXPECT_GT(tried, 100U);
  EXPECT_GT(read, tried / 2);
}

// Counts the mutants of `seed` that are reports.
template <typename Change, typename Report>
void ExpectMutantsReported(const std::string& seed, Change change,
                           Report report) {
  constexpr std::uint32_t kMutants = 60;
  ASSERT_TRUE(report(seed));
  std::size_t different = 0;
  std::size_t reports = 0;
  for (std::uint32_t i = 1; i <= kMutants; ++i) {
    const std::string mutant = change(seed, i);
    EXPECT_EQ(mutant, change(seed, i)) << "the same seed, the same mutant";
    different += mutant != seed;
    reports += report(mutant);
  }
  EXPECT_GT(different, kMutants * 3 / 4);
  EXPECT_GT(reports, kMutants / 2) << "most can still be read";
}

TEST(Mutants, OfReportsKeepTheLaws) {
  const auto report = [](const std::string& bytes) {
    return ReportOfAnyBytes(bytes);
  };
  ExpectMutantsReported(testing::BuildRep(kReport), testing::ChangedNcuReport,
                        report);
  ExpectMutantsReported(
      ReadFile(testing::Fixture("graph_graph.ncu-rep")).value(),
      testing::ChangedNcuReport, report);
}

TEST(Mutants, OfSummariesKeepTheLaws) {
  for (const std::uint32_t seed : {3U, 5U}) {
    testing::RandomSummary random(seed);
    const Summary summary = random.Make();
    const std::string bytes =
        testing::SummaryBytes(summary, random.MakeRanks());
    ASSERT_TRUE(testing::SummaryOfAnyBytes(bytes));
    std::size_t read = 0;
    for (std::uint32_t i = 1; i <= 200; ++i)
      read += testing::SummaryOfAnyBytes(testing::ChangedSummary(bytes, i));
    EXPECT_GT(read, 20U) << "some can still be read";
  }
}

TEST(Mutants, OfTracesKeepTheLaws) {
  const auto report = [](const std::string& bytes) {
    return ReportOfAnyBytes(bytes, "any.rftrace");
  };
  for (const std::string_view text : {kTrace, kCounts}) {
    ExpectMutantsReported(testing::BuildTrace(text), testing::ChangedTrace,
                          report);
  }
}

TEST(Mutants, OfManifestsKeepTheLaws) {
  for (const std::string& manifest : Corpus("manifest")) {
    ASSERT_TRUE(testing::ReportOfAnyManifest(manifest));
    for (std::uint32_t i = 1; i <= 60; ++i)
      testing::ReportOfAnyManifest(testing::ChangedJson(manifest, i));
  }
}

TEST(Mutants, OfDiffsKeepTheLaws) {
  for (const std::string& files : Corpus("diff")) {
    for (std::uint32_t i = 1; i <= 60; ++i)
      testing::DiffOfAnyBytes(testing::ChangedDiff(files, i));
  }
}

// SQLite accepts the database that any steps make.
TEST(Mutants, OfExportsKeepTheLaws) {
  testing::Dice dice(7);
  std::size_t reports = 0;
  for (int i = 0; i < 60; ++i) {
    std::string steps(dice.Roll(600), '\0');
    for (char& step : steps) step = static_cast<char>(dice.Roll(256));
    const std::string database = testing::NsysDatabase(steps);
    EXPECT_EQ(database, testing::NsysDatabase(steps));
    reports += ReportOfAnyBytes(database, "any.sqlite");
  }
  EXPECT_GT(reports, 30U);
}

TEST(Mutants, AreOfATraceCutShort) {
  const std::string packed =
      ReadFile(testing::Fixture("llm_sampled.rftrace.zst")).value();
  const std::string trace = DecompressZstd(packed).value().bytes;
  const std::string cut = testing::ShortTrace(trace, 20);
  EXPECT_LT(cut.size(), trace.size());
  EXPECT_TRUE(ReportOfAnyBytes(cut, "any.rftrace"));
}

TEST(JsonSchema, NamesTheFirstViolation) {
  const auto schema = nlohmann::json::parse(R"({
      "required": ["a"],
      "properties": {"a": {"$ref": "#/definitions/few"}, "b": {"const": 1}},
      "additionalProperties": false,
      "definitions": {"few": {"type": "array", "maxItems": 2,
          "items": {"type": ["integer", "null"], "minimum": 0}}}})");
  const auto violation = [&](const char* document) {
    return testing::SchemaViolation(schema, nlohmann::json::parse(document));
  };
  EXPECT_EQ(violation(R"({"a": [1, null]})"), "");
  EXPECT_EQ(violation(R"({"b": 1})"), ": lacks \"a\"");
  EXPECT_EQ(violation(R"({"a": [1, 2, 3]})"), "/a: has too many items");
  EXPECT_EQ(violation(R"({"a": [1, -1]})"), "/a/1: is below the minimum");
  EXPECT_EQ(violation(R"({"a": [1.5]})"), "/a/0: is no [\"integer\",\"null\"]");
  EXPECT_EQ(violation(R"({"a": [], "b": 2})"), "/b: is not 1");
  EXPECT_EQ(violation(R"({"a": [], "c": 2})"), "/c: is not known");
}

}  // namespace
}  // namespace rangefinder
