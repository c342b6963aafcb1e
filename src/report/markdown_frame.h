// What the Markdown documents of a run have in common around their tables: the
// facts at the top, the notes at the end, how a scope is headed, what is said
// where a table is cut.

#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "report/report.h"

namespace rangefinder {

// What was found, a line each; nothing where there is none.
void WriteHeadlinesMarkdown(const Report& report, std::ostream& out);
// The command, what measured it and how, on which devices, in which scopes.
void WriteFactsMarkdown(const Report& report, std::ostream& out);
// A section that says why no region is there, where that is so.
void WriteNoMatchMarkdown(const Report& report, std::ostream& out);
void WriteNotesMarkdown(const Report& report, std::ostream& out);

// A scope's name, and whose it is where that is known.
std::string ScopeHeading(const Report& report, const Scope& scope);

// After a table that had this many rows to write; nothing where all fitted.
void WriteRowsLeftOut(const Report& report, std::size_t rows,
                      std::ostream& out);

}  // namespace rangefinder
