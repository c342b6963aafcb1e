// Reading an SQLite database that somebody else wrote: never writing to it or
// beside it, trusting nothing in its schema, and taking columns that another
// version of its writer left out as null.

#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rangefinder {

// Whether a file's first bytes are those of an SQLite 3 database.
bool LooksLikeSqlite(std::string_view bytes);

// The rows of one query, one at a time. Outlived by its SqliteFile.
class SqliteRows {
 public:
  // Whether there is another row; kCorrupt when it cannot be read.
  Result<bool> Next();

  // Columns of the row, counted from 0; nothing for null. An integer stands in
  // for a double. Text is valid until the next call of Next().
  std::optional<std::int64_t> Integer(int column) const;
  std::optional<double> Double(int column) const;
  std::optional<std::string_view> Text(int column) const;

  std::int64_t IntegerOr(int column, std::int64_t otherwise) const {
    return Integer(column).value_or(otherwise);
  }

 private:
  friend class SqliteFile;
  SqliteRows(sqlite3* database, sqlite3_stmt* statement);

  sqlite3* database_;
  std::shared_ptr<sqlite3_stmt> statement_;
};

class SqliteFile {
 public:
  static Result<SqliteFile> Open(const std::filesystem::path& path);

  // Shorter than its own header says: what is missing may read as zeros.
  bool is_truncated() const { return is_truncated_; }
  // A change of its writer's was neither finished nor taken back.
  bool has_journal() const { return has_journal_; }

  bool HasTable(std::string_view table) const;
  bool HasColumn(std::string_view table, std::string_view column) const;
  // Whether a row is found by this column alone: it is the primary key.
  bool HasKey(std::string_view table, std::string_view column) const;

  // The rows of a table in file order, with the columns in the order named. The
  // names are the caller's own words, never the file's.
  Result<SqliteRows> Select(std::string_view table,
                            std::initializer_list<std::string_view> columns);

  // The text of `column` in the row of `table` whose `key` is `value`.
  Result<std::optional<std::string>> Lookup(std::string_view table,
                                            std::string_view column,
                                            std::string_view key,
                                            std::int64_t value);

 private:
  explicit SqliteFile(std::shared_ptr<sqlite3> database)
      : database_(std::move(database)) {}
  Status ReadSchema();
  Result<SqliteRows> Prepare(const std::string& sql) const;

  std::shared_ptr<sqlite3> database_;
  bool is_truncated_ = false;
  bool has_journal_ = false;
  std::map<std::string, std::set<std::string>, std::less<>> tables_;
  std::set<std::pair<std::string, std::string>> keys_;      // table and column
  std::map<std::string, SqliteRows, std::less<>> lookups_;  // by SQL
};

}  // namespace rangefinder
