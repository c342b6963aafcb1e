#include "ingest/nsys/nsys_reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <system_error>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "ingest/nsys/nsys_process.h"
#include "ingest/sqlite_file.h"
#include "ingest/trace/trace_reader.h"
#include "wire/timed_calls.h"

namespace rangefinder {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kCpuFaults = "CUDA_UM_CPU_PAGE_FAULT_EVENTS";
constexpr std::string_view kGpuFaults = "CUDA_UM_GPU_PAGE_FAULT_EVENTS";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kOverhead = "CUPTI_ACTIVITY_KIND_OVERHEAD";
constexpr std::string_view kRanges = "NVTX_EVENTS";
constexpr std::string_view kStrings = "StringIds";

// NVTX_EVENTS.eventType
constexpr std::int64_t kMark = 34;
constexpr std::int64_t kPushPop = 59;
constexpr std::int64_t kStartEnd = 60;
constexpr std::int64_t kDomain = 75;

// CUPTI_ACTIVITY_KIND_OVERHEAD.overheadType, the one that is no overhead of the
// profiler.
constexpr std::int64_t kDriverCompiler = 2;
constexpr std::int64_t kModuleLoading = 6;
constexpr std::int64_t kFunctionLoading = 7;

// CUpti_ActivityUnifiedMemoryCounterKind
constexpr std::uint32_t kMovedToDevice = 1;
constexpr std::uint32_t kMovedToHost = 2;
constexpr std::uint32_t kCpuPageFault = 3;
constexpr std::uint32_t kGpuPageFault = 4;
constexpr std::uint32_t kMovedBetweenDevices = 8;

// The counter of unified memory for a copy kind, by ENUM_CUDA_MEMCPY_OPER; 0: a
// copy of the program itself.
constexpr std::uint32_t MigrationOf(std::int64_t copy_kind) {
  switch (copy_kind) {
    case 11:
      return kMovedToDevice;
    case 12:
      return kMovedToHost;
    case 13:
      return kMovedBetweenDevices;
    default:
      return 0;
  }
}

// CUpti_ActivityMemoryKind of ENUM_CUDA_MEM_KIND, which begins with pageable
// memory and ends with unknown.
constexpr std::uint32_t KindInTrace(std::int64_t kind) {
  constexpr std::int64_t kUnknown = 7;
  return kind >= 0 && kind < kUnknown ? static_cast<std::uint32_t>(kind) + 1
                                      : 0;
}

std::uint32_t Unsigned32(std::int64_t number) {
  return static_cast<std::uint32_t>(number);
}

// Identifies a thread: system, process and thread in one number.
struct GlobalThread {
  std::uint64_t id = 0;

  std::uint64_t process() const { return id & ~std::uint64_t{0xFFFFFF}; }
  std::uint64_t pid() const { return (id >> 24) & 0xFFFFFF; }
  std::uint32_t tid() const { return id & 0xFFFFFF; }
};

// All profiles as one, in their order. Appending costs as much as both sides,
// so neighbours are joined in pairs.
Profile Joined(std::vector<Profile> profiles) {
  for (; profiles.size() > 1; profiles.resize((profiles.size() + 1) / 2)) {
    for (std::size_t i = 0; i < profiles.size(); i += 2) {
      if (i + 1 < profiles.size()) Append(profiles[i], profiles[i + 1]);
      if (i > 0) profiles[i / 2] = std::move(profiles[i]);
    }
  }
  return profiles.empty() ? Profile{} : std::move(profiles.front());
}

class NsysReader {
 public:
  NsysReader(SqliteFile& file, Notes& notes, const ReaderInput& input)
      : file_(file),
        notes_(notes),
        input_(input),
        nameless_(file.HasTable(kKernels) &&
                  !file.HasColumn(kKernels, "globalPid")) {}

  // Each function reads one or two tables, which a file may lack. GPU work
  // comes before calls.
  Status ReadKernels() {
    if (!file_.HasTable(kKernels)) {
      notes_.Add(Severity::kWarning, "no_kernels",
                 "the file has no table of kernels: CUDA was not traced, or "
                 "nothing ran on a GPU",
                 input_.path);
      return Ok();
    }
    if (nameless_) {
      notes_.Add(Severity::kWarning, "no_process_of_kernels",
                 "the file does not name the processes of kernels: all kernels "
                 "are shown in one process",
                 input_.path);
    }
    SqliteRows rows = TRY(file_.Select(kKernels, {"start",
                                                  "end",
                                                  "globalPid",
                                                  "correlationId",
                                                  "deviceId",
                                                  "contextId",
                                                  "streamId",
                                                  "graphNodeId",
                                                  "demangledName",
                                                  "shortName",
                                                  "mangledName",
                                                  "gridX",
                                                  "gridY",
                                                  "gridZ",
                                                  "blockX",
                                                  "blockY",
                                                  "blockZ",
                                                  "registersPerThread",
                                                  "staticSharedMemory",
                                                  "dynamicSharedMemory",
                                                  "greenContextId"}));
    while (TRY(rows.Next())) {
      const auto name = [&](int column) -> Result<std::uint32_t> {
        return static_cast<std::uint32_t>(TRY(String(rows.Integer(column))));
      };
      const auto number = [&](int column) {
        return Unsigned32(rows.IntegerOr(column, 0));
      };
      TraceShape shape{.registers = number(17),
                       .grid = {number(11), number(12), number(13)},
                       .block = {number(14), number(15), number(16)},
                       .static_shared = number(18),
                       .dynamic_shared = number(19),
                       .uses_green_context = rows.IntegerOr(20, 0) != 0};
      shape.demangled = TRY(name(8));
      shape.function = TRY(name(9));
      shape.name = TRY(name(10));
      if (shape.demangled == 0) shape.demangled = shape.function;
      NsysProcess& process =
          ProcessOf(GlobalThread{Unsigned(rows.IntegerOr(2, 0))});
      AddWork(rows,
              {.kind = wire::Gpu::kKernel, .shape = process.ShapeOf(shape)});
    }
    return Ok();
  }

  Status ReadGraphs() {
    if (!file_.HasTable(kGraphs)) return Ok();
    SqliteRows rows = TRY(file_.Select(
        kGraphs, {"start", "end", "globalPid", "correlationId", "deviceId",
                  "contextId", "streamId", "graphNodeId", "graphId"}));
    while (TRY(rows.Next())) {
      const auto name = static_cast<std::uint32_t>(
          strings_.Intern(fmt::format("CUDA graph {}", rows.IntegerOr(8, 0))));
      NsysProcess& process =
          ProcessOf(GlobalThread{Unsigned(rows.IntegerOr(2, 0))});
      AddWork(rows, {.kind = wire::Gpu::kKernel,
                     .shape = process.ShapeOf({.name = 0,
                                               .demangled = name,
                                               .function = name,
                                               .is_graph = true})});
    }
    return Ok();
  }

  Status ReadCopies() {
    if (!file_.HasTable(kCopies)) return Ok();
    SqliteRows rows = TRY(file_.Select(
        kCopies, {"start", "end", "globalPid", "correlationId", "deviceId",
                  "contextId", "streamId", "graphNodeId", "bytes", "copyKind",
                  "srcKind", "dstKind"}));
    while (TRY(rows.Next())) {
      const std::uint64_t bytes = Unsigned(rows.IntegerOr(8, 0));
      const std::int64_t kind = rows.IntegerOr(9, 0);
      if (const std::uint32_t migration = MigrationOf(kind); migration != 0) {
        ProcessOf(GlobalThread{Unsigned(rows.IntegerOr(2, 0))})
            .AddMigration(migration, rows.IntegerOr(0, 0), rows.IntegerOr(1, 0),
                          bytes, Unsigned32(rows.IntegerOr(4, -1)));
        continue;
      }
      AddWork(rows, {.kind = wire::Gpu::kCopy,
                     .operand = (Unsigned32(kind) & 0xFF) |
                                KindInTrace(rows.IntegerOr(10, -1)) << 8 |
                                KindInTrace(rows.IntegerOr(11, -1)) << 12,
                     .bytes = bytes});
    }
    return Ok();
  }

  Status ReadSets() {
    if (!file_.HasTable(kSets)) return Ok();
    SqliteRows rows = TRY(file_.Select(
        kSets, {"start", "end", "globalPid", "correlationId", "deviceId",
                "contextId", "streamId", "graphNodeId", "bytes"}));
    while (TRY(rows.Next())) {
      AddWork(rows, {.kind = wire::Gpu::kSet,
                     .bytes = Unsigned(rows.IntegerOr(8, 0))});
    }
    return Ok();
  }

  Status ReadPageFaults() {
    for (const auto& [table, kind] :
         {std::pair(kCpuFaults, kCpuPageFault), {kGpuFaults, kGpuPageFault}}) {
      if (!file_.HasTable(table)) continue;
      SqliteRows rows =
          TRY(file_.Select(table, {"start", "end", "globalPid", "deviceId"}));
      while (TRY(rows.Next())) {
        const std::int64_t start = rows.IntegerOr(0, 0);
        ProcessOf(GlobalThread{Unsigned(rows.IntegerOr(2, 0))})
            .AddMigration(kind, start, rows.IntegerOr(1, start), 0,
                          Unsigned32(rows.IntegerOr(3, -1)));
      }
    }
    return Ok();
  }

  Status ReadCalls() {
    if (!file_.HasTable(kCalls)) return Ok();
    SqliteRows rows = TRY(file_.Select(
        kCalls, {"start", "end", "globalTid", "correlationId", "nameId"}));
    while (TRY(rows.Next())) {
      const GlobalThread thread{Unsigned(rows.IntegerOr(2, 0))};
      const std::int64_t start = rows.IntegerOr(0, 0);
      const StringId name = TRY(String(rows.Integer(4)));
      NsysProcess& process = ProcessOf(thread);
      const bool launches =
          process.AddCall(thread.tid(),
                          {.start = start,
                           .end = rows.IntegerOr(1, start),
                           .correlation = Unsigned32(rows.IntegerOr(3, 0)),
                           .name = name},
                          KindOf(name));
      if (launches && nameless_) process.pid = thread.pid();
    }
    return Ok();
  }

  // Lazy loading and compiling, inside other calls. The other rows are overhead
  // of the profiler, or waits for a full queue, which belong to the launch.
  Status ReadOverhead() {
    if (!file_.HasTable(kOverhead)) return Ok();
    SqliteRows rows = TRY(file_.Select(
        kOverhead, {"start", "end", "globalTid", "overheadType", "nameId"}));
    while (TRY(rows.Next())) {
      const std::int64_t type = rows.IntegerOr(3, 0);
      if (type != kDriverCompiler && type != kModuleLoading &&
          type != kFunctionLoading)
        continue;
      const GlobalThread thread{Unsigned(rows.IntegerOr(2, 0))};
      const std::int64_t start = rows.IntegerOr(0, 0);
      const StringId name = TRY(String(rows.Integer(4)));
      ProcessOf(thread).AddTimed(
          wire::TimedCall::kLoad, thread.tid(),
          {.start = start, .end = rows.IntegerOr(1, start), .name = name});
    }
    return Ok();
  }

  Status ReadRanges() {
    if (!file_.HasTable(kRanges)) {
      notes_.Add(Severity::kInfo, "no_nvtx",
                 "the file has no NVTX events: the program opened no range, or "
                 "NVTX was not traced",
                 input_.path);
      return Ok();
    }
    SqliteRows rows = TRY(file_.Select(
        kRanges, {"start", "end", "eventType", "text", "textId", "globalTid",
                  "domainId", "category", "color", "endGlobalTid"}));
    std::uint64_t marks = 0;
    std::uint64_t row = 0;
    while (TRY(rows.Next())) {
      ++row;
      const std::int64_t type = rows.IntegerOr(2, 0);
      if (type == kMark) ++marks;
      if (type != kPushPop && type != kStartEnd && type != kDomain) continue;
      StringId name{};
      if (const auto text = rows.Text(3)) {
        name = strings_.Intern(*text);
      } else {
        name = TRY(String(rows.Integer(4)));
      }
      const std::int64_t global = rows.IntegerOr(5, 0);
      const GlobalThread thread{Unsigned(global)};
      const std::uint64_t domain = Unsigned(rows.IntegerOr(6, 0));
      NsysProcess& process = ProcessOf(thread);
      if (type == kDomain) {
        process.NameDomain(domain, name);
        continue;
      }
      const GlobalThread closed_by{Unsigned(rows.IntegerOr(9, global))};
      process.AddRange(thread.tid(),
                       {.start = rows.IntegerOr(0, 0),
                        .end = rows.IntegerOr(1, NsysRange::kNeverClosed),
                        .id = type == kStartEnd ? row : 0,
                        .label = process.LabelOf(
                            domain, name, Unsigned32(rows.IntegerOr(8, 0)),
                            Unsigned32(rows.IntegerOr(7, 0))),
                        .closed_by = closed_by.tid()});
    }
    if (marks > 0) {
      notes_.Add(Severity::kInfo, "nvtx_marks",
                 "NVTX marks in the file are not shown", input_.path, marks);
    }
    return Ok();
  }

  Status ReadProcessNames() {
    if (!file_.HasTable("PROCESSES")) return Ok();
    SqliteRows rows = TRY(file_.Select("PROCESSES", {"globalPid", "name"}));
    while (TRY(rows.Next())) {
      const GlobalThread global{Unsigned(rows.IntegerOr(0, 0))};
      names_[global.pid()] = rows.Text(1).value_or("");
    }
    return Ok();
  }

  // Whether no table had a row.
  bool empty() const { return order_.empty(); }

  // Call once, when all tables are read.
  Profile Finish(const std::string& host) {
    // Times of the file may be negative; times of a profile may not.
    std::int64_t first = NsysRange::kNeverClosed;
    for (const NsysProcess* process : order_)
      first = std::min(first, process->first());
    const std::uint64_t shift = 0 - Unsigned(std::min<std::int64_t>(0, first));
    const auto intern = [&](std::string_view text) {
      return static_cast<std::uint32_t>(strings_.Intern(text));
    };
    const std::pair api(intern("api"),
                        intern(file_.HasTable(kCalls) ? "launches" : "none"));
    std::vector<std::string_view> texts = Texts();
    std::vector<Profile> profiles;
    std::uint64_t crossing = 0;
    for (NsysProcess* process : order_) {
      if (!process->has_content()) continue;
      Trace trace = process->Finish(shift, std::move(texts));
      crossing += process->crossing();
      trace.header.first.realtime_ns = Unsigned(first) + shift;
      trace.host = host;
      trace.names.facts.push_back(api);
      if (const auto name = names_.find(process->pid); name != names_.end())
        trace.executable = name->second;
      profiles.push_back(ProfileOfTrace(trace, input_, notes_));
      texts = std::move(trace.names.strings);
      *process = {};
    }
    if (crossing > 0) {
      notes_.Add(
          Severity::kInfo, "crossing_ranges",
          "push/pop ranges that end inside another range of their thread "
          "and domain: that range has an instance before and one after",
          input_.path, crossing);
    }
    return Joined(std::move(profiles));
  }

 private:
  Result<StringId> String(std::optional<std::int64_t> id) {
    if (!id) return StringId{};
    if (const auto known = by_id_.find(*id); known != by_id_.end())
      return known->second;
    const auto text = TRY(Text(*id));
    if (!text) {
      notes_.Add(Severity::kWarning, "missing_string",
                 "names whose text is missing in the file are shown as empty",
                 input_.path);
    }
    const StringId string = strings_.Intern(text.value_or(""));
    by_id_.emplace(*id, string);
    return string;
  }

  // A lookup in a table without a key would read the table from its beginning,
  // so such a table is read once.
  Result<std::optional<std::string>> Text(std::int64_t id) {
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

  NsysProcess& ProcessOf(GlobalThread global) {
    const std::uint64_t id = nameless_ ? 0 : global.process();
    const auto [known, is_new] = processes_.try_emplace(id);
    if (is_new) {
      known->second.pid = global.pid();
      order_.push_back(&known->second);
    }
    return known->second;
  }

  wire::TimedCall KindOf(StringId name) {
    const auto [known, is_new] = kinds_.try_emplace(name);
    if (is_new) known->second = wire::TimedCallOf(strings_[name]);
    return known->second;
  }

  // Adds GPU work from the columns that all tables of it begin with: start,
  // end, globalPid, correlationId, deviceId, contextId, streamId, graphNodeId.
  void AddWork(const SqliteRows& rows, TraceGpuRecord record) {
    NsysProcess& process =
        ProcessOf(GlobalThread{Unsigned(rows.IntegerOr(2, 0))});
    record.correlation = Unsigned32(rows.IntegerOr(3, 0));
    record.place = process.PlaceOf({.device = Unsigned32(rows.IntegerOr(4, -1)),
                                    .context = Unsigned32(rows.IntegerOr(5, 0)),
                                    .stream = Unsigned(rows.IntegerOr(6, 0))});
    record.graph_node = Unsigned(rows.IntegerOr(7, 0));
    process.AddWork(record, rows.IntegerOr(0, 0), rows.IntegerOr(1, 0));
  }

  std::vector<std::string_view> Texts() const {
    std::vector<std::string_view> texts;
    texts.reserve(strings_.size());
    for (std::size_t i = 0; i < strings_.size(); ++i)
      texts.push_back(strings_[static_cast<StringId>(i)]);
    return texts;
  }

  SqliteFile& file_;
  Notes& notes_;
  const ReaderInput& input_;
  // Kernels do not name their process: all rows belong to one process.
  const bool nameless_;
  StringPool strings_;
  std::unordered_map<std::int64_t, StringId>
      by_id_;  // as the file numbers them
  // All texts, if the table of texts has no key.
  std::optional<std::unordered_map<std::int64_t, std::string>> texts_;
  std::unordered_map<StringId, wire::TimedCall> kinds_;  // by name
  std::map<std::uint64_t, NsysProcess>
      processes_;                    // by GlobalThread::process()
  std::vector<NsysProcess*> order_;  // of appearance
  std::unordered_map<std::uint64_t, std::string> names_;  // by process id
};

// ---- The machine and the run -----------------------------------------------

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

// Reads versions, command line and date into the artifact, and the host.
Status ReadProvenance(SqliteFile& file, Artifact& artifact, std::string& host) {
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
      if (name == "Hostname") host = value;
    }
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

Result<Profile> ReadNsys(const std::filesystem::path& path, Notes& notes,
                         const ReadSelection* selection) {
  const std::string where = path.string();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) &&
      !std::filesystem::is_regular_file(path, ignored)) {
    return Error(ErrorCode::kUsage,
                 where + ": an SQLite export is read from a file, not a pipe");
  }
  SqliteFile file = TRY(SqliteFile::Open(path).In(where));
  TRY(CheckKind(file).In(where));
  const ReaderInput input{.path = where, .selection = selection};
  NsysReader reader(file, notes, input);

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
  if (!kernels.ok() && reader.empty())
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
  keep(reader.ReadCopies());
  keep(reader.ReadSets());
  keep(reader.ReadPageFaults());
  keep(reader.ReadCalls());
  keep(reader.ReadOverhead());
  keep(reader.ReadRanges());
  keep(reader.ReadProcessNames());
  Artifact artifact{.path = where,
                    .format = "nsys-sqlite",
                    .bytes = std::filesystem::file_size(path, ignored)};
  std::string host;
  keep(ReadProvenance(file, artifact, host));
  Profile profile = reader.Finish(host);
  profile.artifacts.push_back(std::move(artifact));
  keep(NameDevices(file, profile));
  return profile;
}

}  // namespace rangefinder
