// From any bytes to every document, as `report` does it: must come to an end,
// whatever they are.

#pragma once

#include <cstdlib>
#include <ostream>
#include <streambuf>
#include <string_view>

#include "base/notes.h"
#include "ingest/ncu_reader.h"
#include "ingest/reader.h"
#include "region/tree.h"
#include "report/report.h"
#include "report/terminal.h"
#include "report/writers.h"
#include "rollup/rollup.h"

namespace rangefinder::testing {

// Takes everything and keeps nothing.
class NullBuffer : public std::streambuf {
 protected:
  int overflow(int c) override { return c == EOF ? 0 : c; }
  std::streamsize xsputn(const char*, std::streamsize n) override { return n; }
};

// Whether the bytes were a report. Aborts where the law of conservation is
// broken: every measurement has exactly one place.
inline bool ReportOfAnyBytes(std::string_view bytes) {
  const Reader* reader = FindReader(bytes);
  if (reader == nullptr) return false;
  Notes notes;
  const Result<Profile> profile =
      reader->read({.path = "any.ncu-rep", .bytes = bytes}, notes);
  if (!profile.ok()) return false;
  const RegionTree tree = BuildRegionTree(profile.value(), Selection(), notes);
  std::size_t places = 0;
  for (const Region& region : tree.regions())
    places += region.kernels.size() + region.ranges.size();
  if (places != profile.value().measurements.size()) std::abort();
  const Rollup rollup = RollUp(profile.value(), tree, {}, notes);
  const Report report = Compose(profile.value(), tree, rollup, notes, {});
  NullBuffer nothing;
  std::ostream out(&nothing);
  WriteJson(report, out);
  WriteMarkdown(report, out);
  WriteKernelsMarkdown(report, out);
  WriteCsv(report, out);
  WriteTerminal(report, {.width = 80, .color = true, .unicode = true}, out);
  return true;
}

}  // namespace rangefinder::testing
