// What cells say beside their numbers - how, by which rule, of how many
// measurements - each combination once and by a number: a document has millions
// of cells and some dozens of these.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "rollup/cell.h"

namespace rangefinder {

class CellForms {
 public:
  // The form that was asked for before: most cells have that of the one before.
  struct Last {
    Cell cell{};
    std::uint32_t id = 0;
    bool known = false;
  };
  std::uint32_t IdOf(const Cell& cell, Last& last);
  // A JSON array of objects, by number.
  void Append(std::string& out) const;

 private:
  using Key = std::tuple<How, Bound, const char*, const char*, const char*,
                         std::uint32_t, std::uint32_t, std::uint32_t>;
  static Key KeyOf(const Cell& cell);
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  std::unordered_map<Key, std::uint32_t, Hash> ids_;
  std::vector<Cell> firsts_;  // a cell of each form
};

}  // namespace rangefinder
