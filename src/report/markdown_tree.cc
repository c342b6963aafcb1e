#include "report/markdown_tree.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "insight/imbalance.h"
#include "report/markdown_frame.h"
#include "report/times_text.h"
#include "report/two_runs.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

constexpr std::string_view kNone = "–";

std::string Ns(const std::optional<double>& ns) {
  return ns ? FormatNs(*ns) : std::string(kNone);
}

std::string Count(const std::optional<std::uint64_t>& count) {
  return count ? FormatCount(*count) : std::string(kNone);
}

// A column: its cells by row, that of the whole last.
struct TableColumn {
  std::string heading{};
  std::vector<std::string> cells{};

  bool IsEmpty() const {
    return std::ranges::all_of(cells, [](const std::string& cell) {
      return cell.empty() || cell == kNone;
    });
  }
};

class TreeTable {
 public:
  TreeTable(const Report& report, const ScopeRollup& scope,
            const MarkdownColumns& columns, AbsentValues& absent,
            std::ostream& out)
      : report_(report),
        scope_(scope),
        columns_(columns),
        absent_(absent),
        members_(*report.members),
        two_(HasReplay(report)),
        timed_(HasTimes(report)),
        shared_(scope.scope.aggregate && members_.HasAny()),
        out_(out) {}

  void Write() {
    fmt::print(out_, "## Regions, scope {}\n\n",
               ScopeHeading(report_, scope_.scope));
    order_ = ReadingOrder(report_, scope_);
    if (order_.empty()) {
      out_ << "No region: nothing was measured here.\n\n";
      return;
    }
    fmt::print(out_, "{}.\n\n", MarkdownText(HeadlineOf(report_, scope_)));
    const std::size_t all = order_.size();
    if (all > report_.options.max_rows) order_.resize(report_.options.max_rows);
    MakeColumns();
    WriteTable();
    WriteRowsLeftOut(report_, all, out_);
    WriteFootnotes();
    out_ << columns_.Legend() << '\n';
  }

 private:
  void MakeColumns() {
    std::vector<RegionRow> rows;
    for (const RegionId id : order_)
      rows.push_back(report_.rows->Of(scope_, id));
    rows.push_back(report_.rows->Of(scope_, RegionTree::kRoot));
    // Of ranges there is no sum. Of kernels the whole is all that is its own.
    has_total_ = rows.back().time_ns || rows.back().launches;
    rows.back().own_ns = rows.back().time_ns;
    rows.back().own_launches = rows.back().launches;
    const auto add = [&](std::string heading, auto cell, bool always = false) {
      TableColumn column{.heading = std::move(heading)};
      for (const RegionRow& row : rows) column.cells.push_back(cell(row));
      if (always || !column.IsEmpty()) table_.push_back(std::move(column));
    };
    add(
        "Inclusive", [&](const RegionRow& row) { return Time(row); }, true);
    add("Share", [](const RegionRow& row) {
      return row.share ? FormatShare(*row.share, 1) : std::string(kNone);
    });
    add("Exclusive", [](const RegionRow& row) { return Ns(row.own_ns); });
    add("Kernels", [](const RegionRow& row) { return Count(row.launches); });
    add("Own", [](const RegionRow& row) { return Count(row.own_launches); });
    if (two_) {
      add("Measured", [](const RegionRow& row) { return Count(row.measured); });
      add("Under replay", [&](const RegionRow& row) { return Replayed(row); });
    }
    if (timed_) AddTimes();
    if (shared_) AddImbalance();
    for (const RegionRow& row : rows) {
      means_ = means_ || (row.whole != nullptr && row.whole->instances > 1);
      if (row.counters != nullptr)
        absent_.Add(*row.counters, report_.table_columns);
      counters_.push_back(row.counters != nullptr
                              ? columns_.Cells(*row.counters)
                              : columns_.NoCells());
    }
  }

  // The time of a region's row, marked where it is not that of its kernels.
  std::string Time(const RegionRow& row) {
    if (row.source != TimeSource::kRange) return Ns(row.time_ns);
    return Whole(row);
  }
  std::string Replayed(const RegionRow& row) {
    if (row.whole == nullptr) return Ns(row.measured_ns);
    return Whole(row);
  }
  std::string Whole(const RegionRow& row) {
    wholes_ = true;
    std::string text = Ns(row.whole_ns) + " †";
    if (row.wholes > 1) text += fmt::format(" ×{}", row.wholes);
    return text;
  }

  void AddTimes() {
    std::array<TableColumn, 4> timed{
        TableColumn{.heading = "Runs"}, TableColumn{.heading = "CPU"},
        TableColumn{.heading = "GPU busy"}, TableColumn{.heading = "GPU idle"}};
    const auto add = [&](RegionId id) {
      TimesCells cells = TimesCellsOf(TimesOf(report_, scope_.scope, id));
      timed[0].cells.push_back(std::move(cells.runs));
      timed[1].cells.push_back(std::move(cells.cpu));
      timed[2].cells.push_back(std::move(cells.busy));
      timed[3].cells.push_back(std::move(cells.idle));
    };
    std::ranges::for_each(order_, add);
    add(RegionTree::kRoot);
    std::ranges::move(timed, std::back_inserter(table_));
  }

  void AddImbalance() {
    TableColumn column{.heading = "Max/mean"};
    for (const RegionId id : order_)
      column.cells.push_back(ImbalanceText(members_.Of(id)));
    column.cells.push_back(ImbalanceText(members_.Of(RegionTree::kRoot)));
    table_.push_back(std::move(column));
  }

  void WriteTable() {
    out_ << "| Region |";
    for (const TableColumn& column : table_)
      fmt::print(out_, " {} |", column.heading);
    out_ << columns_.Headings() << "\n|:--|";
    for (std::size_t i = 0; i < table_.size(); ++i) out_ << "--:|";
    out_ << columns_.Rule();
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      const bool last = i == order_.size();
      if (last && !has_total_) break;
      fmt::print(out_, "| {} |", last ? "**Total**" : NameCell(order_[i]));
      for (const TableColumn& column : table_)
        fmt::print(out_, " {} |", column.cells[i]);
      out_ << counters_[i] << '\n';
    }
  }

  std::string NameCell(RegionId id) const {
    const Region& region = (*report_.tree)[id];
    std::string text;
    for (std::int32_t i = 0; i < region.depth; ++i) text += "&emsp;";
    return text + (region.depth > 0 ? "└ " : "") +
           MarkdownText(RegionName(report_, id));
  }

  void WriteFootnotes() {
    if (wholes_) {
      out_ << "\n† measured over the whole range at once, and part of no sum: "
              "its kernels were not measured one by one. ×: executions, whose "
              "times are added; metrics are the first one's.\n";
    }
    if (means_) {
      out_ << "\nMetrics of a region that was counted are those of one "
              "instance: the mean of the instances that were.\n";
    }
    if (shared_) {
      out_ << "\nMax/mean: the GPU time of who has the most of it, against the "
              "mean over all of them.\n";
    }
    if (two_) {
      out_
          << "\nTimes and kernels are of the undisturbed run; metrics, and the "
             "times under replay, are of the kernels that were measured.\n";
      const std::string coverage =
          CoverageText(report_, scope_, RegionTree::kRoot);
      if (!coverage.empty()) fmt::print(out_, "\n**{}.**\n", coverage);
    }
  }

  const Report& report_;
  const ScopeRollup& scope_;
  const MarkdownColumns& columns_;
  AbsentValues& absent_;
  const Members& members_;
  const bool two_;       // runs: a traced one beside the measured one
  const bool timed_;     // by a trace
  const bool shared_;    // between ranks or processes
  bool wholes_ = false;  // a row was measured as a whole
  bool means_ = false;   // or is the mean of some that were
  bool has_total_ = false;
  std::vector<RegionId> order_{};
  std::vector<TableColumn> table_{};
  std::vector<std::string> counters_{};  // a row's cells of metrics
  std::ostream& out_;
};

}  // namespace

void WriteTreeMarkdown(const Report& report, const ScopeRollup& scope,
                       const MarkdownColumns& columns, AbsentValues& absent,
                       std::ostream& out) {
  TreeTable(report, scope, columns, absent, out).Write();
}

}  // namespace rangefinder
