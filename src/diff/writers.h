// The documents of a comparison. Each begins with whether the runs are
// comparable, and marks guessed pairs.

#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "diff/comparison.h"
#include "diff/gate.h"
#include "document/document.h"
#include "document/fact_sheet.h"

namespace rangefinder {

struct DiffView {
  const Comparison& comparison;
  const std::vector<Crossing>& crossings;
  bool gated = false;  // crossings fail the command
};

struct DiffDocumentOptions {
  bool only_changed = false;
  // For a comment on a change: changed regions first, and the tree of all
  // regions folded at the end.
  bool changes_first = false;
  std::string sort = "time";  // of siblings: time, change, ratio, name
  std::size_t max_rows = 200;
};

// For the terminal and Markdown.
Document DiffDocument(const DiffView& view, const DiffDocumentOptions& options);
// For a program: whether the change had its intended effect, with the error.
FactSheet DiffFacts(const DiffView& view);
// docs/diff.schema.json.
void WriteDiffJson(const DiffView& view, std::ostream& out);
// One page that needs no network, around the JSON document.
void WriteDiffHtml(const DiffView& view, std::ostream& out);
// A test case per region, for CI.
void WriteDiffJunit(const DiffView& view, std::ostream& out);
// Workflow commands of GitHub Actions: an error for each crossing, a warning
// for each caveat.
void WriteDiffAnnotations(const DiffView& view, std::ostream& out);

}  // namespace rangefinder
