#include "export/table_file.h"

#include <cmath>
#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/characters.h"
#include "base/text.h"

namespace rangefinder {
namespace {

// Longer texts are cut; SQLite refuses texts of a gigabyte.
constexpr std::size_t kMostOfText = std::size_t{1} << 20;
// Most bytes of the database in memory; SQLite's default is a gigabyte.
constexpr sqlite3_int64 kMostBytes = sqlite3_int64{1} << 40;

// No disk can fail, so an error is missing memory or a bug of ours.
void Demand(int status, sqlite3* database) {
  if (status == SQLITE_OK || status == SQLITE_DONE) return;
  if (status == SQLITE_NOMEM || status == SQLITE_FULL) throw std::bad_alloc();
  throw std::logic_error(fmt::format("tables: {}", sqlite3_errmsg(database)));
}

}  // namespace

TableRows::TableRows(sqlite3_stmt* statement)
    : statement_(statement, sqlite3_finalize) {}

void TableRows::Bind(int column, std::nullopt_t) {
  sqlite3_bind_null(statement_.get(), column);
}

void TableRows::Bind(int column, std::int64_t integer) {
  sqlite3_bind_int64(statement_.get(), column, integer);
}

void TableRows::Bind(int column, double number) {
  if (std::isfinite(number))
    sqlite3_bind_double(statement_.get(), column, number);
  else
    Bind(column, std::nullopt);
}

void TableRows::Bind(int column, std::string_view text) {
  text = text.substr(0, kMostOfText);
  const auto bind = [&](std::string_view safe, sqlite3_destructor_type copies) {
    Demand(sqlite3_bind_text64(statement_.get(), column, safe.data(),
                               safe.size(), copies, SQLITE_UTF8),
           sqlite3_db_handle(statement_.get()));
  };
  // The caller's values live until the row is written.
  if (IsPlainAscii(text))
    bind(text, SQLITE_STATIC);
  else
    bind(Printable(text), SQLITE_TRANSIENT);
}

void TableRows::Step() {
  sqlite3* const database = sqlite3_db_handle(statement_.get());
  Demand(sqlite3_step(statement_.get()), database);
  Demand(sqlite3_reset(statement_.get()), database);
}

TableFile::TableFile(const char* schema) {
  sqlite3* database = nullptr;
  // SQLite's own in-memory file system keeps the file contiguous.
  const int status = sqlite3_open_v2(
      "tables", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "memdb");
  database_.reset(database, sqlite3_close_v2);
  Demand(status, database);
  sqlite3_int64 most = kMostBytes;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_SIZE_LIMIT, &most);
  // There are no other readers, and no rollbacks.
  Run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; BEGIN;");
  Run(schema);
}

void TableFile::Run(const char* statements) {
  Demand(sqlite3_exec(database_.get(), statements, nullptr, nullptr, nullptr),
         database_.get());
}

TableRows TableFile::Into(std::string_view table) {
  sqlite3_stmt* statement = nullptr;
  const auto prepare = [&](const std::string& sql) {
    Demand(sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement,
                              nullptr),
           database_.get());
  };
  prepare(fmt::format("SELECT * FROM {}", table));
  const int columns = sqlite3_column_count(statement);
  sqlite3_finalize(statement);
  std::string values;
  for (int i = 0; i < columns; ++i) values += i == 0 ? "?" : ", ?";
  prepare(fmt::format("INSERT INTO {} VALUES ({})", table, values));
  return TableRows(statement);
}

std::string_view TableFile::Finish() {
  Run("COMMIT");
  sqlite3_int64 size = 0;
  const unsigned char* const bytes = sqlite3_serialize(
      database_.get(), "main", &size, SQLITE_SERIALIZE_NOCOPY);
  if (bytes == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

}  // namespace rangefinder
