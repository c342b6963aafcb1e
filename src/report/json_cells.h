// The cells of a report as JSON text, each list of them written once.
//
// A report has the same cells in many places: inclusive and exclusive of a
// region without inner regions, the aggregate and its only process, the page,
// the folder of a region and those of the regions around it. Lists of cells are
// shared (rollup/cell.h), so the text of a list is made where it is first
// wanted and kept, as long as all of it together stays small.

#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "rollup/cell.h"
#include "rollup/rollup.h"

namespace rangefinder {

enum class CellDetail : std::uint8_t {
  kAll,       // how each came about
  kOfDevice,  // the same, and what the device is
  kBrief,     // of a kernel's row: how it is combined stands with the region's
  kValues,    // the values that there are, by name
};

// A cell's value: a number, a text, or null where it is absent.
void AppendJsonValue(const Profile& profile, const Cell& cell,
                     std::string& out);
// The members that say how a cell came about, of an estimate its error and
// interval, its number of different values, and whether it has a smallest and a
// largest that its value does not tell.
void AppendOrigin(const Cell& cell, CellDetail detail, std::string& out);
void AppendInterval(const Cell& cell, std::string& out);
void AppendDistinct(const Cell& cell, std::string& out);
bool TellsSpread(const Cell& cell);

// May be used by several threads at once. Borrows what it is made of.
class JsonCells {
 public:
  // `in_place`, by Rollup::columns: those that stand in place in any document.
  JsonCells(const Profile& profile, const Rollup& rollup,
            const std::vector<bool>& in_place);

  // Appends the object that has a member a column, of all columns or of those
  // that are in place anyway; {} for a list of none.
  void Append(const Cells& cells, CellDetail detail, bool all,
              std::string& out) const;

  // The members of one cell, without the braces around them. `unit` is text as
  // it is.
  void AppendFields(const Cell& cell, std::string_view unit, CellDetail detail,
                    std::string& out) const;

 private:
  // What stands around the value of a column: its name, its unit.
  struct Column {
    std::string key{};   // "name":
    std::string unit{};  // , "unit": "byte"
    bool of_device = false;
    bool in_place = false;
  };
  struct Key {
    const Cell* cells = nullptr;
    CellDetail detail{};
    bool all = true;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.cells) * 8 +
             2 * static_cast<std::size_t>(key.detail) + (key.all ? 1 : 0);
    }
  };
  struct Shelf {
    std::mutex mutex{};
    std::unordered_map<Key, std::string, Hash> texts{};
    std::size_t bytes = 0;
  };

  void Write(const Cells& cells, CellDetail detail, bool all,
             std::string& out) const;
  void AppendMembers(const Cell& cell, std::string_view unit_member,
                     CellDetail detail, std::string& out) const;

  const Profile& profile_;
  std::vector<Column> columns_;
  mutable std::array<Shelf, 16>
      shelves_;  // by Hash, so that threads rarely meet
};

}  // namespace rangefinder
