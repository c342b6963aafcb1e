// What reports say of estimates that were checked against exact counts.

#pragma once

#include <string>

#include "report/report.h"

namespace rangefinder {

// "14 of 15 estimates agree with exact counts within their 95 %"; empty where
// nothing was checked.
std::string CheckText(const Report& report);

}  // namespace rangefinder
