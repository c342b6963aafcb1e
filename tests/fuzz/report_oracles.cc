#include "tests/fuzz/report_oracles.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "analysis/report_files.h"
#include "base/file.h"
#include "base/write_file.h"
#include "export/formats.h"
#include "ingest/compressed.h"
#include "report/documents.h"
#include "report/folder.h"
#include "tests/fuzz/conserved.h"
#include "tests/fuzz/demand.h"
#include "tests/fuzz/growth.h"
#include "tests/fuzz/json_schema.h"
#include "tests/support/csv.h"
#include "tests/support/temp_dir.h"
#include "wire/checksum.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The folder of the input and of the reports, on disk, the same for all inputs.
const TempDir& Folder() {
  static const TempDir folder;
  return folder;
}

const json& Schema() {
  static const json schema = json::parse(
      ReadFile(fs::path(RANGEFINDER_SOURCE_DIR) / "docs/report.schema.json")
          .value());
  return schema;
}

void DemandValidJson(const std::string& text) {
  const json document = json::parse(text, nullptr, false);
  Demand(!document.is_discarded(), "report.json is JSON");
  const std::string wrong = SchemaViolation(Schema(), document);
  if (!wrong.empty()) std::fprintf(stderr, "report.json%s\n", wrong.c_str());
  Demand(wrong.empty(), "report.json keeps its schema");
  DemandConserved(document);
}

// Every row has the same number of fields, each measurement has a row, and no
// text reads as a formula in a spreadsheet.
void DemandCsv(const std::string& text, const Profile& profile) {
  const auto rows = ParseCsv(text);
  Demand(rows.size() == profile.measurements.size() + 1,
         "raw.csv has a row a measurement");
  for (const auto& row : rows) {
    Demand(row.size() == rows[0].size(), "a row of raw.csv has all columns");
    for (const std::string& field : row) {
      const bool number =
          field.find_first_not_of("+-.0123456789einfa") == std::string::npos;
      Demand(field.empty() || number ||
                 std::string_view("=+-@\t").find(field[0]) ==
                     std::string_view::npos,
             "no text of raw.csv is a formula");
    }
  }
}

// Whether a C1 control character begins here, or a character that reorders the
// rest of the line.
bool ActsOnTheRest(std::string_view at) {
  const auto byte = [&](std::size_t i) {
    return i < at.size() ? static_cast<unsigned char>(at[i]) : 0;
  };
  if (byte(0) == 0xC2) return byte(1) >= 0x80 && byte(1) < 0xA0;
  if (byte(0) != 0xE2) return false;
  return (byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
         (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
}

std::string Written(const Format& format, const Report& report,
                    std::span<const fs::path> traces) {
  std::ostringstream out;
  Notes notes;
  if (format.write != nullptr)
    format.write(report, out);
  else if (!traces.empty())
    (void)format.write_traces(traces, out, notes).ok();
  return std::move(out).str();
}

// All documents in a row.
std::string Documents(const Analysis& analysis, const Report& report) {
  std::vector<fs::path> traces;
  for (const Artifact& artifact : analysis.profile.artifacts) {
    if (artifact.format == "trace") traces.emplace_back(artifact.path);
  }
  std::string all;
  for (const Format& format : Formats()) {
    const std::string text = Written(format, report, traces);
    if (format.name == "json") DemandValidJson(text);
    if (format.name == "csv") DemandCsv(text, analysis.profile);
    if (format.name == "hatchet" || format.name == "speedscope" ||
        (format.name == "perfetto" && !text.empty()))
      Demand(json::accept(text), "what other tools read is JSON");
    if (!format.is_binary) DemandPlain(text);
    all += text;
  }
  std::ostringstream terminal;
  WriteTerminal(ShowDocument(report, {}), {.width = 80}, terminal);
  DemandPlain(terminal.str());
  return all + terminal.str();
}

bool IsOurs(const fs::path& path) {
  static const std::set<std::string> names = {
      "report.md", "report.json",  "report.html",        "kernels.md",
      "raw.csv",   "sections.txt", "sections_report.txt"};
  return names.contains(path.filename().string());
}

// The files that WriteReportFiles() leaves in a new run directory
// `outside`/run, in which `plant` worked before.
template <typename Plant>
Status WriteInto(const Report& report, const fs::path& outside, Plant plant) {
  std::error_code error;
  fs::remove_all(outside, error);
  fs::create_directories(outside / "run" / "ncu");
  plant(outside / "run");
  return WriteReportFiles(report, outside / "run", [](std::string_view) {});
}

// All files lie in the run's folder, and the files beside the folder are
// unchanged.
void DemandFilesInside(const Report& report) {
  const fs::path outside = Folder() / "outside";
  const fs::path run = outside / "run";
  const Status status = WriteInto(report, outside, [](const fs::path&) {});
  Demand(status.ok(), "the files of a report can be written");
  for (const auto& entry : fs::directory_iterator(outside))
    Demand(entry.path() == run, "no file is written outside the run directory");
  std::size_t regions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    Demand(!entry.is_symlink(), "no link is written");
    if (entry.is_directory()) {
      regions += entry.path().parent_path() == run / "ncu" / "regions";
    } else {
      Demand(IsOurs(entry.path()), "a file has a name that we gave it");
    }
  }
  const std::vector<std::string> all = FoldersOf(report);
  const auto folders = all.size() - static_cast<std::size_t>(
                                        std::ranges::count(all, std::string()));
  Demand(regions == folders, "each region has a folder of its own");
}

// Planted links are never followed: one in the place of a file is replaced, one
// in the place of a folder is refused.
void DemandLinksAreNotFollowed(const Report& report) {
  const fs::path outside = Folder() / "outside";
  const fs::path other = Folder() / "other";
  fs::create_directories(other);
  const auto untouched = [&] {
    return ReadFile(other / "file").value() == "theirs" &&
           std::distance(fs::directory_iterator(other), {}) == 1;
  };
  if (!WriteFile(other / "file", "theirs").ok()) std::exit(1);

  const Status replaced = WriteInto(report, outside, [&](const fs::path& run) {
    for (const char* name : {"report.md", "kernels.md", "ncu/raw.csv"})
      fs::create_symlink(other / "file", run / name);
  });
  Demand(replaced.ok(), "a link in the place of a file is replaced");
  Demand(untouched(), "what a file's link leads to stays as it was");
  const Status refused = WriteInto(report, outside, [&](const fs::path& run) {
    fs::create_directory_symlink(other, run / "ncu" / "regions");
  });
  Demand(!refused.ok(), "a link in the place of a folder is refused");
  Demand(untouched(), "what a folder's link leads to stays as it was");
}

// The documents and their notes; nothing where the input is no capture.
std::optional<std::string> Make(const std::vector<std::string>& paths,
                                bool with_files) {
  const auto made = AnalyzePaths(paths, {});
  if (!made.ok()) {
    DemandAnError(made.error());
    return std::nullopt;
  }
  const Analysis& analysis = *made.value();
  DemandConserved(analysis.profile, analysis.tree, analysis.rollup);
  const Report report = MakeReport(analysis, {});
  std::string documents = Documents(analysis, report);
  if (with_files) {
    DemandFilesInside(report);
    DemandLinksAreNotFollowed(report);
  }
  return documents;
}

}  // namespace

void DemandPlain(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    Demand(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t' ||
               c == '\r',
           "a document has no control characters");
    Demand((c != '\xC2' && c != '\xE2') || !ActsOnTheRest(text.substr(i)),
           "a document has no C1 and bidirectional controls");
  }
}

void DemandAnError(const Error& error) {
  const int status = ExitStatus(error.code());
  Demand(status == 2 || status == 5 || status == 6 || status == 7,
         "what cannot be read ends with a status of the contract");
  Demand(!error.message().empty(), "an error says what it is");
}

bool ReportOfPaths(const std::vector<std::string>& paths, std::size_t bytes,
                   bool twice, bool with_files) {
  std::optional<std::string> documents;
  {
    const Growth growth;
    documents = Make(paths, with_files);
    DemandLinear(bytes, documents ? documents->size() : 0, growth);
  }
  if (documents && twice)
    Demand(Make(paths, false) == documents, "the same input, the same bytes");
  return documents.has_value();
}

bool ReportOfAnyBytes(std::string_view bytes, std::string_view name) {
  const fs::path file = Folder() / std::string(name);
  if (!WriteFile(file, bytes).ok()) std::exit(1);  // a full disk is no finding
  // The most expensive checks run for some inputs only, always for the same
  // ones.
  const std::uint64_t lot = wire::Checksum(bytes.data(), bytes.size());
  // The unpacked size is the one that memory grows with.
  const auto unpacked = DecompressZstd(bytes);
  return ReportOfPaths(
      {file.string()},
      unpacked.ok() ? unpacked.value().bytes.size() : bytes.size(),
      lot % 4 == 0, lot % 16 == 1);
}

}  // namespace rangefinder::testing
