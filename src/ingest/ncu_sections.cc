#include "ingest/ncu_sections.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "ingest/ncu_message.h"

namespace rangefinder {
namespace {

using ncu::Open;
using ncu::View;
using protozero::tag_and_type;
using enum protozero::pbf_wire_type;

using Capabilities = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Capabilities ReadFilter(std::string_view message) {
  constexpr std::uint32_t kAny = 0xffffffff;
  Capabilities ranges;
  auto in = Open<ncu::SectionFilter>(message);
  while (in.next()) {
    using enum ncu::SectionFilter;
    switch (in.tag_and_type()) {
      case tag_and_type(kLeast, varint):
        ranges.emplace_back(in.get_uint32(), kAny);
        break;
      case tag_and_type(kRange, length_delimited): {
        std::pair<std::uint32_t, std::uint32_t> range{0, kAny};
        auto part = Open<ncu::SectionFilterRange>(View(in.get_view()));
        while (part.next()) {
          using enum ncu::SectionFilterRange;
          switch (part.tag_and_type()) {
            case tag_and_type(kFirst, varint):
              range.first = part.get_uint32();
              break;
            case tag_and_type(kLast, varint):
              range.second = part.get_uint32();
              break;
            default:
              part.skip();
          }
        }
        ranges.push_back(range);
        break;
      }
      default:
        in.skip();
    }
  }
  return ranges;
}

// The same label with another metric, for other devices.
Section::Row ReadOption(std::string_view message, Profile& profile) {
  Section::Row row;
  std::string_view name;
  auto in = Open<ncu::SectionOption>(message);
  while (in.next()) {
    using enum ncu::SectionOption;
    switch (in.tag_and_type()) {
      case tag_and_type(kName, length_delimited):
        name = View(in.get_view());
        break;
      case tag_and_type(kFilter, length_delimited):
        row.capabilities = ReadFilter(View(in.get_view()));
        break;
      default:
        in.skip();
    }
  }
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
  auto in = Open<ncu::SectionMetric>(message);
  while (in.next()) {
    using enum ncu::SectionMetric;
    switch (in.tag_and_type()) {
      case tag_and_type(kName, length_delimited):
        name = View(in.get_view());
        break;
      case tag_and_type(kLabel, length_delimited):
        row.label = profile.strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kUnit, length_delimited):
        row.unit = profile.strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kFilter, length_delimited): {
        const std::string_view filter = View(in.get_view());
        row.filter = profile.strings.Intern(filter);
        row.capabilities = ReadFilter(filter);
        break;
      }
      case tag_and_type(kOption, length_delimited):
        options.push_back(ReadOption(View(in.get_view()), profile));
        break;
      default:
        in.skip();
    }
  }
  row.metric = profile.InternMetric(name);
  for (Section::Row& option : options) option.label = row.label;
  rows.push_back(std::move(row));
  std::ranges::move(options, std::back_inserter(rows));
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

void ReadRuleItem(std::string_view message, StringPool& strings,
                  RuleResult& rule) {
  auto in = Open<ncu::RuleItem>(message);
  while (in.next()) {
    using enum ncu::RuleItem;
    switch (in.tag_and_type()) {
      case tag_and_type(kMessage, length_delimited): {
        RuleResult::Message out;
        auto text = Open<ncu::RuleMessage>(View(in.get_view()));
        while (text.next()) {
          using enum ncu::RuleMessage;
          switch (text.tag_and_type()) {
            case tag_and_type(kText, length_delimited):
              out.text = strings.Intern(View(text.get_view()));
              break;
            case tag_and_type(kType, varint):
              out.kind = MessageKind(text.get_uint32());
              break;
            case tag_and_type(kName, length_delimited):
              out.title = strings.Intern(View(text.get_view()));
              break;
            default:
              text.skip();
          }
        }
        rule.messages.push_back(out);
        break;
      }
      case tag_and_type(kSpeedup, length_delimited): {
        RuleResult::Speedup speedup;
        auto fields = Open<ncu::RuleSpeedup>(View(in.get_view()));
        while (fields.next()) {
          using enum ncu::RuleSpeedup;
          switch (fields.tag_and_type()) {
            case tag_and_type(kType, varint):
              speedup.global = fields.get_uint32() == 2;
              break;
            case tag_and_type(kPercent, fixed64):
              speedup.percent = fields.get_double();
              break;
            default:
              fields.skip();
          }
        }
        if (std::isfinite(speedup.percent)) rule.speedup = speedup;
        break;
      }
      default:
        in.skip();
    }
  }
}

}  // namespace

Section DecodeSection(std::string_view message, Profile& profile) {
  Section section;
  auto in = Open<ncu::Section>(message);
  const auto name = [&] { return profile.strings.Intern(View(in.get_view())); };
  while (in.next()) {
    using enum ncu::Section;
    switch (in.tag_and_type()) {
      case tag_and_type(kIdentifier, length_delimited):
        section.identifier = name();
        break;
      case tag_and_type(kDisplayName, length_delimited):
        section.display_name = name();
        break;
      case tag_and_type(kDescription, length_delimited):
        section.description = name();
        break;
      case tag_and_type(kOrder, varint):
        section.order = in.get_int64();
        break;
      case tag_and_type(kHeader, length_delimited): {
        auto header = Open<ncu::SectionHeader>(View(in.get_view()));
        while (header.next()) {
          using enum ncu::SectionHeader;
          switch (header.tag_and_type()) {
            case tag_and_type(kRows, varint):
              section.header_rows = header.get_uint32();
              break;
            case tag_and_type(kMetric, length_delimited):
              ReadHeaderMetric(View(header.get_view()), profile,
                               section.header);
              break;
            default:
              header.skip();
          }
        }
        break;
      }
      default:
        in.skip();  // body, metric definitions, sets
    }
  }
  return section;
}

RuleResult DecodeRule(std::string_view message, StringPool& strings) {
  RuleResult rule;
  auto in = Open<ncu::RuleResult>(message);
  while (in.next()) {
    using enum ncu::RuleResult;
    switch (in.tag_and_type()) {
      case tag_and_type(kIdentifier, length_delimited):
        rule.identifier = strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kDisplayName, length_delimited):
        rule.display_name = strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kSection, length_delimited):
        rule.section = strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kBody, length_delimited): {
        auto body = Open<ncu::RuleBody>(View(in.get_view()));
        while (body.next()) {
          if (body.tag_and_type() ==
              tag_and_type(ncu::RuleBody::kItem, length_delimited))
            ReadRuleItem(View(body.get_view()), strings, rule);
          else
            body.skip();
        }
        break;
      }
      default:
        in.skip();
    }
  }
  return rule;
}

}  // namespace rangefinder
