#include "report/cell_lists.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace rangefinder {
namespace {

// A double that is no number is equal to itself here.
auto Content(const Cell& cell) {
  const auto place = [](std::string_view word) { return word.data(); };
  return std::tuple(cell.how, cell.is_text, cell.has_spread, cell.bound,
                    std::bit_cast<std::uint64_t>(cell.value), Index(cell.text),
                    std::bit_cast<std::uint64_t>(cell.low),
                    std::bit_cast<std::uint64_t>(cell.high),
                    std::bit_cast<std::uint32_t>(cell.error), cell.distinct,
                    cell.present, cell.missing, place(cell.rule),
                    place(cell.weight), place(cell.reason));
}

bool SameContent(const Cells& a, const Cells& b) {
  return std::ranges::equal(a, b, {}, Content, Content);
}

// Of the numbers alone: what else differs is seen when lists are compared.
std::uint64_t HashOf(const Cells& cells) {
  std::uint64_t hash = cells.size();
  const auto mix = [&](std::uint64_t bits) {
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  };
  for (const Cell& cell : cells) {
    mix(std::bit_cast<std::uint64_t>(cell.value));
    mix(cell.present);
  }
  return hash;
}

}  // namespace

std::uint32_t CellLists::Add(const Cells& cells) {
  if (cells.empty()) return kNone;
  const auto next = static_cast<std::uint32_t>(lists_.size());
  const auto [known, is_new] = by_place_.try_emplace(cells.begin(), next);
  if (!is_new) return known->second;
  const std::uint64_t hash = HashOf(cells);
  const auto [first, last] = by_content_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (SameContent(*lists_[at->second], cells))
      return known->second = at->second;
  }
  lists_.push_back(&cells);
  by_content_.emplace(hash, next);
  return next;
}

}  // namespace rangefinder
