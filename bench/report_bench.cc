// From a profile in memory to report.json, report.md and report.html: 100,000
// kernels with 20 metrics each in 10,000 regions, how the cost grows to there,
// and what the documents weigh, with all metrics in place and with most packed.

#include <cstdio>
#include <ctime>
#include <functional>
#include <ostream>
#include <streambuf>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "bench/large_profile.h"
#include "region/tree.h"
#include "report/documents.h"
#include "report/report.h"
#include "rollup/rollup.h"
#include "tests/support/many_regions.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMetrics = 20;

// Counts what it is given.
class CountingBuffer : public std::streambuf {
 public:
  std::size_t bytes() const { return bytes_; }

 protected:
  int overflow(int c) override {
    ++bytes_;
    return c == EOF ? 0 : c;
  }
  std::streamsize xsputn(const char*, std::streamsize n) override {
    bytes_ += static_cast<std::size_t>(n);
    return n;
  }

 private:
  std::size_t bytes_ = 0;
};

// Processor time, which other work on the machine changes little. All of this
// runs in one thread.
double Now() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

double Seconds(const std::function<void()>& work) {
  const double start = Now();
  work();
  return Now() - start;
}

// Peak resident memory of the process so far, in MB.
double PeakMb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void WriteReportMarkdown(const Report& report, std::ostream& out) {
  WriteMarkdown(RunDocument(report), out);
}

std::size_t WriteReport(const Profile& profile) {
  Notes notes;
  const RegionTree tree = BuildRegionTree(profile, Selection(), notes);
  const Rollup rollup = RollUp(profile, tree, {}, notes);
  const Report report = Compose(profile, tree, rollup, notes, {});
  CountingBuffer counter;
  std::ostream out(&counter);
  WriteJson(report, out);
  WriteReportMarkdown(report, out);
  WriteHtml(report, out);
  return counter.bytes();
}

void MakeReport(benchmark::State& state) {
  const auto kernels = static_cast<std::size_t>(state.range(0));
  const Profile profile = bench::LargeProfile(kernels, kMetrics);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = WriteReport(profile);
  state.SetComplexityN(state.range(0));
  state.counters["MB_written"] = static_cast<double>(bytes) / 1e6;
}
BENCHMARK(MakeReport)
    ->RangeMultiplier(10)
    ->Range(1000, 100000)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->Complexity(benchmark::oN);

std::size_t BytesOf(const Report& report,
                    void (*write)(const Report&, std::ostream&)) {
  CountingBuffer counter;
  std::ostream out(&counter);
  write(report, out);
  return counter.bytes();
}

// The three documents, and the JSON as it is with every metric in place.
void PrintSizes(const char* what, Report& report) {
  const double regions = static_cast<double>(report.tree->regions().size()) - 1;
  const auto print = [&](const char* document, std::size_t bytes) {
    std::printf("  %-22s %8.2f MB %9.0f bytes a region\n", document,
                static_cast<double>(bytes) / 1e6,
                static_cast<double>(bytes) / regions);
  };
  std::printf("%s, %.0f regions:\n", what, regions);
  report.options.in_place = MetricsInPlace::kAuto;
  const std::size_t packed = BytesOf(report, WriteJson);
  print("report.md", BytesOf(report, WriteReportMarkdown));
  print("report.html", BytesOf(report, WriteHtml));
  print("report.json", packed);
  report.options.in_place = MetricsInPlace::kAll;
  const std::size_t all = BytesOf(report, WriteJson);
  print("report.json, metrics=all", all);
  std::printf("  a %.1fth of it\n",
              static_cast<double>(all) / static_cast<double>(packed));
}

void PrintManyRegions() {
  const Profile profile = testing::ManyRegions::Make(2001, 35);
  Notes notes;
  const RegionTree tree = BuildRegionTree(profile, Selection(), notes);
  const Rollup rollup = RollUp(profile, tree, {}, notes);
  Report report = Compose(profile, tree, rollup, notes, {});
  PrintSizes("2,036 kernels, one metric asked for", report);
}

// Where the time goes, once, with the ratio that matters: the largest against
// the smallest, a kernel.
void PrintStages() {
  double per_kernel_small = 0;
  for (const std::size_t kernels : {std::size_t{1000}, std::size_t{100000}}) {
    Profile profile;
    RegionTree tree;
    Rollup rollup;
    Report report;
    Notes notes;
    const double made =
        Seconds([&] { profile = bench::LargeProfile(kernels, kMetrics); });
    const double before = PeakMb();
    const double placed =
        Seconds([&] { tree = BuildRegionTree(profile, Selection(), notes); });
    const double rolled =
        Seconds([&] { rollup = RollUp(profile, tree, {}, notes); });
    const double composed =
        Seconds([&] { report = Compose(profile, tree, rollup, notes, {}); });
    const double json = Seconds([&] { BytesOf(report, WriteJson); });
    const double html = Seconds([&] { BytesOf(report, WriteHtml); });
    const double markdown =
        Seconds([&] { BytesOf(report, WriteReportMarkdown); });
    const double all = placed + rolled + composed + json + html + markdown;
    std::printf(
        "%zu kernels, %zu regions: %.0f ms: tree %.0f, rollup %.0f, compose "
        "%.0f, json %.0f, html %.0f, md %.0f; profile made in "
        "%.0f ms, %.0f MB resident with it, %.0f MB at the peak\n",
        kernels, tree.regions().size(), 1e3 * all, 1e3 * placed, 1e3 * rolled,
        1e3 * composed, 1e3 * json, 1e3 * html, 1e3 * markdown, 1e3 * made,
        before, PeakMb());
    const double per_kernel = all / static_cast<double>(kernels);
    if (kernels == 1000) {
      per_kernel_small = per_kernel;
      continue;
    }
    std::printf(
        "a kernel costs %.2f times as much among 100,000 as among 1,000\n",
        per_kernel / per_kernel_small);
    PrintSizes("100,000 kernels, 20 metrics", report);
  }
}

}  // namespace
}  // namespace rangefinder

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  rangefinder::PrintManyRegions();
  rangefinder::PrintStages();
  benchmark::RunSpecifiedBenchmarks();
}
