#include "report/cell_forms.h"

#include <bit>

#include "base/json_text.h"
#include "report/json_cells.h"

namespace rangefinder {

std::size_t CellForms::Hash::operator()(const Key& key) const {
  std::size_t hash = 0;
  std::apply(
      [&](const auto&... part) {
        ((hash = hash * 0x9e3779b97f4a7c15U +
                 std::hash<std::decay_t<decltype(part)>>()(part)),
         ...);
      },
      key);
  return hash ^ hash >> 32;
}

// Words are compared by where their text lies, which is a Word's one member:
// two texts that are equal may be two forms, which says the same.
CellForms::Key CellForms::KeyOf(const Cell& cell) {
  const auto place = [](const Word& word) {
    return std::bit_cast<const char*>(word);
  };
  return Key(cell.how, cell.bound, place(cell.rule), place(cell.weight),
             place(cell.reason), cell.present, cell.missing, cell.distinct);
}

std::uint32_t CellForms::IdOf(const Cell& cell, Last& last) {
  const Key key = KeyOf(cell);
  if (last.known && key == KeyOf(last.cell)) return last.id;
  const auto next = static_cast<std::uint32_t>(firsts_.size());
  const auto [known, is_new] = ids_.try_emplace(key, next);
  if (is_new) firsts_.push_back(cell);
  last = {.cell = cell, .id = known->second, .known = true};
  return known->second;
}

void CellForms::Append(std::string& out) const {
  out += '[';
  for (const Cell& cell : firsts_) {
    if (&cell != &firsts_.front()) out += ",\n";
    out += '{';
    AppendOrigin(cell, CellDetail::kAll, out);
    AppendDistinct(cell, out);
    out += '}';
  }
  out += ']';
}

}  // namespace rangefinder
