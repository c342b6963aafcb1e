// What a file costs grows with its size and not with its square, whichever of
// its lists is long: ten times as many take at most about ten times as much,
// from the file to the documents.

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/file.h"
#include "base/write_file.h"
#include "capture/manifest.h"
#include "ingest/nsys_kernel_csv.h"
#include "tests/scaling/counted_memory.h"
#include "tests/scaling/lists.h"
#include "tests/support/analyze.h"

namespace rangefinder::testing {
namespace {

// Of this process, all its threads together: others do not count.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Cost {
  double seconds = 0;
  std::int64_t bytes = 0;
};

template <typename Work>
Cost CostOf(Work work) {
  static_cast<void>(TakePeakBytes());
  const std::int64_t before = LiveBytes();
  const double start = CpuSeconds();
  work();
  return {.seconds = CpuSeconds() - start, .bytes = TakePeakBytes() - before};
}

void Fill(const std::filesystem::path& path, const std::string& statements) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  const std::string all =
      "PRAGMA synchronous = OFF; BEGIN; " + statements + " COMMIT;";
  char* error = nullptr;
  sqlite3_exec(database, all.c_str(), nullptr, nullptr, &error);
  EXPECT_EQ(error, nullptr) << error;
  sqlite3_close(database);
}

std::filesystem::path Written(const TempDir& folder, const ListInFile& list,
                              int count) {
  const std::string content = list.with(count);
  std::filesystem::path path = folder.path() / list.file;
  if (list.file.ends_with(".sqlite")) {
    Fill(path, content);
    return path;
  }
  if (list.file == "manifest.json") {
    std::filesystem::create_directory(folder.path() / "ncu");
    path = folder.path() / "ncu" / list.file;
  }
  EXPECT_TRUE(WriteFile(path, content).ok()) << path;
  return path;
}

void MakeDocuments(const std::filesystem::path& path) {
  const Settings settings;
  const std::vector<std::filesystem::path> files = {path};
  auto analysis = Analyze(files, AnalysisOptionsOf(settings));
  ASSERT_TRUE(analysis.ok()) << analysis.error().message();
  const Documents documents =
      WriteAll(MakeReport(*analysis.value(), ReportOptionsOf(settings)));
  EXPECT_FALSE(documents.json.empty());
}

void Read(const std::filesystem::path& path) {
  if (path.filename() == "manifest.json") {
    const auto capture = ReadCapture(path.parent_path().parent_path());
    ASSERT_TRUE(capture.ok()) << capture.error().message();
  } else if (path.extension() == ".csv") {
    const auto text = ReadFile(path);
    ASSERT_TRUE(text.ok());
    const auto rows = ReadKernelSummary(text.value());
    ASSERT_TRUE(rows.ok()) << rows.error().message();
  } else {
    MakeDocuments(path);
  }
}

Cost CostOf(const ListInFile& list, int count) {
  const TempDir folder;
  const std::filesystem::path path = Written(folder, list, count);
  return CostOf([&] { Read(path); });
}

// Ten times as many take 10 times as much where that is linear, 100 times where
// it is quadratic, without what any file takes. What takes no time at all says
// nothing; other programs disturb, so the best of a few counts.
constexpr double kMost = 25;
constexpr double kNoTime = 0.05;
constexpr double kNoBytes = 4 << 20;
constexpr int kTries = 3;

bool IsLinear(double any, double small, double large, double nothing) {
  return large < nothing ||
         large - any < kMost * std::max(small - any, nothing / kMost);
}

std::string NameOf(const ListInFile& list) {
  std::string name(list.name);
  std::ranges::replace_if(
      name,
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9'));
      },
      '_');
  return name;
}

class Scaling : public ::testing::TestWithParam<ListInFile> {};

TEST_P(Scaling, TenTimesAsManyCostAboutTenTimesAsMuch) {
  const ListInFile& list = GetParam();
  const Cost any = CostOf(list, 1);
  Cost small, large;
  for (int i = 0; i < kTries; ++i) {
    const Cost one = CostOf(list, list.count);
    const Cost ten = CostOf(list, 10 * list.count);
    small =
        i == 0 ? one : Cost{std::min(small.seconds, one.seconds), one.bytes};
    large =
        i == 0 ? ten : Cost{std::min(large.seconds, ten.seconds), ten.bytes};
    if (IsLinear(any.seconds, small.seconds, large.seconds, kNoTime)) break;
  }
  const std::string figures = fmt::format(
      "{} of them: {:.3f} s, {:.1f} MB; {}: {:.3f} s, {:.1f} MB", list.count,
      small.seconds, static_cast<double>(small.bytes) / 1e6, 10 * list.count,
      large.seconds, static_cast<double>(large.bytes) / 1e6);
  RecordProperty("figures", figures);
  EXPECT_TRUE(IsLinear(any.seconds, small.seconds, large.seconds, kNoTime))
      << figures;
  EXPECT_TRUE(IsLinear(static_cast<double>(any.bytes),
                       static_cast<double>(small.bytes),
                       static_cast<double>(large.bytes), kNoBytes))
      << figures;
}

const auto kNamed = [](const auto& info) { return NameOf(info.param); };

INSTANTIATE_TEST_SUITE_P(OfTraces, Scaling,
                         ::testing::ValuesIn(ListsOfTraces().begin(),
                                             ListsOfTraces().end()),
                         kNamed);
INSTANTIATE_TEST_SUITE_P(OfNcuReports, Scaling,
                         ::testing::ValuesIn(ListsOfNcuReports().begin(),
                                             ListsOfNcuReports().end()),
                         kNamed);
INSTANTIATE_TEST_SUITE_P(OfExports, Scaling,
                         ::testing::ValuesIn(ListsOfExports().begin(),
                                             ListsOfExports().end()),
                         kNamed);
INSTANTIATE_TEST_SUITE_P(OfOtherFiles, Scaling,
                         ::testing::ValuesIn(ListsOfOtherFiles().begin(),
                                             ListsOfOtherFiles().end()),
                         kNamed);

}  // namespace
}  // namespace rangefinder::testing
