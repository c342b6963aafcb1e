// The documents of a report: each is built once, as a value, and printed by any
// writer of src/writers.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "document/document.h"
#include "document/fact_sheet.h"
#include "report/report.h"
#include "report/tables.h"

namespace rangefinder {

// ncu/regions/report.md: all regions, each with a section of its own.
Document RunDocument(const Report& report);
// report.md: the run at a glance, and the files to read next.
Document GlanceDocument(const Report& report);
// report.md of a region's folder.
Document RegionDocument(const Report& report, RegionId region);
// kernels.md: every kernel name of the run.
Document KernelsDocument(const Report& report);

// The same, short enough for a terminal: what `show` and `profile` print.
struct ShowOptions {
  TableView view{};
  bool verbose = false;    // also notes for experts and all checks
  RollupOptions rollup{};  // that the report was rolled up by
};
// At most ReportOptions::max_rows rows. Names in the view that the report does
// not have are passed over.
Document ShowDocument(const Report& report, const ShowOptions& options);

// All causes of wall time and the parts of it: of the run, or of one region and
// its inner ones.
Document ExplainDocument(const Report& report, std::optional<RegionId> region);
// The same for a program to read, with ids, kernels and what to measure next.
FactSheet ExplainFacts(const Report& report, std::optional<RegionId> region);
// The causes in both of them. The causes of a region are the causes of the run
// that lie in it, then the main cause of each of its regions.
std::vector<Headline> CausesIn(const Report& report,
                               std::optional<RegionId> region);
std::string NoCauseText(const Report& report, std::optional<RegionId> region);
std::string ExplainTitle(const Report& report, std::optional<RegionId> region);

// kUsage, with the nearest name, for a column or a scope in `view` that the
// report does not have.
Status CheckView(const Report& report, const TableView& view);

// ---- Sections that several documents have ----

enum class Detail : std::uint8_t {
  kShort,    // for a terminal
  kVerbose,  // the same with what only an expert needs
  kFull,     // for a file
};

void AddHeadlines(Document& document, const Report& report);
// Who is late, and the regions over ranks. Nothing with fewer than two ranks.
void AddRanks(Document& document, const Report& report, Detail detail);
// Estimates beside exact counts: of `regions` alone where any are given.
void AddChecks(Document& document, const Report& report, int level,
               const std::vector<RegionId>& regions, Detail detail);
// The baseline run beside the run with replay, kernel by kernel.
void AddTwoRuns(Document& document, const Report& report);
// The GPU time of each phase, where there are two or more.
void AddPhases(Document& document, const Report& report,
               const ScopeRollup& scope);
// What a unit of work costs; nothing where no cost is certain.
void AddUnitCosts(Document& document, const Report& report);
// All that is known of a region in a scope, with `most_kernels` of its kernels.
void AddRegion(Document& document, const Report& report,
               const ScopeRollup& scope, RegionId region,
               AbsenceReasons& reasons, std::size_t most_kernels);
// The reasons why there are no regions, or nothing of them was measured.
void AddNoMatch(Document& document, const Report& report);
// The launches that the selection of regions leaves out, in one line.
void AddRest(Document& document, const Report& report);
// Whether no range was open at a launch; and the kernels of such a program.
bool IsWholeProgram(const Report& report);
void AddWholeProgram(Document& document, const Report& report,
                     const ScopeRollup& scope, AbsenceReasons& reasons);
void AddKernelTable(Document& document, const Report& report,
                    const ScopeRollup& scope, AbsenceReasons& reasons);
// The names of ranges that were merged into a region; nothing without any.
void AddMembers(Document& document, const Report& report, const Scope& scope,
                RegionId region);
// NotesList() as a section.
void AddNotes(Document& document, const Notes& notes, Detail detail);

// Losses and warnings first. kShort leaves out notes that only an expert needs:
// how something was done, not what it means for the numbers.
List NotesList(const Notes& notes, Detail detail);

struct LateSaid {
  std::vector<std::string> sentences{};
  std::size_t more = 0;  // that were not asked for
};
// Who is late, a sentence each, most weighty first; where nobody is, that, or
// why it is not known. Empty with fewer than two ranks.
LateSaid LateSentences(const Report& report, std::size_t most);

}  // namespace rangefinder
