#include "ingest/nsys/nsys_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <system_error>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "ingest/nsys/nsys_contexts.h"
#include "profile/range_depth.h"

namespace rangefinder {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kRanges = "NVTX_EVENTS";
constexpr std::string_view kStrings = "StringIds";

// NVTX_EVENTS.eventType
constexpr std::int64_t kMark = 34;
constexpr std::int64_t kPushPop = 59;
constexpr std::int64_t kStartEnd = 60;
constexpr std::int64_t kDomain = 75;

std::uint64_t Unsigned(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}

class NsysReader {
 public:
  NsysReader(SqliteFile& file, Profile& profile, Notes& notes,
             std::string where)
      : file_(file),
        profile_(profile),
        notes_(notes),
        where_(std::move(where)) {}

  // Each reads one table. A file may lack any of them.
  Status ReadKernels();
  Status ReadGraphs();
  Status ReadLaunchCalls();
  Status ReadRanges();

  // Call when all tables are read.
  void Finish();

 private:
  // Identifies a launch in tables of kernels and of calls.
  struct LaunchKey {
    std::uint64_t process = 0;  // GlobalThread::process()
    std::int64_t correlation = 0;
    friend bool operator==(const LaunchKey&, const LaunchKey&) = default;
  };
  struct LaunchHash {
    std::size_t operator()(const LaunchKey& key) const {
      return std::hash<std::uint64_t>()(key.process * 0x9E3779B97F4A7C15U ^
                                        Unsigned(key.correlation));
    }
  };

  using Waiting =
      std::unordered_map<LaunchKey, std::vector<MeasurementId>, LaunchHash>;

  LeakFinder FindLeaks() const;
  Result<StringId> String(std::optional<std::int64_t> id);
  Result<std::optional<std::string>> Text(std::int64_t id);
  ProcessId FindOrAddProcess(std::uint64_t global);
  void AddDevice(std::int32_t index);
  // Adds a measurement with the columns that kernels and graphs share.
  Measurement& Add(const SqliteRows& rows, std::int64_t start,
                   std::int64_t end);
  StringId Payload(const SqliteRows& rows, int first);
  // The kernels that `thread` launched, in a file whose kernels name no
  // process.
  Waiting::iterator FindNameless(std::int64_t correlation, GlobalThread thread);

  SqliteFile& file_;
  Profile& profile_;
  Notes& notes_;
  std::string where_;
  std::unordered_map<std::int64_t, StringId> strings_;
  // All texts, if the table of texts has no key.
  std::optional<std::unordered_map<std::int64_t, std::string>> texts_;
  std::map<std::uint64_t, ProcessId> processes_;  // by GlobalThread::process()
  std::set<std::int32_t> devices_;
  Waiting waiting_;        // measurements without a launch call so far
  bool nameless_ = false;  // kernels do not name their process
  std::vector<TracedLaunch> launches_;
  std::vector<TracedRange> ranges_;
  DomainNames domains_;
  // Times of the file may be negative; times of a profile may not.
  struct Times {
    std::int64_t start = 0;
    std::int64_t end = 0;
  };
  std::vector<Times> times_;  // by MeasurementId
};

Result<StringId> NsysReader::String(std::optional<std::int64_t> id) {
  if (!id) return StringId{};
  if (const auto known = strings_.find(*id); known != strings_.end())
    return known->second;
  const auto text = TRY(Text(*id));
  if (!text) {
    notes_.Add(Severity::kWarning, "missing_string",
               "names whose text is missing in the file are shown as empty",
               where_);
  }
  const StringId string = profile_.strings.Intern(text.value_or(""));
  strings_.emplace(*id, string);
  return string;
}

// A lookup in a table without a key would read the table from its beginning, so
// such a table is read once.
Result<std::optional<std::string>> NsysReader::Text(std::int64_t id) {
  if (file_.HasKey(kStrings, "id"))
    return TRY(file_.Lookup(kStrings, "value", "id", id));
  if (!texts_) {
    texts_.emplace();
    if (!file_.HasTable(kStrings)) return std::optional<std::string>();
    SqliteRows rows = TRY(file_.Select(kStrings, {"id", "value"}));
    while (TRY(rows.Next())) {
      const auto key = rows.Integer(0);
      const auto text = rows.Text(1);
      if (key && text) texts_->try_emplace(*key, *text);
    }
  }
  const auto known = texts_->find(id);
  if (known == texts_->end()) return std::optional<std::string>();
  return std::optional(known->second);
}

ProcessId NsysReader::FindOrAddProcess(std::uint64_t global) {
  const auto [known, is_new] = processes_.emplace(
      global, static_cast<ProcessId>(profile_.processes.size()));
  if (is_new) profile_.processes.push_back({.pid = GlobalThread{global}.pid()});
  return known->second;
}

void NsysReader::AddDevice(std::int32_t index) {
  if (devices_.insert(index).second)
    profile_.devices.push_back({.index = index});
}

Measurement& NsysReader::Add(const SqliteRows& rows, std::int64_t start,
                             std::int64_t end) {
  const GlobalThread global{Unsigned(rows.IntegerOr(2, 0))};
  const std::int64_t correlation = rows.IntegerOr(3, 0);
  const auto id = static_cast<MeasurementId>(profile_.measurements.size());
  const auto device = static_cast<std::int32_t>(rows.IntegerOr(4, -1));
  waiting_[{global.process(), correlation}].push_back(id);
  times_.push_back({start, std::max(start, end)});
  AddDevice(device);
  profile_.measurements.push_back(
      {.mode = ReplayMode::kTrace,
       .process = FindOrAddProcess(global.process()),
       .device = device,
       .context = Unsigned(rows.IntegerOr(5, 0)),
       .stream = Unsigned(rows.IntegerOr(6, 0)),
       .api_call = Unsigned(correlation)});
  return profile_.measurements.back();
}

Status NsysReader::ReadKernels() {
  if (!file_.HasTable(kKernels)) {
    notes_.Add(Severity::kWarning, "no_kernels",
               "the file has no table of kernels: CUDA was not traced, or "
               "nothing ran on a GPU",
               where_);
    return Ok();
  }
  if (!file_.HasColumn(kKernels, "globalPid")) {
    nameless_ = true;
    notes_.Add(Severity::kWarning, "no_process_of_kernels",
               "the file does not name the processes of kernels: all kernels "
               "are shown in one process",
               where_);
  }
  SqliteRows rows = TRY(file_.Select(
      kKernels,
      {"start", "end", "globalPid", "correlationId", "deviceId", "contextId",
       "streamId", "demangledName", "shortName", "mangledName", "gridX",
       "gridY", "gridZ", "blockX", "blockY", "blockZ", "greenContextId"}));
  while (TRY(rows.Next())) {
    const StringId demangled = TRY(String(rows.Integer(7)));
    const StringId function = TRY(String(rows.Integer(8)));
    const StringId mangled = TRY(String(rows.Integer(9)));
    const auto dim = [&](int first) {
      return Dim3{Unsigned(rows.IntegerOr(first, 0)),
                  Unsigned(rows.IntegerOr(first + 1, 0)),
                  Unsigned(rows.IntegerOr(first + 2, 0))};
    };
    Measurement& kernel = Add(rows, rows.IntegerOr(0, 0), rows.IntegerOr(1, 0));
    kernel.demangled_name = demangled == StringId{} ? function : demangled;
    kernel.function_name = function;
    kernel.mangled_name = mangled;
    kernel.grid = dim(10);
    kernel.block = dim(13);
    kernel.uses_green_context = rows.IntegerOr(16, 0) != 0;
  }
  return Ok();
}

Status NsysReader::ReadGraphs() {
  if (!file_.HasTable(kGraphs)) return Ok();
  SqliteRows rows = TRY(
      file_.Select(kGraphs, {"start", "end", "globalPid", "correlationId",
                             "deviceId", "contextId", "streamId", "graphId"}));
  while (TRY(rows.Next())) {
    Measurement& graph = Add(rows, rows.IntegerOr(0, 0), rows.IntegerOr(1, 0));
    graph.kind = MeasurementKind::kGraph;
    graph.demangled_name = profile_.strings.Intern(
        fmt::format("CUDA graph {}", rows.IntegerOr(7, 0)));
    graph.function_name = graph.demangled_name;
  }
  return Ok();
}

NsysReader::Waiting::iterator NsysReader::FindNameless(std::int64_t correlation,
                                                       GlobalThread thread) {
  const auto found = waiting_.find({0, correlation});
  if (found != waiting_.end())
    profile_.processes[Index(processes_.at(0))].pid = thread.pid();
  return found;
}

Status NsysReader::ReadLaunchCalls() {
  if (file_.HasTable(kCalls)) {
    SqliteRows rows =
        TRY(file_.Select(kCalls, {"start", "globalTid", "correlationId"}));
    while (TRY(rows.Next())) {
      const GlobalThread thread{Unsigned(rows.IntegerOr(1, 0))};
      const std::int64_t correlation = rows.IntegerOr(2, 0);
      auto found = waiting_.find({thread.process(), correlation});
      // Kernels of old exports name no process.
      if (found == waiting_.end() && nameless_)
        found = FindNameless(correlation, thread);
      if (found == waiting_.end()) continue;
      for (const MeasurementId id : found->second)
        launches_.push_back({id, thread, rows.IntegerOr(0, 0)});
      waiting_.erase(found);
    }
  }
  std::uint64_t lost = 0;
  for (const auto& [key, measurements] : waiting_) lost += measurements.size();
  if (lost > 0) {
    notes_.Add(Severity::kWarning, "launch_unknown",
               "kernels whose launch call is not in the file are shown under "
               "(unattributed)",
               where_, lost);
  }
  return Ok();
}

StringId NsysReader::Payload(const SqliteRows& rows, int first) {
  for (int i = first; i < first + 4; ++i) {
    if (const auto integer = rows.Integer(i)) {
      return profile_.strings.Intern(i == first
                                         ? std::to_string(Unsigned(*integer))
                                         : std::to_string(*integer));
    }
  }
  for (int i = first + 4; i < first + 6; ++i) {
    if (const auto number = rows.Double(i))
      return profile_.strings.Intern(fmt::format("{}", *number));
  }
  return profile_.strings.Intern(rows.Text(first + 6).value_or(""));
}

Status NsysReader::ReadRanges() {
  if (!file_.HasTable(kRanges)) {
    notes_.Add(Severity::kInfo, "no_nvtx",
               "the file has no NVTX events: the program opened no range, or "
               "NVTX was not traced",
               where_);
    return Ok();
  }
  SqliteRows rows = TRY(file_.Select(
      kRanges,
      {"start", "end", "eventType", "text", "textId", "globalTid", "domainId",
       "category", "color", "uint64Value", "int64Value", "uint32Value",
       "int32Value", "doubleValue", "floatValue", "jsonText"}));
  std::uint64_t marks = 0;
  std::uint64_t row = 0;
  while (TRY(rows.Next())) {
    ++row;
    const std::int64_t type = rows.IntegerOr(2, 0);
    if (type == kMark) ++marks;
    if (type != kPushPop && type != kStartEnd && type != kDomain) continue;
    StringId name{};
    if (const auto text = rows.Text(3)) {
      name = profile_.strings.Intern(*text);
    } else {
      name = TRY(String(rows.Integer(4)));
    }
    const GlobalThread thread{Unsigned(rows.IntegerOr(5, 0))};
    const std::uint64_t domain = Unsigned(rows.IntegerOr(6, 0));
    if (type == kDomain) {
      domains_[{thread.process(), domain}] = name;
      continue;
    }
    ranges_.push_back(
        {.kind = type == kPushPop ? FrameKind::kPushPop : FrameKind::kStartEnd,
         .thread = thread,
         .start = rows.IntegerOr(0, 0),
         .end = rows.IntegerOr(1, std::numeric_limits<std::int64_t>::max()),
         .domain = domain,
         .range = {.name = name,
                   .id = row,
                   .color = static_cast<std::uint32_t>(rows.IntegerOr(8, 0)),
                   .category = static_cast<std::uint32_t>(rows.IntegerOr(7, 0)),
                   .payload = Payload(rows, 9)}});
  }
  if (marks > 0) {
    notes_.Add(Severity::kInfo, "nvtx_marks",
               "NVTX marks in the file are not shown", where_, marks);
  }
  return Ok();
}

LeakFinder NsysReader::FindLeaks() const {
  LeakFinder leaks;
  for (const TracedRange& range : ranges_) {
    const bool closed = range.end != std::numeric_limits<std::int64_t>::max();
    const bool of_thread = range.kind == FrameKind::kPushPop;
    if (closed && of_thread) continue;
    const auto known = domains_.find({range.thread.process(), range.domain});
    const StringId domain =
        known == domains_.end() ? StringId{} : known->second;
    if (closed)
      leaks.AddEnded(range.thread.process(), domain, range.range.name);
    else
      leaks.Add(range.kind,
                of_thread ? range.thread.id : range.thread.process(), domain,
                range.range.name);
  }
  return leaks;
}

void NsysReader::Finish() {
  std::int64_t zero = 0;
  for (const Times& times : times_) zero = std::min(zero, times.start);
  for (const TracedLaunch& launch : launches_)
    zero = std::min(zero, launch.time);
  for (const TracedRange& range : ranges_) zero = std::min(zero, range.start);
  // Unsigned differences are defined even for absurd times.
  const auto moved = [&](std::int64_t ns) {
    return Unsigned(ns) - Unsigned(zero);
  };
  for (std::size_t i = 0; i < times_.size(); ++i) {
    profile_.measurements[i].start_ns = moved(times_[i].start);
    profile_.measurements[i].end_ns = moved(times_[i].end);
  }
  for (const TracedLaunch& launch : launches_) {
    Measurement& m = profile_.measurements[Index(launch.measurement)];
    m.thread = launch.thread.tid();
    m.launch_ns = moved(launch.time);
  }
  for (TracedRange& range : ranges_) {
    range.range.order = moved(range.start);
    if (range.end != std::numeric_limits<std::int64_t>::max() &&
        range.end >= range.start)
      range.range.close_ns = moved(range.end);
  }
  const LeakFinder leaks = FindLeaks();
  const std::size_t count = ranges_.size();
  const UnshownRanges unshown = AttachContexts(profile_, std::move(ranges_),
                                               std::move(launches_), domains_);
  leaks.Finish(profile_, unshown.too_deep, false, notes_, where_);
  if (unshown.open_at_no_launch > 0) {
    notes_.Add(Severity::kInfo, "ranges_without_kernels",
               fmt::format("NVTX ranges without kernel launches are not shown "
                           "(the file has {} ranges)",
                           count),
               where_, unshown.open_at_no_launch);
  }
}

// ---- The run around the kernels
// ----------------------------------------------

struct Activity {
  std::string_view table{};
  std::string_view kind{};  // the note's kind
  std::string_view name{};
};

constexpr std::array kActivities = {
    Activity{"CUPTI_ACTIVITY_KIND_MEMCPY", "memory_copies", "memory copies"},
    Activity{"CUPTI_ACTIVITY_KIND_MEMSET", "memory_sets", "memory fills"}};

// Notes memory copies and fills: the kernels' times do not include them.
Status CountCopies(SqliteFile& file, const std::string& where, Notes& notes) {
  for (const auto& [table, kind, name] : kActivities) {
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
                          name, ns / 1e6, bytes / 1e6),
              where, count);
  }
  return Ok();
}

// Names the processes of the profile.
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

// Sets names and chips of the devices of the profile.
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

// Reads versions, command line and date into the first artifact, and the host
// into the processes.
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

// kUnsupported for a database that is no export.
Status CheckKind(const SqliteFile& file) {
  if (file.HasTable(kKernels) || file.HasTable(kRanges) ||
      file.HasTable(kGraphs))
    return Ok();
  if (file.HasTable("scope_regions")) {
    return Error(ErrorCode::kUnsupported,
                 "a report that rangefinder wrote as tables: query it with SQL "
                 "(docs/tables.md), or make a report from the run directory, "
                 ".ncu-rep or trace");
  }
  return Error(ErrorCode::kUnsupported,
               "an SQLite database, but not an Nsight Systems export with "
               "kernels or NVTX events; export with nsys export --type sqlite");
}

}  // namespace

Result<Profile> ReadNsys(const std::filesystem::path& path, Notes& notes) {
  const std::string where = path.string();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) &&
      !std::filesystem::is_regular_file(path, ignored)) {
    return Error(ErrorCode::kUsage,
                 where + ": an SQLite export is read from a file, not a pipe");
  }
  SqliteFile file = TRY(SqliteFile::Open(path).In(where));
  TRY(CheckKind(file).In(where));
  Profile profile;
  profile.artifacts.push_back(
      {.path = where,
       .format = "nsys-sqlite",
       .bytes = std::filesystem::file_size(path, ignored)});
  NsysReader reader(file, profile, notes, where);

  if (file.has_journal()) {
    notes.Add(Severity::kDataLoss, "unfinished_file",
              "nsys was stopped while it wrote: a journal is beside the file; "
              "the report shows the content of the file itself",
              where);
  }
  if (file.is_truncated()) {
    notes.Add(Severity::kDataLoss, "truncated_file",
              "the file is truncated; the report shows the readable part",
              where);
  }
  // If one table is damaged, the others may be intact.
  Status kernels = reader.ReadKernels();
  if (!kernels.ok() && profile.measurements.empty())
    return std::move(kernels).error().In(where);
  const auto keep = [&](const Status& status) {
    if (status.ok()) return;
    notes.Add(Severity::kDataLoss, "truncated_file",
              "the file is damaged; the report shows the readable part: " +
                  status.error().message(),
              where);
  };
  keep(kernels);
  keep(reader.ReadGraphs());
  keep(reader.ReadLaunchCalls());
  keep(reader.ReadRanges());
  keep(CountCopies(file, where, notes));
  keep(NameProcesses(file, profile));
  keep(NameDevices(file, profile));
  keep(ReadProvenance(file, profile));
  reader.Finish();
  return profile;
}

}  // namespace rangefinder
