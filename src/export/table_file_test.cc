#include "export/table_file.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/sql.h"

namespace rangefinder {
namespace {

using testing::Ask;
using testing::AskOne;
using Rows = std::vector<std::vector<std::string>>;

constexpr const char* kSchema = "CREATE TABLE t (a INTEGER, b REAL, c TEXT);";

TEST(TableFile, IsADatabaseWithItsRows) {
  TableFile file(kSchema);
  TableRows rows = file.Into("t");
  rows.Add(1, 0.5, "one");
  rows.Add(std::uint64_t{2}, std::nullopt, std::optional<std::string>("two"));
  EXPECT_EQ(Ask(file.Finish(), "SELECT * FROM t ORDER BY a"),
            (Rows{{"1", "0.5", "one"}, {"2", "NULL", "two"}}));
}

TEST(TableFile, NumbersThatSqliteCannotStoreAreNull) {
  TableFile file(kSchema);
  TableRows rows = file.Into("t");
  const double infinite = std::numeric_limits<double>::infinity();
  rows.Add(~std::uint64_t{0}, infinite, "");
  rows.Add(std::uint64_t{1} << 62, -infinite, "");
  EXPECT_EQ(Ask(file.Finish(), "SELECT a, b FROM t"),
            (Rows{{"NULL", "NULL"}, {"4611686018427387904", "NULL"}}));
}

TEST(TableFile, TextsAreSafeToPrint) {
  TableFile file(kSchema);
  TableRows rows = file.Into("t");
  using namespace std::string_view_literals;
  rows.Add(0, 0.0, "a\xff\x1b[31m'; DROP TABLE t; --\0b"sv);
  EXPECT_EQ(AskOne(file.Finish(), "SELECT c FROM t"),
            "a\xef\xbf\xbd\\x1b[31m'; DROP TABLE t; --\\x00b");
}

TEST(TableFile, TextsBeyondAMebibyteAreCut) {
  TableFile file(kSchema);
  file.Into("t").Add(0, 0.0, std::string(std::size_t{3} << 20, 'x'));
  EXPECT_EQ(AskOne(file.Finish(), "SELECT length(c) FROM t"), "1048576");
}

TEST(TableFile, TheSameRowsAreTheSameBytes) {
  const auto bytes = [] {
    TableFile file(kSchema);
    TableRows rows = file.Into("t");
    for (int i = 0; i < 10000; ++i) rows.Add(i, i * 0.1, std::to_string(i));
    return std::string(file.Finish());
  };
  EXPECT_EQ(bytes(), bytes());
}

}  // namespace
}  // namespace rangefinder
