// Facts for a program to read: sentences in sections, each with a rank. If not
// all of them fit, those with the highest ranks are left out.

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
  int rank = 0;  // facts with the highest rank are left out first
  ListItem item{};
};

struct FactSheet {
  std::string title{};
  std::vector<RankedFact> facts{};  // in the order of reading

  // Adds no item without a text.
  void Add(std::string section, int rank, ListItem item) {
    if (item.text.empty()) return;
    facts.push_back({std::move(section), rank, std::move(item)});
  }
};

// The `most` facts with the lowest ranks by sections, in the order of reading;
// below them the number of left-out facts, and `all_tokens`, which suffice for
// all.
Document DocumentOf(const FactSheet& sheet, std::size_t most,
                    std::uint64_t all_tokens);

}  // namespace rangefinder
