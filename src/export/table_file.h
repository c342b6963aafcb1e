// An SQLite database in memory, written row by row and returned as the bytes of
// a file.
//
// Texts are stored as Printable() writes them, since readers of a database
// print them unchanged. Numbers that are not finite or exceed 64 bits are NULL.

#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace rangefinder {

class TableFile;

// The rows of one table. The TableFile must outlive it.
class TableRows {
 public:
  // One row: integers, doubles, texts, and optional values; as many as the
  // table has columns.
  template <typename... Values>
  void Add(const Values&... values) {
    int column = 0;
    (Bind(++column, values), ...);
    Step();
  }

 private:
  friend class TableFile;
  explicit TableRows(sqlite3_stmt* statement);

  void Bind(int column, std::nullopt_t null);
  void Bind(int column, std::int64_t integer);
  template <std::integral Integer>
  void Bind(int column, Integer integer) {
    if (std::in_range<std::int64_t>(integer))
      Bind(column, static_cast<std::int64_t>(integer));
    else
      Bind(column, std::nullopt);
  }
  void Bind(int column, double number);
  void Bind(int column, std::string_view text);
  template <typename Value>
  void Bind(int column, const std::optional<Value>& value) {
    if (value)
      Bind(column, *value);
    else
      Bind(column, std::nullopt);
  }
  void Step();

  std::shared_ptr<sqlite3_stmt> statement_;
};

// Throws std::bad_alloc if memory does not suffice; nothing else can fail.
class TableFile {
 public:
  // `schema`: statements that create the tables.
  explicit TableFile(const char* schema);

  void Run(const char* statements);
  TableRows Into(std::string_view table);

  // The bytes of the whole file; valid while this object lives. Add nothing
  // afterwards.
  std::string_view Finish();

 private:
  std::shared_ptr<sqlite3> database_;
};

}  // namespace rangefinder
