// What reports say of counters that change over the run.

#pragma once

#include <ostream>

#include "report/json_stream.h"
#include "report/report.h"

namespace rangefinder {

// The key `over_time` of a region: a device each, whose blocks are of equally
// many instances. Nothing where a region is not followed over the run.
void WriteOverTimeJson(JsonStream& json, const Report& report,
                       const Scope& scope, RegionId id);

// "`x` grows from 2.1 to 3.4 MB an instance over the run": a line, where
// something grows or falls beyond doubt.
void WriteOverTimeMarkdown(std::ostream& out, const Report& report,
                           const Scope& scope, RegionId id);

}  // namespace rangefinder
