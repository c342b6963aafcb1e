// The one order in which a summary is written: equal summaries are equal bytes,
// however they came about.

#pragma once

#include "summary/summary.h"

namespace rangefinder {

// Sorts everything: texts by their bytes, regions by path (parents first,
// siblings by domain and name, what was launched outside of all last), kernels
// by what they are, rows and uses by region, facts, notes and sources. Texts
// and kernels that nothing names are dropped. No two entries may be equal in
// what they are sorted by.
void SortSummary(Summary& summary);

}  // namespace rangefinder
