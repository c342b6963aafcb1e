#include "ingest/ncu_session.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace rangefinder::ncu {
namespace {

using protozero::tag_and_type;
using enum protozero::pbf_wire_type;

void ReadDevice(std::string_view message, Profile& profile,
                const Place& place) {
  Device device;
  auto in = Open<DeviceAttributes>(message);
  while (in.next()) {
    using enum DeviceAttributes;
    switch (in.tag_and_type()) {
      case tag_and_type(kId, varint):
        device.index = static_cast<std::int32_t>(in.get_uint32());
        break;
      case tag_and_type(kName, length_delimited):
        device.name = profile.strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kAttribute, length_delimited): {
        std::pair<StringId, Value> attribute;
        auto pair = Open<DeviceAttribute>(View(in.get_view()));
        while (pair.next()) {
          using enum DeviceAttribute;
          switch (pair.tag_and_type()) {
            case tag_and_type(DeviceAttribute::kName, length_delimited):
              attribute.first = profile.strings.Intern(View(pair.get_view()));
              break;
            case tag_and_type(kValue, length_delimited):
              attribute.second =
                  DecodeValue(View(pair.get_view()), profile.strings, place);
              break;
            default:
              pair.skip();
          }
        }
        device.attributes.push_back(attribute);
        break;
      }
      default:
        in.skip();
    }
  }
  const auto known =
      std::ranges::find(profile.devices, device.index, &Device::index);
  if (known == profile.devices.end())
    profile.devices.push_back(std::move(device));
  else if (known->attributes.size() < device.attributes.size())
    *known = std::move(device);
}

}  // namespace

void DecodeStrings(std::string_view message, StringPool& pool,
                   std::vector<StringId>& strings) {
  auto in = Open<StringTable>(message);
  while (in.next()) {
    if (in.tag_and_type() ==
        tag_and_type(StringTable::kString, length_delimited)) {
      strings.push_back(pool.Intern(View(in.get_view())));
    } else {
      in.skip();
    }
  }
}

void DecodeSession(std::string_view message, Profile& profile,
                   const Place& place) {
  Artifact& artifact = profile.artifacts.back();
  auto in = Open<Session>(message);
  while (in.next()) {
    using enum Session;
    switch (in.tag_and_type()) {
      case tag_and_type(kCreationTime, varint):
        artifact.created_unix_s = in.get_uint64();
        break;
      case tag_and_type(kDeviceAttributes, length_delimited):
        ReadDevice(View(in.get_view()), profile, place);
        break;
      case tag_and_type(kVersionInfo, length_delimited): {
        std::pair<std::string, std::string> version;
        auto info = Open<VersionInfo>(View(in.get_view()));
        while (info.next()) {
          using enum VersionInfo;
          switch (info.tag_and_type()) {
            case tag_and_type(kProvider, length_delimited):
              version.first = info.get_string();
              break;
            case tag_and_type(kVersion, length_delimited):
              version.second = info.get_string();
              break;
            default:
              info.skip();
          }
        }
        if (std::ranges::find(artifact.versions, version) ==
            artifact.versions.end())
          artifact.versions.push_back(std::move(version));
        break;
      }
      case tag_and_type(kProfilerCommandLine, length_delimited):
        artifact.command_line = in.get_string();
        break;
      default:
        // Host and target system, settings: read past on purpose.
        if (in.tag() > kProfilerCommandLine)
          place.NoteUnknown("session", Number(in.tag()));
        in.skip();
    }
  }
}

ProcessId DecodeProcess(std::string_view message, Profile& profile,
                        const Place& place) {
  Process process;
  auto in = Open<ProcessInfo>(message);
  while (in.next()) {
    using enum ProcessInfo;
    switch (in.tag_and_type()) {
      case tag_and_type(kProcessId, varint):
        process.pid = in.get_uint64();
        break;
      case tag_and_type(kHostname, length_delimited):
        process.host = profile.strings.Intern(View(in.get_view()));
        break;
      case tag_and_type(kProcessName, length_delimited):
        process.name = profile.strings.Intern(View(in.get_view()));
        break;
      default:
        place.NoteUnknown("process", Number(in.tag()));
        in.skip();
    }
  }
  const auto known =
      std::ranges::find_if(profile.processes, [&](const Process& other) {
        return other.pid == process.pid && other.name == process.name &&
               other.host == process.host;
      });
  const auto id = static_cast<ProcessId>(known - profile.processes.begin());
  if (known == profile.processes.end()) profile.processes.push_back(process);
  return id;
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
