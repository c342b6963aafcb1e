// The cost of a file is linear in each of its lists: ten times as many items
// cost at most about ten times as much, from the file to the documents.

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/file.h"
#include "base/write_file.h"
#include "capture/record.h"
#include "ingest/nsys/nsys_kernel_csv.h"
#include "tests/scaling/cost.h"
#include "tests/scaling/lists.h"
#include "tests/support/analyze.h"
#include "writers/markdown/fact_sheet_writer.h"

namespace rangefinder::testing {
namespace {

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
  const Settings settings = ShippedSettings();
  const std::vector<std::filesystem::path> files = {path};
  auto analysis = Analyze(files, settings.analysis);
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
  return CostOfWork([&] { Read(path); });
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
  ExpectLinear([&](int count) { return CostOf(list, count); }, list.count);
}

TEST(FactSheets, OfTenTimesAsManyFactsCostAboutTenTimesAsMuch) {
  ExpectLinear(
      [](int count) {
        FactSheet sheet{.title = "Why it is slow"};
        for (int i = 0; i < count; ++i)
          sheet.Add("Causes", i, {.text = "a cause"});
        return CostOfWork([&] {
          std::ostringstream out;
          WriteFactSheet(sheet, 300, out);
        });
      },
      1000);
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
