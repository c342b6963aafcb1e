// The tables of a report as parts of a document: their columns, their rows, and
// the order of both. A column is a row in one table: ReportColumns.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "document/document.h"
#include "report/rows.h"

namespace rangefinder {

struct ReportColumn {
  std::string name{};     // as report.table.columns takes it
  std::string heading{};  // of any length
  std::function<TableCell(const ReportRow&)> cell{};
  // Sort key, the largest first.
  std::function<std::optional<double>(const ReportRow&)> value{};
  int gives_way = 0;  // TableColumn::gives_way
  // For metrics: why a value is absent; empty if there is one, or the reason is
  // unknown.
  std::function<std::string(const ReportRow&)> why_not{};
  std::string metric{};  // full name of the metric; empty: a column of ours
  std::string doc{};     // meaning of the column; empty: unknown
};

// Whether `name` can be a column of some table: one of ours, or a name in the
// form of a metric. For checks before a measurement.
bool MayBeColumn(std::string_view name);
std::vector<std::string> OwnColumnNames();

// All possible columns of a table of the scope.
class ReportColumns {
 public:
  // Report and scope must outlive the columns.
  ReportColumns(const Report& report, const ScopeRollup& scope);

  // The columns if none are requested, in their order, without empty ones. A
  // `full` document also has columns for experts, which would crowd a terminal.
  std::vector<ReportColumn> Usual(const ReportRows& table, bool full) const;
  // The report's metrics alone.
  std::vector<ReportColumn> Metrics() const;
  // One of our columns by its name, or a metric by its name, its heading, or
  // its name up to the first dot. kUsage with the nearest name.
  Result<ReportColumn> Find(std::string_view name) const;

 private:
  std::vector<ReportColumn> Own() const;
  ReportColumn Metric(std::size_t column, std::string heading) const;
  // The cause that saves most in the row's regions, or null.
  const Cause* CauseOf(const ReportRow& row) const;
  const Report& report_;
  const ScopeRollup& scope_;
  std::vector<std::string> headings_;  // by Report::table_columns
};

// The rows of a table that are shown, and counts of the hidden ones.
struct SelectedRows {
  std::vector<std::size_t> rows{};  // into ReportRows::rows, outer ones first
  std::size_t hidden = 0;  // a row of alike siblings counts each of them
  // Time of hidden rows, each counted once; nothing if no time is known.
  std::optional<double> hidden_ns{};
  std::vector<std::string> because{};  // "--top 40" "regions.max_rows=9"
};

// Sorted by `sort`, the largest first; rows without a value come last. In a
// tree, siblings are sorted, and the outer rows of a shown row are shown as
// well. At most `max_rows`. `has_options`: the view comes from options of
// the command, so the reasons of hidden rows name them.
SelectedRows SelectRows(const ReportRows& table, const TableView& view,
                        const ReportColumn& sort, std::uint64_t max_rows,
                        bool has_options);

// Why values of a document are absent: each reason once, with a number that is
// shown with the values.
class AbsenceReasons {
 public:
  // The number of the reason, from 1; 0 for an empty reason.
  std::size_t Add(std::string_view reason);
  // A section with the reasons by number; nothing without any.
  void AddTo(Document& document) const;

 private:
  List list_{.numbered = true};
  std::map<std::string, std::size_t, std::less<>> numbers_{};
};

struct TableDetail {
  // A full document has the whole run in a last row, and sections instead of
  // rows for executions measured as a whole.
  bool full = false;
  bool verbose = false;      // with the meaning of each metric
  bool has_options = false;  // the view comes from options of the command
  // If set, collects why values are absent, instead of sentences below the
  // table.
  AbsenceReasons* reasons = nullptr;
};
// Adds the table of `rows` that `view` requests, and sentences below it: about
// hidden rows, and why values are absent.
void AddReportTable(Document& document, const Report& report,
                    const ScopeRollup& scope, const ReportRows& rows,
                    const TableView& view, const TableDetail& detail);

// A cell of a table: "12.3 MB", "~ 12.3 MB", a text, or absent.
TableCell MetricCell(const Profile& profile, const Cell& cell,
                     std::string_view unit);

}  // namespace rangefinder
