// Every list that an input file can have, with a function that makes a file
// with so many items. A new list is a row of one of the tables.

#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace rangefinder::testing {

struct ListInFile {
  std::string_view name{};
  std::string_view file{};  // commands tell the kind by this name
  // Returns the bytes of a file; of an SQLite export, the statements that fill
  // it.
  std::string (*with)(int count) = nullptr;
  int count = 2000;  // of the small file; the large one has ten times that

  friend void PrintTo(const ListInFile& list, std::ostream* out) {
    *out << list.name;
  }
};

std::span<const ListInFile> ListsOfTraces();
std::span<const ListInFile> ListsOfNcuReports();
std::span<const ListInFile> ListsOfExports();
std::span<const ListInFile> ListsOfOtherFiles();  // files that are no captures

}  // namespace rangefinder::testing
