#include "ingest/ncu/ncu_session.h"

#include <utility>

#include "base/text.h"
#include "ingest/ncu/ncu_fields.h"

namespace rangefinder::ncu {
namespace {

using Attribute = std::pair<StringId, Value>;

Attribute ReadAttribute(std::string_view message, StringPool& strings,
                        const Place& place) {
  Attribute attribute;
  using enum DeviceAttribute;
  const Fields fields{
      Text(kName, strings, attribute.first),
      Each(kValue,
           [&](Bytes value) {
             attribute.second = DecodeValue(value, strings, place);
           }),
  };
  fields.Read(message);
  return attribute;
}

void ReadDevice(std::string_view message, Profile& profile, SessionSeen& seen,
                const Place& place) {
  Device device;
  using enum DeviceAttributes;
  const Fields fields{
      Into(kId, device.index),
      Text(kName, profile.strings, device.name),
      Each(kAttribute,
           [&](Bytes attribute) {
             device.attributes.push_back(
                 ReadAttribute(attribute, profile.strings, place));
           }),
  };
  fields.Read(message);
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
  using enum VersionInfo;
  const Fields fields{
      Into(kProvider, version.first),
      Into(kVersion, version.second),
  };
  fields.Read(message);
  if (seen.versions.insert(version).second)
    artifact.versions.push_back(std::move(version));
}

}  // namespace

void DecodeStrings(std::string_view message, StringPool& pool,
                   std::vector<StringId>& strings) {
  const Fields fields{Each(StringTable::kString, [&](Bytes text) {
    strings.push_back(pool.Intern(text));
  })};
  fields.Read(message);
}

void DecodeSession(std::string_view message, Profile& profile,
                   SessionSeen& seen, const Place& place) {
  Artifact& artifact = profile.artifacts.back();
  using enum Session;
  const Fields fields{
      Into(kCreationTime, artifact.created_unix_s),
      Each(kDeviceAttributes,
           [&](Bytes device) { ReadDevice(device, profile, seen, place); }),
      Each(kVersionInfo,
           [&](Bytes version) { ReadVersion(version, artifact, seen); }),
      Into(kProfilerCommandLine, artifact.command_line),
      // Host and target system, settings: read past on purpose.
      Unread{[&](Tag field) {
        if (field > static_cast<Tag>(kProfilerCommandLine))
          place.NoteUnknown("session", field);
      }},
  };
  fields.Read(message);
}

ProcessId DecodeProcess(std::string_view message, Profile& profile,
                        SessionSeen& seen, const Place& place) {
  Process process;
  using enum ProcessInfo;
  const Fields fields{
      Into(kProcessId, process.pid),
      Text(kHostname, profile.strings, process.host),
      Text(kProcessName, profile.strings, process.name),
      Unread{[&](Tag field) { place.NoteUnknown("process", field); }},
  };
  fields.Read(message);
  const auto [known, is_new] = seen.processes.try_emplace(
      {process.pid, process.name, process.host},
      static_cast<ProcessId>(profile.processes.size()));
  if (is_new) profile.processes.push_back(process);
  return known->second;
}

std::string ReplayModeOn(std::string_view command_line) {
  constexpr std::string_view kOption = "--replay-mode";
  const std::vector<std::string> words = Split(command_line, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kOption && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(kOption) && words[i].size() > kOption.size() &&
        words[i][kOption.size()] == '=')
      return words[i].substr(kOption.size() + 1);
  }
  return {};
}

}  // namespace rangefinder::ncu
