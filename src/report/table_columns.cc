#include "report/table_columns.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "report/region_facts.h"
#include "report/times_text.h"

namespace rangefinder {
namespace {

constexpr const char* kNone = "–";

std::string NsText(const std::optional<double>& ns) {
  return ns ? FormatNs(*ns) : kNone;
}

std::string CountText(const std::optional<std::uint64_t>& count) {
  return count ? FormatCount(*count) : kNone;
}

std::optional<double> Number(const std::optional<std::uint64_t>& count) {
  if (!count) return std::nullopt;
  return static_cast<double>(*count);
}

std::optional<double> MeanOf(const ReportRow& row) {
  if (!row.time_ns || row.launches.value_or(0) == 0) return std::nullopt;
  return *row.time_ns / static_cast<double>(*row.launches);
}

// Ours, in the order in which they stand; of ReportRow alone.
std::vector<ReportColumn> PlainColumns() {
  using Row = ReportRow;
  return {
      {"time", "time", [](const Row& row) { return NsText(row.time_ns); },
       [](const Row& row) { return row.time_ns; }, 0},
      {"share", "share",
       [](const Row& row) {
         return row.share ? FormatShare(*row.share, 1) : kNone;
       },
       [](const Row& row) { return row.share; }, 0},
      {"launches", "launches",
       [](const Row& row) {
         // What was measured as a whole says how instead.
         return row.launches || row.mode.empty() ? CountText(row.launches)
                                                 : row.mode;
       },
       [](const Row& row) { return Number(row.launches); }, 0},
      {"regions", "regions",
       [](const Row& row) { return CountText(row.regions); },
       [](const Row& row) { return Number(row.regions); }, 1},
      {"mean", "mean", [](const Row& row) { return NsText(MeanOf(row)); },
       MeanOf, 1},
      {"vs mean", "vs mean",
       [](const Row& row) {
         return row.to_mean ? fmt::format("{:.2f}×", *row.to_mean) : kNone;
       },
       [](const Row& row) { return row.to_mean; }, 1},
      // As the program came to them: to sort by.
      {"order", "order", [](const Row&) { return std::string(kNone); },
       [](const Row& row) -> std::optional<double> {
         if (!row.region || row.last) return std::nullopt;
         return -static_cast<double>(Index(*row.region));
       },
       99},
      {"own", "own", [](const Row& row) { return NsText(row.own_ns); },
       [](const Row& row) { return row.own_ns; }, 20},
      {"replay", "under replay",
       [](const Row& row) { return NsText(row.replay_ns); },
       [](const Row& row) { return row.replay_ns; }, 21},
  };
}

// Those that are worked out of the whole report.
constexpr std::array<std::string_view, 5> kTimed = {"runs", "CPU", "busy",
                                                    "idle", "max/mean"};

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
  for (const std::string_view name : kTimed) names.emplace_back(name);
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

ReportColumns::ReportColumns(const Report& report, const ScopeRollup& scope)
    : report_(report),
      scope_(scope),
      shared_(std::make_shared<const Shared>(
          Shared{report.members, ColumnHeadings(report)})) {}

std::vector<ReportColumn> ReportColumns::Own() const {
  std::vector<ReportColumn> own = PlainColumns();
  const auto times = [this](const ReportRow& row) {
    if (!row.region) return std::optional<RegionTimes>();
    return TimesOf(report_, scope_.scope, *row.region);
  };
  const auto add = [&](std::string_view name, std::string TimesCells::*cell,
                       auto number, int rank) {
    own.push_back(
        {std::string(name), std::string(name),
         [=](const ReportRow& row) { return TimesCellsOf(times(row)).*cell; },
         [=](const ReportRow& row) -> std::optional<double> {
           const auto known = times(row);
           if (!known) return std::nullopt;
           return static_cast<double>(number(*known));
         },
         rank});
  };
  using Times = RegionTimes;
  add(
      kTimed[0], &TimesCells::runs, [](const Times& t) { return t.instances; },
      12);
  add(
      kTimed[1], &TimesCells::cpu,
      [](const Times& t) { return t.cpu_ns.sum(); }, 22);
  add(
      kTimed[2], &TimesCells::busy,
      [](const Times& t) { return t.gpu.busy_ns; }, 24);
  add(
      kTimed[3], &TimesCells::idle,
      [](const Times& t) {
        return t.gpu_idle_ns.count() > 0 ? t.gpu_idle_ns.sum() : t.idle_ns();
      },
      23);
  const auto imbalance = [this](const ReportRow& row) {
    if (!row.region || !scope_.scope.aggregate)
      return std::optional<Imbalance>();
    return shared_->members->Of(*row.region);
  };
  own.push_back(
      {std::string(kTimed[4]), std::string(kTimed[4]),
       [=](const ReportRow& row) { return ImbalanceText(imbalance(row)); },
       [=](const ReportRow& row) -> std::optional<double> {
         const auto known = imbalance(row);
         if (!known) return std::nullopt;
         return known->ratio();
       },
       2});
  return own;
}

ReportColumn ReportColumns::Counter(std::size_t column,
                                    std::string heading) const {
  const Column& metric = report_.rollup->columns[column];
  return {metric.name,
          std::move(heading),
          [this, column, &metric](const ReportRow& row) -> std::string {
            if (row.counters == nullptr || column >= row.counters->cells.size())
              return kNone;
            return FormatCell(*report_.profile, row.counters->cells[column],
                              metric.unit);
          },
          [column](const ReportRow& row) -> std::optional<double> {
            if (row.counters == nullptr || column >= row.counters->cells.size())
              return std::nullopt;
            const Cell& cell = row.counters->cells[column];
            if (cell.how == How::kAbsent || cell.is_text) return std::nullopt;
            return cell.value;
          },
          10,
          [column](const ReportRow& row) -> std::string {
            if (row.counters == nullptr || column >= row.counters->cells.size())
              return {};
            const Cell& cell = row.counters->cells[column];
            if (cell.how != How::kAbsent || cell.has_spread) return {};
            return std::string(std::string_view(cell.reason));
          },
          MetricDoc(report_, column)};
}

std::vector<ReportColumn> ReportColumns::Usual(const ReportTable& table) const {
  std::vector<ReportColumn> all;
  std::vector<ReportColumn> behind;
  for (ReportColumn& column : Own()) {
    // Only the ranks of a job are meant to be equal.
    if (column.name == kTimed[4] &&
        !(shared_->members->several() && shared_->members->over_ranks()))
      continue;
    if (column.name == "mean" && table.by != TableBy::kKernel) continue;
    if (column.name == "own" && table.by != TableBy::kRegion) continue;
    (column.rank < 20 ? all : behind).push_back(std::move(column));
  }
  int rank = 10;
  for (std::size_t i = 0; i < report_.table_columns.size(); ++i) {
    all.push_back(Counter(report_.table_columns[i], shared_->headings[i]));
    all.back().rank = rank + (i > 1 ? 3 : 0);  // two come before all else
  }
  std::ranges::move(behind, std::back_inserter(all));
  std::erase_if(all, [&](const ReportColumn& column) {
    return std::ranges::all_of(table.rows, [&](const ReportRow& row) {
      return column.text(row) == kNone &&
             std::ranges::all_of(row.parts, [&](const ReportRow& part) {
               return column.text(part) == kNone;
             });
    });
  });
  return all;
}

namespace {

// What the name of a metric can be told by: itself, or what is before its first
// dot.
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
  for (std::size_t i = 0; i < shared_->headings.size(); ++i) {
    if (Lower(shared_->headings[i]) == Lower(name))
      return Counter(report_.table_columns[i], shared_->headings[i]);
  }
  std::vector<std::size_t> short_for;
  const std::vector<Column>& metrics = report_.rollup->columns;
  for (std::size_t c = 0; c < metrics.size(); ++c) {
    const auto shown = std::ranges::find(report_.table_columns, c);
    const std::string heading =
        shown == report_.table_columns.end()
            ? MetricHeading(report_, c)
            : shared_->headings[static_cast<std::size_t>(
                  shown - report_.table_columns.begin())];
    if (metrics[c].name == name) return Counter(c, heading);
    if (IsShortFor(name, metrics[c].name)) short_for.push_back(c);
  }
  // Of .avg, .max, .min and .sum the one that is shown is meant.
  if (short_for.size() > 1) {
    std::vector<std::size_t> shown = short_for;
    std::erase_if(shown, [&](std::size_t c) {
      return std::ranges::find(report_.table_columns, c) ==
             report_.table_columns.end();
    });
    if (shown.size() == 1) short_for = std::move(shown);
  }
  if (short_for.size() == 1)
    return Counter(short_for[0], MetricHeading(report_, short_for[0]));
  if (short_for.empty()) return NoSuchColumn(name, OwnColumnNames(), metrics);
  std::vector<std::string> names;
  for (const std::size_t c : short_for)
    names.push_back(Printable(metrics[c].name));
  return Error(ErrorCode::kUsage, fmt::format("'{}' may be {}", Printable(name),
                                              JoinedAsList(names, "or")));
}

}  // namespace rangefinder
