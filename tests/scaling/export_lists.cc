#include <array>

#include <fmt/format.h>

#include "tests/scaling/lists.h"

namespace rangefinder::testing {
namespace {

// Thread 11 of process 1 in the numbering of Nsight Systems.
constexpr std::string_view kThread = "(281474976710656 + 1 * 16777216 + 11)";

std::string Tables(std::string_view key = " PRIMARY KEY") {
  return fmt::format(
      "CREATE TABLE StringIds (id INTEGER{}, value TEXT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId,"
      "  contextId, streamId, correlationId, globalPid, demangledName,"
      "  shortName, mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid,"
      "  correlationId);"
      "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId,"
      "  globalTid, domainId, category, color, uint64Value, doubleValue);"
      "CREATE TABLE PROCESSES (globalPid, pid, name);"
      "CREATE TABLE TARGET_INFO_GPU (id, cuDevice, name, chipName);"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
      "INSERT INTO StringIds VALUES (1, 'k');",
      key);
}

// `count` rows; `values` are those of row number i.
std::string Rows(std::string_view table, int count, std::string_view values) {
  return fmt::format(
      "INSERT INTO {} WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL "
      "SELECT i + 1 FROM c WHERE i < {}) SELECT {} FROM c;",
      table, count, values);
}

// The differences between the kernels of an export, as SQL of their number i.
struct Launched {
  std::string_view thread = kThread;
  std::string_view device = "0";
  std::string_view stream = "7";
  std::string_view name = "1";
};

std::string Kernels(int count, const Launched& what = {}) {
  return Rows("CUPTI_ACTIVITY_KIND_KERNEL", count,
              fmt::format("i * 10 + 4, i * 10 + 5, {}, 1, {}, i, "
                          "{} & ~16777215, {}, 1, 1, 1, 1, 1, 32, 1, 1",
                          what.device, what.stream, what.thread, what.name)) +
         Rows("CUPTI_ACTIVITY_KIND_RUNTIME", count,
              fmt::format("i * 10 + 2, i * 10 + 3, {}, i", what.thread));
}

// Ranges of type 59 (push/pop) or 60 (start/end) that begin at i * 10.
std::string Opened(int count, int type, std::string_view end,
                   std::string_view name, std::string_view thread = kThread,
                   std::string_view domain = "0") {
  return Rows("NVTX_EVENTS", count,
              fmt::format("i * 10, {}, {}, {}, NULL, {}, {}, 0, 0, NULL, NULL",
                          end, type, name, thread, domain));
}

std::string Plain(int n) {
  return Tables() + Kernels(n) + Opened(n, 59, "i * 10 + 6", "'r'");
}
std::string Regions(int n) {
  return Tables() + Kernels(n) + Opened(n, 59, "i * 10 + 6", "'r' || i || 'x'");
}
std::string MissingPops(int n) {
  return Tables() + Kernels(n) + Opened(n, 59, "NULL", "'step'") +
         Opened(n, 59, "i * 10 + 6", "'inner'");
}
std::string MissingEnds(int n) {
  return Tables() + Kernels(n) + Opened(n, 60, "NULL", "'request'") +
         Opened(n, 59, "i * 10 + 6", "'step'");
}
std::string RangesWithoutKernels(int n) {
  return Tables() + Kernels(1) + Opened(n, 59, "i * 10 + 6", "'r'");
}
std::string Processes(int n) {
  constexpr std::string_view kOwn = "(281474976710656 + i * 16777216 + 11)";
  return Tables() + Kernels(n, {.thread = kOwn}) +
         Opened(n, 59, "i * 10 + 6", "'r'", kOwn) +
         Rows("PROCESSES", n, fmt::format("{}, i, 'app ' || i", kOwn));
}
std::string Threads(int n) {
  constexpr std::string_view kOwn = "(281474976710656 + 16777216 + i)";
  return Tables() + Kernels(n, {.thread = kOwn}) +
         Opened(n, 59, "i * 10 + 6", "'r'", kOwn);
}
std::string Domains(int n) {
  return Tables() + Kernels(n) +
         Rows(
             "NVTX_EVENTS", n,
             fmt::format("0, NULL, 75, 'D' || i, NULL, {}, i, 0, 0, NULL, NULL",
                         kThread)) +
         Opened(n, 59, "i * 10 + 6", "'r'", kThread, "i");
}
std::string Streams(int n) {
  return Tables() + Kernels(n, {.stream = "i"});
}
std::string Devices(int n) {
  return Tables() + Kernels(n, {.device = "i"}) +
         Rows("TARGET_INFO_GPU", n, "i, i, 'gpu ' || i, 'GH100'");
}
std::string Strings(int n) {
  return Tables() + Rows("StringIds", n, "i + 1, 'k' || i || 'x'") +
         Kernels(n, {.name = "i + 1"});
}
std::string StringsWithoutKey(int n) {
  return Tables("") + Rows("StringIds", n, "i + 1, 'k' || i || 'x'") +
         Kernels(n, {.name = "i + 1"});
}
std::string StringsThatAreMissing(int n) {
  return Tables("") + Kernels(n, {.name = "i + 1"});
}
std::string Hosts(int n) {
  return Processes(n) + Rows("TARGET_INFO_SYSTEM_ENV", n, "'Hostname', 'h'");
}
std::string Drivers(int n) {
  return Plain(10) +
         Rows("TARGET_INFO_SYSTEM_ENV", n, "'NvDriverVersion', 'v' || i");
}
std::string KernelsWithoutCall(int n) {
  return Tables() + Kernels(n) + "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME;";
}

constexpr std::string_view kFile = "a.sqlite";

constexpr auto kLists = std::to_array<ListInFile>({
    {"kernels", kFile, Plain},
    {"regions", kFile, Regions, 500},
    {"missing pops", kFile, MissingPops},
    {"missing ends", kFile, MissingEnds},
    {"ranges without kernels", kFile, RangesWithoutKernels, 8000},
    {"processes", kFile, Processes, 500},
    {"threads", kFile, Threads},
    {"domains", kFile, Domains, 500},
    {"streams", kFile, Streams},
    {"devices", kFile, Devices, 500},
    {"strings", kFile, Strings},
    {"strings without a key", kFile, StringsWithoutKey},
    {"strings that are missing", kFile, StringsThatAreMissing},
    {"names of the host", kFile, Hosts, 500},
    {"versions of the driver", kFile, Drivers},
    {"kernels without a call", kFile, KernelsWithoutCall},
});

}  // namespace

std::span<const ListInFile> ListsOfExports() {
  return kLists;
}

}  // namespace rangefinder::testing
