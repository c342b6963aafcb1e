// Facts for a program to read, most important first where not all of them fit:
// sentences in sections, each with a rank by which it is left out.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "document/document.h"

namespace rangefinder {

struct RankedFact {
  std::string section{};
  int rank = 0;  // of facts that do not fit, those of the highest rank go first
  ListItem item{};
};

struct FactSheet {
  std::string title{};
  std::vector<RankedFact> facts{};  // in the order of reading

  void Add(std::string section, int rank, ListItem item) {
    facts.push_back({std::move(section), rank, std::move(item)});
  }
};

// The `most` facts of the lowest ranks by sections, in the order of reading;
// below them what was left out, and that `all_tokens` hold all.
Document DocumentOf(const FactSheet& sheet, std::size_t most,
                    std::uint64_t all_tokens);

}  // namespace rangefinder
