// The lists of cells of a document, each once: a region without inner regions
// has the same inclusive and exclusive values, and so has its only kernel.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "rollup/cell.h"

namespace rangefinder {

class CellLists {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // The number of the list, which is new or has the same cells; kNone of an
  // empty one. Lists must outlive this.
  std::uint32_t Add(const Cells& cells);

  std::size_t size() const { return lists_.size(); }
  const Cells& operator[](std::size_t i) const { return *lists_[i]; }

 private:
  std::vector<const Cells*> lists_;  // by number, in the order of Add
  std::unordered_map<const Cell*, std::uint32_t> by_place_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_content_;
};

}  // namespace rangefinder
