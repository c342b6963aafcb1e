// The table of all formats of a report, ours and those of other tools.
//
// To add a format: write its writer in its own .cc, declare it (in
// writers/report_writers.h if it needs only the report, otherwise below), and
// add a row to formats.cc. --help, configuration checks and the tests follow
// the table.

#pragma once

#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "report/report.h"

namespace rangefinder {

class RunJson;

struct Format {
  std::string_view name{};       // as in report.formats and `show --format`
  std::string_view extension{};  // of the file, with the dot
  // One of report.formats, which `report` writes next to the others. Such a
  // format contains the notes of the report; for others the caller prints them.
  bool is_file = false;
  bool is_binary = false;  // must not be printed on a terminal
  // Writes from the report; or, for formats with each single range and kernel,
  // from the traces among the captures.
  void (*write)(const Report& report, std::ostream& out) = nullptr;
  // The same as `write`, with data that several files of one report share.
  // Null: the format has no such data.
  void (*write_shared)(const Report& report, const RunJson& shared,
                       std::ostream& out) = nullptr;
  Status (*write_traces)(std::span<const std::filesystem::path> captures,
                         std::ostream& out, Notes& notes) = nullptr;
};

std::span<const Format> Formats();
const Format* FindFormat(std::string_view name);

// All names for `show --format`: "table", which is a view for the terminal and
// no document, then the names of Formats().
std::vector<std::string> ShownFormatNames();
// The names for report.formats.
std::vector<std::string> FileFormatNames();

// ---- Writers ---------------------------------------------------------------

// Measurements in the formats of other tools.
//
// Each function writes a whole document. Names are made valid UTF-8; characters
// with a meaning in the format are replaced or escaped.

// Folded stacks: `A;A1;kernel 1234`, one line per stack, GPU time in ns. For
// flamegraph.pl, inferno.
void WriteFolded(const Report& report, std::ostream& out);

// Stacks of regions and kernels with their GPU time and, if known, of regions
// with their wall time, in ns: speedscope's file format (its
// file-format-schema.json).
void WriteSpeedscope(const Report& report, std::ostream& out);

// A literal graph frame: hatchet.GraphFrame.from_literal(json.load(file)).
// Times are in seconds, `time` is the GPU's.
void WriteHatchet(const Report& report, std::ostream& out);

// Chrome's trace event format, which ui.perfetto.dev opens: every range and
// every kernel, with an arrow from the launch to the kernel. Made from the
// traces among `captures`, since a profile has no single instances; kUsage:
// there are none. The size grows with the number of events.
Status WritePerfetto(std::span<const std::filesystem::path> captures,
                     std::ostream& out, Notes& notes);

// An SQLite database for DuckDB, pandas, Datasette: the tables and views of
// docs/tables.md.
void WriteSqlite(const Report& report, std::ostream& out);

}  // namespace rangefinder
