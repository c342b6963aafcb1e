#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "document/quantity.h"
#include "insight/run_view.h"
#include "insight/times.h"
#include "report/sentences.h"
#include "report/tables.h"

namespace rangefinder {
namespace {

std::string_view SourceText(TimeSource source) {
  constexpr std::array<std::string_view, 4> kTexts = {
      "", "measured in the baseline run, which replays nothing",
      "measured kernel by kernel, under replay",
      "measured over the range as a whole"};
  return kTexts[static_cast<std::size_t>(source)];
}

std::string PartsText(const WallTime& wall) {
  std::string text;
  for (std::size_t i = 0; i < kWallTimes; ++i) {
    const auto part = static_cast<WallPart>(i);
    if (wall[part] == 0) continue;
    text +=
        fmt::format("  {:16} {:>10}  {}\n", NameOf(part), FormatNs(wall[part]),
                    FormatShare(wall[part], wall.total()));
  }
  return text;
}

// The numbers from which a column of times is computed.
std::string TimesText(std::string_view column, const RegionTimes& times) {
  const bool of_wall = column == "wall" || column == "each" || column == "idle";
  if (!of_wall) {
    if (column != "GPU each" && column != "busy") return {};
    return fmt::format(
        "{} of GPU work in {} instances; at least one piece of it ran for {}\n",
        FormatNs(times.work_ns()), FormatCount(times.instances),
        FormatNs(times.gpu.busy_ns));
  }
  std::string text = fmt::format("{} of wall time in {} closed instances\n",
                                 FormatNs(times.cpu_ns.sum()),
                                 FormatCount(times.cpu_ns.count()));
  const bool steady = column != "wall" && times.warmup.has_value();
  const WallTime wall = steady ? times.steady_wall() : times.wall;
  if (steady) {
    text += fmt::format("{} of it in {} instances after the warm-up\n",
                        FormatNs(wall.total()),
                        FormatCount(times.steady_instances()));
  }
  return text + PartsText(wall);
}

}  // namespace

std::optional<std::string> ExplainColumn(const Report& report,
                                         const ScopeRollup& scope,
                                         RegionId region,
                                         std::string_view name) {
  const ReportColumns columns(report, scope);
  const auto column = columns.Find(name);
  if (!column.ok() || !column.value().metric.empty()) return std::nullopt;
  std::string text = column.value().name + "\n";
  if (!column.value().doc.empty()) text += column.value().doc + "\n";
  const ReportRows table = RowsOf(report, scope, TableBy::kRegion);
  for (const ReportRow& row : table.rows) {
    if (row.region != region) continue;
    const TableCell cell = column.value().cell(row);
    if (cell.absent()) {
      const auto& why_not = column.value().why_not;
      const std::string why = why_not ? why_not(row) : std::string();
      text += "not known: " +
              (why.empty() ? "the capture has no such measurement here" : why) +
              "\n";
      return text;
    }
    if (cell.has_quantity) text += "= " + FormatQuantity(cell.quantity) + "\n";
  }
  const RegionRow row = report.rows->Of(scope, region);
  const auto times = TimesOf(report, scope.scope, region);
  const std::string of_times =
      times ? TimesText(column.value().name, *times) : std::string();
  if (!of_times.empty()) return text + of_times;
  if (row.time_ns && row.launches) {
    text += fmt::format("{} in {}", FormatNs(*row.time_ns),
                        Plural(*row.launches, "launch", "launches"));
    if (row.own_ns)
      text += fmt::format(", {} exclusive", FormatNs(*row.own_ns));
    if (row.share.value_or(0) > 0)
      text += fmt::format(
          "; {} in {}", FormatNs(*row.time_ns / *row.share),
          report.tree->rest() ? "the selected regions" : "the whole run");
    text += '\n';
  }
  if (const std::string_view source = SourceText(row.source); !source.empty())
    text += std::string(source) + "\n";
  return text;
}

}  // namespace rangefinder
