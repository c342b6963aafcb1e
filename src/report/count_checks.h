// What reports say of estimates that were checked against exact counts.

#pragma once

#include <ostream>
#include <string>

#include "report/report.h"

namespace rangefinder {

// "14 of 15 estimates agree with exact counts within their 95 %"; empty where
// nothing was checked.
std::string CheckText(const Report& report);

// A section with a table; nothing where nothing was checked.
void WriteCheckMarkdown(std::ostream& out, const Report& report);

}  // namespace rangefinder
