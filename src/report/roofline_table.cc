#include "report/roofline_table.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/ostream.h>

#include "base/numbers.h"
#include "report/kernel_names.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

void WriteRow(std::string_view of, const RooflineRow& row, std::ostream& out) {
  std::string_view limit = row.memory_side ? "memory" : "compute";
  if (!row.limit) limit = "–";
  fmt::print(out, "| {} | {} | {} | {} | {} | {} | {} | {} |\n", of,
             row.precision, FormatValue(row.work, row.unit),
             FormatValue(row.intensity, row.unit + "/B"),
             FormatValue(row.achieved, row.unit + "/s"),
             row.limit ? FormatValue(*row.limit, row.unit + "/s") : "–",
             row.percent ? FormatValue(*row.percent, "%") : "–", limit);
}

}  // namespace

void WriteRooflineTable(const Report& report, const Roofline& roofline,
                        const RegionRollup& rolled, std::ostream& out) {
  const std::vector<RooflineRow> rows =
      roofline.RowsOf(*ShownOf(rolled).amounts);
  if (rows.empty()) return;
  out << "\n*Roofline*\n\n| Of | Precision | Work | Intensity | Achieved | "
         "Roof "
         "| Of the roof | Limit |\n|:--|:--|--:|--:|--:|--:|--:|:--|\n";
  for (const RooflineRow& row : rows) WriteRow("**region**", row, out);
  const std::size_t shown = std::min<std::size_t>(rolled.all_kernels().size(),
                                                  report.options.max_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& kernel = rolled.all_kernels()[i];
    for (const RooflineRow& row : roofline.RowsOf(kernel.amounts))
      WriteRow(MarkdownText(report.kernel_names->Shown(kernel.name)), row, out);
  }
  if (shown < rolled.all_kernels().size()) {
    fmt::print(out, "\n{} more kernels in report.json\n",
               FormatCount(rolled.all_kernels().size() - shown));
  }
}

}  // namespace rangefinder
