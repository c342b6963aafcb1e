// The answer to "why is this slow?" in full: the wall time of regions by parts,
// and all causes.

#include <array>

#include <fmt/format.h>

#include "base/numbers.h"
#include "insight/times.h"
#include "report/documents.h"
#include "report/sentences.h"

namespace rangefinder {
namespace {

using Kind = TableColumn::Kind;

constexpr std::size_t kMostRows = 30;

// A region's wall time by parts, and its GPU work after that.
struct WallRow {
  RegionId region{};
  WallTime wall{};
  std::uint64_t deferred_ns = 0;
};

std::vector<WallRow> WallRows(const Report& report, const ScopeRollup& scope,
                              RegionId from) {
  std::vector<WallRow> rows;
  for (const RegionId id : ReadingOrder(report, scope, from)) {
    const auto times = TimesOf(report, scope.scope, id);
    if (times && times->wall.total() > 0)
      rows.push_back({id, times->wall, times->deferred_ns});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const WallRow& row) { return row.wall.total(); });
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  return rows;
}

void AddWallTime(Document& document, const Report& report,
                 const ScopeRollup& scope, RegionId from) {
  const std::vector<WallRow> rows = WallRows(report, scope, from);
  if (rows.empty()) return;
  document.AddHeading(2, "Wall time by parts");
  Table table{.columns = {{.heading = "region", .kind = Kind::kText},
                          {.heading = "wall"}}};
  std::vector<WallPart> parts;
  for (std::size_t i = 0; i < kWallParts; ++i) {
    if (std::ranges::none_of(
            rows, [&](const WallRow& row) { return row.wall.ns[i] > 0; }))
      continue;
    parts.push_back(static_cast<WallPart>(i));
    table.columns.push_back({.heading = PartText(parts.back())});
  }
  table.columns.push_back({.heading = "deferred GPU"});
  for (const WallRow& row : rows) {
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

std::vector<Headline> CausesIn(const Report& report,
                               std::optional<RegionId> region) {
  std::vector<Headline> causes = report.diagnosis.causes;
  if (!region) return causes;
  const std::vector<RegionId> inside =
      ReadingOrder(report, report.rollup->scopes.front(), *region);
  std::erase_if(causes, [&](const Headline& headline) {
    return std::ranges::find(inside, headline.region) == inside.end();
  });
  for (const RegionId id : inside) {
    const Cause* const cause = report.diagnosis.MainCause(id);
    const bool told = std::ranges::any_of(causes, [&](const Headline& known) {
      return known.region == id && cause != nullptr &&
             known.cause.id == cause->id;
    });
    if (cause != nullptr && !told)
      causes.push_back({.region = id, .cause = *cause});
  }
  return causes;
}

std::string NoCauseText(const Report& report, std::optional<RegionId> region) {
  return region ? "No cause holds here, as far as the measurements tell."
                : NothingStandsOut(report);
}

std::string ExplainTitle(const Report& report, std::optional<RegionId> region) {
  return region ? "Why " + RegionTitle(report, *region) + " is slow"
                : std::string("Why it is slow");
}

Document ExplainDocument(const Report& report, std::optional<RegionId> region) {
  Document document;
  document.AddHeading(1, ExplainTitle(report, region));
  List list;
  if (!report.rollup->scopes.empty()) {
    for (const Headline& headline : CausesIn(report, region))
      list.items.push_back(
          {.text = HeadlineText(report, headline),
           .tone = headline.cause.certain ? Tone::kStrong : Tone::kPlain,
           .details = {(headline.cause.certain ? "to do: " : "to know: ") +
                       headline.cause.next}});
  }
  if (list.items.empty()) document.AddParagraph(NoCauseText(report, region));
  document.AddList(std::move(list));
  if (!report.rollup->scopes.empty())
    AddWallTime(document, report, report.rollup->scopes.front(),
                region.value_or(RegionTree::kRoot));
  return document;
}

}  // namespace rangefinder
