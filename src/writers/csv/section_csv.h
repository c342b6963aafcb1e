// The details page of Nsight Compute as CSV: a row a metric of each section of
// each measurement, and a row a rule, under ncu's own column names. Unlike
// ncu's, numbers are in base units and at full precision.

#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// A text as one RFC 4180 field: invalid UTF-8 replaced, control characters but
// ends of lines and tabs written out as Printable() does. Text that a
// spreadsheet would take for a formula (it begins with = + - @, a tab or a
// carriage return) is led in by an apostrophe.
std::string CsvText(std::string_view text);

// The identifiers of the sections of `profile`, in ncu's order: "SpeedOfLight".
std::vector<std::string> SectionNames(const Profile& profile);

// Of one section, by its identifier; of all where it is empty.
void WriteSectionCsv(const Profile& profile, std::string_view section,
                     std::ostream& out);

}  // namespace rangefinder
