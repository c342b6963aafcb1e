#include "ingest/sqlite_file.h"

#include <array>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>

namespace rangefinder {
namespace {

constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

Error FromSqlite(sqlite3* database) {
  const int code = sqlite3_errcode(database) & 0xFF;
  const bool system =
      code == SQLITE_CANTOPEN || code == SQLITE_PERM || code == SQLITE_NOMEM;
  return {system ? ErrorCode::kSystem : ErrorCode::kCorrupt,
          sqlite3_errmsg(database)};
}

// Whether a non-empty file with the database's name + `suffix` exists.
bool HasBeside(const std::filesystem::path& path, std::string_view suffix) {
  std::filesystem::path beside = path;
  beside += suffix;
  std::error_code error;
  return std::filesystem::is_regular_file(beside, error) &&
         std::filesystem::file_size(beside, error) > 0 && !error;
}

// SQLite's URI of `path` as an immutable file: no lock, no journal. With a
// write-ahead log, SQLite reads the log too, without locks; kWithoutIndex keeps
// it from writing the log's index into a file.
constexpr const char* kWithoutIndex = "PRAGMA locking_mode = EXCLUSIVE";
std::string UriOf(const std::filesystem::path& path, bool has_log) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '/' || c == '.' ||
                       c == '_' || c == '-';
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri + (has_log ? "?mode=ro&vfs=unix-none" : "?mode=ro&immutable=1");
}

// Whether a database file is shorter than the pages its header counts (offsets
// 16 and 28 of https://www.sqlite.org/fileformat2.html, big endian).
bool IsTruncated(const std::filesystem::path& path) {
  std::array<char, 32> header{};
  std::ifstream in(path, std::ios::binary);
  if (!in.read(header.data(), header.size())) return true;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = at; i < at + bytes; ++i)
      value = value << 8 | static_cast<unsigned char>(header[i]);
    return value;
  };
  const std::uint64_t page = number(16, 2) == 1 ? 65536 : number(16, 2);
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  return !error && size < page * number(28, 4);
}

}  // namespace

bool LooksLikeSqlite(std::string_view bytes) {
  return bytes.starts_with(kSqliteMagic);
}

SqliteRows::SqliteRows(sqlite3* database, sqlite3_stmt* statement)
    : database_(database), statement_(statement, sqlite3_finalize) {}

Result<bool> SqliteRows::Next() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return FromSqlite(database_);
  }
}

std::optional<std::int64_t> SqliteRows::Integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER)
    return std::nullopt;
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<double> SqliteRows::Double(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_double(statement_.get(), column);
}

std::optional<std::string_view> SqliteRows::Text(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT)
    return std::nullopt;
  const auto* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return std::nullopt;
  return std::string_view(
      reinterpret_cast<const char*>(text),
      static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

Result<SqliteFile> SqliteFile::Open(const std::filesystem::path& path) {
  sqlite3* opened = nullptr;
  const bool has_log = HasBeside(path, "-wal");
  const int status =
      sqlite3_open_v2(UriOf(path, has_log).c_str(), &opened,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  SqliteFile file(std::shared_ptr<sqlite3>(opened, sqlite3_close_v2));
  if (status != SQLITE_OK) return FromSqlite(opened);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (has_log) {
    sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    if (sqlite3_exec(opened, kWithoutIndex, nullptr, nullptr, nullptr) !=
        SQLITE_OK)
      return FromSqlite(opened);
  }
  Status schema = file.ReadSchema();
  if (!schema.ok()) return std::move(schema).error();
  file.is_truncated_ = !has_log && IsTruncated(path);
  file.has_journal_ = HasBeside(path, "-journal");
  return file;
}

Status SqliteFile::ReadSchema() {
  // Views are left out: a file could hide expensive SQL in a view.
  SqliteRows rows =
      TRY(Prepare("SELECT m.name, c.name, c.pk FROM sqlite_master AS m, "
                  "pragma_table_info(m.name) AS c "
                  "WHERE m.type = 'table' AND m.rootpage > 0"));
  while (TRY(rows.Next())) {
    const auto table = rows.Text(0);
    const auto column = rows.Text(1);
    if (!table || !column) continue;
    tables_[std::string(*table)].emplace(*column);
    if (rows.IntegerOr(2, 0) == 1) keys_.emplace(*table, *column);
  }
  return Ok();
}

Result<SqliteRows> SqliteFile::Prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement,
                         nullptr) != SQLITE_OK)
    return FromSqlite(database_.get());
  return SqliteRows(database_.get(), statement);
}

bool SqliteFile::HasTable(std::string_view table) const {
  return tables_.find(table) != tables_.end();
}

bool SqliteFile::HasColumn(std::string_view table,
                           std::string_view column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && found->second.contains(std::string(column));
}

bool SqliteFile::HasKey(std::string_view table, std::string_view column) const {
  return keys_.contains({std::string(table), std::string(column)});
}

Result<SqliteRows> SqliteFile::Select(
    std::string_view table, std::initializer_list<std::string_view> columns) {
  std::string sql = "SELECT ";
  for (const std::string_view& column : columns) {
    if (&column != columns.begin()) sql += ", ";
    if (HasColumn(table, column)) {
      sql += fmt::format("\"{}\"", column);
    } else {
      sql += "NULL";
    }
  }
  return Prepare(sql + fmt::format(" FROM \"{}\"", table));
}

Result<std::optional<std::string>> SqliteFile::Lookup(std::string_view table,
                                                      std::string_view column,
                                                      std::string_view key,
                                                      std::int64_t value) {
  if (!HasColumn(table, column) || !HasColumn(table, key))
    return std::optional<std::string>();
  const std::string sql = fmt::format(
      "SELECT \"{}\" FROM \"{}\" WHERE \"{}\" "
      "= ?1",
      column, table, key);
  auto known = lookups_.find(sql);
  if (known == lookups_.end()) {
    SqliteRows rows = TRY(Prepare(sql));
    known = lookups_.emplace(sql, std::move(rows)).first;
  }
  SqliteRows& rows = known->second;
  sqlite3_reset(rows.statement_.get());
  sqlite3_bind_int64(rows.statement_.get(), 1, value);
  std::optional<std::string> text;
  if (TRY(rows.Next())) text = rows.Text(0);
  return text;
}

}  // namespace rangefinder
