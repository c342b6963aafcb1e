// Regions and their kernels as rows, scope by scope; single instances and
// launches as far as a profile has them.

#pragma once

#include <cstdint>
#include <string>

#include "export/table_file.h"
#include "export/table_ids.h"
#include "report/report.h"

namespace rangefinder {

class TableRegions {
 public:
  TableRegions(const Report& report, TableFile& file, TableIds& ids);

  // The regions of a scope in the order of reading, with their kernels.
  void AddScope(std::int64_t scope_id, const ScopeRollup& scope);

  // Of what was written so far: equal for equal reports.
  const std::string& digest() const { return digest_; }

 private:
  void AddRegion(std::int64_t scope_id, const ScopeRollup& scope, RegionId id);
  void AddKernels(std::int64_t scope_id, const ScopeRollup& scope, RegionId id);

  const Report& report_;
  TableIds& ids_;
  TableRows regions_;
  TableRows kernels_;
  std::int64_t place_ = 0;
  std::string digest_{};
};

// What traces know of single instances: region_instances.
void AddInstanceRows(const Report& report, TableFile& file);
// Every measurement: region_launches.
void AddLaunchRows(const Report& report, TableIds& ids, TableFile& file);

}  // namespace rangefinder
