// Parts of report.json that occur in several places, or are long enough for a
// file of their own. Each function writes a key with its value, or nothing if
// the report has no such data.

#pragma once

#include "insight/times.h"
#include "report/report.h"
#include "writers/json/json_stream.h"

namespace rangefinder {

// ---- Of a region ----

// `times`. Of very many streams, the page shows some only.
void WriteTimesJson(JsonStream& json, const Report& report,
                    const RegionTimes& times, bool for_page);
// `merged`: the names of merged ranges.
void WriteMembersJson(JsonStream& json, const Report& report,
                      const Scope& scope, RegionId id);
// `traced`, `coverage` and, if launches are missing, `scaled`: the baseline run
// next to a measured run. For the root: the whole scope.
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
// `over_time`: one entry per device, with blocks of equally many instances.
void WriteOverTimeJson(JsonStream& json, const Report& report,
                       const Scope& scope, RegionId id);

// `phases` of a scope, if a framework is known.
void WritePhasesJson(JsonStream& json, const Report& report,
                     const ScopeRollup& scope);
// `units` of a region: its costs per unit of work.
void WriteUnitsJson(JsonStream& json, const Report& report, RegionId id);

// ---- Of the capture ----

// `replay_ratio` and `runs`.
void WriteRunsJson(JsonStream& json, const Report& report);
// `sampling`: one entry per device, with its samples, the fit and the parts of
// the hardware's totals.
void WriteSamplingJson(JsonStream& json, const Report& report);
// `check`: estimates compared with exact counts.
void WriteCheckJson(JsonStream& json, const Report& report);
void WritePrecisionJson(JsonStream& json, const Report& report);

// ---- Of the document ----

// `ranks`, if there are two or more; the page has only the regions of the
// matrix and of late ranks.
void WriteRanksJson(JsonStream& json, const Report& report, bool for_page);

}  // namespace rangefinder
