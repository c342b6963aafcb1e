// Which scopes people are shown one by one: of a job with many ranks those that
// something is said of, and the others are in the aggregate, in ranks and in
// report.json.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/report.h"

namespace rangefinder {

inline constexpr std::size_t kMostMarkdownScopes = 16;  // of a report.md
// Of the HTML page: 16, and more as far as it opens at once.
std::size_t MostPageScopes(const Report& report);

// At most `most` of ShownScopes(), in their order: the aggregate, who is late,
// who is typical of a group, then those with the most GPU time.
std::vector<const ScopeRollup*> ScopesOneByOne(const Report& report,
                                               std::size_t most);

// A paragraph of Markdown that says how many more there are; empty: none.
std::string MoreScopesMarkdown(const Report& report, std::size_t shown);

}  // namespace rangefinder
