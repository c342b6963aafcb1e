#include "report/tables.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/numbers.h"
#include "base/text.h"
#include "insight/imbalance.h"
#include "insight/times.h"

namespace rangefinder {
namespace {

using Row = ReportRow;
using Kind = TableColumn::Kind;
using Number = std::optional<double>;

Number MeanOf(const Row& row) {
  if (!row.time_ns || row.launches.value_or(0) == 0) return std::nullopt;
  return *row.time_ns / static_cast<double>(*row.launches);
}

// A column of one of ReportRow's numbers.
template <typename Make>
ReportColumn Plain(std::string_view name, Make make, auto number, int gives_way,
                   std::string_view heading = {}) {
  return {.name = std::string(name),
          .heading = std::string(heading.empty() ? name : heading),
          .cell = [=](const Row& row) { return CellOf(make, number(row)); },
          .value = [=](const Row& row) -> Number {
            const auto value = number(row);
            if (!value) return std::nullopt;
            return static_cast<double>(*value);
          },
          .gives_way = gives_way};
}

// An execution measured as a whole shows its replay mode instead of launches.
TableCell LaunchesCell(const Row& row) {
  if (row.launches || row.mode.empty()) return CellOf(CountOf, row.launches);
  return Text(row.wholes > 1 ? fmt::format("{} ×{}", row.mode, row.wholes)
                             : row.mode);
}

// Our columns that show one number of a row, in their order. To add a column,
// add a line.
std::vector<ReportColumn> PlainColumns() {
  std::vector<ReportColumn> columns = {
      Plain(
          "time", TimeOf, [](const Row& row) { return row.time_ns; }, 0),
      Plain(
          "share", ShareOfWhole, [](const Row& row) { return row.share; }, 0),
      Plain(
          "launches", CountOf, [](const Row& row) { return row.launches; }, 0),
      Plain(
          "regions", CountOf, [](const Row& row) { return row.regions; }, 1),
      Plain("mean", TimeOf, MeanOf, 1),
      Plain(
          "min", TimeOf, [](const Row& row) { return row.min_ns; }, 18),
      Plain(
          "max", TimeOf, [](const Row& row) { return row.max_ns; }, 18),
      Plain(
          "vs mean", RatioOf, [](const Row& row) { return row.to_mean; }, 1),
      // As the program reached the rows: to sort by.
      {.name = "order",
       .heading = "order",
       .cell = [](const Row&) { return TableCell(); },
       .value = [](const Row& row) -> Number {
         if (!row.region || row.last) return std::nullopt;
         return -static_cast<double>(Index(*row.region));
       },
       .gives_way = 99},
      Plain(
          "exclusive", TimeOf, [](const Row& row) { return row.own_ns; }, 20),
      Plain(
          "exclusive launches", CountOf,
          [](const Row& row) { return row.own_launches; }, 25),
      Plain(
          "measured", CountOf, [](const Row& row) { return row.measured; }, 25),
      Plain(
          "replay", TimeOf, [](const Row& row) { return row.replay_ns; }, 21,
          "under replay")};
  for (ReportColumn& column : columns) {
    if (column.name == "launches") column.cell = LaunchesCell;
  }
  return columns;
}

// Columns of a region's times, as a trace saw them.
struct TimesColumn {
  std::string_view name;
  Quantity (*make)(double);
  Number (*number)(const RegionTimes&);
  int gives_way;
};

Quantity CountOfNumber(double count) {
  return CountOf(static_cast<std::uint64_t>(count));
}

Number IdleNs(const RegionTimes& times) {
  if (times.span_ns == 0) return std::nullopt;
  // Of a region the idle time inside its instances: between them other regions
  // may have run.
  return static_cast<double>(times.gpu_idle_ns.count() > 0
                                 ? times.gpu_idle_ns.sum()
                                 : times.idle_ns());
}

constexpr std::array<TimesColumn, 4> kTimesColumns = {{
    {"instances", CountOfNumber,
     [](const RegionTimes& times) -> Number {
       if (times.instances == 0) return std::nullopt;
       return static_cast<double>(times.instances);
     },
     12},
    {"CPU", TimeOf,
     [](const RegionTimes& times) -> Number {
       if (times.cpu_ns.count() == 0) return std::nullopt;
       return static_cast<double>(times.cpu_ns.sum());
     },
     22},
    {"busy", TimeOf,
     [](const RegionTimes& times) -> Number {
       if (times.span_ns == 0) return std::nullopt;
       return static_cast<double>(times.gpu.busy_ns);
     },
     24},
    {"idle", TimeOf, IdleNs, 23},
}};

constexpr std::string_view kImbalance = "max/mean";

// Columns that a table has only where they are asked for.
bool IsUsual(std::string_view name, TableBy by, bool full, bool over_ranks) {
  // The times of processes that are not ranks need not be equal.
  if (name == kImbalance) return full || over_ranks;
  if (!full && (name == "exclusive launches" || name == "measured"))
    return false;
  if (name == "mean" || name == "min" || name == "max")
    return by == TableBy::kKernel;
  if (name == "exclusive") return by == TableBy::kRegion;
  if (name == "exclusive launches")
    return by == TableBy::kRegion || by == TableBy::kKernel;
  return true;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) {
    return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
  });
  return out;
}

}  // namespace

std::vector<std::string> OwnColumnNames() {
  std::vector<std::string> names;
  for (const ReportColumn& column : PlainColumns())
    names.push_back(column.name);
  for (const TimesColumn& column : kTimesColumns)
    names.emplace_back(column.name);
  names.emplace_back(kImbalance);
  return names;
}

bool MayBeColumn(std::string_view name) {
  const std::vector<std::string> own = OwnColumnNames();
  return name.find('_') != std::string_view::npos ||
         name.find(' ') != std::string_view::npos ||
         std::ranges::any_of(own, [&](const std::string& one) {
           return Lower(one) == Lower(name);
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
  if (cell.how == How::kEstimated) quantity.error = cell.error;
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
  for (std::size_t i = 0; i < kTimesColumns.size(); ++i) {
    const TimesColumn& column = kTimesColumns[i];
    own.push_back(Plain(
        column.name, column.make,
        [this, i](const Row& row) -> Number {
          return row.region ? TimesNumbers(*row.region)[i] : std::nullopt;
        },
        column.gives_way));
  }
  const auto imbalance = [this](const Row& row) {
    if (!row.region || !scope_.scope.aggregate)
      return std::optional<Imbalance>();
    return report_.members->Of(*row.region);
  };
  own.push_back({.name = std::string(kImbalance),
                 .heading = std::string(kImbalance),
                 .cell =
                     [=](const Row& row) {
                       const auto known = imbalance(row);
                       if (!known) return TableCell();
                       TableCell cell(RatioOf(known->ratio()));
                       cell.text = known->who;
                       return cell;
                     },
                 .value = [=](const Row& row) -> Number {
                   const auto known = imbalance(row);
                   if (!known) return std::nullopt;
                   return known->ratio();
                 },
                 .gives_way = 2});
  return own;
}

const std::vector<Number>& ReportColumns::TimesNumbers(RegionId region) const {
  const auto [place, is_new] = times_.try_emplace(region);
  if (is_new) {
    const auto times = TimesOf(report_, scope_.scope, region);
    for (const TimesColumn& column : kTimesColumns)
      place->second.push_back(times ? column.number(*times) : std::nullopt);
  }
  return place->second;
}

ReportColumn ReportColumns::Metric(std::size_t column,
                                   std::string heading) const {
  const Column& metric = report_.rollup->columns[column];
  const auto cell = [column](const Row& row) -> const Cell* {
    if (row.counters == nullptr || column >= row.counters->cells.size())
      return nullptr;
    return &row.counters->cells[column];
  };
  return {
      .name = metric.name,
      .heading = std::move(heading),
      .cell =
          [this, cell, &metric](const Row& row) {
            const Cell* known = cell(row);
            if (known == nullptr) return TableCell();
            return MetricCell(*report_.profile, *known, metric.unit);
          },
      .value = [cell](const Row& row) -> Number {
        const Cell* known = cell(row);
        if (known == nullptr || known->how == How::kAbsent || known->is_text)
          return std::nullopt;
        return known->value;
      },
      .gives_way = 10,
      .why_not = [cell](const Row& row) -> std::string {
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

// Our columns that give way late, then the metrics, then the other ones.
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
    // Two metrics come before all other columns that give way.
    if (number++ > 1) column.gives_way += 3;
    all.push_back(std::move(column));
  }
  std::ranges::move(behind, std::back_inserter(all));
  const auto absent = [](const ReportColumn& column, const Row& row) {
    return column.cell(row).absent();
  };
  std::erase_if(all, [&](const ReportColumn& column) {
    return std::ranges::all_of(table.rows, [&](const Row& row) {
      return absent(column, row) &&
             std::ranges::all_of(row.parts, [&](const Row& part) {
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
  std::string message = fmt::format("there is no column '{}'", Printable(name));
  if (const auto near = Nearest(name, names))
    message += fmt::format("; did you mean '{}'?", Printable(*near));
  else
    message += "; there are " + JoinedAsList(own, "and") +
               ", and the metrics of the capture";
  return Error(ErrorCode::kUsage, std::move(message));
}

}  // namespace

Result<ReportColumn> ReportColumns::Find(std::string_view name) const {
  for (ReportColumn& column : Own()) {
    if (Lower(column.name) == Lower(name)) return std::move(column);
  }
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    if (Lower(headings_[i]) == Lower(name))
      return Metric(report_.table_columns[i], headings_[i]);
  }
  std::vector<std::size_t> short_for;
  const std::vector<Column>& metrics = report_.rollup->columns;
  for (std::size_t c = 0; c < metrics.size(); ++c) {
    const auto shown = std::ranges::find(report_.table_columns, c);
    const std::string heading =
        shown == report_.table_columns.end()
            ? MetricHeading(report_, c)
            : headings_[static_cast<std::size_t>(
                  shown - report_.table_columns.begin())];
    if (metrics[c].name == name) return Metric(c, heading);
    if (IsShortFor(name, metrics[c].name)) short_for.push_back(c);
  }
  // Of .avg, .max, .min and .sum, the metric that the table shows.
  if (short_for.size() > 1) {
    std::vector<std::size_t> shown = short_for;
    std::erase_if(shown, [&](std::size_t c) {
      return std::ranges::find(report_.table_columns, c) ==
             report_.table_columns.end();
    });
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

class RowSelection {
 public:
  RowSelection(const ReportRows& table, const TableView& view,
               const ReportColumn& sort)
      : rows_(table.rows),
        view_(view),
        tree_(table.by == TableBy::kRegion && !view.flat),
        by_time_(sort.name == "time" || sort.name == "share"),
        shown_(rows_.size(), true) {
    for (const ReportRow& row : rows_) keys_.push_back(sort.value(row));
    shares_ = std::ranges::any_of(
        rows_, [](const ReportRow& row) { return row.share.has_value(); });
  }

  SelectedRows Select(std::uint64_t max_rows) {
    CutDepthAndShare();
    CutNumber(max_rows);
    SelectedRows selected{.because = std::move(because_)};
    selected.rows = Order();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (shown_[i]) continue;
      ++selected.hidden;
      const auto& ns = rows_[i].own_ns ? rows_[i].own_ns : rows_[i].time_ns;
      if (ns) selected.hidden_ns = selected.hidden_ns.value_or(0) + *ns;
    }
    return selected;
  }

 private:
  // By the sort key, most first; as they came where it is the same.
  bool Before(std::size_t a, std::size_t b) const {
    if (by_time_ && rows_[a].last != rows_[b].last) return rows_[b].last;
    if (keys_[a].has_value() != keys_[b].has_value())
      return keys_[a].has_value();
    return keys_[a] > keys_[b];
  }

  void CutDepthAndShare() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const ReportRow& row = rows_[i];
      if (view_.depth.value_or(0) > 0 && row.depth >= *view_.depth)
        Hide(i, fmt::format("--depth {}", *view_.depth));
      // Without any share, no row is known to be small.
      if (shares_ && 100 * row.share.value_or(0) < view_.min_share)
        Hide(i, fmt::format("--min-share {:g}", view_.min_share));
    }
  }

  void CutNumber(std::uint64_t max_rows) {
    const bool by_top = view_.top > 0 && view_.top <= max_rows;
    const std::uint64_t most = by_top ? view_.top : max_rows;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (shown_[i]) order.push_back(i);
    }
    if (order.size() <= most) return;
    // (unattributed) is kept by its value like other rows.
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return keys_[a] > keys_[b];
    });
    std::vector<bool> kept(rows_.size());
    for (std::size_t i = 0; i < most; ++i) {
      std::size_t at = order[i];
      kept[at] = true;
      while (tree_ && rows_[at].outer != kNoRow) {
        at = rows_[at].outer;
        kept[at] = true;
      }
    }
    for (const std::size_t i : order) {
      if (!kept[i])
        Hide(i, by_top ? fmt::format("--top {}", view_.top)
                       : fmt::format("regions.max_rows={}", max_rows));
    }
  }

  void Hide(std::size_t row, std::string why) {
    shown_[row] = false;
    if (std::ranges::find(because_, why) == because_.end())
      because_.push_back(std::move(why));
  }

  std::vector<std::size_t> Order() const {
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return Before(a, b); });
    if (tree_) order = AsTree(order);
    std::erase_if(order, [&](std::size_t i) { return !shown_[i]; });
    return order;
  }

  // The same order, with inner rows right behind their outer row.
  std::vector<std::size_t> AsTree(
      const std::vector<std::size_t>& sorted) const {
    std::vector<std::vector<std::size_t>> inner(rows_.size() + 1);
    const auto place = [&](std::size_t row) {
      return row == kNoRow ? rows_.size() : row;
    };
    for (const std::size_t i : sorted)
      inner[place(rows_[i].outer)].push_back(i);
    std::vector<std::size_t> order;
    std::vector<std::size_t> stack(inner.back().rbegin(), inner.back().rend());
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      order.push_back(at);
      stack.insert(stack.end(), inner[at].rbegin(), inner[at].rend());
    }
    return order;
  }

  const std::vector<ReportRow>& rows_;
  const TableView& view_;
  bool tree_;
  bool by_time_;
  bool shares_ = false;  // some row has a share
  std::vector<bool> shown_;
  std::vector<std::optional<double>> keys_{};
  std::vector<std::string> because_{};
};

}  // namespace

SelectedRows SelectRows(const ReportRows& table, const TableView& view,
                        const ReportColumn& sort, std::uint64_t max_rows) {
  return RowSelection(table, view, sort).Select(max_rows);
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
    if (!sort.ok()) sort = known_.Find("time");
    selected_ =
        SelectRows(rows_, view_, sort.value(), report_.options.max_rows);
    columns_ = Columns();
    AddTable();
    AddHiddenRows();
    AddAbsences();
    if (!detail_.full) AddMeanings();
  }

 private:
  std::vector<ReportColumn> Columns() const {
    std::vector<ReportColumn> columns;
    for (const std::string& name : view_.columns) {
      auto column = known_.Find(name);
      if (!column.ok()) continue;
      columns.push_back(std::move(column).value());
      columns.back().gives_way = 0;  // asked for, so it stays
    }
    return columns.empty() ? known_.Usual(rows_, detail_.full) : columns;
  }

  std::string NameOf(const Row& row) const {
    if (!view_.flat || !row.region) return row.name;
    std::string name;
    for (const Row* at = &row;;) {
      name = name.empty() ? at->name : at->name + " › " + name;
      if (at->outer == kNoRow) return name;
      at = &rows_.rows[at->outer];
    }
  }

  TableRow RowOf(const Row& row, Text name) const {
    TableRow out{.cells = {std::move(name)}};
    if (has_bar_) out.cells.push_back(BarCell(row.share.value_or(0)));
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
      const Row& row = rows_.rows[i];
      table.rows.push_back(RowOf(row, NameOf(row)));
      if (detail_.full) continue;
      for (const Row& part : row.parts) {
        table.rows.push_back(RowOf(part, part.name));
        table.rows.back().depth = view_.flat ? 0 : row.depth;
        table.rows.back().is_part = true;
      }
    }
    if (detail_.full && rows_.by == TableBy::kRegion) {
      const Row total = TotalRow(report_, scope_);
      if (total.time_ns || total.launches)
        table.rows.push_back(RowOf(total, Strong(total.name)));
    }
    document_.AddTable(std::move(table));
  }

  void AddHiddenRows() {
    if (selected_.hidden == 0) return;
    std::string text = fmt::format("{} more {} {} not shown ({})",
                                   FormatCount(selected_.hidden),
                                   RowWord(rows_.by, selected_.hidden),
                                   selected_.hidden == 1 ? "is" : "are",
                                   fmt::join(selected_.because, ", "));
    const auto whole = report_.rows->Of(scope_, RegionTree::kRoot).time_ns;
    if (selected_.hidden_ns) {
      // An outer region that is shown includes their time.
      text += fmt::format(", with {}{}", FormatNs(*selected_.hidden_ns),
                          rows_.by == TableBy::kRegion ? " exclusive" : "");
      if (whole && *whole > 0)
        text +=
            ", " + FormatShare(*selected_.hidden_ns, *whole) + " of the time";
    }
    if (detail_.full) text += "; report.json has all";
    document_.AddParagraph(text, Tone::kQuiet);
  }

  // A sentence for each reason why cells are absent, the most frequent first.
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

  // What the metrics are.
  void AddMeanings() {
    const auto known = [](const ReportColumn& one) { return !one.doc.empty(); };
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
