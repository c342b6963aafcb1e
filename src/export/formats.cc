#include "export/formats.h"

#include <algorithm>
#include <array>

#include "report/documents.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

void WriteSharedJson(const Report&, const RunJson& shared, std::ostream& out) {
  shared.Write(out);
}

void WriteReportMarkdown(const Report& report, std::ostream& out) {
  WriteMarkdown(RunDocument(report), out);
}

constexpr std::array kFormats = std::to_array<Format>({
    {.name = "md",
     .extension = ".md",
     .is_file = true,
     .write = WriteReportMarkdown},
    {.name = "json",
     .extension = ".json",
     .is_file = true,
     .write = WriteJson,
     .write_shared = WriteSharedJson},
    {.name = "html",
     .extension = ".html",
     .is_file = true,
     .write = WriteHtml,
     .write_shared = WriteSharedHtml},
    {.name = "csv", .extension = ".csv", .write = WriteCsv},
    {.name = "sqlite",
     .extension = ".sqlite",
     .is_file = true,
     .is_binary = true,
     .write = WriteSqlite},
    {.name = "folded", .extension = ".folded", .write = WriteFolded},
    {.name = "speedscope",
     .extension = ".speedscope.json",
     .write = WriteSpeedscope},
    {.name = "hatchet", .extension = ".json", .write = WriteHatchet},
    {.name = "perfetto", .extension = ".json", .write_traces = WritePerfetto},
});

}  // namespace

std::span<const Format> Formats() {
  return kFormats;
}

const Format* FindFormat(std::string_view name) {
  const auto* const format = std::ranges::find(kFormats, name, &Format::name);
  return format == kFormats.end() ? nullptr : format;
}

std::vector<std::string> ShownFormatNames() {
  std::vector<std::string> names = {"table"};
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::vector<std::string> FileFormatNames() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (format.is_file) names.emplace_back(format.name);
  }
  return names;
}

}  // namespace rangefinder
