#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "rollup/scaled.h"
#include "rollup/sections.h"

namespace rangefinder {
namespace {

struct Line {
  std::string label;
  std::string unit;
  std::string value;
};

std::string Pad(const std::string& text, std::size_t width, bool right) {
  const std::size_t has = DisplayWidth(text);
  const std::string blanks(width > has ? width - has : 0, ' ');
  return right ? blanks + text : text + blanks;
}

void WriteTable(const std::vector<Line>& lines, std::string& out) {
  const Line head{"Metric Name", "Metric Unit", "Metric Value"};
  std::size_t label = DisplayWidth(head.label);
  std::size_t unit = DisplayWidth(head.unit);
  std::size_t value = DisplayWidth(head.value);
  for (const Line& line : lines) {
    label = std::max(label, DisplayWidth(line.label));
    unit = std::max(unit, DisplayWidth(line.unit));
    value = std::max(value, DisplayWidth(line.value));
  }
  const std::string rule = fmt::format("    {:-<{}} {:-<{}} {:-<{}}\n", "",
                                       label, "", unit, "", value);
  const auto write = [&](const Line& line, bool right) {
    out +=
        fmt::format("    {} {} {}\n", Pad(line.label, label, false),
                    Pad(line.unit, unit, right), Pad(line.value, value, right));
  };
  out += rule;
  write(head, false);
  out += rule;
  for (const Line& line : lines) write(line, true);
  out += rule;
}

}  // namespace

std::string SectionsText(const Profile& profile,
                         std::span<const SectionTable> tables) {
  std::string out;
  for (const SectionTable& table : tables) {
    if (table.rows.empty()) continue;
    if (!out.empty()) out += '\n';
    out += "    Section: " + Printable(table.title) + "\n";
    std::vector<Line> lines;
    for (const SectionTableRow& row : table.rows) {
      const Scaled scaled = ScaleFor(row.cell, row.unit);
      lines.push_back({.label = Printable(row.label),
                       .unit = scaled.unit,
                       .value = CellText(profile, row.cell, scaled)});
    }
    WriteTable(lines, out);
  }
  return out;
}

}  // namespace rangefinder
