// The block of a document: the cells of metrics that are not in place, by
// metric, packed. docs/report-json.md says how to read it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"
#include "writers/json/json_extent.h"

namespace rangefinder {

struct ColumnBlock {
  std::string content{};    // gzip, base64
  std::uint64_t bytes = 0;  // unpacked
};

// `in_place`: see ColumnsInPlace().
ColumnBlock PackColumns(const Report& report, const JsonExtent& extent,
                        const std::vector<bool>& in_place);

}  // namespace rangefinder
