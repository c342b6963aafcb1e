#include "ingest/ncu/ncu_parser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace rangefinder {
namespace {

using ncu::Bytes;
using ncu::Each;
using ncu::Into;
using ncu::Place;
using ncu::ReadFields;
using ncu::Tag;
using ncu::Text;
using ncu::Unread;

// ---- Session and process ---------------------------------------------------

using Attribute = std::pair<StringId, Value>;

Attribute ReadAttribute(std::string_view message, StringPool& strings,
                        const Place& place) {
  Attribute attribute;
  using enum ncu::DeviceAttribute;
  ReadFields(message, Text(kName, strings, attribute.first),
             Each(kValue, [&](Bytes value) {
               attribute.second = ncu::DecodeValue(value, strings, place);
             }));
  return attribute;
}

void ReadDevice(std::string_view message, Profile& profile, SessionSeen& seen,
                const Place& place) {
  Device device;
  using enum ncu::DeviceAttributes;
  ReadFields(message, Into(kId, device.index),
             Text(kName, profile.strings, device.name),
             Each(kAttribute, [&](Bytes attribute) {
               device.attributes.push_back(
                   ReadAttribute(attribute, profile.strings, place));
             }));
  const auto [known, is_new] =
      seen.devices.try_emplace(device.index, profile.devices.size());
  if (is_new) {
    profile.devices.push_back(std::move(device));
    return;
  }
  Device& before = profile.devices[known->second];
  if (before.attributes.size() < device.attributes.size())
    before = std::move(device);
}

void ReadVersion(std::string_view message, Artifact& artifact,
                 SessionSeen& seen) {
  std::pair<std::string, std::string> version;
  using enum ncu::VersionInfo;
  ReadFields(message, Into(kProvider, version.first),
             Into(kVersion, version.second));
  if (seen.versions.insert(version).second)
    artifact.versions.push_back(std::move(version));
}

// ---- NVTX states -----------------------------------------------------------

NvtxRange ReadPushPop(std::string_view message, StringPool& strings) {
  NvtxRange range;
  using enum ncu::NvtxPushPop;
  ReadFields(message, Text(kName, strings, range.name),
             Into(kLastApiCall, range.order), Into(kId, range.id));
  return range;
}

NvtxStartEnd ReadStartEnd(std::string_view message, StringPool& strings) {
  NvtxStartEnd open;
  using enum ncu::NvtxStartEnd;
  ReadFields(
      message, Into(kId, open.range.id), Text(kName, strings, open.range.name),
      Into(kLastApiCall, open.range.order), Into(kStartThread, open.thread));
  return open;
}

NvtxDomain ReadDomain(std::string_view message, StringPool& strings) {
  NvtxDomain domain;
  using enum ncu::NvtxDomain;
  ReadFields(message, Into(kId, domain.id), Text(kName, strings, domain.name));
  return domain;
}

// The index of the domain with this id, which is added if it is missing.
std::uint32_t DomainIndex(NvtxState& state, std::uint64_t id) {
  const auto known = std::ranges::find(state.domains, id, &NvtxDomain::id);
  const auto index = known - state.domains.begin();
  if (known == state.domains.end()) state.domains.push_back({.id = id});
  return static_cast<std::uint32_t>(index);
}

// Reads the ranges that one thread has open in one domain.
void ReadStack(std::string_view message, StringPool& strings,
               NvtxState& state) {
  NvtxStack stack;
  std::uint64_t domain = 0;
  using enum ncu::NvtxPushPopDomain;
  ReadFields(message, Into(kDomainId, domain), Each(kRange, [&](Bytes range) {
               stack.ranges.push_back(ReadPushPop(range, strings));
             }));
  if (stack.ranges.empty()) return;  // a domain with nothing open
  stack.domain = DomainIndex(state, domain);
  state.stacks.push_back(std::move(stack));
}

void ReadThread(std::string_view message, StringPool& strings,
                NvtxState& state) {
  std::uint64_t thread = 0;
  const std::size_t first = state.stacks.size();
  using enum ncu::NvtxThread;
  ReadFields(message, Into(kThreadId, thread),
             Each(kPushPopDomain,
                  [&](Bytes domain) { ReadStack(domain, strings, state); }));
  for (std::size_t i = first; i < state.stacks.size(); ++i)
    state.stacks[i].thread = thread;
}

void ReadStartEnds(std::string_view message, StringPool& strings,
                   NvtxState& state) {
  std::uint64_t domain = 0;
  std::vector<NvtxStartEnd> open;
  using enum ncu::NvtxStartEndDomain;
  ReadFields(message, Into(kDomainId, domain), Each(kRange, [&](Bytes range) {
               open.push_back(ReadStartEnd(range, strings));
             }));
  for (NvtxStartEnd& range : open) {
    range.domain = DomainIndex(state, domain);
    state.start_end.push_back(range);
  }
}

// ---- Sections and rule results ---------------------------------------------

using Capabilities = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

constexpr std::uint32_t kAny = 0xffffffff;

std::pair<std::uint32_t, std::uint32_t> ReadRange(std::string_view message) {
  std::pair<std::uint32_t, std::uint32_t> range{0, kAny};
  using enum ncu::SectionFilterRange;
  ReadFields(message, Into(kFirst, range.first), Into(kLast, range.second));
  return range;
}

Capabilities ReadFilter(std::string_view message) {
  Capabilities ranges;
  using enum ncu::SectionFilter;
  ReadFields(
      message,
      Each<std::uint32_t>(
          kLeast,
          [&](std::uint32_t least) { ranges.emplace_back(least, kAny); }),
      Each(kRange, [&](Bytes range) { ranges.push_back(ReadRange(range)); }));
  return ranges;
}

// Reads another metric for the same label, used on other devices.
Section::Row ReadOption(std::string_view message, Profile& profile) {
  Section::Row row;
  std::string_view name;
  using enum ncu::SectionOption;
  ReadFields(message, Into(kName, name), Each(kFilter, [&](Bytes filter) {
               row.capabilities = ReadFilter(filter);
             }));
  row.metric = profile.InternMetric(name);
  return row;
}

// Some reports wrap texts of metrics and rules in an inner message; only plain
// strings are read here.
void ReadHeaderMetric(std::string_view message, Profile& profile,
                      std::vector<Section::Row>& rows) {
  Section::Row row;
  std::string_view name;
  std::vector<Section::Row> options;
  using enum ncu::SectionMetric;
  ReadFields(message, Into(kName, name),
             Text(kLabel, profile.strings, row.label),
             Each(kFilter,
                  [&](Bytes filter) { row.capabilities = ReadFilter(filter); }),
             Each(kOption, [&](Bytes option) {
               options.push_back(ReadOption(option, profile));
             }));
  row.metric = profile.InternMetric(name);
  for (Section::Row& option : options) option.label = row.label;
  rows.push_back(std::move(row));
  std::ranges::move(options, std::back_inserter(rows));
}

void ReadHeader(std::string_view message, Profile& profile, Section& section) {
  ReadFields(message, Each(ncu::SectionHeader::kMetric, [&](Bytes metric) {
               ReadHeaderMetric(metric, profile, section.header);
             }));
}

RuleMessageKind MessageKind(std::uint32_t type) {
  using enum RuleMessageKind;
  constexpr std::array kKinds = {kNone, kOk, kWarning, kError, kOptimization};
  return type < kKinds.size() ? kKinds[type] : kNone;
}

RuleResult::Message ReadMessage(std::string_view message, StringPool& strings) {
  RuleResult::Message out;
  using enum ncu::RuleMessage;
  ReadFields(
      message, Text(kText, strings, out.text),
      Each<std::uint32_t>(
          kType, [&](std::uint32_t type) { out.kind = MessageKind(type); }),
      Text(kName, strings, out.title));
  return out;
}

void ReadSpeedup(std::string_view message, RuleResult& rule) {
  RuleResult::Speedup speedup;
  using enum ncu::RuleSpeedup;
  ReadFields(
      message,
      Each<std::uint32_t>(
          kType, [&](std::uint32_t type) { speedup.global = type == 2; }),
      Into(kPercent, speedup.percent));
  if (std::isfinite(speedup.percent)) rule.speedup = speedup;
}

void ReadRuleItem(std::string_view message, StringPool& strings,
                  RuleResult& rule) {
  using enum ncu::RuleItem;
  ReadFields(
      message,
      Each(kMessage,
           [&](Bytes text) {
             rule.messages.push_back(ReadMessage(text, strings));
           }),
      Each(kSpeedup, [&](Bytes speedup) { ReadSpeedup(speedup, rule); }));
}

void ReadRuleBody(std::string_view message, StringPool& strings,
                  RuleResult& rule) {
  ReadFields(message, Each(ncu::RuleBody::kItem, [&](Bytes item) {
               ReadRuleItem(item, strings, rule);
             }));
}

}  // namespace

void DecodeStrings(std::string_view message, StringPool& pool,
                   std::vector<StringId>& strings) {
  ReadFields(message, Each(ncu::StringTable::kString, [&](Bytes text) {
               strings.push_back(pool.Intern(text));
             }));
}

void DecodeSession(std::string_view message, Profile& profile,
                   SessionSeen& seen, const Place& place) {
  Artifact& artifact = profile.artifacts.back();
  using enum ncu::Session;
  ReadFields(
      message, Into(kCreationTime, artifact.created_unix_s),
      Each(kDeviceAttributes,
           [&](Bytes device) { ReadDevice(device, profile, seen, place); }),
      Each(kVersionInfo,
           [&](Bytes version) { ReadVersion(version, artifact, seen); }),
      Into(kProfilerCommandLine, artifact.command_line),
      // The settings of host and target system are known and not used.
      Unread{[&](Tag field) {
        if (field > static_cast<Tag>(kProfilerCommandLine))
          place.NoteUnknown("session", field);
      }});
}

ProcessId DecodeProcess(std::string_view message, Profile& profile,
                        SessionSeen& seen, const Place& place) {
  Process process;
  using enum ncu::ProcessInfo;
  ReadFields(message, Into(kProcessId, process.pid),
             Text(kHostname, profile.strings, process.host),
             Text(kProcessName, profile.strings, process.name),
             Unread{[&](Tag field) { place.NoteUnknown("process", field); }});
  const auto [known, is_new] = seen.processes.try_emplace(
      {process.pid, process.name, process.host},
      static_cast<ProcessId>(profile.processes.size()));
  if (is_new) profile.processes.push_back(process);
  return known->second;
}

NvtxState DecodeNvtxState(std::string_view message, StringPool& strings) {
  NvtxState state;
  std::uint64_t default_domain = 0;
  using enum ncu::NvtxState;
  ReadFields(
      message,
      Each(kDomain,
           [&](Bytes domain) {
             state.domains.push_back(ReadDomain(domain, strings));
           }),
      Each(kThread, [&](Bytes thread) { ReadThread(thread, strings, state); }),
      Each(kStartEndDomain,
           [&](Bytes domain) { ReadStartEnds(domain, strings, state); }),
      Into(kDefaultDomain, default_domain),
      Each<std::uint64_t>(kPushPopScope, [&](std::uint64_t process) {
        state.process_scope = process != 0;
      }));
  // ncu names it "<default domain>"; here it has no name.
  for (NvtxDomain& domain : state.domains) {
    if (domain.id == default_domain) domain.name = StringId{};
  }
  return state;
}

Section DecodeSection(std::string_view message, Profile& profile) {
  Section section;
  using enum ncu::Section;
  // The body, metric definitions and sets are not used.
  ReadFields(message, Text(kIdentifier, profile.strings, section.identifier),
             Text(kDisplayName, profile.strings, section.display_name),
             Into(kOrder, section.order), Each(kHeader, [&](Bytes header) {
               ReadHeader(header, profile, section);
             }));
  return section;
}

RuleResult DecodeRule(std::string_view message, StringPool& strings) {
  RuleResult rule;
  using enum ncu::RuleResult;
  ReadFields(
      message, Text(kIdentifier, strings, rule.identifier),
      Text(kDisplayName, strings, rule.display_name),
      Text(kSection, strings, rule.section),
      Each(kBody, [&](Bytes body) { ReadRuleBody(body, strings, rule); }));
  return rule;
}

}  // namespace rangefinder
