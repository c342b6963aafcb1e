#include "ingest/sqlite_file.h"

#include <array>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/text.h"

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
    const bool plain = IsAsciiLetter(c) || IsAsciiDigit(c) || c == '/' ||
                       c == '.' || c == '_' || c == '-';
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

std::optional<std::int64_t> SqliteRow::Integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER)
    return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::optional<std::string_view> SqliteRow::Text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT)
    return std::nullopt;
  const auto* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return std::nullopt;
  return std::string_view(
      reinterpret_cast<const char*>(text),
      static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
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
  TRY(file.ReadSchema());
  file.is_truncated_ = !has_log && IsTruncated(path);
  file.has_journal_ = HasBeside(path, "-journal");
  return file;
}

Status SqliteFile::ReadSchema() {
  // Views are left out: a file could hide expensive SQL in a view.
  return Query(
      "SELECT m.name, c.name FROM sqlite_master AS m, "
      "pragma_table_info(m.name) AS c "
      "WHERE m.type = 'table' AND m.rootpage > 0",
      [&](const SqliteRow& row) {
        const auto table = row.Text(0);
        const auto column = row.Text(1);
        if (table && column) tables_[std::string(*table)].emplace(*column);
      });
}

Status SqliteFile::Query(const std::string& sql, const See& see) const {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &prepared,
                         nullptr) != SQLITE_OK)
    return FromSqlite(database_.get());
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(
      prepared, sqlite3_finalize);
  int status = sqlite3_step(prepared);
  for (; status == SQLITE_ROW; status = sqlite3_step(prepared))
    see(SqliteRow(prepared));
  if (status != SQLITE_DONE) return FromSqlite(database_.get());
  return Ok();
}

bool SqliteFile::HasTable(std::string_view table) const {
  return tables_.find(table) != tables_.end();
}

bool SqliteFile::HasColumn(std::string_view table,
                           std::string_view column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && found->second.contains(std::string(column));
}

Status SqliteFile::ForEach(std::string_view table,
                           const std::vector<std::string_view>& columns,
                           const See& see) const {
  std::string sql = "SELECT ";
  for (const std::string_view& column : columns) {
    if (&column != &columns.front()) sql += ", ";
    if (HasColumn(table, column)) {
      sql += fmt::format("\"{}\"", column);
    } else {
      sql += "NULL";
    }
  }
  return Query(
      sql + (HasTable(table) ? fmt::format(" FROM \"{}\"", table) : " WHERE 0"),
      see);
}

}  // namespace rangefinder
