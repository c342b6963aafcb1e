// Prints what traces hold, one region a line: a tool for those who work on the
// tracer, and for the scripts in tests/gpu.
//
//   rangefinder_trace_summary PATH...
//
// region | process thread instances unclosed cpu_ms | kernels gpu_ms busy_ms
// copies bytes sets
//
// What is after the second bar is of the region in all threads of the process.

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/notes.h"
#include "base/text.h"
#include "ingest/reader.h"
#include "region/path.h"

namespace {

using namespace rangefinder;

using Uses = std::map<std::pair<ProcessId, std::string>, GpuUse>;

// Of a row of visits or of uses.
template <typename Row>
std::string PathText(const Profile& profile, const Row& row) {
  Measurement inside{};
  inside.process = row.process;
  inside.thread = row.thread;
  inside.nvtx = row.nvtx;
  std::string text;
  for (const Frame& frame : PathOf(profile, inside)) {
    if (!text.empty()) text += " / ";
    text += Printable(FrameText(profile, frame));
    if (frame.kind == FrameKind::kStartEnd) text += " [start/end]";
  }
  return text.empty() ? "(all)" : text;
}

GpuUse SumOf(const RegionUse& row) {
  GpuUse sum{};
  for (const GpuUse& use : row.gpu) {
    sum.kernels += use.kernels;
    sum.kernel_ns += use.kernel_ns;
    sum.busy_ns += use.busy_ns;
    sum.copies += use.copies;
    sum.copy_bytes += use.copy_bytes;
    sum.sets += use.sets;
  }
  return sum;
}

void PrintRow(const Profile& profile, const Uses& uses,
              const RangeVisits& row) {
  const std::string path = PathText(profile, row);
  const auto known = uses.find({row.process, path});
  const GpuUse sum = known != uses.end() ? known->second : GpuUse{};
  std::printf(
      "%s | pid=%llu tid=%llu instances=%llu unclosed=%llu cpu_ms=%.3f "
      "cpu_median_us=%.2f | kernels=%llu gpu_ms=%.3f busy_ms=%.3f copies=%llu "
      "bytes=%llu sets=%llu\n",
      path.c_str(),
      static_cast<unsigned long long>(
          profile.processes[Index(row.process)].pid),
      static_cast<unsigned long long>(row.thread),
      static_cast<unsigned long long>(row.instances),
      static_cast<unsigned long long>(row.unclosed),
      static_cast<double>(row.cpu_ns.sum()) / 1e6,
      row.cpu_ns.median().value_or(0) / 1e3,
      static_cast<unsigned long long>(sum.kernels),
      static_cast<double>(sum.kernel_ns) / 1e6,
      static_cast<double>(sum.busy_ns) / 1e6,
      static_cast<unsigned long long>(sum.copies),
      static_cast<unsigned long long>(sum.copy_bytes),
      static_cast<unsigned long long>(sum.sets));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  const auto files = FindArtifacts(paths);
  if (!files.ok()) {
    std::fprintf(stderr, "%s\n", files.error().message().c_str());
    return ExitStatus(files.error().code());
  }
  Notes notes;
  const auto profile = ReadArtifacts(files.value(), notes);
  if (!profile.ok()) {
    std::fprintf(stderr, "%s\n", profile.error().message().c_str());
    return ExitStatus(profile.error().code());
  }
  Uses uses;
  for (const RegionUse& row : profile.value().uses)
    uses[{row.process, PathText(profile.value(), row)}] = SumOf(row);
  for (const RangeVisits& row : profile.value().visits)
    PrintRow(profile.value(), uses, row);
  // Paths in which nothing was opened: whole processes, and what is left of
  // several start/end ranges.
  std::set<std::pair<ProcessId, std::string>> opened;
  for (const RangeVisits& row : profile.value().visits)
    opened.insert({row.process, PathText(profile.value(), row)});
  for (const RegionUse& row : profile.value().uses) {
    if (opened.contains({row.process, PathText(profile.value(), row)}))
      continue;
    PrintRow(profile.value(), uses,
             {.process = row.process, .thread = row.thread, .nvtx = row.nvtx});
  }
  std::printf("kernels: %zu\n", profile.value().measurements.size());
  for (const Note& note : notes.all()) {
    std::printf("note: %s %s: %s (%llu)\n",
                std::string(SeverityName(note.severity)).c_str(),
                note.kind.c_str(), note.text.c_str(),
                static_cast<unsigned long long>(note.count));
  }
  return 0;
}
