#include "export/formats.h"

#include <algorithm>
#include <array>

#include "export/export.h"
#include "report/writers.h"

namespace rangefinder {
namespace {

void WriteReportFolded(const Report& report, std::ostream& out) {
  WriteFolded(*report.profile, *report.tree, out);
}

void WriteReportHatchet(const Report& report, std::ostream& out) {
  WriteHatchet(*report.profile, *report.tree, out);
}

constexpr std::array kFormats = std::to_array<Format>({
    {"md", ".md", true, true, WriteMarkdown, nullptr},
    {"json", ".json", true, true, WriteJson, nullptr},
    {"html", ".html", true, true, WriteHtml, nullptr},
    {"csv", ".csv", false, false, WriteCsv, nullptr},
    {"folded", ".folded", false, false, WriteReportFolded, nullptr},
    {"hatchet", ".json", false, false, WriteReportHatchet, nullptr},
    {"perfetto", ".json", false, false, nullptr, WritePerfetto},
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
