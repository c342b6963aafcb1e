#include <fmt/format.h>

#include "base/text.h"
#include "insight/imbalance.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

void WriteOne(const Report& report, const ScopeRollup& scope, RegionId region,
              std::ostream& out) {
  const auto tables =
      report.sections->TablesOf(region, ShownOf(scope.regions[Index(region)]));
  out << fmt::format("{}, scope {}\n", Printable(RegionTitle(report, region)),
                     ScopeTitle(report, scope.scope));
  if (tables.empty())
    out << "  no section was collected here\n";
  else
    out << SectionsText(*report.profile, tables);
  out << '\n';
}

}  // namespace

void WriteRegionSections(const Report& report, RegionId region,
                         std::ostream& out) {
  for (const ScopeRollup& scope : report.rollup->scopes) {
    if (!scope.regions[Index(region)].empty)
      WriteOne(report, scope, region, out);
  }
}

void WriteSectionsReport(const Report& report, std::ostream& out) {
  for (const ScopeRollup* scope : ShownScopes(report)) {
    std::uint64_t written = 0;
    for (const RegionId id : ReadingOrder(report, *scope)) {
      if (written++ == report.options.max_rows) {
        out << "... more regions are in report.json (regions.max_rows)\n";
        break;
      }
      WriteOne(report, *scope, id, out);
    }
  }
}

}  // namespace rangefinder
