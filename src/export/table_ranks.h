// The ranks of a job as rows: what each did region by region, and who is late.

#pragma once

#include "export/table_file.h"
#include "export/table_ids.h"
#include "report/report.h"

namespace rangefinder {

// Nothing where there are no ranks to compare.
void AddRankRows(const Report& report, const TableIds& ids, TableFile& file);

}  // namespace rangefinder
