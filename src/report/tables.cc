#include "report/tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/lists.h"
#include "base/numbers.h"
#include "base/text.h"
#include "insight/imbalance.h"
#include "insight/times.h"

namespace rangefinder {
namespace {

using Kind = TableColumn::Kind;
using OptionalNumber = std::optional<double>;

OptionalNumber MeanOf(const ReportRow& row) {
  if (!row.time_ns || row.launches.value_or(0) <= row.untimed)
    return std::nullopt;
  return *row.time_ns / static_cast<double>(*row.launches - row.untimed);
}

// A column for a part of a row that `find` returns, or nothing.
template <typename Find>
ReportColumn Found(std::string_view name, int gives_way, std::string_view doc,
                   Find find, auto cell, auto value) {
  return {.name = std::string(name),
          .heading = std::string(name),
          .cell = [=](const ReportRow& row) { return CellOf(cell, find(row)); },
          .value = [=](const ReportRow& row) -> OptionalNumber {
            const auto found = find(row);
            if (!found) return std::nullopt;
            return value(*found);
          },
          .gives_way = gives_way,
          .doc = std::string(doc)};
}

// A column for one of ReportRow's numbers.
template <typename Make>
ReportColumn Plain(std::string_view name, Make make, auto number, int gives_way,
                   std::string_view doc = {}) {
  return Found(name, gives_way, doc, number, make,
               [](auto value) { return static_cast<double>(value); });
}

// An execution measured as a whole shows its replay mode instead of launches.
TableCell LaunchesCell(const ReportRow& row) {
  if (row.launches || row.mode.empty()) return CellOf(CountOf, row.launches);
  return Text(row.wholes > 1 ? fmt::format("{} ×{}", row.mode, row.wholes)
                             : row.mode);
}

std::string WarmupReason(const ReportRow& row) {
  if (row.times.warmup_known) return {};
  return "a report and a summary lack the first instances, so warm-up is not "
         "known (regions.warmup=off shows the mean of all instances)";
}

constexpr std::string_view kWall = "wall";
constexpr std::string_view kSpread = "spread";  // of `each` of alike siblings
constexpr std::string_view kCause = "cause";

// The order of columns; other columns follow.
constexpr std::array<std::string_view, 10> kFirst = {
    kWall,      "each", kSpread,    "time",      "share",
    "GPU each", "idle", "launches", "instances", kCause};

Quantity CountOfNumber(double count) {
  return {.value = std::trunc(count), .hint = Hint::kCount};
}

// The smallest and largest `each` of alike siblings.
std::optional<Quantity> SpreadOf(const ReportRow& row) {
  if (row.members.empty() || !row.times.each_ns) return std::nullopt;
  Quantity range = TimeOf(row.least_each_ns);
  range.hint = Hint::kRange;
  range.high = row.most_each_ns;
  return range;
}

// Our columns with one number of a row, in their order. To add a column, add a
// line.
std::vector<ReportColumn> PlainColumns() {
  const auto of = [](auto ReportRow::*number) {
    return [=](const ReportRow& row) { return row.*number; };
  };
  const auto of_times = [](OptionalNumber RowTimes::*number) {
    return [=](const ReportRow& row) { return row.times.*number; };
  };
  std::vector<ReportColumn> columns = {
      Plain("time", TimeOf, of(&ReportRow::time_ns), 0,
            "GPU time of the region's launches, inner regions included"),
      Plain(
          "share", ShareOfWhole, of(&ReportRow::share), 0,
          "the region's GPU time as a share of that of all selected launches"),
      Plain("launches", CountOf, of(&ReportRow::launches), 0,
            "kernels that the region launched, inner regions included"),
      Plain("regions", CountOf, of(&ReportRow::regions), 1),
      Plain("mean", TimeOf, MeanOf, 1),
      Plain("min", TimeOf, of(&ReportRow::min_ns), 18),
      Plain("max", TimeOf, of(&ReportRow::max_ns), 18),
      Plain("vs mean", RatioOf, of(&ReportRow::to_mean), 1),
      // The order in which the program reached the rows; for sorting.
      {.name = "order",
       .heading = "order",
       .cell = [](const ReportRow&) { return TableCell(); },
       .value = [](const ReportRow& row) -> OptionalNumber {
         if (!row.region || row.last) return std::nullopt;
         return -static_cast<double>(Index(*row.region));
       },
       .gives_way = 99},
      Plain("exclusive", TimeOf, of(&ReportRow::own_ns), 20,
            "GPU time of the region's launches, inner regions left out"),
      Plain("exclusive launches", CountOf, of(&ReportRow::own_launches), 25,
            "kernels launched by the region itself"),
      Plain("measured", CountOf, of(&ReportRow::measured), 25,
            "launches that carry counters"),
      Plain("replay", TimeOf, of(&ReportRow::replay_ns), 21,
            "GPU time of the same launches under replay"),
      // Times from a trace.
      Plain(kWall, TimeOf, of_times(&RowTimes::wall_ns), 0,
            "time from the opening to the closing of each instance, summed "
            "over the instances"),
      Plain("each", TimeOf, of_times(&RowTimes::each_ns), 1,
            "mean wall time of an instance; warm-up is left out"),
      Plain("GPU each", TimeOf, of_times(&RowTimes::gpu_each_ns), 3,
            "mean GPU time of an instance; warm-up is left out"),
      Plain("idle", ShareOfWhole, of_times(&RowTimes::idle), 2,
            "share of the wall time in which no GPU work of the process runs; "
            "warm-up is left out"),
      Plain("instances", CountOfNumber, of_times(&RowTimes::instances), 4,
            "executions of the region"),
      Plain("busy", TimeOf, of_times(&RowTimes::busy_ns), 24,
            "time in which at least one kernel, copy or set of the region ran"),
      Found(kSpread, 4, "", SpreadOf, std::identity(),
            [](const Quantity& range) { return range.high - range.value; })};
  for (ReportColumn& column : columns) {
    if (column.name == "launches") column.cell = LaunchesCell;
    if (column.name == "replay") column.heading = "under replay";
  }
  return columns;
}

constexpr std::string_view kImbalance = "max/mean";

// Columns that a table has only if they are requested.
bool IsUsual(std::string_view name, TableBy by, bool full, bool over_ranks) {
  // The times of processes that are not ranks may differ.
  if (name == kImbalance) return full || over_ranks;
  if (!full && (name == "exclusive launches" || name == "measured"))
    return false;
  if (name == "mean" || name == "min" || name == "max")
    return by == TableBy::kKernel;
  if (by == TableBy::kName && name == kCause) return false;
  if (name == "exclusive") return by == TableBy::kRegion;
  if (name == "exclusive launches")
    return by == TableBy::kRegion || by == TableBy::kKernel;
  return true;
}

}  // namespace

std::vector<std::string> OwnColumnNames() {
  std::vector<std::string> names;
  for (const ReportColumn& column : PlainColumns())
    names.push_back(column.name);
  names.emplace_back(kCause);
  names.emplace_back(kImbalance);
  return names;
}

bool MayBeColumn(std::string_view name) {
  const std::vector<std::string> own = OwnColumnNames();
  return name.find('_') != std::string_view::npos ||
         name.find(' ') != std::string_view::npos ||
         std::ranges::any_of(own, [&](const std::string& one) {
           return AsciiLower(one) == AsciiLower(name);
         });
}

TableCell MetricCell(const Profile& profile, const Cell& cell,
                     std::string_view unit) {
  if (cell.how == How::kAbsent) {
    if (!cell.has_spread || cell.low == cell.high) return {};
    return Quantity{.value = cell.low,
                    .unit = std::string(unit),
                    .hint = Hint::kRange,
                    .high = cell.high};
  }
  if (cell.is_text) return Text(profile.Name(cell.text));
  Quantity quantity = ValueOf(cell.value, unit);
  if (cell.how == How::kEstimated && cell.bound == Bound::kUpper) {
    quantity.value = cell.high;
    quantity.hint = Hint::kAtMost;
  } else if (cell.how == How::kEstimated) {
    quantity.error = cell.error;
  }
  if (cell.how == How::kApprox) quantity.hint = Hint::kAbout;
  if (cell.how == How::kBound) {
    quantity.hint =
        cell.bound == Bound::kLower ? Hint::kAtLeast : Hint::kAtMost;
  }
  return quantity;
}

ReportColumns::ReportColumns(const Report& report, const ScopeRollup& scope)
    : report_(report), scope_(scope), headings_(ColumnHeadings(report)) {}

std::vector<ReportColumn> ReportColumns::Own() const {
  std::vector<ReportColumn> own = PlainColumns();
  for (ReportColumn& column : own)
    if (column.name == "each") column.why_not = WarmupReason;
  own.push_back(Found(
      kCause, 2, "why the region takes its wall time: `rangefinder explain`",
      [this](const ReportRow& row) { return CauseOf(row); },
      [](const Cause& cause) {
        return Text(cause.title + (cause.certain ? "" : "?"));
      },
      [](const Cause& cause) { return cause.saves_ns; }));
  own.push_back(Found(
      kImbalance, 2,
      "largest GPU time of a rank or process, divided by the mean of all",
      [this](const ReportRow& row) {
        if (!row.region || !scope_.scope.aggregate)
          return std::optional<Imbalance>();
        return report_.members->Of(*row.region);
      },
      [](const Imbalance& known) {
        TableCell cell(RatioOf(known.ratio()));
        cell.text = known.who;
        return cell;
      },
      [](const Imbalance& known) { return known.ratio(); }));
  std::ranges::stable_sort(own, {}, [](const ReportColumn& column) {
    return std::ranges::find(kFirst, column.name) - kFirst.begin();
  });
  return own;
}

const Cause* ReportColumns::CauseOf(const ReportRow& row) const {
  if (&scope_ != report_.rollup->scopes.data()) return nullptr;
  const Cause* most = nullptr;
  const auto take = [&](RegionId region) {
    const Cause* cause = report_.diagnosis.MainCause(region);
    if (cause != nullptr &&
        (most == nullptr || cause->saves_ns > most->saves_ns))
      most = cause;
  };
  if (row.region) take(*row.region);
  std::ranges::for_each(row.members, take);
  return most;
}

ReportColumn ReportColumns::Metric(std::size_t column,
                                   std::string heading) const {
  const Column& metric = report_.rollup->columns[column];
  const auto cell = [column](const ReportRow& row) -> const Cell* {
    if (row.counters == nullptr || column >= row.counters->cells.size())
      return nullptr;
    return &row.counters->cells[column];
  };
  return {
      .name = metric.name,
      .heading = std::move(heading),
      .cell =
          [this, cell, &metric](const ReportRow& row) {
            const Cell* known = cell(row);
            if (known == nullptr) return TableCell();
            return MetricCell(*report_.profile, *known, metric.unit);
          },
      .value = [cell](const ReportRow& row) -> OptionalNumber {
        const Cell* known = cell(row);
        if (known == nullptr || known->how == How::kAbsent || known->is_text)
          return std::nullopt;
        return known->value;
      },
      .gives_way = 10,
      .why_not = [cell](const ReportRow& row) -> std::string {
        const Cell* known = cell(row);
        if (known == nullptr || known->how != How::kAbsent || known->has_spread)
          return {};
        return std::string(std::string_view(known->reason));
      },
      .metric = metric.name,
      .doc = MetricDoc(report_, column)};
}

std::vector<ReportColumn> ReportColumns::Metrics() const {
  std::vector<ReportColumn> metrics;
  for (std::size_t i = 0; i < report_.table_columns.size(); ++i)
    metrics.push_back(Metric(report_.table_columns[i], headings_[i]));
  return metrics;
}

// Our columns that are hidden late, then the metrics, then the others.
std::vector<ReportColumn> ReportColumns::Usual(const ReportRows& table,
                                               bool full) const {
  std::vector<ReportColumn> all;
  std::vector<ReportColumn> behind;
  const bool over_ranks =
      report_.members->several() && report_.members->over_ranks();
  for (ReportColumn& column : Own()) {
    if (IsUsual(column.name, table.by, full, over_ranks))
      (column.gives_way < 20 ? all : behind).push_back(std::move(column));
  }
  std::size_t number = 0;
  for (ReportColumn& column : Metrics()) {
    // Two metrics are hidden after all others that can be hidden.
    if (number++ > 1) column.gives_way += 3;
    all.push_back(std::move(column));
  }
  std::ranges::move(behind, std::back_inserter(all));
  // A usual column that is missing needs a reason, and so a place.
  const auto has_reason = [](const ReportColumn& column, const ReportRow& row) {
    return column.metric.empty() && column.why_not &&
           !column.why_not(row).empty();
  };
  const auto absent = [](const ReportColumn& column, const ReportRow& row) {
    return column.cell(row).absent();
  };
  // Next to wall times, `time` needs a longer heading, and there are two
  // shares.
  const bool wall =
      table.by == TableBy::kRegion && !report_.profile->visits.empty();
  for (ReportColumn& column : all) {
    if (wall && column.name == "time") column.heading = "GPU";
    if (wall && column.name == "share") column.gives_way = 5;
    if (!wall && column.name == kCause) column.gives_way = 12;
  }
  std::erase_if(all, [&](const ReportColumn& column) {
    return std::ranges::all_of(table.rows, [&](const ReportRow& row) {
      return absent(column, row) && !has_reason(column, row) &&
             std::ranges::all_of(row.parts, [&](const ReportRow& part) {
               return absent(column, part);
             });
    });
  });
  return all;
}

namespace {

// Whether `name` is the part of the metric's name before the first dot.
bool IsShortFor(std::string_view name, const std::string& metric) {
  return metric.starts_with(std::string(name) + ".");
}

Error NoSuchColumn(std::string_view name, const std::vector<std::string>& own,
                   const std::vector<Column>& metrics) {
  std::vector<std::string> names = own;
  for (const Column& metric : metrics) {
    names.push_back(metric.name);
    names.push_back(metric.name.substr(0, metric.name.find('.')));
  }
  std::string known = DidYouMean(name, names);
  if (known.empty())
    known = "; there are " + JoinedAsList(own, "and") +
            ", and the metrics of the capture";
  return Error(ErrorCode::kUsage, fmt::format("there is no column '{}'{}",
                                              Printable(name), known));
}

}  // namespace

Result<ReportColumn> ReportColumns::Find(std::string_view name) const {
  const std::string wanted = AsciiLower(name);
  for (ReportColumn& column : Own()) {
    const std::string known = AsciiLower(column.name);
    // Beside wall times, the heading of `time` is GPU.
    if (known == wanted || (known == "time" && wanted == "gpu"))
      return std::move(column);
  }
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    if (AsciiLower(headings_[i]) == AsciiLower(name))
      return Metric(report_.table_columns[i], headings_[i]);
  }
  std::vector<std::size_t> short_for;
  const std::vector<Column>& metrics = report_.rollup->columns;
  for (std::size_t c = 0; c < metrics.size(); ++c) {
    if (metrics[c].name == name) {
      const auto shown = std::ranges::find(report_.table_columns, c);
      return Metric(c, shown == report_.table_columns.end()
                           ? MetricHeading(report_, c)
                           : headings_[static_cast<std::size_t>(
                                 shown - report_.table_columns.begin())]);
    }
    if (IsShortFor(name, metrics[c].name)) short_for.push_back(c);
  }
  // Of .avg, .max, .min and .sum, the metric that the table shows.
  if (short_for.size() > 1) {
    std::vector<std::size_t> shown = short_for;
    std::erase_if(
        shown, [&](std::size_t c) { return !Has(report_.table_columns, c); });
    if (shown.size() == 1) short_for = std::move(shown);
  }
  if (short_for.size() == 1)
    return Metric(short_for[0], MetricHeading(report_, short_for[0]));
  if (short_for.empty()) return NoSuchColumn(name, OwnColumnNames(), metrics);
  std::vector<std::string> names;
  for (const std::size_t c : short_for)
    names.push_back(Printable(metrics[c].name));
  return Error(ErrorCode::kUsage, fmt::format("'{}' may be {}", Printable(name),
                                              JoinedAsList(names, "or")));
}

namespace {

class TableBuilder {
 public:
  TableBuilder(Document& document, const Report& report,
               const ScopeRollup& scope, const ReportRows& rows,
               const TableView& view, const TableDetail& detail)
      : document_(document),
        report_(report),
        scope_(scope),
        rows_(rows),
        view_(view),
        detail_(detail),
        known_(report, scope) {}

  void Add() {
    auto sort = known_.Find(view_.sort);
    if (!sort.ok() ||
        (view_.sort == TableView().sort && !HasWallTimes(sort.value())))
      sort = known_.Find("time");
    sort_ = std::move(sort).value();
    if (sort_.name == kWall) {
      for (const ReportRow& row : rows_.rows) {
        if (row.outer == kNoRow) wall_ns_ += sort_.value(row).value_or(0);
      }
    }
    selected_ = SelectRows(rows_, view_, sort_, report_.options.max_rows,
                           detail_.has_options);
    columns_ = Columns();
    AddTable();
    AddHiddenRows();
    AddAbsences();
    AddFolded();
    if (!detail_.full) AddMeanings();
  }

 private:
  bool HasWallTimes(const ReportColumn& wall) const {
    return rows_.by == TableBy::kRegion &&
           std::ranges::any_of(rows_.rows, [&](const ReportRow& row) {
             return wall.value(row).has_value();
           });
  }

  std::vector<ReportColumn> Columns() const {
    std::vector<ReportColumn> columns;
    for (const std::string& name : view_.columns) {
      auto column = known_.Find(name);
      if (!column.ok()) continue;
      columns.push_back(std::move(column).value());
      columns.back().gives_way = 0;  // requested, so it stays
    }
    return columns.empty() ? known_.Usual(rows_, detail_.full) : columns;
  }

  std::string NameOf(const ReportRow& row) const {
    if (!view_.flat || !row.region) return row.name;
    std::string name;
    for (const ReportRow* at = &row;;) {
      name = name.empty() ? at->name : at->name + " › " + name;
      if (at->outer == kNoRow) return name;
      at = &rows_.rows[at->outer];
    }
  }

  // Share of the run's wall time if the table is by wall time, else of its GPU
  // time.
  double BarOf(const ReportRow& row) const {
    if (wall_ns_ <= 0) return row.share.value_or(0);
    return sort_.value(row).value_or(0) / wall_ns_;
  }

  TableRow RowOf(const ReportRow& row, Text name) const {
    TableRow out{.cells = {std::move(name)}};
    if (has_bar_) out.cells.push_back(BarCell(BarOf(row)));
    for (const ReportColumn& column : columns_)
      out.cells.push_back(column.cell(row));
    if (!view_.flat) out.depth = row.depth;
    return out;
  }

  void AddTable() {
    has_bar_ = std::ranges::any_of(selected_.rows, [&](std::size_t i) {
      return rows_.rows[i].share.has_value();
    });
    Table table{.columns = {{.heading = std::string(RowWord(rows_.by, 1)),
                             .kind = Kind::kText}},
                .hidden_columns = "show with --columns"};
    if (has_bar_) table.columns.push_back({.kind = Kind::kBar});
    for (const ReportColumn& column : columns_)
      table.columns.push_back(
          {.heading = column.heading, .gives_way = column.gives_way});
    for (const std::size_t i : selected_.rows) {
      const ReportRow& row = rows_.rows[i];
      table.rows.push_back(RowOf(row, NameOf(row)));
      if (detail_.full) continue;
      for (const ReportRow& part : row.parts) {
        table.rows.push_back(RowOf(part, part.name));
        table.rows.back().depth = view_.flat ? 0 : row.depth;
        table.rows.back().is_part = true;
      }
    }
    if (detail_.full && rows_.by == TableBy::kRegion) {
      const ReportRow total = TotalRow(report_, scope_);
      if (total.time_ns || total.launches)
        table.rows.push_back(RowOf(total, Strong(total.name)));
    }
    document_.AddTable(std::move(table));
  }

  void AddHiddenRows() {
    if (selected_.hidden == 0) return;
    std::string text =
        fmt::format("{} more {} {} not shown", FormatCount(selected_.hidden),
                    RowWord(rows_.by, selected_.hidden),
                    selected_.hidden == 1 ? "is" : "are");
    if (!selected_.because.empty())
      text += fmt::format(" ({})", fmt::join(selected_.because, ", "));
    const auto whole = report_.rows->Of(scope_, RegionTree::kRoot).time_ns;
    if (selected_.hidden_ns) {
      // A shown outer region includes their time.
      text += fmt::format(", with {}{}", FormatNs(*selected_.hidden_ns),
                          rows_.by == TableBy::kRegion ? " exclusive" : "");
      if (whole && *whole > 0)
        text +=
            ", " + FormatShare(*selected_.hidden_ns, *whole) + " of the time";
    }
    if (detail_.full) text += "; report.json has all";
    document_.AddParagraph(text, Tone::kQuiet);
  }

  // A sentence for each reason of absent cells, the most frequent first.
  void AddAbsences() {
    constexpr std::size_t kMost = 3;
    std::map<std::string, std::size_t> values;
    for (const ReportColumn& column : columns_) {
      if (!column.why_not) continue;
      for (const std::size_t row : selected_.rows) {
        std::string why = column.why_not(rows_.rows[row]);
        if (detail_.reasons != nullptr)
          detail_.reasons->Add(why);
        else if (!why.empty())
          ++values[std::move(why)];
      }
    }
    std::vector<std::pair<std::string, std::size_t>> most(values.begin(),
                                                          values.end());
    std::ranges::stable_sort(most, std::ranges::greater(),
                             [](const auto& why) { return why.second; });
    const std::size_t shown = std::min(most.size(), kMost);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& [why, count] = most[i];
      document_.AddParagraph(
          fmt::format("– {} {} absent: {}", Plural(count, "value", "values"),
                      count == 1 ? "is" : "are", why),
          Tone::kQuiet);
    }
    if (most.size() > shown)
      document_.AddParagraph("– other reasons: --format md", Tone::kQuiet);
  }

  void AddFolded() {
    const auto folded = [&](std::size_t row) {
      return !rows_.rows[row].members.empty();
    };
    if (std::ranges::any_of(selected_.rows, folded)) {
      document_.AddParagraph(
          "×: siblings that behave alike, as one row without counters; "
          "--expand shows each",
          Tone::kQuiet);
    }
  }

  // The meaning of each metric.
  void AddMeanings() {
    const auto known = [](const ReportColumn& one) {
      return !one.metric.empty() && !one.doc.empty();
    };
    if (std::ranges::none_of(columns_, known)) return;
    if (!detail_.verbose) {
      document_.AddParagraph(
          "meaning of the counters: --verbose, or --explain REGION METRIC",
          Tone::kQuiet);
      return;
    }
    for (const ReportColumn& column : columns_) {
      if (known(column))
        document_.AddParagraph(column.heading + ": " + column.doc,
                               Tone::kQuiet);
    }
  }

  Document& document_;
  const Report& report_;
  const ScopeRollup& scope_;
  const ReportRows& rows_;
  const TableView& view_;
  const TableDetail& detail_;
  const ReportColumns known_;
  ReportColumn sort_{};
  double wall_ns_ = 0;  // of the outermost regions
  SelectedRows selected_{};
  std::vector<ReportColumn> columns_{};
  bool has_bar_ = false;
};

}  // namespace

std::size_t AbsenceReasons::Add(std::string_view reason) {
  if (reason.empty()) return 0;
  const auto known = numbers_.find(reason);
  if (known != numbers_.end()) return known->second;
  list_.items.push_back({.text = reason});
  numbers_.emplace(reason, list_.items.size());
  return list_.items.size();
}

void AbsenceReasons::AddTo(Document& document) const {
  if (list_.items.empty()) return;
  document.AddHeading(2, "Why values are absent");
  document.AddList(list_);
}

void AddReportTable(Document& document, const Report& report,
                    const ScopeRollup& scope, const ReportRows& rows,
                    const TableView& view, const TableDetail& detail) {
  TableBuilder(document, report, scope, rows, view, detail).Add();
}

}  // namespace rangefinder
