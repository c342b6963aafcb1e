#include "writers/csv/section_csv.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/characters.h"
#include "base/text.h"
#include "insight/findings.h"
#include "profile/metric_facts.h"

namespace rangefinder {

std::string CsvText(std::string_view text) {
  std::string value = PrintableIn(TextPlace::kCsv, text);
  constexpr std::string_view kFormula = "=+-@\t\r";
  if (!value.empty() && kFormula.find(value[0]) != std::string_view::npos)
    value.insert(value.begin(), '\'');
  if (value.find_first_of(",\"\r\n") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    quoted += c;
    if (c == '"') quoted += '"';
  }
  return quoted + "\"";
}

namespace {

constexpr std::string_view kHeader =
    "ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block "
    "Size,Grid Size,Device,Section Name,Metric Name,Metric Unit,Metric "
    "Value,Rule Name,Rule Type,Rule Description,Estimated Speedup Type,"
    "Estimated Speedup\r\n";

std::string Dims(const Dim3& dim) {
  return CsvText(fmt::format("({}, {}, {})", dim.x, dim.y, dim.z));
}

std::string ValueText(const Profile& profile, const Value& value) {
  if (value.kind == ValueKind::kInteger) return fmt::format("{}", value.bits);
  if (const auto text = value.text()) return CsvText(profile.Name(*text));
  if (const auto number = value.number()) return fmt::format("{}", *number);
  return {};
}

// By RuleMessageKind.
constexpr std::array<std::string_view, 5> kRuleTypes = {"", "INF", "WRN", "ERR",
                                                        "OPT"};

// The first fields of every row of one measurement.
std::string Lead(const Profile& profile, std::size_t id) {
  const Measurement& m = profile.measurements[id];
  const Process& process = profile.processes[Index(m.process)];
  return fmt::format("{},{},{},{},{},{},{},{},{},{}", id, process.pid,
                     CsvText(profile.Name(process.name)),
                     CsvText(profile.Name(process.host)),
                     CsvText(profile.Name(m.demangled_name)), m.context,
                     m.stream, Dims(m.block), Dims(m.grid), m.device);
}

void WriteMetrics(const Profile& profile, const Measurement& m,
                  const Section& section, const std::string& chip,
                  const std::string& lead, std::ostream& out) {
  const std::string title = CsvText(profile.Name(section.display_name));
  for (const Section::Row& row : section.header) {
    const std::string_view metric = profile.MetricName(row.metric);
    const Value value = profile.ValueOf(m, row.metric);
    if (metric.empty() || profile.Name(row.label).empty() ||
        value.kind == ValueKind::kAbsent)
      continue;
    fmt::print(out, "{},{},{},{},{},,,,,\r\n", lead, title,
               CsvText(profile.Name(row.label)),
               CsvText(MetricUnit(chip, metric)), ValueText(profile, value));
  }
}

void WriteRules(const Profile& profile, const Measurement& m,
                const Section& section, const std::string& lead,
                std::ostream& out) {
  const std::string title = CsvText(profile.Name(section.display_name));
  for (const std::uint32_t index : m.rules) {
    const RuleResult& rule = profile.rules[index];
    if (rule.section != section.identifier) continue;
    for (const RuleResult::Message& message : rule.messages) {
      const bool gain =
          rule.speedup && message.kind == RuleMessageKind::kOptimization;
      fmt::print(
          out, "{},{},,,,{},{},{},{},{}\r\n", lead, title,
          CsvText(profile.Name(rule.identifier)),
          kRuleTypes[Index(message.kind)],
          CsvText(WithoutMarkup(profile.Name(message.text))),
          !gain                  ? ""
          : rule.speedup->global ? "global"
                                 : "local",
          gain ? fmt::format("{}", rule.speedup->percent) : std::string());
    }
  }
}

}  // namespace

std::vector<std::string> SectionNames(const Profile& profile) {
  std::map<std::string_view, std::int64_t> orders;
  for (const Section& section : profile.sections)
    orders.try_emplace(profile.Name(section.identifier), section.order);
  std::vector<std::string> names;
  for (const auto& [name, order] : orders) names.emplace_back(name);
  std::ranges::stable_sort(
      names, {}, [&](const std::string& name) { return orders.at(name); });
  return names;
}

void WriteSectionCsv(const Profile& profile, std::string_view section,
                     std::ostream& out) {
  out << kHeader;
  const std::string chip = ChipOf(profile);
  for (std::size_t id = 0; id < profile.measurements.size(); ++id) {
    const Measurement& m = profile.measurements[id];
    const std::string lead = Lead(profile, id);
    for (const std::uint32_t index : m.sections) {
      const Section& one = profile.sections[index];
      if (!section.empty() && profile.Name(one.identifier) != section) continue;
      WriteMetrics(profile, m, one, chip, lead, out);
      WriteRules(profile, m, one, lead, out);
    }
  }
}

}  // namespace rangefinder
