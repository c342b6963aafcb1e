// Reading and reporting an .ncu-rep of PyTorch's size: 101 MB, of which 87 MB
// are SASS and cubins. The times are compared with the least work of a reader:
// a walk over the wire format of every result, field by field, without keeping
// anything.
//
//   ncu_rep_bench [FILE]     an .ncu-rep to use instead

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <protozero/pbf_reader.hpp>
#include <sys/mman.h>
#include <sys/resource.h>

#include "analysis/analysis.h"
#include "analysis/report_files.h"
#include "app/command_settings.h"
#include "base/file.h"
#include "base/write_file.h"
#include "ingest/ncu/ncu_container.h"
#include "ingest/ncu/ncu_layout.h"
#include "ingest/ncu/ncu_reader.h"
#include "ingest/reader.h"
#include "report/documents.h"
#include "tests/support/rep_builder.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSourceBytes = 87'000'000;
constexpr std::size_t kKernels = 300;

// The kernels of a recorded capture, repeated, with all their data.
std::string PyTorchSized() {
  const fs::path capture =
      fs::path(RANGEFINDER_SOURCE_DIR) / "tests/fixtures/nested_basic.ncu-rep";
  const MappedFile file = std::move(MappedFile::Open(capture)).value();
  Notes notes;
  Profile profile =
      ReadNcuReport({.path = "capture", .bytes = file.bytes()}, notes).value();
  const Profile one = profile;
  while (profile.measurements.size() < kKernels) Append(profile, one);
  profile.measurements.resize(kKernels);
  for (Measurement& m : profile.measurements) {
    if (Index(m.process) != 0) m.process = profile.measurements[0].process;
  }
  return testing::BuildRep(
      profile, {.sources = kKernels, .source_bytes = kSourceBytes / kKernels});
}

// Sums every field of a kernel's result, of metrics also the fields of their
// values.
std::uint64_t Walk(std::string_view message) {
  std::uint64_t sum = 0;
  const auto open = [](protozero::data_view view) {
    return protozero::pbf_reader(view);
  };
  const auto any = [&](protozero::pbf_reader& in) {
    switch (in.wire_type()) {
      case protozero::pbf_wire_type::varint:
        sum += in.get_uint64();
        break;
      case protozero::pbf_wire_type::fixed64:
        sum += in.get_fixed64();
        break;
      case protozero::pbf_wire_type::length_delimited: {
        const protozero::data_view view = in.get_view();
        for (std::size_t i = 0; i < view.size(); ++i)
          sum += static_cast<unsigned char>(view.data()[i]);
        break;
      }
      default:
        in.skip();
    }
  };
  protozero::pbf_reader result(message.data(), message.size());
  while (result.next()) {
    if (result.tag() != ncu::kKernelFields.metric) {
      any(result);
      continue;
    }
    protozero::pbf_reader metric = open(result.get_view());
    while (metric.next()) {
      if (metric.wire_type() != protozero::pbf_wire_type::length_delimited) {
        any(metric);
        continue;
      }
      protozero::pbf_reader value = open(metric.get_view());
      while (value.next()) any(value);
    }
  }
  return sum;
}

// Visits the messages of an .ncu-rep except the sources; returns their bytes.
template <typename Visit>
std::size_t VisitResults(std::string_view bytes, Visit visit) {
  auto container = NcuContainer::Open(bytes).value();
  std::size_t total = 0;
  while (const auto block = container.Next()) {
    std::string_view payload = block->payload;
    visit(block->strings, true);
    total += block->strings.size();
    const std::size_t results =
        block->kernels + block->ranges + block->command_lists + block->graphs;
    for (std::size_t i = 0; i < block->sources + results; ++i) {
      const auto message = NextMessage(payload);
      if (!message) break;
      if (i < block->sources) continue;
      visit(*message, false);
      total += message->size();
    }
  }
  return total;
}

// The least processor time of `rounds` calls, in ms; other work on the machine
// has little effect on it.
double Best(int rounds, const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_nsec) / 1e6;
  };
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const double start = now();
    work();
    best = std::min(best, now() - start);
  }
  return best;
}

double ResidentMb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int Run(int argc, char** argv) {
  const fs::path folder =
      fs::temp_directory_path() / "rangefinder-ncu-rep-bench";
  fs::create_directories(folder);
  fs::path path = folder / "pytorch_sized.ncu-rep";
  if (argc > 1)
    path = argv[1];
  else if (!WriteFile(path, PyTorchSized()).ok())
    return 1;
  const std::vector<fs::path> files = {path};
  const auto map = [&] { return std::move(MappedFile::Open(path)).value(); };

  std::uint64_t sum = 0;
  std::size_t matter = 0;
  const double bytes_touched = Best(7, [&] {
    const MappedFile file = map();
    matter = VisitResults(file.bytes(), [&](std::string_view message, bool) {
      for (const char c : message) sum += static_cast<unsigned char>(c);
    });
  });
  const double fields_touched = Best(7, [&] {
    const MappedFile file = map();
    VisitResults(file.bytes(), [&](std::string_view message, bool strings) {
      if (!strings) sum += Walk(message);
    });
  });
  const double read = Best(7, [&] {
    Notes notes;
    sum += ReadArtifacts(files, notes).value().samples.size();
  });
  const double before = ResidentMb();
  const double analyzed = Best(5, [&] {
    sum += Analyze(files, ShippedSettings().analysis)
               .value()
               ->tree.regions()
               .size();
  });
  const double documents = Best(5, [&] {
    const auto analysis = Analyze(files, ShippedSettings().analysis).value();
    const Report report =
        MakeReport(*analysis, ReportOptionsOf(ShippedSettings()));
    sum += WriteFileBy(folder / "report.json", [&](std::ostream& out) {
             WriteJson(report, out);
           }).ok();
    sum += WriteFileBy(folder / "report.md", [&](std::ostream& out) {
             WriteMarkdown(RunDocument(report), out);
           }).ok();
  });
  const double reported = Best(3, [&] {
    const auto analysis = Analyze(files, ShippedSettings().analysis).value();
    sum += WriteReportFiles(
               MakeReport(*analysis, ReportOptionsOf(ShippedSettings())),
               folder / "run", [](std::string_view) {})
               .ok();
  });
  std::printf(
      "%s: %.1f MB, %.1f MB without sources\n"
      "touch the bytes   %8.2f ms\n"
      "touch the fields  %8.2f ms\n"
      "read              %8.2f ms  %5.2f x fields\n"
      "read and roll up  %8.2f ms  %5.2f x fields\n"
      "report.json, .md  %8.2f ms  %5.2f x fields\n"
      "all files written %8.2f ms  %5.2f x fields\n"
      "peak memory after reading %.0f MB, at the end %.0f MB\n(%llu)\n",
      path.filename().c_str(), static_cast<double>(fs::file_size(path)) / 1e6,
      static_cast<double>(matter) / 1e6, bytes_touched, fields_touched, read,
      read / fields_touched, analyzed, analyzed / fields_touched, documents,
      documents / fields_touched, reported, reported / fields_touched, before,
      ResidentMb(), static_cast<unsigned long long>(sum));
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace rangefinder

int main(int argc, char** argv) {
  return rangefinder::Run(argc, argv);
}
