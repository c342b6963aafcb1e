// Measurements in the formats of other tools.
//
// Each function writes a whole document. Names are made valid UTF-8; characters
// with a meaning in the format are replaced or escaped.

#pragma once

#include <filesystem>
#include <ostream>
#include <span>

#include "base/error.h"
#include "base/notes.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "report/report.h"

namespace rangefinder {

// Folded stacks: `A;A1;kernel 1234`, one line a stack, GPU time in ns. For
// flamegraph.pl, speedscope, inferno.
void WriteFolded(const Profile& profile, const RegionTree& tree,
                 std::ostream& out);

// A literal graph frame: hatchet.GraphFrame.from_literal(json.load(file)).
// Times are in seconds, `time` is the GPU's.
void WriteHatchet(const Profile& profile, const RegionTree& tree,
                  std::ostream& out);

// Chrome's trace event format, which ui.perfetto.dev opens: every range and
// every kernel, with an arrow from the launch to the kernel. Made from the
// traces themselves, since a profile has no single instances. The size grows
// with the number of events.
Status WritePerfetto(std::span<const std::filesystem::path> traces,
                     std::ostream& out, Notes& notes);

// A database of SQLite's for DuckDB, pandas, Datasette: the tables and views of
// docs/tables.md.
void WriteSqlite(const Report& report, std::ostream& out);

}  // namespace rangefinder
