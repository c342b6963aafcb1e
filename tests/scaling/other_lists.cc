#include <array>

#include <fmt/format.h>

#include "tests/scaling/lists.h"

namespace rangefinder::testing {
namespace {

std::string KernelRows(int n) {
  std::string text = "Time (%),Total Time (ns),Instances,Name\n";
  for (int i = 0; i < n; ++i) text += fmt::format("0.1,10,1,k{}\n", i);
  return text;
}

std::string KernelColumns(int n) {
  std::string header = "Time (%),Total Time (ns),Instances,Name";
  std::string row = "100,10,1,k";
  for (int i = 0; i < n; ++i) {
    header += fmt::format(",c{}", i);
    row += ",1";
  }
  return header + "\n" + row + "\n";
}

std::string Manifest(std::string_view runs, std::string_view more) {
  return fmt::format(R"({{"schema": "rangefinder.capture/1", "runs": [{}]{}}})",
                     runs, more);
}

// Repeats `each` with commas between the copies.
std::string Listed(int count, std::string_view each) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += fmt::format(fmt::runtime(each), i);
  }
  return text;
}

std::string ManifestRuns(int n) {
  return Manifest(Listed(n, R"({{"name": "r{}", "outcome": "ok"}})"), "");
}
std::string ManifestNotes(int n) {
  return Manifest("", R"(, "notes": [)" +
                          Listed(n, R"({{"kind": "k", "text": "t{}"}})") + "]");
}
std::string ManifestKeys(int n) {
  return Manifest("", "," + Listed(n, R"("key{}": 1)"));
}

constexpr auto kLists = std::to_array<ListInFile>({
    {"rows of a summary of kernels", "kernels.csv", KernelRows},
    {"columns of a summary of kernels", "kernels.csv", KernelColumns},
    {"runs of a manifest", "manifest.json", ManifestRuns},
    {"notes of a manifest", "manifest.json", ManifestNotes},
    {"keys of a manifest", "manifest.json", ManifestKeys},
});

}  // namespace

std::span<const ListInFile> ListsOfOtherFiles() {
  return kLists;
}

}  // namespace rangefinder::testing
