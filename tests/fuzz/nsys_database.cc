#include "tests/fuzz/nsys_database.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

namespace rangefinder::testing {
namespace {

struct Table {
  const char* name;
  std::vector<const char*> columns;
};

const std::vector<Table>& Tables() {
  static const std::vector<Table> tables = {
      {"NVTX_EVENTS",
       {"start", "end", "eventType", "text", "textId", "globalTid", "domainId",
        "category", "color", "endGlobalTid"}},
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       {"start",
        "end",
        "globalPid",
        "correlationId",
        "deviceId",
        "contextId",
        "streamId",
        "demangledName",
        "shortName",
        "mangledName",
        "gridX",
        "gridY",
        "gridZ",
        "blockX",
        "blockY",
        "blockZ",
        "greenContextId",
        "graphNodeId",
        "registersPerThread",
        "staticSharedMemory",
        "dynamicSharedMemory"}},
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"start", "end", "globalTid", "correlationId", "nameId"}},
      {"StringIds", {"id", "value"}},
      {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
       {"start", "end", "globalPid", "correlationId", "deviceId", "contextId",
        "streamId", "graphId"}},
      {"CUPTI_ACTIVITY_KIND_MEMCPY",
       {"start", "end", "globalPid", "correlationId", "deviceId", "contextId",
        "streamId", "bytes", "copyKind", "srcKind", "dstKind"}},
      {"CUPTI_ACTIVITY_KIND_MEMSET",
       {"start", "end", "globalPid", "correlationId", "deviceId", "contextId",
        "streamId", "bytes"}},
      {"CUPTI_ACTIVITY_KIND_OVERHEAD",
       {"start", "end", "globalTid", "overheadType", "nameId"}},
      {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", {"start", "globalPid"}},
      {"CUDA_UM_GPU_PAGE_FAULT_EVENTS",
       {"start", "end", "globalPid", "deviceId"}},
      {"PROCESSES", {"globalPid", "name"}},
      {"TARGET_INFO_GPU", {"id", "cuDevice", "name", "chipName"}},
      {"META_DATA_CAPTURE", {"name", "value"}},
      {"META_DATA_EXPORT", {"name", "value"}},
      {"TARGET_INFO_SYSTEM_ENV", {"name", "value"}},
      {"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}},
  };
  return tables;
}

// Takes bytes off the front; gives zeros after the end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }
  std::uint8_t Byte() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(left_[0]);
    left_.remove_prefix(1);
    return byte;
  }
  std::uint64_t Number(int bytes) {
    std::uint64_t number = 0;
    for (int i = 0; i < bytes; ++i) number = number << 8 | Byte();
    return number;
  }
  std::string_view Text(std::size_t size) {
    const std::string_view text = left_.substr(0, size);
    left_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view left_;
};

class Database {
 public:
  Database() {
    sqlite3* opened = nullptr;
    sqlite3_open(":memory:", &opened);
    database_.reset(opened);
    Run("PRAGMA page_size = 512; BEGIN");
  }

  // Returns false where SQLite refuses the statement, which is no failure.
  bool Run(const std::string& sql) {
    return sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr,
                        nullptr) == SQLITE_OK;
  }

  std::string Take() {
    Run("COMMIT");
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
        sqlite3_serialize(database_.get(), "main", &size, 0), sqlite3_free);
    if (bytes == nullptr) return {};
    return {reinterpret_cast<const char*>(bytes.get()),
            static_cast<std::size_t>(size)};
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// A value as real exports have it in a column of this name; it grows with the
// rows.
std::string Usual(std::string_view column, std::uint64_t row,
                  std::uint8_t choice) {
  constexpr std::array kTypes = {59, 59, 60, 34, 75};
  if (column == "eventType")
    return std::to_string(kTypes[choice % kTypes.size()]);
  if (column == "start") return std::to_string(1000 * row + choice);
  if (column == "end") return std::to_string(1000 * row + 500 + choice * 100);
  if (column == "globalTid" || column == "globalPid") {
    const std::uint64_t process = 7 + choice / 128;
    const std::uint64_t thread = column == "globalTid" ? 70 + choice % 4 : 0;
    return std::to_string(process << 24 | thread);
  }
  if (column == "name" || column == "value" || column == "text" ||
      column == "jsonText" || column == "chipName")
    return fmt::format("'{}{}'", static_cast<char>('a' + choice % 26),
                       choice / 26);
  if (column == "copyKind") return std::to_string(choice % 14);
  if (column == "id") return std::to_string(row);
  if (column == "correlationId") return std::to_string(row);
  return std::to_string(choice % 8);
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\0') break;
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

// A value as SQL.
std::string Value(Bytes& steps, std::string_view column, std::uint64_t row) {
  constexpr std::array<const char*, 8> kOdd = {
      "-1",     "9223372036854775807", "-9223372036854775808", "1e308",
      "-1e999", "4294967296",          "zeroblob(3)",          "''"};
  const std::uint8_t kind = steps.Byte();
  switch (kind % 16) {
    case 0:
      return "NULL";
    case 1:
      return std::to_string(static_cast<std::int64_t>(steps.Number(8)));
    case 2:
      return kOdd[steps.Byte() % kOdd.size()];
    case 3:
      return Quoted(steps.Text(steps.Byte()));
    case 4:
      return Quoted(std::string(steps.Byte() * 8U, 'n'));
    case 5:
      return "X'00FF41'";
    case 6:
      return fmt::format("{}.5", steps.Byte());
    case 7:
      return std::to_string(steps.Byte());
    default:
      return Usual(column, row, static_cast<std::uint8_t>(kind * 7 + row));
  }
}

class Maker {
 public:
  explicit Maker(std::string_view steps) : steps_(steps) {}

  std::string Make() {
    // Steps that leave out tables come first: the first row creates its table.
    while (!steps_.empty()) Step();
    for (std::size_t t = 0; t < Tables().size(); ++t) Create(t);
    std::string file = database_.Take();
    for (const Damage& damage : damages_) {
      if (file.empty()) break;
      if (damage.cuts)
        file.resize(damage.at % file.size());
      else
        file[damage.at % file.size()] = damage.with;
    }
    return file;
  }

 private:
  struct Damage {
    std::size_t at = 0;
    char with = 0;
    bool cuts = false;
  };

  void Step() {
    const std::uint8_t step = steps_.Byte();
    const std::size_t table = steps_.Byte() % Tables().size();
    switch (step % 8) {
      case 0:
        gone_.insert({table, kWhole});
        return;
      case 1:
        gone_.insert({table, steps_.Byte() % Tables()[table].columns.size()});
        return;
      case 2:
        AddRows(last_, steps_.Byte());
        return;
      case 3:
        if (step < 240) return;
        damages_.push_back({.at = steps_.Number(3),
                            .with = static_cast<char>(steps_.Byte()),
                            .cuts = step > 250});
        return;
      default:
        // The first four tables matter most.
        last_ = step % 8 < 6 ? table % 4 : table;
        AddRows(last_, 1);
    }
  }

  std::vector<const char*> ColumnsOf(std::size_t table) const {
    std::vector<const char*> columns;
    for (std::size_t c = 0; c < Tables()[table].columns.size(); ++c) {
      if (!gone_.contains({table, c}))
        columns.push_back(Tables()[table].columns[c]);
    }
    return columns;
  }

  // Returns false where the table is left out.
  bool Create(std::size_t table) {
    if (gone_.contains({table, kWhole})) return false;
    if (!made_.insert(table).second) return true;
    std::string sql = fmt::format("CREATE TABLE {} (", Tables()[table].name);
    for (const char* column : ColumnsOf(table))
      sql += fmt::format("\"{}\",", column);
    if (sql.back() != ',') return false;
    sql.back() = ')';
    return database_.Run(sql);
  }

  void AddRows(std::size_t table, std::size_t count) {
    if (!Create(table)) return;
    const Bytes before = steps_;
    for (std::size_t i = 0; i < count && rows_ < 20000; ++i) {
      ++rows_;
      const std::uint64_t row = numbers_[table]++;
      steps_ = before;  // each row of the same values, those that count apart
      std::string columns;
      std::string values;
      for (const char* column : ColumnsOf(table)) {
        columns += fmt::format("\"{}\",", column);
        values += Value(steps_, column, row) + ',';
      }
      if (columns.empty()) return;
      columns.pop_back();
      values.pop_back();
      database_.Run(fmt::format("INSERT INTO {} ({}) VALUES ({})",
                                Tables()[table].name, columns, values));
    }
  }

  static constexpr std::size_t kWhole = ~std::size_t{0};

  Bytes steps_;
  Database database_;
  std::set<std::pair<std::size_t, std::size_t>> gone_;  // table, column
  std::set<std::size_t> made_;
  std::array<std::uint64_t, 32> numbers_{};  // of rows, by table
  std::size_t last_ = 0;                     // table
  std::size_t rows_ = 0;
  std::vector<Damage> damages_;
};

}  // namespace

std::string NsysDatabase(std::string_view steps) {
  return Maker(steps).Make();
}

}  // namespace rangefinder::testing
