// The sections of a summary that add up: what it was made of, and the totals of
// regions and kernels. As bytes, and back.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "summary/summary.h"

namespace rangefinder {

// Of a sorted summary.
std::string AboutBytes(const Summary& summary);
std::string TotalsBytes(const Summary& summary);

// Into `summary`, whose other parts stay as they are. kCorrupt where the bytes
// are none of these: indices are in range then, and parents before children.
Status ReadAbout(std::string_view bytes, Summary& summary);
Status ReadTotals(std::string_view bytes, Summary& summary);

}  // namespace rangefinder
