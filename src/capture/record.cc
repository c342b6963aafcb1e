#include "capture/record.h"

#include <algorithm>

namespace rangefinder {

std::vector<std::filesystem::path> Capture::artifacts() const {
  std::vector<std::filesystem::path> reports;
  for (const RunRecord& run : runs) {
    if (run.used) reports.push_back(run.report);
  }
  return reports;
}

Spent SpentOf(const Capture& capture) {
  Spent spent;
  for (const RunRecord& run : capture.runs) {
    spent.seconds += run.seconds;
    spent.passes = std::max(spent.passes, run.passes);
    if (run.used) spent.results += run.results;
  }
  return spent;
}

}  // namespace rangefinder
