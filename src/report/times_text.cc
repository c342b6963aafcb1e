#include "report/times_text.h"

#include <cmath>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

// Streams shown of a region; report.json has them all.
constexpr std::size_t kMostStreams = 8;

template <typename Count>
std::string Ns(Count ns) {
  return FormatNs(static_cast<double>(ns));
}

std::string Bytes(std::uint64_t bytes) {
  return FormatValue(static_cast<double>(bytes), "byte");
}

void WriteRow(std::ostream& out, std::string_view what, const Spread& spread) {
  if (spread.count() == 0) return;
  fmt::print(out, "| {} | {} | {} | {} | {} | {} | {} | {} |\n", what,
             Ns(spread.sum()), FormatCount(spread.count()), Ns(spread.min()),
             Ns(spread.median().value_or(0)), Ns(spread.mean()),
             Ns(spread.max()), Ns(spread.standard_deviation()));
}

// What a steady instance takes, and the first ones beside it.
void WriteWarmup(std::ostream& out, const Warmup& warmup) {
  fmt::print(out, "\n**Steady state: {}",
             warmup.steady_cpu_ns ? Ns(*warmup.steady_cpu_ns) + " on the CPU"
                                  : std::string("–"));
  if (warmup.steady_gpu_ns)
    fmt::print(out, ", {} of kernels", Ns(*warmup.steady_gpu_ns));
  fmt::print(out,
             " an instance, over {}.** Warm-up, the first{}: {} on the CPU",
             FormatCount(warmup.steady),
             warmup.instances == 1 ? "" : " " + FormatCount(warmup.instances),
             Ns(warmup.cpu_ns));
  if (warmup.gpu_ns > 0) fmt::print(out, ", {} of kernels", Ns(warmup.gpu_ns));
  out << "; in all totals (`regions.warmup`).\n";
}

void WriteBusy(std::ostream& out, const RegionTimes& times) {
  const GpuUse& gpu = times.gpu;
  if (times.span_ns == 0) return;
  fmt::print(out,
             "\nThe GPU was busy for {} of the {} from the first start to the "
             "last end, and idle for {} ({})",
             Ns(gpu.busy_ns), Ns(times.span_ns), Ns(times.idle_ns()),
             FormatShare(static_cast<double>(times.idle_ns()),
                         static_cast<double>(times.span_ns)));
  if (const auto concurrency = times.concurrency();
      concurrency && *concurrency > 1.005) {
    fmt::print(out, "; {:.2f} activities at once while it was busy",
               *concurrency);
  }
  out << ".";
  if (gpu.copies > 0) {
    fmt::print(out, " {} of {} in {}.", Plural(gpu.copies, "copy", "copies"),
               Bytes(gpu.copy_bytes), Ns(gpu.copy_ns));
  }
  if (gpu.sets > 0) {
    fmt::print(out, " {} of {} in {}.", Plural(gpu.sets, "memset", "memsets"),
               Bytes(gpu.set_bytes), Ns(gpu.set_ns));
  }
  out << "\n";
}

void WriteSlowest(std::ostream& out, const Report& report,
                  const RegionTimes& times) {
  if (times.instances < 2 || times.slowest.empty()) return;
  out << "\nSlowest:";
  const char* separator = " ";
  for (const PlacedInstance& one : times.slowest) {
    const std::uint64_t start = report.profile->start_ns;
    const std::string name =
        one.name == StringId{}
            ? std::string()
            : " (" + MarkdownText(report.profile->Name(one.name)) + ")";
    fmt::print(out, "{}#{}{} at {}, {} on the CPU, {} of kernels", separator,
               FormatCount(one.times.ordinal), name,
               Ns(one.times.start_ns > start ? one.times.start_ns - start : 0),
               Ns(one.times.cpu_ns), Ns(one.times.gpu_ns));
    separator = "; ";
  }
  out << ". (# counts from 0 in its thread.)\n";
}

void WriteStreams(std::ostream& out, const Report& report,
                  const RegionTimes& times) {
  if (times.streams.size() < 2) return;
  out << "\n| Process | Device | Stream | Kernels | Time | Copies | Time |\n"
         "|--:|--:|--:|--:|--:|--:|--:|\n";
  std::size_t rows = 0;
  for (const StreamTimes& stream : times.streams) {
    if (rows++ == kMostStreams) break;
    fmt::print(out, "| {} | {} | {} | {} | {} | {} | {} |\n",
               report.profile->processes[Index(stream.process)].pid,
               stream.device, stream.use.stream,
               FormatCount(stream.use.kernels), Ns(stream.use.kernel_ns),
               FormatCount(stream.use.copies), Ns(stream.use.copy_ns));
  }
  if (times.streams.size() > kMostStreams) {
    fmt::print(out, "\n*{} more streams are in report.json.*\n",
               FormatCount(times.streams.size() - kMostStreams));
  }
}

}  // namespace

void WriteTimesMarkdown(std::ostream& out, const Report& report,
                        const RegionTimes& times) {
  if (times.instances > 0) {
    fmt::print(out, "\nRan {}{}.\n", Plural(times.instances, "time", "times"),
               times.unclosed > 0
                   ? fmt::format("; {} never closed, whose time on the "
                                 "CPU is not known",
                                 FormatCount(times.unclosed))
                   : std::string());
  }
  if (times.warmup) WriteWarmup(out, *times.warmup);
  out << "\n| Time | Total | Of | Min | Median | Mean | Max | Deviation |\n"
         "|:--|--:|--:|--:|--:|--:|--:|--:|\n";
  WriteRow(out, "CPU, an instance", times.cpu_ns);
  WriteRow(out, "kernels, an instance", times.gpu_ns);
  WriteRow(out, "GPU span, an instance", times.gpu_span_ns);
  WriteRow(out, "GPU idle in it, an instance", times.gpu_idle_ns);
  WriteRow(out, "launch to start, a kernel", times.gpu.latency_ns);
  WriteBusy(out, times);
  WriteSlowest(out, report, times);
  WriteStreams(out, report, times);
}

TimesCells TimesCellsOf(const std::optional<RegionTimes>& times) {
  TimesCells cells{"–", "–", "–", "–"};
  if (!times) return cells;
  if (times->instances > 0) cells.runs = FormatCount(times->instances);
  if (times->cpu_ns.count() > 0) cells.cpu = Ns(times->cpu_ns.sum());
  if (times->span_ns == 0) return cells;
  cells.busy = Ns(times->gpu.busy_ns);
  // Of a region what was idle inside its instances: between them other regions
  // may have run.
  cells.idle = times->gpu_idle_ns.count() > 0 ? Ns(times->gpu_idle_ns.sum())
                                              : Ns(times->idle_ns());
  return cells;
}

}  // namespace rangefinder
