// A SQLite database for tests of readers: SQL adds rows and returns numbers.

#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace rangefinder {

// Opens a URI. A failing call fails the test.
class Database {
 public:
  explicit Database(const std::string& uri) {
    EXPECT_EQ(sqlite3_open_v2(
                  uri.c_str(), &database_,
                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI,
                  nullptr),
              SQLITE_OK);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(database_); }

  void Run(const std::string& sql) {
    char* error = nullptr;
    sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &error);
    EXPECT_EQ(error, nullptr) << error;
  }
  // The first column of the first row.
  std::int64_t Ask(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(
        sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr),
        SQLITE_OK)
        << sqlite3_errmsg(database_);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const std::int64_t answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
  }

 private:
  sqlite3* database_ = nullptr;
};

}  // namespace rangefinder
