// The member `ranks` of report.json: the ranks of a job, what each region took
// over them, who is late, and the numbers of ranks × regions.
// docs/report-json.md says what it holds.

#pragma once

#include "report/json_stream.h"
#include "report/report.h"

namespace rangefinder {

// Nothing with fewer than two ranks. The page has the regions that its heat map
// shows and those that somebody is late in; a document all.
void WriteRanksJson(JsonStream& json, const Report& report, bool for_page);

}  // namespace rangefinder
