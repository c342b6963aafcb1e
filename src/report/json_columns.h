// The block of a document: the cells that are not in place, by metric, packed.
// docs/report-json.md says what it holds and how it is read.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "report/json_form.h"
#include "report/report.h"

namespace rangefinder {

struct ColumnBlock {
  std::string content{};    // gzip, base64
  std::uint64_t bytes = 0;  // unpacked
};

ColumnBlock PackColumns(const Report& report, const JsonExtent& extent);

// The block of all scopes and regions, made where it is first wanted: the page
// and report.json have the same one. May be used by several threads at once.
class WholeBlock {
 public:
  const ColumnBlock& Of(const Report& report);

 private:
  std::once_flag made_{};
  ColumnBlock block_{};
};

}  // namespace rangefinder
