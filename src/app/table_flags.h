// The options that shape the table on the terminal. Each is a key of
// report.table, and becomes an override of it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/table_view.h"

namespace CLI {
class App;
}

namespace rangefinder {

// As typed; empty: not given.
struct TableFlags {
  std::vector<std::string> columns{};
  std::string sort{};
  std::string by{};
  std::string scope{};
  std::optional<std::uint64_t> top{};
  std::optional<std::uint64_t> depth{};
  std::optional<double> min_share{};
  bool flat = false;
};

void AddTableFlags(CLI::App& command, TableFlags& flags);

// "++report.table.top=5": the configuration of an older run has no such keys.
std::vector<std::string> TableOverrides(const TableFlags& flags);
// "--top", of such an override.
std::string FlagOf(const std::string& word);

// Before anything is measured: kUsage for columns that no capture can have.
Status CheckTableNames(const TableView& view);

}  // namespace rangefinder
