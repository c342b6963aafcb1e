// Asking a database that is bytes in memory.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rangefinder::testing {

// The rows of a query as texts, NULL as "NULL", doubles as SQLite writes them.
// Fails the test where the bytes are no database or the query is none.
std::vector<std::vector<std::string>> Ask(std::string_view database,
                                          std::string_view query);
// Of a query that has one row of one column.
std::string AskOne(std::string_view database, std::string_view query);

}  // namespace rangefinder::testing
