// The answer to "why is this slow?" in full: the wall time of regions by parts,
// and all causes.

#include <array>

#include <fmt/format.h>

#include "base/numbers.h"
#include "insight/times.h"
#include "report/documents.h"

namespace rangefinder {
namespace {

using Kind = TableColumn::Kind;

constexpr std::size_t kMostRegions = 30;

// A region's wall time by parts, and its GPU work after that.
struct Row {
  RegionId region{};
  WallTime wall{};
  std::uint64_t deferred_ns = 0;
};

std::vector<Row> WallRows(const Report& report, const ScopeRollup& scope) {
  std::vector<Row> rows;
  for (const RegionId id : ReadingOrder(report, scope)) {
    const auto times = TimesOf(report, scope.scope, id);
    if (times && times->wall.total() > 0)
      rows.push_back({id, times->wall, times->deferred_ns});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const Row& row) { return row.wall.total(); });
  if (rows.size() > kMostRegions) rows.resize(kMostRegions);
  return rows;
}

void AddWallTime(Document& document, const Report& report,
                 const ScopeRollup& scope) {
  const std::vector<Row> rows = WallRows(report, scope);
  if (rows.empty()) return;
  document.AddHeading(2, "Wall time by parts");
  Table table{.columns = {{.heading = "region", .kind = Kind::kText},
                          {.heading = "wall"}}};
  std::vector<WallPart> parts;
  for (std::size_t i = 0; i < kWallParts; ++i) {
    if (std::ranges::none_of(
            rows, [&](const Row& row) { return row.wall.ns[i] > 0; }))
      continue;
    parts.push_back(static_cast<WallPart>(i));
    std::string heading(NameOf(parts.back()));
    std::ranges::replace(heading, '_', ' ');
    table.columns.push_back({.heading = std::move(heading)});
  }
  table.columns.push_back({.heading = "deferred GPU"});
  for (const Row& row : rows) {
    TableRow& cells = table.rows.emplace_back();
    const auto wall = static_cast<double>(row.wall.total());
    cells.cells = {RegionTitle(report, row.region), TimeOf(wall)};
    for (const WallPart part : parts)
      cells.cells.push_back(
          ShareOfWhole(static_cast<double>(row.wall[part]) / wall));
    cells.cells.push_back(TimeOf(static_cast<double>(row.deferred_ns)));
  }
  document.AddTable(std::move(table));
  document.AddParagraph(
      "Each moment of an instance belongs to one part (docs/causes.md). "
      "Deferred GPU work ran after its region had closed, and is not in the "
      "region's wall time.",
      Tone::kQuiet);
}

}  // namespace

Document ExplainDocument(const Report& report, bool with_ids) {
  Document document;
  document.AddHeading(1, "Why it is slow");
  List causes;
  for (const Headline& headline : report.diagnosis.causes) {
    ListItem item{
        .text = HeadlineText(report, headline),
        .tone = headline.cause.certain ? Tone::kStrong : Tone::kPlain,
        .details = {(headline.cause.certain ? "to do: " : "to know: ") +
                    headline.cause.next}};
    if (with_ids) {
      item.details.push_back(
          fmt::format("ids: cause={} region_id={} certain={} saves_ns={:.0f}",
                      headline.cause.id, Index(headline.region),
                      headline.cause.certain, headline.cause.saves_ns));
    }
    causes.items.push_back(std::move(item));
  }
  if (causes.items.empty())
    document.AddParagraph(
        "Nothing stands out: no cause would save 5 % of the "
        "run, as far as its measurements tell.");
  document.AddList(std::move(causes));
  if (!report.rollup->scopes.empty())
    AddWallTime(document, report, report.rollup->scopes.front());
  return document;
}

}  // namespace rangefinder
