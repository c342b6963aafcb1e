#include "ingest/nsys/nsys_reader.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/file.h"
#include "ingest/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_database.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

// The tables of an export, filled row by row.
class Export {
 public:
  explicit Export(const std::string& uri) : database_(uri) {
    database_.Run(
        "PRAGMA synchronous = OFF; BEGIN;"
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES (1, 'saxpy(int)'), (2, 'saxpy'),"
        "  (3, 'registered'), (4, '_Z5saxpyi');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId,"
        "  contextId, streamId, correlationId, globalPid, demangledName,"
        "  shortName, mangledName, gridX, gridY, gridZ, blockX, blockY,"
        "  blockZ);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid,"
        "  correlationId);"
        "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId,"
        "  globalTid, domainId, category, color, uint64Value, doubleValue);"
        "CREATE TABLE PROCESSES (globalPid, pid, name);");
  }

  static std::int64_t Thread(int pid, int tid) {
    return (std::int64_t{1} << 48) + (std::int64_t{pid} << 24) + tid;
  }
  void Kernel(int correlation, int pid, int start, int end) {
    database_.Run(fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, 1, 7, "
        "{}, {}, 1, 2, 4, 16, 2, 1, 256, 1, 1)",
        start, end, pid - 1, correlation, Thread(pid, 0)));
  }
  void Launch(int correlation, int pid, int tid, int time) {
    database_.Run(fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, {}, {})", time,
        time + 2, Thread(pid, tid), correlation));
  }
  void Nvtx(int type, const char* text, int pid, int tid, const char* span,
            int domain) {
    database_.Run(
        fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, {}, {}, {}, 5, "
                    "255, 42, NULL)",
                    span, type, text, Thread(pid, tid), domain));
  }
  void Run(const std::string& sql) { database_.Run(sql); }

 private:
  Database database_;
};

class NsysReader : public ::testing::Test {
 protected:
  // A small export: two processes, threads 11 and 12 of pid 1 and 21 of pid 2.
  std::filesystem::path WriteExport(const std::string& more = "") {
    const auto path = folder_ / "run #1?.sqlite";
    std::filesystem::remove(path);
    Export out((folder_ / "x.sqlite").string());
    out.Nvtx(75, "'LLM', NULL", 1, 11, "-50, NULL", 1);
    out.Nvtx(59, "'A', NULL", 1, 11, "0, 100", 0);
    out.Nvtx(59, "'inner', NULL", 1, 11, "10, 50", 1);
    out.Nvtx(60, "'S', NULL", 1, 12, "20, 60", 0);
    out.Nvtx(59, "NULL, 3", 1, 12, "0, NULL", 0);
    out.Nvtx(59, "'other', NULL", 2, 21, "0, 100", 1);
    out.Nvtx(34, "'mark', NULL", 1, 11, "5, NULL", 0);
    out.Nvtx(59, "'nothing', NULL", 1, 11, "200, 300", 0);
    out.Run(fmt::format(
        "INSERT INTO PROCESSES VALUES ({}, 1, '/bin/one'), ({}, 3, 'x')",
        Export::Thread(1, 0), Export::Thread(3, 0)));
    // Correlation ids are unique in a process.
    out.Launch(1, 1, 11, 5), out.Kernel(1, 1, 500, 600);   // A
    out.Launch(2, 1, 11, 30), out.Kernel(2, 1, 600, 650);  // A, S, inner
    out.Launch(3, 1, 12, 30), out.Kernel(3, 1, 650, 651);  // registered, S
    out.Launch(4, 1, 11, 50), out.Kernel(4, 1, 700, 701);  // A, S: inner closed
    out.Launch(1, 2, 21, 30),
        out.Kernel(1, 2, 500, 502);  // other; unnamed domain
    out.Launch(5, 1, 11, 150), out.Kernel(5, 1, 800, 801);  // nothing
    out.Kernel(9, 1, 900, 901);                             // no call
    out.Run("COMMIT");
    if (!more.empty()) out.Run(more);
    std::filesystem::rename(folder_ / "x.sqlite", path);
    return path;
  }

  Profile Read(const std::filesystem::path& path) {
    auto profile = ReadNsys(path, notes_);
    EXPECT_TRUE(profile.ok()) << profile.error().message();
    return std::move(profile).value();
  }

  const TempDir folder_;
  Notes notes_;
};

// The open ranges by domain, each with its order.
std::string DrawState(const Profile& profile, NvtxStateId id) {
  const NvtxState& state = profile.nvtx_states[Index(id)];
  std::string picture;
  for (const NvtxStack& stack : state.stacks) {
    picture +=
        fmt::format(" | {}@", profile.Name(state.domains[stack.domain].name));
    for (const NvtxRange& range : stack.ranges)
      picture += fmt::format("{}#{} ", profile.Name(range.name), range.order);
  }
  for (const NvtxStartEnd& open : state.start_end)
    picture += fmt::format(" | start {}", profile.Name(open.range.name));
  return picture;
}

std::string DrawVisits(const Profile& profile) {
  std::string picture;
  for (const RangeVisits& row : profile.visits) {
    picture +=
        fmt::format("{} thread {} x{}, {} open, CPU {} ns, GPU {} ns\n",
                    DrawState(profile, row.nvtx), row.thread, row.instances,
                    row.unclosed, row.cpu_ns.sum(), row.gpu_ns.sum());
  }
  return picture;
}

std::string Draw(const Profile& profile) {
  std::string picture;
  for (const Measurement& m : profile.measurements) {
    picture += fmt::format("{} {} pid {} device {} thread {} {} ns",
                           KindName(m.kind), profile.Name(m.function_name),
                           profile.processes[Index(m.process)].pid, m.device,
                           m.thread, m.end_ns - m.start_ns);
    picture += DrawState(profile, m.nvtx);
    picture += '\n';
  }
  return picture;
}

TEST_F(NsysReader, PutsKernelsIntoTheRangesOpenAtTheirLaunch) {
  const Profile profile = Read(WriteExport());
  EXPECT_EQ(
      Draw(profile),
      "kernel saxpy pid 1 device 0 thread 11 100 ns | @A#0 \n"
      "kernel saxpy pid 1 device 0 thread 11 50 ns | @A#0  | LLM@inner#10  "
      "| start S\n"
      "kernel saxpy pid 1 device 0 thread 12 1 ns | @registered#0  | start S\n"
      "kernel saxpy pid 1 device 0 thread 11 1 ns | @A#0  | start S\n"
      "kernel saxpy pid 1 device 0 thread 11 1 ns\n"
      "kernel saxpy pid 1 device 0 thread 0 1 ns\n"
      "kernel saxpy pid 2 device 1 thread 21 2 ns | @other#0 \n");
}

TEST_F(NsysReader, KeepsNamesShapesAndPlacesOfKernels) {
  const Profile profile = Read(WriteExport());
  const Measurement& m = profile.measurements[1];
  EXPECT_EQ(profile.Name(m.demangled_name), "saxpy(int)");
  EXPECT_EQ(profile.Name(m.mangled_name), "_Z5saxpyi");
  EXPECT_EQ(m.grid, (Dim3{16, 2, 1}));
  EXPECT_EQ(m.block, (Dim3{256, 1, 1}));
  EXPECT_EQ(m.stream, 7U);
  EXPECT_EQ(m.mode, ReplayMode::kTrace);
  EXPECT_EQ(m.api_call, 2U);
  EXPECT_EQ(m.launch_ns, 30U);
  EXPECT_EQ(DurationNs(profile, m), 50.0);
  EXPECT_TRUE(profile.metrics.empty());
  EXPECT_EQ(profile.Name(profile.processes[0].name), "/bin/one");
  EXPECT_EQ(profile.devices.size(), 2U);
  const NvtxState& state = profile.nvtx_states[Index(m.nvtx)];
  EXPECT_EQ(state.order, NvtxState::Order::kTime);
}

// Ranges without kernels, too.
TEST_F(NsysReader, CountsAndTimesInstancesOfRanges) {
  const Profile profile = Read(WriteExport());
  EXPECT_EQ(
      DrawVisits(profile),
      " | @A#1  thread 11 x1, 0 open, CPU 100 ns, GPU 151 ns\n"
      " | @A#1  | LLM@inner#2  thread 11 x1, 0 open, CPU 40 ns, GPU 50 ns\n"
      " | @nothing#1  thread 11 x1, 0 open, CPU 100 ns, GPU 0 ns\n"
      " | @registered#1  thread 12 x1, 1 open, CPU 0 ns, GPU 1 ns\n"
      " | @registered#1  | start S thread 12 x1, 0 open, CPU 40 ns, GPU 52 "
      "ns\n"
      " | @other#1  thread 21 x1, 0 open, CPU 100 ns, GPU 2 ns\n");
}

TEST_F(NsysReader, StartEndRangesOfOneMomentNest) {
  const auto path = folder_ / "ties.sqlite";
  Export out(path.string());
  out.Nvtx(59, "'A', NULL", 1, 11, "10, 100", 0);
  out.Nvtx(60, "'S', NULL", 1, 11, "10, 50", 0);
  out.Nvtx(60, "'T', NULL", 1, 11, "10, 40", 0);
  out.Nvtx(60, "'empty', NULL", 1, 11, "60, 60", 0);
  out.Launch(1, 1, 11, 10), out.Kernel(1, 1, 20, 25);
  out.Run("COMMIT");
  const Profile profile = Read(path);
  EXPECT_EQ(
      DrawVisits(profile),
      " | start S thread 11 x1, 0 open, CPU 40 ns, GPU 5 ns\n"
      " | start S | start T thread 11 x1, 0 open, CPU 30 ns, GPU 5 ns\n"
      " | @A#3  | start S | start T thread 11 x1, 0 open, CPU 90 ns, GPU 5 "
      "ns\n"
      " | @A#1  | start empty thread 11 x1, 0 open, CPU 0 ns, GPU 0 ns\n");
}

TEST_F(NsysReader, AddsCopiesAndSetsToTheWorkOfTheirRanges) {
  const Profile profile = Read(WriteExport(fmt::format(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId,"
      "  streamId, correlationId, globalPid, bytes, copyKind, srcKind);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
      "  (610, 660, 0, 7, 70, {0}, 4096, 1, 1), (1, 2, 0, 7, 71, {0}, 9, "
      "11,"
      "  0), (5, 6, 0, 7, 99, {0}, 1, 2, 0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET AS SELECT 620 AS start, 670 "
      "  AS end, deviceId, streamId, 72 AS correlationId, globalPid, 8 AS "
      "  bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY LIMIT 1;"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (12, 13, {1}, 70),"
      "  (14, 15, {1}, 72)",
      Export::Thread(1, 0), Export::Thread(1, 11))));
  std::string picture;
  for (const RegionUse& row : profile.uses) {
    for (const GpuUse& use : row.gpu) {
      picture += fmt::format(
          "{}: {} kernels, {} copies of {} bytes {} ns, {} sets of {} bytes {} "
          "ns, busy {} ns\n",
          DrawState(profile, row.nvtx), use.kernels, use.copies, use.copy_bytes,
          use.copy_ns, use.sets, use.set_bytes, use.set_ns, use.busy_ns);
    }
  }
  EXPECT_THAT(
      picture,
      HasSubstr(": 6 kernels, 2 copies of 4097 bytes 51 ns, 1 sets of 8 bytes "
                "50 ns, busy 174 ns\n"
                " | @A#1 : 3 kernels, 1 copies of 4096 bytes 50 ns, 1 sets of "
                "8 bytes 50 ns, busy 171 ns\n"
                " | @A#1  | LLM@inner#2 : 1 kernels, 1 copies of 4096 bytes 50 "
                "ns, 1 sets of 8 bytes 50 ns, busy 70 ns\n"));
}

TEST_F(NsysReader, NotesSkippedRows) {
  const Profile profile = Read(WriteExport());
  const auto note = [](const char* kind, std::uint64_t count,
                       const char* text) {
    return AllOf(Field(&Note::kind, kind), Field(&Note::count, count),
                 Field(&Note::text, HasSubstr(text)));
  };
  EXPECT_THAT(notes_.all(),
              Contains(note("launch_unknown", 1, "unattributed")));
  EXPECT_THAT(notes_.all(), Contains(note("nvtx_marks", 1, "marks")));
}

TEST_F(NsysReader, EqualContextsShareOneState) {
  const Profile profile =
      Read(WriteExport("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM "
                       "CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = 2"));
  ASSERT_EQ(profile.measurements.size(), 8U);
  EXPECT_EQ(profile.measurements[2].nvtx, profile.measurements[1].nvtx);
  EXPECT_EQ(profile.measurements[2].launch_ns, 30U);
}

// A missing pop, and a missing end, in each of 100 steps of 100 ns.
TEST_F(NsysReader, RangesThatAreNeverClosedAreNotedAndLimited) {
  const auto path = folder_ / "leak.sqlite";
  Export out(path.string());
  for (int i = 1; i <= 100; ++i) {
    const int now = 100 * i;
    out.Nvtx(59, "'step', NULL", 1, 11, fmt::format("{}, NULL", now).c_str(),
             0);
    out.Nvtx(60, "'request', NULL", 1, 11,
             fmt::format("{}, NULL", now + 1).c_str(), 0);
    out.Nvtx(59, "'inner', NULL", 1, 11,
             fmt::format("{}, {}", now + 2, now + 50).c_str(), 0);
    out.Launch(i, 1, 11, now + 10), out.Kernel(i, 1, now + 20, now + 30);
  }
  out.Run("COMMIT");
  const Profile profile = Read(path);
  const NvtxState& last =
      profile.nvtx_states[Index(profile.measurements.back().nvtx)];
  EXPECT_EQ(last.stacks.at(0).ranges.size(), 33U);  // the inner one, too
  EXPECT_EQ(last.stacks.at(0).ranges.at(31).order, 3200U);
  EXPECT_EQ(profile.Name(last.stacks.at(0).ranges.back().name), "inner");
  EXPECT_EQ(last.start_end.size(), 32U);
  std::vector<std::string> said;
  for (const Note& note : notes_.all())
    said.push_back(fmt::format("{} x{}", note.text, note.count));
  EXPECT_THAT(
      said, ::testing::ElementsAre(
                "'step' is opened 100 times and never closed: a pop is missing "
                "x1",
                "'request' is opened 100 times and never closed: a range end "
                "is missing x1",
                "ranges opened inside 128 others, or inside 32 of their own "
                "name, count for the region around them x136"));
}

TEST_F(NsysReader, AGraphLaunchIsOneMeasurement) {
  const Profile profile = Read(
      WriteExport("CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, "
                  "deviceId, graphId, globalPid, correlationId);"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT 1, 9, 0, "
                  "77, globalPid, 4 FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1"));
  const Measurement& graph = profile.measurements.front();
  EXPECT_EQ(graph.kind, MeasurementKind::kGraph);
  EXPECT_EQ(profile.Name(graph.demangled_name), "CUDA graph 77");
  EXPECT_EQ(graph.nvtx, profile.measurements[4].nvtx);
}

TEST_F(NsysReader, ReadsAnOldExportWithoutSomeColumns) {
  const Profile profile = Read(WriteExport(
      "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = 1;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN mangledName;"
      "ALTER TABLE NVTX_EVENTS DROP COLUMN color;"
      "DROP TABLE PROCESSES;"
      "DELETE FROM StringIds WHERE id = 2"));
  const std::string picture = Draw(profile);
  EXPECT_THAT(picture, HasSubstr("kernel  pid 1 device 0 thread 11 100 ns | "
                                 "@A#0 \n"));
  EXPECT_THAT(notes_.all(),
              Contains(Field(&Note::kind, "no_process_of_kernels")));
  EXPECT_THAT(notes_.all(), Contains(Field(&Note::kind, "missing_string")));
}

TEST_F(NsysReader, LeavesTheFolderAsItWas) {
  const auto path = WriteExport();
  const auto bytes = ReadFile(path);
  Read(path);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()),
                          std::filesystem::directory_iterator()),
            1);
  EXPECT_EQ(ReadFile(path).value(), bytes.value());
}

// Recent rows are in a write-ahead log beside the file.
TEST_F(NsysReader, ReadsAWriteAheadLogAndKeepsIt) {
  const auto path = WriteExport();
  const auto copy = folder_ / "copy.sqlite";
  {
    Database open(path.string());
    open.Run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    open.Run(fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (950, 952, 0, 1, 7, 10, "
        "{}, 1, 2, 4, 16, 2, 1, 256, 1, 1)",
        Export::Thread(1, 0)));
    for (const char* suffix : {"", "-wal"}) {
      std::filesystem::copy(path.string() + suffix, copy.string() + suffix);
    }
  }
  const auto log = ReadFile(copy.string() + "-wal");
  ASSERT_GT(log.value().size(), 4096U);
  const Profile profile = Read(copy);
  EXPECT_EQ(profile.measurements.size(), 8U);
  EXPECT_EQ(ReadFile(copy.string() + "-wal").value(), log.value());
  EXPECT_FALSE(std::filesystem::exists(copy.string() + "-shm"));
}

TEST_F(NsysReader, NotesAJournalBesideAnExport) {
  const auto path = WriteExport();
  std::ofstream(path.string() + "-journal") << "unfinished";
  const Profile profile = Read(path);
  EXPECT_EQ(profile.measurements.size(), 7U);
  EXPECT_THAT(notes_.all(), Contains(Field(&Note::kind, "unfinished_file")));
}

TEST_F(NsysReader, RefusesOtherFiles) {
  const auto fail = [&](const std::filesystem::path& path) {
    Notes notes;
    const auto read = ReadNsys(path, notes);
    return read.ok() ? Error(ErrorCode::kOther, "read") : read.error();
  };
  EXPECT_EQ(fail(folder_ / "absent").code(), ErrorCode::kSystem);
  std::ofstream(folder_ / "text") << "no database";
  EXPECT_EQ(fail(folder_ / "text").code(), ErrorCode::kCorrupt);
  std::ofstream(folder_ / "empty");
  EXPECT_NE(fail(folder_ / "empty").code(), ErrorCode::kOther);
  Database((folder_ / "else.sqlite").string()).Run("CREATE TABLE t (x)");
  const Error other = fail(folder_ / "else.sqlite");
  EXPECT_EQ(other.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(other.message(), HasSubstr("else.sqlite: an SQLite database"));
  // A view does not count as a table.
  Database((folder_ / "view.sqlite").string())
      .Run("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start");
  EXPECT_EQ(fail(folder_ / "view.sqlite").code(), ErrorCode::kUnsupported);
}

TEST_F(NsysReader, ADamagedFileGivesAnErrorOrANote) {
  const std::string whole = ReadFile(WriteExport()).value();
  ASSERT_TRUE(LooksLikeSqlite(whole));
  const auto path = folder_ / "damaged.sqlite";
  int errors = 0;
  int noted = 0;
  for (std::size_t size = 0; size < whole.size(); size += 512) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    Notes notes;
    const auto read = ReadNsys(path, notes);
    errors += read.ok() ? 0 : 1;
    if (!read.ok()) {
      EXPECT_THAT(
          read.error().code(),
          ::testing::AnyOf(ErrorCode::kCorrupt, ErrorCode::kUnsupported));
      continue;
    }
    EXPECT_THAT(notes.all(), Contains(Field(&Note::kind, "truncated_file")));
    ++noted;
  }
  EXPECT_GT(errors, 0);
  std::string flipped = whole;
  for (std::size_t i = 100; i < whole.size(); i += 97) {
    flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
    std::ofstream(path, std::ios::binary) << flipped;
    Notes notes;
    static_cast<void>(ReadNsys(path, notes));
  }
  RecordProperty("noted", noted);
}

}  // namespace
}  // namespace rangefinder
