// The documents of a report: each is built once as a value, and any writer of
// src/writers prints it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "document/document.h"
#include "document/fact_sheet.h"
#include "profile/wall_time.h"
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

// The options of the document that `show` and `profile` print on a terminal.
struct ShowOptions {
  TableView view{};
  bool verbose = false;    // also notes for experts and all checks
  RollupOptions rollup{};  // the options of the report's rollup
};
// At most ReportOptions::max_rows rows. Ignores names in the view that the
// report does not have.
Document ShowDocument(const Report& report, const ShowOptions& options);

// All causes of wall time, and its parts: of the run, or of one region and its
// inner regions.
Document ExplainDocument(const Report& report, std::optional<RegionId> region);
// The same facts for programs, with ids, kernels and the next measurements.
FactSheet ExplainFacts(const Report& report, std::optional<RegionId> region);
// A cause with its next step.
ListItem HeadlineItem(const Report& report, const Headline& headline);
// The causes in both documents. For a region: the causes of the run in this
// region, then the main cause of each of its regions.
std::vector<Headline> CausesIn(const Report& report,
                               std::optional<RegionId> region);
std::string NoCauseText(const Report& report, std::optional<RegionId> region);
std::string ExplainTitle(const Report& report, std::optional<RegionId> region);
// A region's wall time by parts, and its GPU work after that.
struct WallRow {
  RegionId region{};
  WallTime wall{};
  std::uint64_t deferred_ns = 0;
};
// `from` and its inner regions, if their wall time is known; the longest first.
std::vector<WallRow> WallRows(const Report& report, const ScopeRollup& scope,
                              RegionId from);

// kUsage, with the nearest name, for a column or a scope in `view` that the
// report does not have.
Status CheckView(const Report& report, const TableView& view);

// ---- Sections that several documents have ----

enum class Detail : std::uint8_t {
  kShort,    // for a terminal
  kVerbose,  // with details for experts
  kFull,     // for a file
};

// Adds "12 more streams are in report.json" for `what` "streams are"; nothing
// if all rows are shown.
void AddLeftOut(Document& document, std::size_t rows, std::size_t shown,
                std::string_view what);
// Adds late ranks, and the regions over ranks. Nothing with fewer than two
// ranks.
void AddRanks(Document& document, const Report& report, Detail detail);
// Adds estimates next to exact counts; for `regions` only, unless it is empty.
void AddChecks(Document& document, const Report& report, int level,
               const std::vector<RegionId>& regions, Detail detail);
// Adds the GPU time of each phase, if there are two or more phases.
void AddPhases(Document& document, const Report& report,
               const ScopeRollup& scope);
// Adds costs per unit of work; nothing if no cost is certain.
void AddUnitCosts(Document& document, const Report& report);
// Adds all facts about a region in a scope, with `most_kernels` kernels.
void AddRegion(Document& document, const Report& report,
               const ScopeRollup& scope, RegionId region,
               AbsenceReasons& reasons, std::size_t most_kernels);
// Adds the reasons why there are no regions, or no measurements of them.
void AddNoMatch(Document& document, const Report& report);
// Adds the launches that the selection of regions leaves out, in one line.
void AddRest(Document& document, const Report& report);
// Whether no range was open at a launch; adds the kernels of such a program.
bool IsWholeProgram(const Report& report);
void AddWholeProgram(Document& document, const Report& report,
                     const ScopeRollup& scope, AbsenceReasons& reasons);
void AddKernelTable(Document& document, const Report& report,
                    const ScopeRollup& scope, AbsenceReasons& reasons);
// Adds the names of the ranges that were merged into a region, if any.
void AddMembers(Document& document, const Report& report, const Scope& scope,
                RegionId region);
// NotesList() as a section.
void AddNotes(Document& document, const Notes& notes, Detail detail);

// Losses and warnings first. kShort leaves out notes for experts: about
// methods, not about the meaning of numbers.
List NotesList(const Notes& notes, Detail detail);

struct LateSaid {
  std::vector<std::string> sentences{};
  std::size_t more = 0;  // further late ranks
};
// A sentence for each late rank, the most important first; or that there is
// none, or why it is unknown. Empty with fewer than two ranks.
LateSaid LateSentences(const Report& report, std::size_t most);

}  // namespace rangefinder
