#include "tests/fuzz/run_directory.h"

#include <filesystem>
#include <string>

#include "analysis/run_artifacts.h"
#include "base/file.h"
#include "base/write_file.h"
#include "capture/record.h"
#include "tests/fuzz/demand.h"
#include "tests/fuzz/report_oracles.h"
#include "tests/support/temp_dir.h"
#include "wire/checksum.h"

namespace rangefinder::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReport = "tests/fuzz/corpus/ncu/graphs";

// The files outside.ncu-rep and run/ncu/a.ncu-rep, made once.
class Place {
 public:
  Place() {
    const fs::path report = fs::path(RANGEFINDER_SOURCE_DIR) / kReport;
    const std::string bytes = ReadFile(report).value();
    bytes_ = bytes.size();
    fs::create_directories(run() / "ncu");
    for (const fs::path& copy :
         {run() / "ncu" / "a.ncu-rep", folder_ / "outside.ncu-rep"})
      fs::copy_file(report, copy);
  }

  fs::path run() const { return folder_ / "run"; }
  std::size_t bytes() const { return bytes_; }

 private:
  TempDir folder_;
  std::size_t bytes_ = 0;
};

bool IsInside(const fs::path& file, const fs::path& run) {
  const fs::path from_run =
      fs::weakly_canonical(file).lexically_relative(fs::canonical(run));
  return !from_run.empty() && *from_run.begin() != "..";
}

}  // namespace

bool ReportOfAnyManifest(std::string_view manifest) {
  static const Place place;
  if (!WriteFile(place.run() / "ncu" / "manifest.json", manifest).ok())
    std::exit(1);
  const std::string run = place.run().string();
  const auto artifacts = ArtifactsOf({run});
  if (artifacts.ok()) {
    for (const fs::path& file : artifacts.value().files)
      Demand(IsInside(file, run), "a manifest leads to files of its run alone");
  }
  const std::uint64_t lot = wire::Checksum(manifest.data(), manifest.size());
  return ReportOfPaths({run}, manifest.size() + place.bytes(), lot % 4 == 0,
                       lot % 64 == 1);
}

}  // namespace rangefinder::testing
