// Why values of a Markdown document are absent: each reason once, by a number
// that stands beside the values.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace rangefinder {

class AbsentValues {
 public:
  // The reason's number, from 1; 0 where there is no reason.
  std::size_t Add(std::string_view reason);
  // Those of the cells of `columns`.
  void Add(const Amounts& amounts, const std::vector<std::size_t>& columns);

  // A section with the reasons by number; nothing where none was added.
  void Write(std::ostream& out) const;

 private:
  std::vector<std::string> reasons_{};
  std::map<std::string, std::size_t, std::less<>> numbers_{};
};

}  // namespace rangefinder
