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

void AddWallTime(Document& document, const Report& report,
                 const ScopeRollup& scope, RegionId from) {
  std::vector<WallRow> rows = WallRows(report, scope, from);
  if (rows.empty()) return;
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  document.AddHeading(2, "Wall time by parts");
  Table table{.columns = {{.heading = "region", .kind = Kind::kText},
                          {.heading = "wall"}},
              .hidden_columns = "a wider terminal shows all"};
  WallTime sum;
  for (const WallRow& row : rows) sum += row.wall;
  std::vector<WallPart> parts;
  for (std::size_t i = 0; i < kWallTimes; ++i) {
    if (sum.ns[i] == 0) continue;
    parts.push_back(static_cast<WallPart>(i));
    // On a narrow terminal, the smallest parts are hidden first.
    const auto larger = std::ranges::count_if(
        sum.ns, [&](std::uint64_t ns) { return ns > sum.ns[i]; });
    table.columns.push_back({.heading = PartText(parts.back()),
                             .gives_way = static_cast<int>(larger)});
  }
  table.columns.push_back({.heading = "deferred GPU", .gives_way = kWallTimes});
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
  return rows;
}

ListItem HeadlineItem(const Report& report, const Headline& headline) {
  const Cause& cause = headline.cause;
  return {.text = HeadlineText(report, headline),
          .tone = cause.certain ? Tone::kStrong : Tone::kPlain,
          .details = {(cause.certain ? "to do: " : "next: ") + cause.next}};
}

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
  return (region ? "Why " + RegionTitle(report, *region) + " is slow"
                 : std::string("Why it is slow")) +
         InFirstScope(report);
}

Document ExplainDocument(const Report& report, std::optional<RegionId> region) {
  Document document;
  document.AddHeading(1, ExplainTitle(report, region));
  document.AddParagraph(DataLossText(report), Tone::kWarn);
  List list;
  if (!report.rollup->scopes.empty()) {
    for (const Headline& headline : CausesIn(report, region))
      list.items.push_back(HeadlineItem(report, headline));
  }
  const bool has_causes = !list.items.empty();
  if (!has_causes) document.AddParagraph(NoCauseText(report, region));
  document.AddList(std::move(list));
  if (has_causes)
    document.AddParagraph(
        fmt::format("At stake is the time that the run would save at most "
                    "without the cause, and its share of {}; causes can "
                    "overlap.",
                    WholeText(report)),
        Tone::kQuiet);
  if (!report.rollup->scopes.empty())
    AddWallTime(document, report, report.rollup->scopes.front(),
                region.value_or(RegionTree::kRoot));
  AddRest(document, report);
  return document;
}

}  // namespace rangefinder
