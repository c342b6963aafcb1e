// The details page of Nsight Compute as CSV: one row per metric of each section
// of each measurement, and one row per rule, with ncu's own column names.
// Unlike in ncu's CSV, numbers are in base units and at full precision.

#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// A text as one RFC 4180 field: invalid UTF-8 is replaced; control characters
// except line ends and tabs are written as by Printable(). A text that a
// spreadsheet would take for a formula (it begins with = + - @, a tab or a
// carriage return) gets an apostrophe in front.
std::string CsvText(std::string_view text);

// The identifiers of the sections of `profile`, in ncu's order: "SpeedOfLight".
std::vector<std::string> SectionNames(const Profile& profile);

// One section, by its identifier; all sections if it is empty.
void WriteSectionCsv(const Profile& profile, std::string_view section,
                     std::ostream& out);

}  // namespace rangefinder
