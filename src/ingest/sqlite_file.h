// Reads an SQLite database that another program wrote. No file is written, the
// schema is not trusted, and missing columns read as null.

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

// Whether `bytes` begin as an SQLite 3 database does.
bool LooksLikeSqlite(std::string_view bytes);

// The rows of one query, one at a time. The SqliteFile must outlive them.
class SqliteRows {
 public:
  // Moves to the next row; false: there is none. kCorrupt if it cannot be read.
  Result<bool> Next();

  // Columns of the row, counted from 0; nothing for null. Double() also reads
  // integers. Text is valid until the next call of Next().
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

  // The file is shorter than its header says; the missing part may read as
  // zeros.
  bool is_truncated() const { return is_truncated_; }
  // The writer left a transaction that is neither finished nor rolled back.
  bool has_journal() const { return has_journal_; }

  bool HasTable(std::string_view table) const;
  bool HasColumn(std::string_view table, std::string_view column) const;
  // Whether this column is the primary key.
  bool HasKey(std::string_view table, std::string_view column) const;

  // The rows of a table in file order, with these columns. The names must be
  // literals of the caller, never texts from a file: they go into the SQL.
  Result<SqliteRows> Select(std::string_view table,
                            std::initializer_list<std::string_view> columns);

  // The text of `column` in the row of `table` with `key` equal to `value`.
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
