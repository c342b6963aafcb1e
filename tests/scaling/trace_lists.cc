#include <array>

#include <fmt/format.h>

#include "tests/scaling/lists.h"
#include "tests/support/trace_builder.h"

namespace rangefinder::testing {
namespace {

// Repeats `each` for each number from 1: {0} is the number, {1} the time that
// begins then, {2} and {3} are 3 and 6 us later.
std::string Repeated(int count, std::string_view each) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    text += fmt::format(fmt::runtime(each), i, 10 * i, 10 * i + 3, 10 * i + 6);
  }
  return text;
}

std::string Trace(std::string_view text) {
  return BuildTrace("process pid=7 exe=/bin/app\n" + std::string(text));
}

constexpr std::string_view kKernel = "kernel k {2}-{3} of={0}\n";

std::string Each(int count, std::string_view each) {
  return Trace(Repeated(count, std::string(each) + std::string(kKernel)));
}

std::string Kernels(int n) {
  return Each(n, "{1} launch {0}\n");
}
std::string KernelNames(int n) {
  return Trace(Repeated(n, "{1} launch {0}\nkernel k_{0}x {2}-{3} of={0}\n"));
}
std::string Regions(int n) {
  return Each(n, "{1} push r{0}x\n{1} launch {0}\n{2} pop\n");
}
std::string Executions(int n) {
  return Each(n, "{1} push r\n{1} launch {0}\n{2} pop\n");
}
std::string MergedNames(int n) {
  return Each(n, "{1} push step_{0}\n{1} launch {0}\n{2} pop\n");
}
// Of vLLM: instances of one region, each with a number of its own.
std::string FrameworkNames(int n) {
  return Each(n,
              "{1} push execute_context_0%280%29_generation_{0}%28{0}%29\n"
              "{1} push gpu_model_runner%3a%20forward\n{1} launch {0}\n"
              "{2} pop\n{3} pop\n");
}
// Of SGLang: a module each.
std::string FrameworkModules(int n) {
  return Each(n,
              "{1} push %7b%27Module%27%3a%20%27top.m{0}x.mlp%27%2c%20"
              "%27Inputs%27%3a%20%5b%5b{0}%2c%20512%5d%5d%7d\n"
              "{1} launch {0}\n{2} pop\n");
}
std::string MissingPops(int n) {
  return Each(n, "{1} push step\n{1} push inner\n{1} launch {0}\n{2} pop\n");
}
std::string MissingPopsOfNames(int n) {
  return Each(n, "{1} push step_{0}\n{1} launch {0}\n");
}
std::string PopsTooMany(int n) {
  return Each(n, "{1} push r\n{1} launch {0}\n{2} pop\n{3} pop\n");
}
std::string MissingEnds(int n) {
  return Each(n,
              "{1} start request id={0}\n{1} push step\n{2} launch {0}\n"
              "{3} pop\n");
}
std::string Requests(int n) {
  return Each(n, "{1} start request id={0}\n{2} launch {0}\n{3} end id={0}\n");
}
std::string CrossedDomains(int n) {
  return Trace(Repeated(n, "{1} push A@a\n") + Repeated(n, "{1} push B@b\n") +
               Repeated(n, "{1} pop A\n{1} launch {0}\n") +
               Repeated(n, "{1} pop B\n") + Repeated(n, kKernel));
}
std::string Domains(int n) {
  return Each(n, "{1} push D{0}@r\n{1} launch {0}\n{2} pop D{0}\n");
}
std::string Threads(int n) {
  return Each(n,
              "thread {0}\n{1} start S id={0}\n{1} push r\n{2} launch {0}\n"
              "{3} pop\n{3} end id={0}\n");
}
std::string Streams(int n) {
  return Trace(Repeated(n,
                        "{1} push r\n{1} launch {0}\n{3} pop\n"
                        "kernel k {2}-{3} of={0} stream={0}\n"));
}
std::string Devices(int n) {
  return Trace(Repeated(n,
                        "{1} push r\n{1} launch {0}\n{3} pop\n"
                        "kernel k {2}-{3} of={0} device={0}\n"));
}
std::string Copies(int n) {
  return Trace(Repeated(n, "{1} launch {0}\ncopy {2}-{3} of={0} bytes=8\n"));
}
std::string Unlaunched(int n) {
  return Trace(Repeated(n, "kernel k {2}-{3} of={0}\n"));
}
std::string Samples(int n) {
  return Trace("sampling 0 interval=10 chip=GH100 metrics=a.sum,b.avg\n" +
               Repeated(n, "{1} push r\n{1} launch {0}\n{3} pop\n") +
               Repeated(n, "sample 0 {1}-{3} 5,0.25\n") + Repeated(n, kKernel));
}
std::string Gaps(int n) {
  return Trace("sampling 0 interval=10 chip=GH100 metrics=a.sum\n" +
               Repeated(n, "gap 0 {1}-{2} missing=2 why=1\n") +
               Repeated(n, "{1} launch {0}\n") + Repeated(n, kKernel));
}
std::string Counts(int n) {
  return Trace("counting 0 metrics=a.sum,b.sum\nrow A\n" +
               Repeated(n, "count 0 {0} 8,0.5\n"));
}
std::string CountedRows(int n) {
  std::string text = "counting 0 metrics=a.sum\n";
  for (int i = 0; i < n; ++i)
    text += fmt::format("row A{0}x\ncount {0} 1 8\n", i);
  return Trace(text);
}

constexpr auto kLists = std::to_array<ListInFile>({
    {"kernels", "a.rftrace", Kernels},
    {"names of kernels", "a.rftrace", KernelNames},
    {"regions", "a.rftrace", Regions, 500},
    {"executions of a region", "a.rftrace", Executions},
    {"names that differ by a counter", "a.rftrace", MergedNames},
    {"names of a framework", "a.rftrace", FrameworkNames},
    {"modules of a framework", "a.rftrace", FrameworkModules},
    {"missing pops", "a.rftrace", MissingPops},
    {"missing pops of names with a number", "a.rftrace", MissingPopsOfNames},
    {"pops too many", "a.rftrace", PopsTooMany},
    {"missing ends", "a.rftrace", MissingEnds},
    {"start/end ranges", "a.rftrace", Requests},
    {"crossed pushes of two domains", "a.rftrace", CrossedDomains},
    {"domains", "a.rftrace", Domains, 500},
    {"threads", "a.rftrace", Threads, 1000},
    {"streams", "a.rftrace", Streams},
    {"devices", "a.rftrace", Devices, 200},
    {"copies", "a.rftrace", Copies, 20000},
    {"kernels without a launch", "a.rftrace", Unlaunched},
    {"samples", "a.rftrace", Samples},
    {"gaps between samples", "a.rftrace", Gaps},
    {"counts of a region", "a.rftrace", Counts, 10000},
    {"counted regions", "a.rftrace", CountedRows, 500},
});

}  // namespace

std::span<const ListInFile> ListsOfTraces() {
  return kLists;
}

}  // namespace rangefinder::testing
