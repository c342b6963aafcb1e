// Queries a database that lies in memory as bytes.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rangefinder::testing {

// The rows of a query as texts: NULL as "NULL", doubles as SQLite prints them.
// The test fails where the bytes are no database or the query is wrong.
std::vector<std::vector<std::string>> Ask(std::string_view database,
                                          std::string_view query);
// The answer to a query with one row of one column.
std::string AskOne(std::string_view database, std::string_view query);

}  // namespace rangefinder::testing
