// The ranks of a report: found once, before anything is said of them.

#pragma once

#include "report/report.h"

namespace rangefinder {

// Fills Report::ranks and rank_analysis, where at least two processes are ranks
// of a job, or communicate: those of a program that merely starts others are
// not held against each other.
void FindRanks(Report& report);

}  // namespace rangefinder
