// The ranks of a job in the documents.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "base/write_file.h"
#include "insight/late_ranks.h"
#include "insight/rank_matrix.h"
#include "region/tree.h"
#include "report/documents.h"
#include "tests/fuzz/json_schema.h"
#include "tests/support/composed.h"
#include "tests/support/profile_builder.h"
#include "tests/support/rank_job.h"
#include "tests/support/unpack.h"
#include "writers/json/json_parts.h"
#include "writers/json/json_stream.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using testing::MadeRankJob;
using ::testing::Not;
using testing::RankJob;

// A small report, with the ranks of a job.
class ReportOfRanks {
 public:
  explicit ReportOfRanks(const RankJob& job) {
    report.ranks = job.ranks;
    report.rank_analysis = job.analysis;
  }

  Json Parsed(bool page = false) const {
    std::ostringstream out;
    if (page)
      RunJson(report).WritePage(out);
    else
      WriteJson(report, out);
    return Json::parse(out.str());
  }
  std::string Markdown() const {
    std::ostringstream out;
    WriteMarkdown(GlanceDocument(report), out);
    return out.str();
  }
  std::string Terminal(std::size_t width) const {
    std::ostringstream out;
    WriteTerminal(ShowDocument(report, {}), {.width = width}, out);
    return out.str();
  }

 private:
  const testing::Composed composed_{
      testing::BuildProfile("kernel f ns=10 @ decode\n")};

 public:
  Report report = composed_.MakeReport();
};

TEST(RanksReport, SaysWhoIsLateAndWhy) {
  const RankJob job = MadeRankJob(8);
  EXPECT_THAT(
      LateSentences(ReportOfRanks(job).report, 9).sentences,
      ::testing::ElementsAre(
          "decode: rank 2 on node0 last in 93.0 % of 100 instances, by 41.00 "
          "µs; of it 38.00 µs in torch@layer*.mlp: its kernels took 12 % "
          "longer at equal launches; 3.00 µs not explained",
          "decode: no rank came late, and the transfer itself took 12.00 µs "
          "longer in 25.0 % of the instances, 1.40 times the usual among rank "
          "0 on node0 and rank 1 on node0"));
}

TEST(RanksReport, SaysOnceWhatHoldsAroundAndInside) {
  RankJob job = MadeRankJob(8);
  LateRank inner = job.analysis->late[0];
  inner.region = 3;
  LateRank other = inner;
  other.record = 4;
  job.analysis->late.push_back(inner);
  job.analysis->late.push_back(other);
  EXPECT_THAT(LateSaidBy(*job.analysis, 9), ::testing::ElementsAre(0, 0, 2));
  const ReportOfRanks report(job);
  EXPECT_EQ(LateSentences(report.report, 2).sentences.size(), 2U);
  EXPECT_EQ(LateSentences(report.report, 2).more, 1U);
  const Json late = report.Parsed()["ranks"]["late"];
  EXPECT_FALSE(late[0].contains("said_by"));
  EXPECT_EQ(late[1]["said_by"], 0);
}

TEST(RanksReport, SaysWhatEachReasonIs) {
  const auto text = [](LateReason reason, double ratio) {
    return ReasonText({.reason = reason, .ratio = ratio});
  };
  EXPECT_EQ(text(LateReason::kCompute, 0),
            "its kernels took longer at equal launches");
  EXPECT_EQ(text(LateReason::kCompute, 2.5),
            "its kernels took 2.5 times as long at equal launches");
  EXPECT_EQ(text(LateReason::kWork, 1.333), "it launched 33 % more kernels");
  EXPECT_EQ(text(LateReason::kClock, 0.92), "its SMs ran 8.0 % slower");
  EXPECT_EQ(text(LateReason::kClock, 1.05), "its SMs ran 5.0 % slower");
  EXPECT_EQ(text(LateReason::kLaunch, 3),
            "its kernels were launched later: the CPU, not the GPU");
  EXPECT_EQ(text(LateReason::kNetwork, 1.001),
            "the transfer took 0.1 % longer");
  EXPECT_EQ(text(LateReason::kUnknown, 1), "not explained");
}

TEST(RanksReport, NobodyLateIsAnAnswerAndNotKnownAnother) {
  RankJob job = MadeRankJob(4);
  job.analysis->late.clear();
  job.analysis->slow_network.clear();
  EXPECT_THAT(LateSentences(ReportOfRanks(job).report, 9).sentences,
              ::testing::ElementsAre("no rank makes the others wait"));
  for (RegionOverRanks& region : job.analysis->regions)
    region.waiting = region.transfer = std::nullopt;
  EXPECT_THAT(LateSentences(ReportOfRanks(job).report, 9).sentences,
              ::testing::ElementsAre(
                  "not known: no communication of the ranks was matched"));
}

TEST(RanksReport, JsonKeepsToItsSchemaAndHasTheRanks) {
  const Json schema = Json::parse(
      ReadFile(RANGEFINDER_SOURCE_DIR "/docs/report.schema.json").value());
  const ReportOfRanks report(MadeRankJob(8));
  for (const bool page : {false, true}) {
    const Json document = report.Parsed(page);
    // The regions of the page lack the fields that only programs read.
    if (!page) {
      EXPECT_EQ(testing::SchemaViolation(schema, document), "");
    }
    const Json& ranks = document["ranks"];
    EXPECT_EQ(ranks["count"], 8);
    EXPECT_EQ(ranks["records"][1]["notes"][0],
              "7 collectives were seen and not kept");
    EXPECT_EQ(ranks["regions"][1]["compute_ns"]["ranks"], 8);
    // Absent is null with a reason, and never 0.
    EXPECT_TRUE(ranks["regions"][3]["waiting_ns"].is_null());
    EXPECT_EQ(ranks["regions"][3]["reason"],
              "no collective of it was matched over ranks");
    EXPECT_EQ(ranks["late"][0]["parts"][0]["reason"], "compute");
    EXPECT_EQ(ranks["late"][0]["rank"], 2);
  }
}

TEST(RanksReport, TheMatrixHasAnEntryARankAndRegionAndNullWhereThereIsNone) {
  const RankJob job = MadeRankJob(8);
  const Json matrix = ReportOfRanks(job).Parsed()["ranks"]["matrix"];
  const Json& values = matrix["values"];
  const Json& regions = matrix["regions"];
  ASSERT_EQ(regions.size(), 4U);
  for (std::size_t r = 0; r < regions.size(); ++r) {
    // The last rank is a stage without attention.
    const bool is_attention = regions[r] == 2;
    EXPECT_EQ(values["compute_ns"][7][r].is_null(), is_attention);
    EXPECT_FALSE(values["compute_ns"][6][r].is_null());
  }
  EXPECT_EQ(values["compute_ns"][2][0],
            job.ranks->records[2].regions[0].compute_ns);
  EXPECT_EQ(values["waiting_ns"][1][0], 9e6);
  EXPECT_TRUE(values["sm_clock_hz"][1][0].is_null());
}

TEST(RanksReport, ALargeMatrixIsPackedAndOfTheRegionsWithMostTime) {
  const ReportOfRanks report(MadeRankJob(100, 300));
  const Json ranks = report.Parsed(true)["ranks"];
  const Json& matrix = ranks["matrix"];
  EXPECT_EQ(matrix["regions"].size(), kMostMatrixRegions);
  EXPECT_EQ(matrix["regions_left_out"], 304 - 200);
  EXPECT_FALSE(matrix.contains("values"));
  const Json values = testing::Unpack(matrix["packed"]);
  EXPECT_EQ(values["idle_ns"].size(), 100U);
  EXPECT_EQ(values["idle_ns"][99].size(), kMostMatrixRegions);
  EXPECT_EQ(ranks["regions"].size(), kMostMatrixRegions);
  EXPECT_EQ(ranks["region_count"], 304);
  EXPECT_EQ(report.Parsed(false)["ranks"]["regions"].size(), 304U);
}

TEST(RanksReport, OfVeryManyRanksTheMatrixHasThoseThatStandOut) {
  const RankJob job = MadeRankJob(2500);
  const Json matrix = ReportOfRanks(job).Parsed(true)["ranks"]["matrix"];
  const Json& records = matrix["records"];
  EXPECT_EQ(records.size() + matrix["records_left_out"].get<std::size_t>(),
            2500U);
  EXPECT_LE(records.size(), kMostMatrixRanks);
  EXPECT_TRUE(std::ranges::is_sorted(records));
  // Who is late, who is typical, who has the most.
  EXPECT_THAT(records, ::testing::Contains(Json(2)));
  EXPECT_THAT(records, ::testing::Contains(Json(1)));
  EXPECT_THAT(records, ::testing::Contains(
                           Json(job.analysis->regions[1].compute.max_at)));
}

// Each process a scope, as the ranks of a job are.
TEST(RanksReport, OfManyScopesThePageHasThoseThatAreSpokenOf) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    for (int r = 0; r < 200; ++r)
      text += fmt::format("kernel f pid={} ns={} @ r{}\n", 4000 + i, 10 + i, r);
  }
  const testing::Composed composed(testing::BuildProfile(text));
  const Report report = composed.MakeReport();
  std::ostringstream out, markdown;
  RunJson(report).WritePage(out);
  const Json page = Json::parse(out.str());
  ASSERT_EQ(page["scopes"].size(), 16U);
  EXPECT_EQ(page["scopes"][0]["scope"], "aggregate");
  // Without ranks: the scopes with the most time.
  EXPECT_EQ(page["scopes"][15]["process"], 4039);
  EXPECT_EQ(page["notes"][0]["kind"], "page_scopes_left_out");
  EXPECT_EQ(page["notes"][0]["count"], 41 - 16);
  WriteMarkdown(GlanceDocument(report), markdown);
  EXPECT_THAT(markdown.str(),
              HasSubstr("*25 more processes and devices are in report.json"));
}

TEST(RanksReport, MarkdownHasTheSentencesAndATableOverRanks) {
  const std::string text = ReportOfRanks(MadeRankJob(8)).Markdown();
  EXPECT_THAT(text, HasSubstr("## Who is late\n\n- decode: rank 2 on node0 "
                              "last in 93.0 % of 100 instances"));
  EXPECT_THAT(
      text, HasSubstr("Ranks that behave alike: 6 like rank 1 on node0, 1 like "
                      "rank 2 on node0, 1 like rank 7 on node1."));
  EXPECT_THAT(text, HasSubstr("aligned by the ends of collectives, to 850 ns"));
  EXPECT_THAT(text, HasSubstr("| region | compute | waiting | exposed | "
                              "overlapped | idle |"));
  EXPECT_THAT(text, HasSubstr("\nranks 6 and 7 of 8 left no trace\n"));
}

TEST(RanksReport, TheTerminalHasWhatFits) {
  const ReportOfRanks report(MadeRankJob(8));
  EXPECT_THAT(report.Terminal(140), HasSubstr(R"(Who is late
decode: rank 2 on node0 last in 93.0 % of 100 instances, by 41.00 µs; of it)"));
  EXPECT_THAT(report.Terminal(80), HasSubstr("Hidden columns: "));
  for (const std::size_t width : {60U, 80U, 100U, 140U})
    SCOPED_TRACE(report.Terminal(width));
}

// tests/golden/job; RANGEFINDER_UPDATE_GOLDEN=1 writes it anew.
TEST(RanksReport, IsAsRecorded) {
  const ReportOfRanks job(MadeRankJob(8));
  std::ostringstream markdown, json_text, terminal;
  Document full;
  AddRanks(full, job.report, Detail::kFull);
  WriteMarkdown(full, markdown);
  Document brief;
  AddRanks(brief, job.report, Detail::kShort);
  {
    JsonStream stream(json_text);
    stream.BeginObject();
    WriteRanksJson(stream, job.report, false);
    stream.EndObject();
  }
  for (const std::size_t width : {120U, 70U}) {
    std::ostringstream drawn;
    WriteTerminal(brief, {.width = width}, drawn);
    for (const std::string& line : Split(drawn.str(), '\n'))
      EXPECT_LE(DisplayWidth(line), width);
    terminal << drawn.str() << '\n';
  }
  const std::map<std::string, std::string> files = {
      {"ranks.md", markdown.str()},
      {"ranks.json", json_text.str() + "\n"},
      {"ranks.txt", terminal.str()}};
  for (const auto& [name, bytes] : files) {
    const std::filesystem::path path =
        std::filesystem::path(RANGEFINDER_SOURCE_DIR) / "tests/golden/job" /
        name;
    if (std::getenv("RANGEFINDER_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(WriteFile(path, bytes).ok());
    }
    const auto recorded = ReadFile(path);
    ASSERT_TRUE(recorded.ok()) << name;
    EXPECT_EQ(recorded.value(), bytes) << name;
  }
}

TEST(RanksReport, OneRankIsNotSpokenOf) {
  RankJob job = MadeRankJob(4);
  job.ranks->records.resize(1);
  const ReportOfRanks report(job);
  EXPECT_FALSE(report.Parsed().contains("ranks"));
  EXPECT_THAT(report.Markdown(), Not(HasSubstr("late")));
  EXPECT_THAT(report.Terminal(100), Not(HasSubstr("late")));
}

TEST(RanksReport, NamesOfFilesStayText) {
  RankJob job = MadeRankJob(4);
  const std::string hostile = "a|b\x1b[31m</script>\n# x";
  for (RegionOverRanks& region : job.analysis->regions) {
    for (std::string& frame : region.path) frame = hostile;
  }
  for (RankRecord& record : job.ranks->records) record.host = hostile;
  job.analysis->notes = {hostile};
  const ReportOfRanks report(job);
  for (const std::string& text : {report.Markdown(), report.Terminal(100)}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\n# x")));
  }
}

}  // namespace
}  // namespace rangefinder
