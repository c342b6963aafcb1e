// The table of all formats of a report, ours and those of other tools.
//
// To add one: write its writer in its own .cc, declare it
// (writers/report_writers.h where it needs the report alone, export/export.h
// otherwise), and give it a row in formats.cc. --help, configuration checking
// and the tests follow the table.

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

struct Format {
  std::string_view name{};       // as in report.formats and `show --format`
  std::string_view extension{};  // of the file, with the dot
  // One of report.formats: written by `report` beside the others.
  bool is_file = false;
  // The report's notes stand in it; of other formats the caller prints them.
  bool has_notes = false;
  bool is_binary = false;  // nothing that a terminal can show
  // From the report; or, where it needs each single range and kernel, from the
  // traces themselves.
  void (*write)(const Report& report, std::ostream& out) = nullptr;
  Status (*write_traces)(std::span<const std::filesystem::path> traces,
                         std::ostream& out, Notes& notes) = nullptr;
};

std::span<const Format> Formats();
const Format* FindFormat(std::string_view name);

// Every name that `show --format` takes: "table", which is a view of the
// terminal and no document, then those of Formats().
std::vector<std::string> ShownFormatNames();
// The names that report.formats takes.
std::vector<std::string> FileFormatNames();

}  // namespace rangefinder
