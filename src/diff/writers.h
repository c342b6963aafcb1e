// The documents that are made of a comparison. Every one says first whether the
// runs can be compared, and marks what was paired by guess.

#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "diff/comparison.h"
#include "diff/gate.h"

namespace rangefinder {

struct DiffView {
  const Comparison& comparison;
  const std::vector<Crossing>& crossings;
  bool gated = false;  // the crossings decide something
};

struct DiffTableOptions {
  std::size_t width = 100;
  bool color = false;
  bool unicode = true;
  bool only_changed = false;
  std::string sort = "time";  // time, change, ratio, name: of siblings
  std::size_t max_rows = 200;
};

// A tree with both times, the change, a bar around zero and the verdict.
void WriteDiffTerminal(const DiffView& view, const DiffTableOptions& options,
                       std::ostream& out);
// Fit for a comment on a change: what changed first, the tree folded away.
void WriteDiffMarkdown(const DiffView& view, const DiffTableOptions& options,
                       std::ostream& out);
// docs/diff.schema.json.
void WriteDiffJson(const DiffView& view, std::ostream& out);
// One page that needs no network, around the JSON document.
void WriteDiffHtml(const DiffView& view, std::ostream& out);
// A test case a region, for CI.
void WriteDiffJunit(const DiffView& view, std::ostream& out);
// Workflow commands of GitHub Actions: an error for each crossing, a warning
// for each caveat.
void WriteDiffAnnotations(const DiffView& view, std::ostream& out);

// "2 slower, 1 faster, 3 ambiguous, 40 the same": what every document says.
std::string VerdictSummary(const Comparison& comparison);
// The regions in the order of reading: siblings as `sort` says, each before its
// inner ones; of `only_changed` those that changed, and what they are in.
std::vector<std::size_t> DiffOrder(const Comparison& comparison,
                                   const DiffTableOptions& options);
// "+12.3 %", "–" where there is no ratio.
std::string ChangeText(const TimeChange& time);
// "12.3 ms" of the runs of a side, "–" where none knows.
std::string MedianText(const std::vector<double>& runs, double median);
// "+12.3 ms"
std::string SignedNs(double ns);

}  // namespace rangefinder
