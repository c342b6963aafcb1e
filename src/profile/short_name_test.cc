// The table of docs/kernel-names.md, and properties of all names.

#include "profile/short_name.h"

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

struct TableRow {
  std::string shown{};
  std::string name{};
};

// Lines of the form | `shown` | `name` |.
std::vector<TableRow> Table() {
  std::ifstream page(RANGEFINDER_SOURCE_DIR "/docs/kernel-names.md");
  std::vector<TableRow> rows;
  const std::string between = "` | `";
  for (std::string line; std::getline(page, line);) {
    const std::size_t middle = line.find(between);
    if (!line.starts_with("| `") || middle == std::string::npos) continue;
    const std::size_t name = middle + between.size();
    rows.push_back({line.substr(3, middle - 3),
                    line.substr(name, line.size() - 3 - name)});
  }
  return rows;
}

TEST(ShortKernelName, MatchesTheTable) {
  const std::vector<TableRow> rows = Table();
  EXPECT_GE(rows.size(), 40U);
  for (const TableRow& row : rows)
    EXPECT_EQ(ShortKernelName(row.name), row.shown) << row.name;
}

TEST(ShortKernelName, OfANameThatDoesNotParseIsTheWholeName) {
  for (const std::string name :
       {"", "operator<(int, int)", "f<a(int", "f<(>)", "f>", "a::", "<>", "((",
        "void ", "&(", "[lambda", "f<[lambda>"}) {
    const std::string shown = ShortKernelName(name);
    EXPECT_LE(shown.size(), name.size() + 6) << name;
    EXPECT_EQ(shown.empty(), name.empty() || shown.empty()) << name;
  }
  EXPECT_EQ(ShortKernelName("operator<(int, int)"), "operator<(int, int)");
  EXPECT_EQ(ShortKernelName("f<a(int"), "f<a(int");
  // Deeper than compilers nest.
  std::string deep = "k<";
  for (int i = 0; i < 20'000; ++i) deep += "ReduceOp<";
  EXPECT_FALSE(ShortKernelName(deep).empty());
  deep += "int" + std::string(20'001, '>');
  EXPECT_FALSE(ShortKernelName(deep).empty());
}

TEST(ShortKernelNames, TellAllKernelsApart) {
  const std::vector<std::string_view> names = {
      "void f<at::native::BinaryFunctor<float, at::native::Mul<float>>, "
      "1>(int)",
      "void f<at::native::AUnaryFunctor<float, at::native::Mul<float>>, "
      "1>(int)",
      "void g<1, 2, 3, 4>(T1)",
      "void g<1, 2, 3, 5>(T1)",
      "void a::h<int>(int)",
      "void b::h<int>(int)",
      "alone(int)"};
  EXPECT_THAT(
      ShortKernelNames(names),
      ::testing::ElementsAre("f<…BinaryFunctor<…Mul<float>>>",
                             "f<…AUnaryFunctor<…Mul<float>>>", "g<1, 2, 3, 4>",
                             "g<1, 2, 3, 5>", "void a::h<int>(int)",
                             "void b::h<int>(int)", "alone"));
}

TEST(ShortKernelNames, OfTheTableAllDiffer) {
  const std::vector<TableRow> rows = Table();
  std::vector<std::string_view> names;
  for (const TableRow& row : rows) names.push_back(row.name);
  const std::vector<std::string> shown = ShortKernelNames(names);
  EXPECT_EQ(std::set(shown.begin(), shown.end()).size(), rows.size());
}

}  // namespace
}  // namespace rangefinder
