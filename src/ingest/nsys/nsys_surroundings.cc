#include "ingest/nsys/nsys_surroundings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "ingest/nsys/nsys_contexts.h"

namespace rangefinder {
namespace {

struct Activity {
  std::string_view table{};
  std::string_view kind{};  // of the note
  std::string_view name{};
};

constexpr std::array kActivities = {
    Activity{"CUPTI_ACTIVITY_KIND_MEMCPY", "memory_copies", "memory copies"},
    Activity{"CUPTI_ACTIVITY_KIND_MEMSET", "memory_sets", "memory fills"}};

std::uint64_t Unsigned(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}

}  // namespace

Status CountCopies(SqliteFile& file, const std::string& where, Notes& notes) {
  for (const auto& [table, kind, what] : kActivities) {
    if (!file.HasTable(table)) continue;
    SqliteRows rows = TRY(file.Select(table, {"start", "end", "bytes"}));
    std::uint64_t count = 0;
    double bytes = 0;
    double ns = 0;
    for (; TRY(rows.Next()); ++count) {
      ns += static_cast<double>(rows.IntegerOr(1, 0)) -
            static_cast<double>(rows.IntegerOr(0, 0));
      bytes += static_cast<double>(rows.IntegerOr(2, 0));
    }
    if (count == 0) continue;
    notes.Add(Severity::kInfo, kind,
              fmt::format("{} ({:.6g} ms, {:.6g} MB) are in the file and not "
                          "in the kernels' times",
                          what, ns / 1e6, bytes / 1e6),
              where, count);
  }
  return Ok();
}

Status NameProcesses(SqliteFile& file, Profile& profile) {
  if (!file.HasTable("PROCESSES")) return Ok();
  SqliteRows rows = TRY(file.Select("PROCESSES", {"globalPid", "name"}));
  std::unordered_map<std::uint64_t, StringId> names;  // by process id
  while (TRY(rows.Next())) {
    const GlobalThread global{Unsigned(rows.IntegerOr(0, 0))};
    names[global.pid()] = profile.strings.Intern(rows.Text(1).value_or(""));
  }
  for (Process& process : profile.processes) {
    const auto known = names.find(process.pid);
    if (known != names.end()) process.name = known->second;
  }
  return Ok();
}

Status NameDevices(SqliteFile& file, Profile& profile) {
  constexpr std::string_view kTable = "TARGET_INFO_GPU";
  if (!file.HasTable(kTable)) return Ok();
  SqliteRows rows =
      TRY(file.Select(kTable, {"id", "cuDevice", "name", "chipName"}));
  std::unordered_map<std::int64_t, Device*> devices;  // by index
  for (Device& device : profile.devices) devices[device.index] = &device;
  while (TRY(rows.Next())) {
    const auto known = devices.find(rows.IntegerOr(1, rows.IntegerOr(0, -1)));
    if (known == devices.end()) continue;
    known->second->name = profile.strings.Intern(rows.Text(2).value_or(""));
    known->second->chip = rows.Text(3).value_or("");
  }
  return Ok();
}

Status ReadProvenance(SqliteFile& file, Profile& profile) {
  Artifact& artifact = profile.artifacts.front();
  StringId host{};
  for (const std::string_view table :
       {std::string_view("META_DATA_EXPORT"),
        std::string_view("META_DATA_CAPTURE"),
        std::string_view("TARGET_INFO_SYSTEM_ENV")}) {
    if (!file.HasTable(table)) continue;
    SqliteRows rows = TRY(file.Select(table, {"name", "value"}));
    std::string command;
    while (TRY(rows.Next())) {
      const std::string_view name = rows.Text(0).value_or("");
      const std::string value(rows.Text(1).value_or(""));
      if (name == "EXPORT_PRODUCT_VERSION")
        artifact.versions.emplace_back("Nsight Systems", value);
      if (name == "EXPORT_SCHEMA_VERSION")
        artifact.versions.emplace_back("Nsight Systems export schema", value);
      if (name == "NvDriverVersion")
        artifact.versions.emplace_back("driver", value);
      if (name == "PROCESS_0:COMMAND")
        artifact.command_line = ShellQuote(value);
      if (name.starts_with("PROCESS_0:ARGUMENT_"))
        artifact.command_line += " " + ShellQuote(value);
      if (name == "Hostname") host = profile.strings.Intern(value);
    }
  }
  if (host != StringId{}) {
    for (Process& process : profile.processes) process.host = host;
  }
  constexpr std::string_view kStart = "TARGET_INFO_SESSION_START_TIME";
  if (!file.HasTable(kStart)) return Ok();
  SqliteRows rows = TRY(file.Select(kStart, {"utcEpochNs"}));
  if (TRY(rows.Next())) {
    artifact.created_unix_s =
        Unsigned(std::max<std::int64_t>(0, rows.IntegerOr(0, 0))) /
        1'000'000'000;
  }
  return Ok();
}

}  // namespace rangefinder
