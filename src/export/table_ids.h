// The rows that other tables refer to by number: regions and kernels.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/table_file.h"
#include "report/report.h"

namespace rangefinder {

// Eight bytes of a SHA-256 in hexadecimal: of a name, or of a path's last frame
// and the key of the outer region. Names are as in the capture, so keys are
// equal in every run.
std::string KernelKey(std::string_view name);
std::string RegionKey(std::string_view outer_key, std::string_view domain,
                      std::string_view name);

class TableIds {
 public:
  // Writes all regions of the tree but the root.
  TableIds(const Report& report, TableFile& file);

  // Written where it is new.
  std::int64_t Kernel(StringId name);
  std::optional<RegionId> Find(const std::string& region_key) const;
  // Of the root: nothing.
  const std::string& KeyOf(RegionId region) const {
    return region_keys_[Index(region)];
  }

 private:
  void AddRegion(RegionId id, TableRows& rows);

  const Report& report_;
  TableRows kernels_;
  std::vector<std::string> region_keys_;  // by RegionId
  std::unordered_map<std::string, RegionId> by_key_{};
  std::unordered_map<StringId, std::int64_t> kernel_ids_{};
};

}  // namespace rangefinder
