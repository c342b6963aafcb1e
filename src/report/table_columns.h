// The columns of a table on the terminal: what they are called, what stands in
// them, and by what they sort.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "insight/imbalance.h"
#include "report/table_rows.h"

namespace rangefinder {

struct ReportColumn {
  std::string name{};     // as report.table.columns takes it
  std::string heading{};  // of any length
  std::function<std::string(const ReportRow&)> text{};
  // For sorting, most first; null: this cannot be sorted by.
  std::function<std::optional<double>(const ReportRow&)> value{};
  // Which give way first where they do not fit; 0: none does.
  int rank = 0;
  // Of metrics: why there is none; empty where there is one or nobody knows.
  std::function<std::string(const ReportRow&)> why_not{};
  std::string doc{};  // what it is, where that is known
};

// Whether `name` can be a column of some table: one of ours, or spelled like a
// metric. For checks before anything was measured.
bool MayBeColumn(std::string_view name);
std::vector<std::string> OwnColumnNames();

class ReportColumns {
 public:
  // Both must outlive it.
  ReportColumns(const Report& report, const ScopeRollup& scope);

  // Those that are shown where none is asked for, in the order in which they
  // stand. Without those that no row has anything in.
  std::vector<ReportColumn> Usual(const ReportTable& table) const;
  // One of ours by its name, or a metric by its name, its heading, or what
  // stands before the first dot of it. kUsage with the nearest.
  Result<ReportColumn> Find(std::string_view name) const;

 private:
  struct Shared {
    std::shared_ptr<const Members> members;
    std::vector<std::string> headings;  // of Report::table_columns
  };

  std::vector<ReportColumn> Own() const;
  ReportColumn Counter(std::size_t column, std::string heading) const;

  const Report& report_;
  const ScopeRollup& scope_;
  std::shared_ptr<const Shared> shared_;
};

}  // namespace rangefinder
