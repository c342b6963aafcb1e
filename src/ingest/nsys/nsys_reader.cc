#include "ingest/nsys/nsys_reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
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
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kOverhead = "CUPTI_ACTIVITY_KIND_OVERHEAD";
constexpr std::string_view kRanges = "NVTX_EVENTS";

// NVTX_EVENTS.eventType
constexpr std::int64_t kMark = 34;
constexpr std::int64_t kPushPop = 59;
constexpr std::int64_t kStartEnd = 60;
constexpr std::int64_t kDomain = 75;

// CUPTI_ACTIVITY_KIND_OVERHEAD.overheadType: the types that are no overhead of
// the profiler.
constexpr std::int64_t kDriverCompiler = 2;
constexpr std::int64_t kModuleLoading = 6;
constexpr std::int64_t kFunctionLoading = 7;

// Kinds of ENUM_CUDA_MEMCPY_OPER from the first to the last are migrations of
// unified memory: to a device, to the host, between devices. The other kinds
// are copies of the program itself.
constexpr std::int64_t kFirstMigration = 11;
constexpr std::int64_t kLastMigration = 13;

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

  // Each function reads one or two tables. Texts come first, and GPU work comes
  // before calls.
  Status ReadTexts() {
    return file_.ForEach("StringIds", {"id", "value"},
                         [&](const SqliteRow& row) {
                           const auto number = row.Integer(0);
                           const auto text = row.Text(1);
                           if (number && text)
                             texts_.try_emplace(*number, *text);
                         });
  }

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
    return ForEachWork(
        kKernels,
        {"demangledName", "shortName", "mangledName", "gridX", "gridY", "gridZ",
         "blockX", "blockY", "blockZ", "registersPerThread",
         "staticSharedMemory", "dynamicSharedMemory"},
        [&](const SqliteRow& row) {
          const auto name = [&](int column) {
            return static_cast<std::uint32_t>(String(row.Integer(column)));
          };
          const auto number = [&](int column) {
            return Unsigned32(row.IntegerOr(column, 0));
          };
          TraceShape shape{.registers = number(17),
                           .grid = {number(11), number(12), number(13)},
                           .block = {number(14), number(15), number(16)},
                           .static_shared = number(18),
                           .dynamic_shared = number(19)};
          shape.demangled = name(8);
          shape.function = name(9);
          shape.name = name(10);
          if (shape.demangled == 0) shape.demangled = shape.function;
          NsysProcess& process = ProcessOf(row);
          AddWork(row, {.kind = wire::Gpu::kKernel,
                        .shape = process.ShapeOf(shape)});
        });
  }

  Status ReadGraphs() {
    return ForEachWork(kGraphs, {"graphId"}, [&](const SqliteRow& row) {
      const auto name = static_cast<std::uint32_t>(
          strings_.Intern(fmt::format("CUDA graph {}", row.IntegerOr(8, 0))));
      NsysProcess& process = ProcessOf(row);
      AddWork(row, {.kind = wire::Gpu::kKernel,
                    .shape = process.ShapeOf({.name = 0,
                                              .demangled = name,
                                              .function = name,
                                              .is_graph = true})});
    });
  }

  Status ReadCopies() {
    return ForEachWork(
        kCopies, {"bytes", "copyKind", "srcKind", "dstKind"},
        [&](const SqliteRow& row) {
          const std::int64_t kind = row.IntegerOr(9, 0);
          if (kind >= kFirstMigration && kind <= kLastMigration) {
            ProcessOf(row).AddMigration(row.IntegerOr(0, 0),
                                        row.IntegerOr(1, 0));
            return;
          }
          AddWork(row, {.kind = wire::Gpu::kCopy,
                        .operand = (Unsigned32(kind) & 0xFF) |
                                   KindInTrace(row.IntegerOr(10, -1)) << 8 |
                                   KindInTrace(row.IntegerOr(11, -1)) << 12,
                        .bytes = Unsigned(row.IntegerOr(8, 0))});
        });
  }

  Status ReadSets() {
    return ForEachWork(kSets, {"bytes"}, [&](const SqliteRow& row) {
      AddWork(row, {.kind = wire::Gpu::kSet,
                    .bytes = Unsigned(row.IntegerOr(8, 0))});
    });
  }

  Status ReadPageFaults() {
    for (const char* table :
         {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS"}) {
      TRY(file_.ForEach(
          table, {"start", "end", "globalPid"}, [&](const SqliteRow& row) {
            const std::int64_t start = row.IntegerOr(0, 0);
            ProcessOf(row).AddMigration(start, row.IntegerOr(1, start));
          }));
    }
    return Ok();
  }

  Status ReadCalls() {
    return file_.ForEach(
        kCalls, {"start", "end", "globalTid", "correlationId", "nameId"},
        [&](const SqliteRow& row) {
          const GlobalThread thread{Unsigned(row.IntegerOr(2, 0))};
          const std::int64_t start = row.IntegerOr(0, 0);
          const StringId name = String(row.Integer(4));
          NsysProcess& process = ProcessOf(thread);
          const bool launches =
              process.AddCall(thread.tid(),
                              {.start = start,
                               .end = row.IntegerOr(1, start),
                               .correlation = Unsigned32(row.IntegerOr(3, 0)),
                               .name = name},
                              KindOf(name));
          if (launches && nameless_) process.pid = thread.pid();
        });
  }

  // Lazy loading and compiling, inside other calls. The other rows are overhead
  // of the profiler, or waits for a full queue, which belong to the launch.
  Status ReadOverhead() {
    return file_.ForEach(
        kOverhead, {"start", "end", "globalTid", "overheadType", "nameId"},
        [&](const SqliteRow& row) {
          const std::int64_t type = row.IntegerOr(3, 0);
          if (type != kDriverCompiler && type != kModuleLoading &&
              type != kFunctionLoading)
            return;
          const GlobalThread thread{Unsigned(row.IntegerOr(2, 0))};
          const std::int64_t start = row.IntegerOr(0, 0);
          const StringId name = String(row.Integer(4));
          ProcessOf(thread).AddTimed(
              wire::TimedCall::kLoad, thread.tid(),
              {.start = start, .end = row.IntegerOr(1, start), .name = name});
        });
  }

  Status ReadRanges() {
    if (!file_.HasTable(kRanges)) {
      notes_.Add(Severity::kInfo, "no_nvtx",
                 "the file has no NVTX events: the program opened no range, or "
                 "NVTX was not traced",
                 input_.path);
      return Ok();
    }
    std::uint64_t marks = 0;
    std::uint64_t rows = 0;
    TRY(file_.ForEach(
        kRanges,
        {"start", "end", "eventType", "text", "textId", "globalTid", "domainId",
         "endGlobalTid"},
        [&](const SqliteRow& row) {
          ++rows;
          const std::int64_t type = row.IntegerOr(2, 0);
          if (type == kMark) ++marks;
          if (type != kPushPop && type != kStartEnd && type != kDomain) return;
          const auto text = row.Text(3);
          const StringId name =
              text ? strings_.Intern(*text) : String(row.Integer(4));
          const std::int64_t global = row.IntegerOr(5, 0);
          const GlobalThread thread{Unsigned(global)};
          const std::uint64_t domain = Unsigned(row.IntegerOr(6, 0));
          NsysProcess& process = ProcessOf(thread);
          if (type == kDomain) {
            process.NameDomain(domain, name);
            return;
          }
          const GlobalThread closed_by{Unsigned(row.IntegerOr(7, global))};
          process.AddRange(thread.tid(),
                           {.start = row.IntegerOr(0, 0),
                            .end = row.IntegerOr(1, NsysRange::kNeverClosed),
                            .id = type == kStartEnd ? rows : 0,
                            .label = process.LabelOf(domain, name),
                            .closed_by = closed_by.tid()});
        }));
    if (marks > 0) {
      notes_.Add(Severity::kInfo, "nvtx_marks",
                 "NVTX marks in the file are not shown", input_.path, marks);
    }
    return Ok();
  }

  Status ReadProcessNames() {
    return file_.ForEach(
        "PROCESSES", {"globalPid", "name"}, [&](const SqliteRow& row) {
          const GlobalThread global{Unsigned(row.IntegerOr(0, 0))};
          names_[global.pid()] = row.Text(1).value_or("");
        });
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
    std::vector<std::string_view> texts;  // by StringId
    texts.reserve(strings_.size());
    for (std::size_t i = 0; i < strings_.size(); ++i)
      texts.push_back(strings_[static_cast<StringId>(i)]);
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
  // The text with this number in the file. Texts get their StringId when they
  // are first used.
  StringId String(std::optional<std::int64_t> number) {
    if (!number) return StringId{};
    const auto [id, is_new] = by_number_.try_emplace(*number);
    if (!is_new) return id->second;
    if (const auto text = texts_.find(*number); text != texts_.end()) {
      id->second = strings_.Intern(text->second);
    } else {
      notes_.Add(Severity::kWarning, "missing_string",
                 "names whose text is missing in the file are shown as empty",
                 input_.path);
    }
    return id->second;
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

  // The process of a row whose third column is `globalPid`.
  NsysProcess& ProcessOf(const SqliteRow& row) {
    return ProcessOf(GlobalThread{Unsigned(row.IntegerOr(2, 0))});
  }

  wire::TimedCall KindOf(StringId name) {
    const auto [known, is_new] = kinds_.try_emplace(name);
    if (is_new) known->second = wire::TimedCallOf(strings_[name]);
    return known->second;
  }

  // The rows of a table of GPU work: the columns of AddWork(), then `more`.
  Status ForEachWork(std::string_view table,
                     const std::vector<std::string_view>& more,
                     const SqliteFile::See& see) {
    std::vector<std::string_view> columns = {
        "start",    "end",       "globalPid", "correlationId",
        "deviceId", "contextId", "streamId",  "graphNodeId"};
    columns.insert(columns.end(), more.begin(), more.end());
    return file_.ForEach(table, columns, see);
  }

  // Adds GPU work from a row of ForEachWork().
  void AddWork(const SqliteRow& row, TraceGpuRecord record) {
    NsysProcess& process = ProcessOf(row);
    record.correlation = Unsigned32(row.IntegerOr(3, 0));
    record.place = process.PlaceOf({.device = Unsigned32(row.IntegerOr(4, -1)),
                                    .context = Unsigned32(row.IntegerOr(5, 0)),
                                    .stream = Unsigned(row.IntegerOr(6, 0))});
    record.graph_node = Unsigned(row.IntegerOr(7, 0));
    process.AddWork(record, row.IntegerOr(0, 0), row.IntegerOr(1, 0));
  }

  SqliteFile& file_;
  Notes& notes_;
  const ReaderInput& input_;
  // Kernels do not name their process: all rows belong to one process.
  const bool nameless_;
  StringPool strings_;
  std::unordered_map<std::int64_t, std::string> texts_;  // by the file's number
  std::unordered_map<std::int64_t, StringId> by_number_;
  std::unordered_map<StringId, wire::TimedCall> kinds_;  // by name
  std::map<std::uint64_t, NsysProcess>
      processes_;                    // by GlobalThread::process()
  std::vector<NsysProcess*> order_;  // of appearance
  std::unordered_map<std::uint64_t, std::string> names_;  // by process id
};

// ---- The machine and the run -----------------------------------------------

// Sets names and chips of the devices of the profile.
Status NameDevices(SqliteFile& file, Profile& profile) {
  std::unordered_map<std::int64_t, Device*> devices;  // by index
  for (Device& device : profile.devices) devices[device.index] = &device;
  return file.ForEach(
      "TARGET_INFO_GPU", {"id", "cuDevice", "name", "chipName"},
      [&](const SqliteRow& row) {
        const auto known = devices.find(row.IntegerOr(1, row.IntegerOr(0, -1)));
        if (known == devices.end()) return;
        known->second->name = profile.strings.Intern(row.Text(2).value_or(""));
        known->second->chip = row.Text(3).value_or("");
      });
}

// Reads versions, command line and date into the artifact, and the host.
Status ReadProvenance(SqliteFile& file, Artifact& artifact, std::string& host) {
  for (const char* table :
       {"META_DATA_EXPORT", "META_DATA_CAPTURE", "TARGET_INFO_SYSTEM_ENV"}) {
    std::string command, arguments;  // in any order
    TRY(file.ForEach(table, {"name", "value"}, [&](const SqliteRow& row) {
      const std::string_view name = row.Text(0).value_or("");
      const std::string value(row.Text(1).value_or(""));
      if (name == "EXPORT_PRODUCT_VERSION")
        artifact.versions.emplace_back("Nsight Systems", value);
      if (name == "EXPORT_SCHEMA_VERSION")
        artifact.versions.emplace_back("Nsight Systems export schema", value);
      if (name == "NvDriverVersion")
        artifact.versions.emplace_back("driver", value);
      if (name == "PROCESS_0:COMMAND") command = ShellQuote(value);
      if (name.starts_with("PROCESS_0:ARGUMENT_"))
        arguments += " " + ShellQuote(value);
      if (name == "Hostname") host = value;
    }));
    if (!command.empty()) artifact.command_line = command + arguments;
  }
  std::optional<std::int64_t> start_ns;  // of the first row
  TRY(file.ForEach("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
                   [&](const SqliteRow& row) {
                     if (!start_ns) start_ns = row.IntegerOr(0, 0);
                   }));
  if (start_ns) {
    artifact.created_unix_s =
        Unsigned(std::max<std::int64_t>(0, *start_ns)) / 1'000'000'000;
  }
  return Ok();
}

bool HasGpuWork(const SqliteFile& file) {
  return file.HasTable(kKernels) || file.HasTable(kGraphs) ||
         file.HasTable(kCopies) || file.HasTable(kSets);
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
  const Status texts = reader.ReadTexts();
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
  keep(texts);
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
  if (!HasGpuWork(file))
    for (Process& process : profile.processes) process.gpu_recorded = false;
  profile.artifacts.push_back(std::move(artifact));
  keep(NameDevices(file, profile));
  return profile;
}

}  // namespace rangefinder
