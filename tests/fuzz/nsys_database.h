// Exports of Nsight Systems that are valid databases and anything else as
// exports: tables and columns missing, other types than they should have, rows
// that contradict each other. Any bytes are one.
//
// Bytes are read as steps, the first byte of each says which:
//
//   leave out a table; a column; add rows, each column's value by a byte or
//   more; repeat the last row with numbers that count on; change bytes of the
//   finished file, or cut it.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder::testing {

// The bytes of the database that `steps` make.
std::string NsysDatabase(std::string_view steps);

}  // namespace rangefinder::testing
