// Prints the content of traces, one line per region: a tool for developers of
// the tracer and for the scripts in tests/gpu.
//
//   rangefinder_trace_summary PATH...
//
// region | pid tid instances unclosed cpu_ms cpu_median_us |
//          kernels gpu_ms busy_ms copies bytes sets
//
// Columns after the second bar are sums over all threads of the process. Then
// come the number of kernels; one line per counted region, with the mean,
// minimum and maximum of its instances; some lines per sampled device, with the
// total and range of each metric and with each gap; per file, its facts and one
// line for each timed call of CUDA, each kind of copy, migration and launch;
// and the notes.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/notes.h"
#include "base/text.h"
#include "ingest/reader.h"
#include "ingest/trace/trace_blocks.h"
#include "region/path.h"

namespace {

using namespace rangefinder;

using Uses = std::map<std::pair<ProcessId, std::string>, GpuUse>;

// `row`: a RangeVisits or a RegionUse.
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

void PrintMetric(const Profile& profile, const CounterSamples& samples,
                 std::size_t metric) {
  double sum = 0, least = HUGE_VAL, most = -HUGE_VAL;
  std::size_t valid = 0, zero = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double value = samples.Row(i)[metric];
    if (std::isnan(value)) continue;
    ++valid;
    zero += value == 0;
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  std::printf("  metric %s: sum=%.17g valid=%zu zero=%zu",
              std::string(profile.Name(samples.metrics[metric])).c_str(), sum,
              valid, zero);
  if (valid > 0) std::printf(" least=%.9g most=%.9g", least, most);
  std::printf("\n");
}

void PrintSamples(const Profile& profile, const CounterSamples& samples) {
  const auto number = [](std::uint64_t n) {
    return static_cast<unsigned long long>(n);
  };
  std::uint64_t span = 0, shortest = ~std::uint64_t{0}, longest = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::uint64_t ns = samples.end_ns[i] - samples.start_ns[i];
    span = samples.end_ns[i] - samples.start_ns[0];
    shortest = std::min(shortest, ns);
    longest = std::max(longest, ns);
  }
  std::printf(
      "samples: pid=%llu device=%d chip=%s interval_ns=%llu count=%zu "
      "lost=%llu gaps=%zu span_ns=%llu shortest_ns=%llu longest_ns=%llu "
      "held_up_ms=%.3f reason=%s\n",
      number(profile.processes[Index(samples.process)].pid), samples.device,
      std::string(profile.Name(samples.chip)).c_str(),
      number(samples.interval_ns), samples.size(), number(samples.lost),
      samples.gaps.size(), number(span),
      number(samples.size() > 0 ? shortest : 0), number(longest),
      static_cast<double>(samples.held_up_ns) / 1e6,
      samples.reason.empty() ? "-" : Printable(samples.reason).c_str());
  // The times of the samples, to compare with the first and last traced kernel.
  std::printf("  times: started=%llu first=%llu last=%llu stopped=%llu",
              number(samples.started_ns),
              number(samples.size() > 0 ? samples.start_ns.front() : 0),
              number(samples.size() > 0 ? samples.end_ns.back() : 0),
              number(samples.stopped_ns));
  if (!profile.measurements.empty()) {
    std::printf(" first_kernel=%llu last_kernel=%llu",
                number(profile.measurements.front().start_ns),
                number(profile.measurements.back().end_ns));
  }
  std::printf("\n");
  for (std::size_t i = 0; i < samples.metrics.size() && samples.size() > 0; ++i)
    PrintMetric(profile, samples, i);
  for (const SampleGap& gap : samples.gaps) {
    std::printf("  gap: from=%llu ns=%llu samples=%llu %s\n",
                number(gap.from_ns), number(gap.to_ns - gap.from_ns),
                number(gap.samples),
                std::string(SampleGapText(gap.reason)).c_str());
  }
}

void PrintCounts(const Profile& profile, const Measurement& m) {
  std::printf("counted: %s | instances=%llu", PathText(profile, m).c_str(),
              static_cast<unsigned long long>(m.counted));
  for (const Sample& sample : profile.SamplesOf(m)) {
    std::printf(" %s=%.17g",
                std::string(profile.MetricName(sample.metric)).c_str(),
                sample.value().number().value_or(std::nan("")));
    for (const InstanceRef& ref : m.instances) {
      if (ref.metric != sample.metric) continue;
      double low = INFINITY, high = -INFINITY;
      for (const Instance& i : profile.instance_lists[ref.list]) {
        low = std::min(low, i.value.number().value_or(low));
        high = std::max(high, i.value.number().value_or(high));
      }
      std::printf("(%zu:%.6g..%.6g)", profile.instance_lists[ref.list].size(),
                  low, high);
    }
  }
  std::printf("\n");
}

struct Sums {
  std::uint64_t count = 0, ns = 0, bytes = 0;

  void Add(std::uint64_t start, std::uint64_t end, std::uint64_t more = 0) {
    ++count;
    ns += end - start;
    bytes += more;
  }
};
using SumsByName = std::map<std::string, Sums>;

void AddGpu(const Trace& trace, SumsByName& sums) {
  constexpr const char* kKinds[] = {
      "?", "load", "allocate", "synchronise", "launch", "other", "?", "?"};
  ForEachTimedCall(trace.gpu, [&](const TraceTimedCall& call) {
    sums["call: " + std::string(kKinds[static_cast<int>(call.kind) & 7]) + " " +
         Printable(trace.names.Text(call.name))]
        .Add(call.start_ns, call.end_ns);
  });
  ForEachGpuRecord(trace.gpu, [&](const TraceGpuRecord& record) {
    if (record.kind != wire::Gpu::kCopy) return;
    const auto number = [&](int shift, unsigned mask) {
      return std::to_string(record.operand >> shift & mask);
    };
    sums["copy: kind=" + number(0, 0xFF) + " from=" + number(8, 0xF) +
         " to=" + number(12, 0xF)]
        .Add(record.start_ns, record.end_ns, record.bytes);
  });
  ForEachRecord(trace.gpu, GpuRecordWords, [&](const WireRecord& r) {
    if (static_cast<wire::Gpu>(r.head & 0xF) == wire::Gpu::kMigration &&
        r.count >= wire::kMigrationWords)
      sums["migration: counter=" + std::to_string(r.head >> 12 & 0xFFFFF)].Add(
          r[0], r[1], r[2]);
  });
}

void AddEvents(const Trace& trace, const TraceStream& thread,
               SumsByName& sums) {
  constexpr const char* kKinds[] = {"?", "kernel", "graph", "copy", "set"};
  std::size_t hint = 0;
  TraceEvent launch{};
  const auto see = [&](const TraceEvent& event) {
    if (event.kind == wire::Event::kLaunch) launch = event;
    if (event.kind != wire::Event::kLaunched || launch.ticks == 0) return;
    sums["launched: " +
         std::string(kKinds[launch.operand <= 4 ? launch.operand : 0])]
        .Add(trace.clock.Ns(launch.ticks, hint),
             trace.clock.Ns(event.ticks, hint));
    launch = {};
  };
  ForEachEvent(thread.blocks, see);
}

void PrintCalls(const std::filesystem::path& file, Notes& notes) {
  const auto bytes = ReadFile(file);
  if (!bytes.ok() || !IsTrace(bytes.value())) return;
  const auto trace = OpenTrace({.path = file, .bytes = bytes.value()}, notes);
  if (!trace.ok()) return;
  for (const auto& [key, value] : trace.value().names.facts) {
    std::printf("fact: %s=%s\n",
                Printable(trace.value().names.Text(key)).c_str(),
                Printable(trace.value().names.Text(value)).c_str());
  }
  SumsByName sums;
  AddGpu(trace.value(), sums);
  for (const TraceStream& thread : trace.value().threads)
    AddEvents(trace.value(), thread, sums);
  for (const auto& [name, sum] : sums) {
    std::printf("%s | count=%llu ms=%.3f bytes=%llu\n", name.c_str(),
                static_cast<unsigned long long>(sum.count),
                static_cast<double>(sum.ns) / 1e6,
                static_cast<unsigned long long>(sum.bytes));
  }
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
  // Paths without instances: whole processes, and start/end ranges that stay
  // open when another start/end range ends.
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
  for (const Measurement& m : profile.value().measurements) {
    if (m.mode == ReplayMode::kCounters) PrintCounts(profile.value(), m);
  }
  for (const CounterSamples& samples : profile.value().counter_samples)
    PrintSamples(profile.value(), samples);
  Notes read_again;  // repeats `notes`
  for (const auto& file : files.value()) PrintCalls(file, read_again);
  for (const Note& note : notes.all()) {
    std::printf("note: %s %s: %s (%llu)\n",
                std::string(SeverityName(note.severity)).c_str(),
                note.kind.c_str(), note.text.c_str(),
                static_cast<unsigned long long>(note.count));
  }
  return 0;
}
