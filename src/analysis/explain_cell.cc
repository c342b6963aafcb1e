#include "analysis/explain_cell.h"

#include <algorithm>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "insight/findings.h"
#include "region/path.h"
#include "report/documents.h"
#include "report/sentences.h"
#include "rollup/explain.h"

namespace rangefinder {
namespace {

// The region that `text` names: by its path joined by / or by its own name,
// when that is one region's alone.
Result<RegionId> FindRegion(const Report& report, const std::string& text) {
  std::vector<RegionId> by_name;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < report.tree->regions().size(); ++i) {
    const auto id = static_cast<RegionId>(i);
    std::string path = PathText(*report.profile, report.tree->PathTo(id));
    if (path.empty()) path = RegionName(report, id);
    if (path == text) return id;
    if (RegionName(report, id) == text) by_name.push_back(id);
    names.push_back(path);
  }
  if (by_name.size() == 1) return by_name.front();
  std::string message = fmt::format("--explain {}: ", Printable(text));
  message += by_name.empty() ? "no such region"
                             : "several regions have this name; give the whole "
                               "path, joined by /";
  if (const auto near = Nearest(text, names); near && by_name.empty())
    message += fmt::format("; did you mean '{}'?", Printable(*near));
  return Error(ErrorCode::kUsage, std::move(message));
}

}  // namespace

Result<std::string> ExplainCell(const Analysis& analysis, const Report& report,
                                const RollupOptions& options,
                                const std::string& region_name,
                                const std::string& metric,
                                const TerminalStyle& style) {
  const RegionId region = TRY(FindRegion(report, region_name));
  const std::vector<Column>& columns = analysis.rollup.columns;
  const auto column = std::ranges::find(columns, metric, &Column::name);
  if (column == columns.end()) {
    std::vector<std::string> names;
    for (const Column& one : columns) names.push_back(one.name);
    std::string message = fmt::format(
        "--explain {}: no such metric in this capture", Printable(metric));
    if (const auto near = Nearest(metric, names))
      message += fmt::format("; did you mean '{}'?", *near);
    return Error(ErrorCode::kUsage, std::move(message));
  }
  std::string text = Printable(RegionTitle(report, region)) + "\n";
  Document members;
  AddMembers(members, report, {}, region);
  std::ostringstream out;
  WriteTerminal(members, style, out);
  text += std::move(out).str();
  const auto at = static_cast<std::size_t>(column - columns.begin());
  if (const std::string doc = MetricDoc(report, at); !doc.empty())
    text += Printable(doc) + "\n";
  const std::string estimate = ExplainEstimate(report, region, at);
  if (!estimate.empty()) text += column->name + '\n' + estimate;
  const std::vector<MeasurementId> kernels =
      KernelsIn(analysis.profile, analysis.tree, region, {});
  const std::vector<MeasurementId>& ranges = analysis.tree[region].ranges;
  if (estimate.empty() && (!kernels.empty() || ranges.empty())) {
    text += Explain(analysis.profile, kernels, metric, options);
  }
  // A range that was measured as a whole is added to nothing.
  for (const MeasurementId id : ranges) {
    const Measurement& m = analysis.profile.measurements[Index(id)];
    text += fmt::format("measured as a whole, {} replay\n", ModeName(m.mode));
    text += Explain(analysis.profile, std::span(&id, 1), metric, options);
  }
  return text;
}

}  // namespace rangefinder
