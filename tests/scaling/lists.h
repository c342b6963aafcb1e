// Every list that a file we read can have: how a file is made with so many of
// them. A new list is a row of one of the tables.

#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace rangefinder::testing {

struct ListInFile {
  std::string_view name{};
  std::string_view file{};  // its name, by which commands know what it is
  // A whole file's bytes; of SQLite exports, the statements that fill one.
  std::string (*with)(int count) = nullptr;
  int count = 2000;  // the small one; the large one has ten times as many

  friend void PrintTo(const ListInFile& list, std::ostream* out) {
    *out << list.name;
  }
};

std::span<const ListInFile> ListsOfTraces();
std::span<const ListInFile> ListsOfNcuReports();
std::span<const ListInFile> ListsOfExports();
std::span<const ListInFile> ListsOfOtherFiles();  // no captures

}  // namespace rangefinder::testing
