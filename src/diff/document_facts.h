// A run as its report.json describes it, for users who kept only that file.
//
// Facts that the document lacks are absent: how kernels were launched (grid,
// block, registers), and counters that are packed in its columns.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "diff/run_facts.h"

namespace rangefinder {

// Whether the bytes begin as a report.json does.
bool IsReportDocument(std::string_view bytes);

// Of the aggregate scope, or the only one. kCorrupt where the text is no JSON,
// or a field does not follow docs/report.schema.json; kUnsupported for a
// document of a region alone or without an aggregate of several scopes.
Result<RunFacts> FactsOfDocument(std::string_view text, std::string source);

}  // namespace rangefinder
