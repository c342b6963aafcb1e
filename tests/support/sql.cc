#include "tests/support/sql.h"

#include <memory>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace rangefinder::testing {

std::vector<std::vector<std::string>> Ask(std::string_view database,
                                          std::string_view query) {
  sqlite3* opened = nullptr;
  sqlite3_open(":memory:", &opened);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closing(
      opened, sqlite3_close);
  std::string bytes(database);  // SQLite may write into them
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  sqlite3_deserialize(opened, "main",
                      reinterpret_cast<unsigned char*>(bytes.data()), size,
                      size, SQLITE_DESERIALIZE_READONLY);
  std::vector<std::vector<std::string>> rows;
  const auto keep = [](void* all, int columns, char** texts, char**) {
    auto& row = static_cast<std::vector<std::vector<std::string>>*>(all)
                    ->emplace_back();
    for (int i = 0; i < columns; ++i)
      row.emplace_back(texts[i] == nullptr ? "NULL" : texts[i]);
    return 0;
  };
  char* error = nullptr;
  sqlite3_exec(opened, std::string(query).c_str(), keep, &rows, &error);
  EXPECT_EQ(error, nullptr) << error << " in " << query;
  sqlite3_free(error);
  return rows;
}

std::string AskOne(std::string_view database, std::string_view query) {
  const auto rows = Ask(database, query);
  if (rows.size() != 1 || rows[0].size() != 1) {
    ADD_FAILURE() << rows.size() << " rows: " << query;
    return {};
  }
  return rows[0][0];
}

}  // namespace rangefinder::testing
