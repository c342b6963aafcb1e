// Reads an SQLite database that another program wrote. No file is written, the
// schema is not trusted, missing tables have no rows, and missing columns read
// as null.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rangefinder {

// Whether `bytes` begin as an SQLite 3 database does.
bool LooksLikeSqlite(std::string_view bytes);

// A row of a table; see SqliteFile::ForEach().
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  // Columns of the row, counted from 0; nothing for null and other types. Text
  // is valid as long as the row.
  std::optional<std::int64_t> Integer(int column) const;
  std::optional<std::string_view> Text(int column) const;

  std::int64_t IntegerOr(int column, std::int64_t otherwise) const {
    return Integer(column).value_or(otherwise);
  }

 private:
  sqlite3_stmt* statement_;
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

  // Calls `see` with each row of a table, in file order, with these columns.
  // The names must be literals of the caller, never texts from a file: they go
  // into the SQL. kCorrupt: a row cannot be read.
  using See = std::function<void(const SqliteRow&)>;
  Status ForEach(std::string_view table,
                 const std::vector<std::string_view>& columns,
                 const See& see) const;

 private:
  explicit SqliteFile(std::shared_ptr<sqlite3> database)
      : database_(std::move(database)) {}
  Status ReadSchema();
  Status Query(const std::string& sql, const See& see) const;

  std::shared_ptr<sqlite3> database_;
  bool is_truncated_ = false;
  bool has_journal_ = false;
  std::map<std::string, std::set<std::string>, std::less<>> tables_;
};

}  // namespace rangefinder
