// The cells of a report as JSON text.
//
// A document has the same list of cells in many places: inclusive and exclusive
// values of a region without inner regions, the aggregate and its only process.
// The documents of one report share lists as well. JsonCells makes the text of
// a list once and keeps it, as long as all texts together stay small.

#pragma once

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
  kAll,       // values with their origins
  kOfDevice,  // the same, and attributes of the device
  kBrief,     // of a kernel's row: rule and weight are in the region's cells
  kValues,    // only values, by metric; absent values are left out
};

// A cell's value: a number, a text, or null if it is absent.
void AppendJsonValue(const Profile& profile, const Cell& cell,
                     std::string& out);
// The members that say how a cell was obtained, and its number of different
// values.
void AppendOrigin(const Cell& cell, CellDetail detail, std::string& out);
void AppendDistinct(const Cell& cell, std::string& out);
// Whether a cell has a smallest and a largest value that differ from its value.
bool TellsSpread(const Cell& cell);
// All members of a cell, without the braces. `unit`: in the profile's spelling.
void AppendCell(const Profile& profile, const Cell& cell, std::string_view unit,
                CellDetail detail, std::string& out);

// Borrows the profile and the lists of cells. Several threads may append at
// once.
class JsonCells {
 public:
  // `in_place`, by Rollup::columns: the metrics to write.
  JsonCells(const Profile& profile, const Rollup& rollup,
            const std::vector<bool>& in_place);

  // Appends an object with a member for each metric; {} for an empty list.
  void Append(const Cells& cells, CellDetail detail, std::string& out);

 private:
  struct Column {
    std::size_t place = 0;  // in Rollup::columns
    std::string key{};      // "name":
    std::string unit{};     // ,"unit":"byte"
    bool of_device = false;
  };
  struct Key {
    const Cell* cells = nullptr;
    CellDetail detail{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.cells) * 4 +
             static_cast<std::size_t>(key.detail);
    }
  };

  void Write(const Cells& cells, CellDetail detail, std::string& out) const;

  const Profile& profile_;
  std::vector<Column> columns_{};  // metrics in place
  std::mutex mutex_{};             // guards the members below
  std::unordered_map<Key, std::string, Hash> texts_{};
  std::size_t bytes_ = 0;
};

}  // namespace rangefinder
