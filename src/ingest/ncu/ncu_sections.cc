#include "ingest/ncu/ncu_sections.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ingest/ncu/ncu_fields.h"

namespace rangefinder {
namespace {

using ncu::Bytes;
using ncu::Each;
using ncu::Fields;
using ncu::Into;
using ncu::Text;

using Capabilities = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

constexpr std::uint32_t kAny = 0xffffffff;

std::pair<std::uint32_t, std::uint32_t> ReadRange(std::string_view message) {
  std::pair<std::uint32_t, std::uint32_t> range{0, kAny};
  using enum ncu::SectionFilterRange;
  const Fields fields{
      Into(kFirst, range.first),
      Into(kLast, range.second),
  };
  fields.Read(message);
  return range;
}

Capabilities ReadFilter(std::string_view message) {
  Capabilities ranges;
  using enum ncu::SectionFilter;
  const Fields fields{
      Each<std::uint32_t>(
          kLeast,
          [&](std::uint32_t least) { ranges.emplace_back(least, kAny); }),
      Each(kRange, [&](Bytes range) { ranges.push_back(ReadRange(range)); }),
  };
  fields.Read(message);
  return ranges;
}

// The same label with another metric, for other devices.
Section::Row ReadOption(std::string_view message, Profile& profile) {
  Section::Row row;
  std::string_view name;
  using enum ncu::SectionOption;
  const Fields fields{
      Into(kName, name),
      Each(kFilter,
           [&](Bytes filter) { row.capabilities = ReadFilter(filter); }),
  };
  fields.Read(message);
  row.metric = profile.InternMetric(name);
  return row;
}

// Metric and rule text fields are wrapped in a message of their own in places;
// only plain strings are taken here.
void ReadHeaderMetric(std::string_view message, Profile& profile,
                      std::vector<Section::Row>& rows) {
  Section::Row row;
  std::string_view name;
  std::vector<Section::Row> options;
  using enum ncu::SectionMetric;
  const Fields fields{
      Into(kName, name),
      Text(kLabel, profile.strings, row.label),
      Text(kUnit, profile.strings, row.unit),
      Each(kFilter,
           [&](Bytes filter) {
             row.filter = profile.strings.Intern(filter);
             row.capabilities = ReadFilter(filter);
           }),
      Each(kOption,
           [&](Bytes option) {
             options.push_back(ReadOption(option, profile));
           }),
  };
  fields.Read(message);
  row.metric = profile.InternMetric(name);
  for (Section::Row& option : options) option.label = row.label;
  rows.push_back(std::move(row));
  std::ranges::move(options, std::back_inserter(rows));
}

void ReadHeader(std::string_view message, Profile& profile, Section& section) {
  using enum ncu::SectionHeader;
  const Fields fields{
      Into(kRows, section.header_rows),
      Each(kMetric,
           [&](Bytes metric) {
             ReadHeaderMetric(metric, profile, section.header);
           }),
  };
  fields.Read(message);
}

RuleMessageKind MessageKind(std::uint32_t type) {
  switch (type) {
    case 1:
      return RuleMessageKind::kOk;
    case 2:
      return RuleMessageKind::kWarning;
    case 3:
      return RuleMessageKind::kError;
    case 4:
      return RuleMessageKind::kOptimization;
    default:
      return RuleMessageKind::kNone;
  }
}

RuleResult::Message ReadMessage(std::string_view message, StringPool& strings) {
  RuleResult::Message out;
  using enum ncu::RuleMessage;
  const Fields fields{
      Text(kText, strings, out.text),
      Each<std::uint32_t>(
          kType, [&](std::uint32_t type) { out.kind = MessageKind(type); }),
      Text(kName, strings, out.title),
  };
  fields.Read(message);
  return out;
}

void ReadSpeedup(std::string_view message, RuleResult& rule) {
  RuleResult::Speedup speedup;
  using enum ncu::RuleSpeedup;
  const Fields fields{
      Each<std::uint32_t>(
          kType, [&](std::uint32_t type) { speedup.global = type == 2; }),
      Into(kPercent, speedup.percent),
  };
  fields.Read(message);
  if (std::isfinite(speedup.percent)) rule.speedup = speedup;
}

void ReadRuleItem(std::string_view message, StringPool& strings,
                  RuleResult& rule) {
  using enum ncu::RuleItem;
  const Fields fields{
      Each(kMessage,
           [&](Bytes text) {
             rule.messages.push_back(ReadMessage(text, strings));
           }),
      Each(kSpeedup, [&](Bytes speedup) { ReadSpeedup(speedup, rule); }),
  };
  fields.Read(message);
}

void ReadRuleBody(std::string_view message, StringPool& strings,
                  RuleResult& rule) {
  const Fields fields{Each(ncu::RuleBody::kItem, [&](Bytes item) {
    ReadRuleItem(item, strings, rule);
  })};
  fields.Read(message);
}

}  // namespace

Section DecodeSection(std::string_view message, Profile& profile) {
  Section section;
  using enum ncu::Section;
  const Fields fields{
      // Not the body, metric definitions, sets.
      Text(kIdentifier, profile.strings, section.identifier),
      Text(kDisplayName, profile.strings, section.display_name),
      Text(kDescription, profile.strings, section.description),
      Into(kOrder, section.order),
      Each(kHeader,
           [&](Bytes header) { ReadHeader(header, profile, section); }),
  };
  fields.Read(message);
  return section;
}

RuleResult DecodeRule(std::string_view message, StringPool& strings) {
  RuleResult rule;
  using enum ncu::RuleResult;
  const Fields fields{
      Text(kIdentifier, strings, rule.identifier),
      Text(kDisplayName, strings, rule.display_name),
      Text(kSection, strings, rule.section),
      Each(kBody, [&](Bytes body) { ReadRuleBody(body, strings, rule); }),
  };
  fields.Read(message);
  return rule;
}

}  // namespace rangefinder
