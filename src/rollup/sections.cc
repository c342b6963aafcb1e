#include "rollup/sections.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "rollup/scaled.h"

namespace rangefinder {
namespace {

// 90 for an H100; 0: unknown.
std::uint32_t Capability(const Profile& profile) {
  const auto part = [&](std::string_view name) -> std::optional<double> {
    const auto id = profile.FindMetric(name);
    if (!id || profile.measurements.empty()) return std::nullopt;
    return profile.ValueOf(profile.measurements.front(), *id).number();
  };
  const auto major = part("device__attribute_compute_capability_major");
  const auto minor = part("device__attribute_compute_capability_minor");
  if (!major || !minor || !(*major >= 0 && *major <= 99 && *minor >= 0))
    return 0;
  return static_cast<std::uint32_t>(10 * *major + std::min(*minor, 9.0));
}

bool Fits(const Section::Row& row, std::uint32_t capability) {
  return capability == 0 || row.capabilities.empty() ||
         std::ranges::any_of(row.capabilities, [&](const auto& range) {
           return range.first <= capability && capability <= range.second;
         });
}

struct Line {
  std::string label;
  std::string unit;
  std::string value;
};

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
  const auto write = [&](const Line& line, auto pad) {
    out += fmt::format("    {} {} {}\n", PadRight(line.label, label),
                       pad(line.unit, unit), pad(line.value, value));
  };
  out += rule;
  write(head, PadRight);
  out += rule;
  for (const Line& line : lines) write(line, PadLeft);
  out += rule;
}

}  // namespace

SectionCatalog::SectionCatalog(const Profile& profile, const RegionTree& tree,
                               const Rollup& rollup,
                               std::span<const std::string> wanted)
    : rollup_(rollup) {
  Columns column_of;
  for (std::size_t i = 0; i < rollup.columns.size(); ++i)
    column_of.emplace(rollup.columns[i].name, i);
  const std::uint32_t capability = Capability(profile);

  // A profile has a section once for each measurement; one entry joins them.
  std::map<std::string_view, Entry> by_identifier;
  for (const Section& section : profile.sections) {
    const std::string_view identifier = profile.Name(section.identifier);
    if (!wanted.empty() && !Has(wanted, identifier)) continue;
    Entry& entry = by_identifier[identifier];
    entry.identifier = identifier;
    entry.title = profile.Name(section.display_name);
    entry.order = section.order;
    for (Row& row : RowsOf(profile, section, column_of, capability)) {
      if (std::ranges::find(entry.rows, row.column, &Row::column) ==
          entry.rows.end())
        entry.rows.push_back(std::move(row));
    }
  }
  for (auto& [identifier, entry] : by_identifier) {
    std::ranges::sort(entry.rows, {}, [&](const Row& row) {
      return std::string_view(rollup.columns[row.column].name);
    });
    sections_.push_back(std::move(entry));
  }
  std::ranges::stable_sort(sections_, {}, &Entry::order);
  FindRegions(profile, tree);
}

// The rows of one measurement's section that fit its device and have a column.
std::vector<SectionCatalog::Row> SectionCatalog::RowsOf(
    const Profile& profile, const Section& section, const Columns& column_of,
    std::uint32_t capability) {
  std::vector<Row> rows;
  for (const Section::Row& row : section.header) {
    const std::string_view metric = profile.MetricName(row.metric);
    const std::string label(profile.Name(row.label));
    if (metric.empty() || label.empty() || !Fits(row, capability)) continue;
    const auto column = column_of.find(metric);
    if (column == column_of.end()) continue;
    // A later row of the same label is for some devices only, and takes
    // precedence.
    const auto known = std::ranges::find(rows, label, &Row::label);
    if (known != rows.end())
      known->column = column->second;
    else
      rows.push_back({.label = label, .column = column->second});
  }
  return rows;
}

// Finds the sections of each region: the sections of measurements in the region
// or below it.
void SectionCatalog::FindRegions(const Profile& profile,
                                 const RegionTree& tree) {
  std::vector<std::size_t> place;  // in sections_; the end: not requested
  std::unordered_map<std::string_view, std::size_t> place_of;
  for (std::size_t i = 0; i < sections_.size(); ++i)
    place_of.emplace(sections_[i].identifier, i);
  for (const Section& section : profile.sections) {
    const auto at = place_of.find(profile.Name(section.identifier));
    place.push_back(at == place_of.end() ? sections_.size() : at->second);
  }
  of_region_.assign(tree.regions().size(), std::vector<bool>(sections_.size()));
  for (std::size_t i = tree.regions().size(); i-- > 0;) {
    const Region& region = tree.regions()[i];
    std::vector<bool>& has = of_region_[i];
    const auto add = [&](MeasurementId id) {
      for (const std::uint32_t section :
           profile.measurements[Index(id)].sections) {
        if (place[section] < has.size()) has[place[section]] = true;
      }
    };
    std::ranges::for_each(region.kernels, add);
    std::ranges::for_each(region.ranges, add);
    if (i == Index(RegionTree::kRoot)) continue;
    std::vector<bool>& outer = of_region_[Index(region.parent)];
    for (std::size_t s = 0; s < has.size(); ++s) {
      if (has[s]) outer[s] = true;
    }
  }
}

std::vector<SectionTable> SectionCatalog::TablesOf(
    RegionId region, const Amounts& amounts) const {
  std::vector<SectionTable> tables;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (!of_region_[Index(region)][i]) continue;
    const Entry& entry = sections_[i];
    SectionTable table{.identifier = entry.identifier, .title = entry.title};
    for (const Row& row : entry.rows) {
      const Cell& cell = amounts.cells[row.column];
      if (cell.present == 0) continue;
      table.rows.push_back(RowOf(row));
      table.rows.back().cell = cell;
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<SectionTable> SectionCatalog::Tables() const {
  std::vector<SectionTable> tables;
  for (const Entry& entry : sections_) {
    tables.push_back({.identifier = entry.identifier, .title = entry.title});
    for (const Row& row : entry.rows) tables.back().rows.push_back(RowOf(row));
  }
  return tables;
}

SectionTableRow SectionCatalog::RowOf(const Row& row) const {
  const Column& column = rollup_.columns[row.column];
  return {.label = row.label,
          .metric = column.name,
          .unit = column.unit,
          .column = row.column};
}

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
