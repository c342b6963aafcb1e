// Parts of a report about the selection: nothing matched, the rest of the run,
// and a program without regions.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/lists.h"
#include "report/documents.h"

namespace rangefinder {

void AddNoMatch(Document& document, const Report& report) {
  using Kinds = std::vector<std::string_view>;
  const auto add = [&](const char* heading, const Kinds& kinds) {
    std::vector<std::string> texts;
    for (const Note& note : report.notes->all()) {
      if (Has(kinds, note.kind)) texts.push_back(note.text);
    }
    if (!texts.empty()) document.AddHeading(2, heading);
    for (const std::string& text : texts) document.AddParagraph(text + ".");
    return !texts.empty();
  };
  Kinds kinds = {kNoMatchingRegions};
  if (report.rows->baseline_only()) kinds.push_back("nothing_profiled");
  if (add("No matching regions", kinds) ||
      add("No matching kernels", {kNoMatchingKernels}))
    return;
  add("No matching regions", {kNothingSelected});
}

void AddRest(Document& document, const Report& report) {
  if (const auto& rest = report.tree->rest())
    document.AddParagraph("The " + RestText(*rest) + ".");
}

bool IsWholeProgram(const Report& report) {
  const std::span<const Region> regions = report.tree->regions();
  return regions.size() == 2 && regions.back().unattributed &&
         !report.tree->rest();
}

void AddKernelTable(Document& document, const Report& report,
                    const ScopeRollup& scope, AbsenceReasons& reasons) {
  AddReportTable(
      document, report, scope, RowsOf(report, scope, TableBy::kKernel),
      {.by = TableBy::kKernel, .top = 0}, {.full = true, .reasons = &reasons});
}

void AddWholeProgram(Document& document, const Report& report,
                     const ScopeRollup& scope, AbsenceReasons& reasons) {
  document.AddHeading(
      2, "The whole program, scope " + ScopeTitle(report, scope.scope),
      HeadlineOf(report, scope));
  AddKernelTable(document, report, scope, reasons);
}

}  // namespace rangefinder
