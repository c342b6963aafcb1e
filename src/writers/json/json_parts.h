// Parts of report.json that stand in several places, or are long enough for a
// file of their own. Each writes a key with its value, or nothing where the
// report has none.

#pragma once

#include "insight/times.h"
#include "report/report.h"
#include "writers/json/json_stream.h"

namespace rangefinder {

// ---- Of a region ----

// `times`. The page shows only some of very many streams.
void WriteTimesJson(JsonStream& json, const Report& report,
                    const RegionTimes& times, bool for_page);
// `merged`: the names of ranges that differ by a counter.
void WriteMembersJson(JsonStream& json, const Report& report,
                      const Scope& scope, RegionId id);
// `traced`, `coverage` and, where launches are missing, `scaled`: the baseline
// run beside a measured run. Of the root for the whole scope.
void WriteTracedJson(JsonStream& json, const Report& report,
                     const ScopeRollup& scope, RegionId region);
// `traced` of a kernel's row.
void WriteTracedKernelJson(JsonStream& json, const Report& report,
                           const ScopeRollup& scope, RegionId region,
                           const KernelRow& row);
// `estimated`: estimates of values that were measured as well.
void WriteBesideJson(JsonStream& json, const Report& report,
                     const RegionRollup& rolled);
// `copies`: estimated counters of the region's copies and sets.
void WriteCopiesJson(JsonStream& json, const Report& report, RegionId id);
// `over_time`: a device each, whose blocks have equally many instances.
void WriteOverTimeJson(JsonStream& json, const Report& report,
                       const Scope& scope, RegionId id);

// `phases` of a scope, where a framework is known.
void WritePhasesJson(JsonStream& json, const Report& report,
                     const ScopeRollup& scope);
// `units` of a region: what a unit of work costs there.
void WriteUnitsJson(JsonStream& json, const Report& report, RegionId id);

// ---- Of the capture ----

// `replay_ratio` and `runs`.
void WriteRunsJson(JsonStream& json, const Report& report);
// `sampling`: a device each, with its samples, the fit and the parts of the
// hardware's totals.
void WriteSamplingJson(JsonStream& json, const Report& report);
// `check`: estimates against exact counts.
void WriteCheckJson(JsonStream& json, const Report& report);
void WritePrecisionJson(JsonStream& json, const Report& report);

// ---- Of the document ----

// `ranks`, with two or more of them; of the page with the regions of the matrix
// and of late ranks alone.
void WriteRanksJson(JsonStream& json, const Report& report, bool for_page);

}  // namespace rangefinder
