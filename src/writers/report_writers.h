// The documents made from a report alone. The table in export/formats.h has the
// formats and their names.

#pragma once

#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "report/report.h"

namespace rangefinder {

// report.json of docs/report.schema.json: UTF-8, numbers as the shortest text
// that reads back to the same double.
void WriteJson(const Report& report, std::ostream& out);

struct JsonForm;

// Writes the report.json of the run, the document of the page, and those of
// regions' folders (a region and its inner regions); these have most of their
// text in common. Several threads may write at once.
class RunJson {
 public:
  explicit RunJson(const Report& report);
  ~RunJson();

  // By RegionId: see FoldersOf().
  const std::vector<std::string>& folders() const { return folders_; }
  void Write(std::ostream& out) const;
  void WriteRegion(RegionId region, std::ostream& out) const;
  // Writes the page's document: few scopes, and regions without selection and
  // paths. Returns the document's `columns`, which the page has in an element
  // of their own; "null" without any.
  std::string WritePage(std::ostream& out) const;

 private:
  // The columns of Write(), made once.
  const PackedText& columns() const;

  const Report& report_;
  std::vector<std::string> folders_;
  std::unique_ptr<JsonForm> form_;
  std::unique_ptr<JsonForm> page_form_;  // null: the same
  mutable std::once_flag columns_made_{};
  mutable PackedText columns_{};
};

// sections.txt of a region, and sections_report.txt of the run: the sections in
// the layout of ncu's details page.
void WriteRegionSections(const Report& report, RegionId region,
                         std::ostream& out);
void WriteSectionsReport(const Report& report, std::ostream& out);

// raw.csv: one row per measurement, RFC 4180, base units at full precision.
void WriteCsv(const Report& report, std::ostream& out);

// Writes the raw.csv of the run, and of regions and their inner regions; these
// have rows in common. Several threads may write at once.
class RunCsv {
 public:
  // `shared`: rows are kept for further documents.
  RunCsv(const Report& report, bool shared);
  ~RunCsv();

  void Write(std::ostream& out) const;
  void WriteRegion(RegionId region, std::ostream& out) const;

 private:
  class Rows;
  const Report& report_;
  std::unique_ptr<Rows> rows_;
};

// The path of a region, as in raw.csv: its frames as a list in JSON.
std::string PathJson(const Report& report, RegionId region);

// The page: the viewer of web/dist/report.html around the JSON document.
void WriteHtml(const Report& report, std::ostream& out);
// The same as WriteHtml(), with the data of `shared`.
void WriteSharedHtml(const Report& report, const RunJson& shared,
                     std::ostream& out);

}  // namespace rangefinder
