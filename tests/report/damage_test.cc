// Damaged files: an answer or a clear error, never a crash, a hang, or memory
// beyond a small multiple of the file.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "ingest/compressed.h"
#include "ingest/ncu/ncu_container.h"
#include "ingest/reader.h"
#include "tests/support/analyze.h"
#include "tests/support/rep_builder.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

using testing::Fixture;
using testing::WriteTo;

std::string Bytes(std::string_view fixture) {
  return ReadFile(Fixture(fixture)).value();
}

struct Outcome {
  std::size_t measurements = 0;
  std::optional<ErrorCode> error{};
  Notes notes{};
};

// Reads as the commands do. If `report`, makes reports of the rest.
Outcome Read(const std::string& bytes, bool report = false) {
  Outcome outcome;
  std::string plain = bytes;
  if (IsCompressed(bytes)) {
    auto content = DecompressZstd(bytes);
    plain = content.ok() ? std::move(content.value().bytes) : std::string();
  }
  const Reader* reader = FindReader(plain);
  if (reader == nullptr) {
    outcome.error = ErrorCode::kCorrupt;
    return outcome;
  }
  const auto profile =
      reader->read({.path = "damaged", .bytes = plain}, outcome.notes);
  if (!profile.ok()) {
    outcome.error = profile.error().code();
    EXPECT_FALSE(profile.error().message().empty());
    return outcome;
  }
  outcome.measurements = profile.value().measurements.size();
  if (report) {
    const RegionTree tree =
        BuildRegionTree(profile.value(), Selection(), outcome.notes);
    const Rollup rollup = RollUp(profile.value(), tree, {}, outcome.notes);
    std::ostringstream out;
    WriteJson(Compose(profile.value(), tree, rollup, outcome.notes, {}), out);
    EXPECT_FALSE(out.str().empty());
  }
  return outcome;
}

bool SaysLoss(const Outcome& outcome) {
  return std::ranges::any_of(outcome.notes.all(), [](const Note& note) {
    return note.severity == Severity::kDataLoss;
  });
}

// Where the whole file has `whole` results, a part of it that is read without a
// word may have fewer only if it ends between two blocks.
void ExpectHonest(const Outcome& outcome, std::size_t length) {
  if (outcome.error) {
    EXPECT_EQ(*outcome.error, ErrorCode::kCorrupt) << "at " << length;
    EXPECT_EQ(outcome.measurements, 0U);
  }
}

TEST(Damage, EveryPrefixOfAReportEndsInAnAnswerOrAnError) {
  const std::string whole = Bytes("graph_graph.ncu-rep");
  std::size_t answers = 0;
  std::size_t last = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Outcome outcome = Read(whole.substr(0, length));
    ExpectHonest(outcome, length);
    answers += outcome.measurements > 0;
    EXPECT_GE(outcome.measurements, last) << "a longer prefix knows less";
    last = outcome.measurements;
  }
  // Two results: the first is there as soon as its block is.
  EXPECT_GT(answers, whole.size() / 100);
  EXPECT_LT(answers, whole.size());
}

TEST(Damage, APrefixGivesTheResultsBeforeTheCutAndSaysSo) {
  const std::string whole = Bytes("nested_basic.ncu-rep");
  const std::size_t step = whole.size() / 97;
  std::size_t last = 0;
  for (std::size_t length = 0; length < whole.size(); length += step) {
    const Outcome outcome = Read(whole.substr(0, length), true);
    ExpectHonest(outcome, length);
    EXPECT_GE(outcome.measurements, last);
    last = outcome.measurements;
    if (!outcome.error) {
      EXPECT_TRUE(SaysLoss(outcome)) << "at " << length;
    }
  }
  EXPECT_GE(last, 26U);
}

TEST(Damage, EveryPrefixOfACompressedReportEndsToo) {
  const std::string whole = testing::CompressRep(Bytes("graph_graph.ncu-rep"));
  for (std::size_t length = 0; length < whole.size(); length += 7)
    ExpectHonest(Read(whole.substr(0, length)), length);
  EXPECT_EQ(Read(whole).measurements, 2U);
}

TEST(Damage, DerivedFilesEndInAnAnswerOrAnErrorToo) {
  std::ostringstream document;
  WriteJson(MakeReport(*testing::AnalyzeFile(Fixture("graph_graph.ncu-rep")),
                       ReportOptionsOf(ShippedSettings())),
            document);
  std::ostringstream table;
  const auto nested = testing::AnalyzeFile(Fixture("range_ABprefill.ncu-rep"));
  WriteCsv(testing::ShippedReport(*nested), table);
  std::mt19937 dice(7);
  for (const std::string& whole :
       {document.str(), table.str(), Bytes("range_ABprefill.raw.csv")}) {
    EXPECT_GT(Read(whole, true).measurements, 0U);
    for (std::size_t length = 0; length < whole.size(); length += 211) {
      const Outcome outcome = Read(whole.substr(0, length), length % 3 == 0);
      EXPECT_TRUE(!outcome.error || outcome.measurements == 0) << length;
    }
    for (int i = 0; i < 200; ++i) {
      std::string bytes = whole;
      for (int change = 0; change < 3; ++change)
        bytes[dice() % bytes.size()] = static_cast<char>(dice());
      Read(bytes, true);
    }
  }
}

// A small report with everything in it: ranges of all kinds, two processes,
// a whole range, metrics.
std::string SmallReport() {
  return testing::BuildRep(R"(
    kernel gemm gpu__time_duration.sum=1200 dram__bytes.sum=64 @ A#1/B#3; D@p#2
    kernel relu gpu__time_duration.sum=300 pid=2 device=1 @ start S; thread 9: x
    range gpu__time_duration.sum=2000 sm__throughput.avg.pct_of_peak_sustained_elapsed=7 @ A
    graph gpu__time_duration.sum=10 @ replay
  )");
}

TEST(Damage, EveryCorruptedByteOfASmallReportEndsInAnAnswerOrAnError) {
  const std::string whole = SmallReport();
  ASSERT_LT(whole.size(), 3000U);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff, 0x7f}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      ExpectHonest(Read(bytes, true), at);
    }
  }
}

TEST(Damage, CorruptedBytesOfARealReportEndInAnAnswerOrAnError) {
  const std::string whole = Bytes("graph_graph.ncu-rep");
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (at % 2 == 0 ? 0xff : 0x01));
    ExpectHonest(Read(bytes, at % 51 == 0), at);
  }
}

TEST(Damage, CorruptedBytesOfACompressedReportEndToo) {
  const std::string whole = testing::CompressRep(SmallReport());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {0x01, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      ExpectHonest(Read(bytes), at);
    }
  }
}

TEST(Damage, RandomFilesAreErrors) {
  std::mt19937 random(20260101);
  for (int round = 0; round < 200; ++round) {
    std::string bytes(random() % 3000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (round % 2 == 0 && bytes.size() > 4) bytes.replace(0, 4, "NVR", 4);
    if (round % 5 == 0 && bytes.size() > 4)
      bytes.replace(0, 4, "\x28\xB5\x2F\xFD");
    const Outcome outcome = Read(bytes, true);
    ExpectHonest(outcome, bytes.size());
    if (!outcome.error) {
      EXPECT_TRUE(SaysLoss(outcome));
    }
  }
}

TEST(Damage, FilesThatAreNoneSayWhy) {
  const TempDir folder;
  const auto error = [&](std::string_view name, std::string_view bytes) {
    const std::vector<std::filesystem::path> files = {
        WriteTo(folder, name, bytes)};
    Notes notes;
    const auto profile = ReadArtifacts(files, notes);
    return profile.ok() ? "read"
                        : std::to_string(ExitStatus(profile.error().code())) +
                              " " + profile.error().message();
  };
  EXPECT_THAT(error("empty.ncu-rep", ""),
              ::testing::MatchesRegex("5 .*empty.ncu-rep: the file is empty"));
  EXPECT_THAT(error("text.ncu-rep", "hello\n"), ::testing::StartsWith("5 "));
  EXPECT_THAT(error("magic.ncu-rep", std::string("NVR\0", 4)),
              ::testing::StartsWith("5 "));
  EXPECT_THAT(error("zstd.ncu-repz", testing::CompressRep("hello")),
              ::testing::HasSubstr("not a capture that rangefinder reads"));
}

// Headers with huge sizes cost nothing: no memory is allocated for missing
// data.
TEST(Damage, PromisesOfABlockHeaderCostNothing) {
  std::string bytes("NVR\0\2\0\0\0\x08\7", 10);
  // NumResults = 2^32 - 1, PayloadSize = 2^63
  const std::string header =
      "\x10\xff\xff\xff\xff\x0f\x28\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
  bytes += static_cast<char>(header.size());
  bytes += std::string(3, '\0') + header;
  EXPECT_EQ(Read(bytes).error, ErrorCode::kCorrupt);
}

// A result must be more than nothing to be a measurement: a file of empty
// messages would otherwise cost a hundred times its size.
TEST(Damage, EmptyResultsAreNone) {
  std::string bytes("NVR\0\2\0\0\0\x08\7", 10);
  const std::string header("\x10\x90\x4e\x28\xc0\xb8\x02",
                           7);  // 10,000, 40,000
  bytes += static_cast<char>(header.size());
  bytes += std::string(3, '\0') + header + std::string(40000, '\0');
  const Outcome outcome = Read(bytes);
  EXPECT_EQ(outcome.error, ErrorCode::kCorrupt);
}

// A full disk, a crash or a copy with holes leaves zeros.
TEST(Damage, AReportOfWhichTheRestIsZerosGivesWhatIsBeforeAndSaysSo) {
  const std::string whole = Bytes("nested_basic.ncu-rep");
  NcuContainer container = NcuContainer::Open(whole).value();
  std::size_t results = 0;
  while (const auto block = container.Next()) {
    std::string zeroed = whole;
    std::fill(zeroed.begin() + static_cast<std::ptrdiff_t>(block->offset),
              zeroed.end(), '\0');
    const Outcome outcome = Read(zeroed);
    EXPECT_EQ(outcome.measurements, results) << "at block " << block->number;
    if (results == 0) {
      EXPECT_EQ(outcome.error, ErrorCode::kCorrupt);
    } else {
      EXPECT_TRUE(SaysLoss(outcome)) << "at block " << block->number;
    }
    results += block->kernels;
  }
  EXPECT_EQ(results, 28U);
}

// However many zeros there are, the first of them ends the reading.
TEST(Damage, ZerosAreNotReadOn) {
  const std::string whole = SmallReport();
  const Outcome few = Read(whole + std::string(8, '\0'));
  const Outcome many = Read(whole + std::string(8 << 20, '\0'));
  EXPECT_EQ(few.measurements, 4U);
  EXPECT_EQ(many.measurements, 4U);
  ASSERT_EQ(few.notes.all().size(), many.notes.all().size());
  for (std::size_t i = 0; i < few.notes.all().size(); ++i) {
    EXPECT_EQ(few.notes.all()[i].text, many.notes.all()[i].text);
    EXPECT_EQ(few.notes.all()[i].count, many.notes.all()[i].count);
  }
}

TEST(Damage, ACompressedFileMayNotExpandWithoutEnd) {
  const std::string bomb =
      testing::CompressRep("NVR" + std::string(100 << 20, '\0'));
  ASSERT_LT(bomb.size(), 100000U);
  const Outcome outcome = Read(bomb);
  EXPECT_EQ(outcome.error, ErrorCode::kCorrupt);
}

// The report of a stack as deep as no program's: its size must not grow with
// the cube of the depth.
TEST(Damage, AnAbsurdlyDeepStackIsCutAndSaysSo) {
  std::string line = "kernel k gpu__time_duration.sum=5 @ r";
  for (int i = 0; i < 5000; ++i) line += "/r";
  const auto analysis = testing::AnalyzeText(line);
  EXPECT_LE(analysis->tree.regions().size(), 300U);
  EXPECT_TRUE(std::ranges::any_of(analysis->notes.all(), [](const Note& note) {
    return note.kind == "deep_path";
  }));
  EXPECT_EQ(analysis->rollup.scopes.at(0).totals.kernel_count, 1U);
}

TEST(Damage, AMetricThatNeedsItselfIsNoLoop) {
  Profile profile;
  const MetricId a =
      profile.InternMetric("sm__throughput.avg.pct_of_peak_sustained_elapsed");
  const MetricId b = profile.InternMetric(
      "l1tex__throughput.avg.pct_of_peak_sustained_elapsed");
  profile.metrics[Index(a)].breakdown = {a, b};
  profile.metrics[Index(b)].breakdown = {a};
  profile.processes.push_back({});
  Measurement m;
  m.device = 0;
  m.sample_count = 2;
  for (const MetricId metric : {a, b}) {
    const Value value = Value::Number(5);
    profile.samples.push_back(
        {.metric = metric, .kind = value.kind, .bits = value.bits});
  }
  profile.measurements.push_back(m);
  EXPECT_EQ(Read(testing::BuildRep(profile), true).measurements, 1U);
}

// Two results with the same broken list of instances: the second must not take
// the first one's place for a list.
TEST(Damage, ABrokenInstanceListIsNotRemembered) {
  Profile profile;
  const MetricId metric = profile.InternMetric("launch__device_id");
  profile.processes.push_back({});
  profile.instance_lists = {{{.key = 1, .value = Value::Number(1)}}};
  const Value value = Value::Number(5);
  profile.samples.push_back(
      {.metric = metric, .kind = value.kind, .bits = value.bits});
  Measurement m;
  m.device = -1;
  m.sample_count = 1;
  m.instances = {{.metric = metric, .list = 0}};
  profile.measurements = {m, m, m};
  std::string bytes = testing::BuildRep(profile);
  // The value of the instance: its length, too long by one, in every result.
  const std::string instance = "\x12\x09\x19";
  std::size_t broken = 0;
  for (std::size_t at = bytes.find(instance); at != bytes.npos;
       at = bytes.find(instance, at + 1)) {
    bytes[at + 2] = '\x1c';  // an end-group tag, which is no field
    ++broken;
  }
  EXPECT_GE(broken, 3U);
  ExpectHonest(Read(bytes, true), 0);
}

}  // namespace
}  // namespace rangefinder
