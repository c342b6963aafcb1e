// One region of a document: its identity, its amounts, its kernels.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "insight/imbalance.h"
#include "insight/times.h"
#include "report/report.h"
#include "writers/json/json_cells.h"
#include "writers/json/json_stream.h"
#include "writers/json/sections_json.h"

namespace rangefinder {

// The fields `process` and `device` of a scope and of its regions.
void WriteScopeJson(JsonStream& json, const Report& report, const Scope& scope);

class RegionJson {
 public:
  // `folders`, by RegionId: see FoldersOf(); empty in the page's document,
  // which names no files.
  RegionJson(const Report& report, JsonStream& json,
             const std::vector<bool>& in_place,
             std::span<const std::string> folders);

  void Write(const ScopeRollup& scope, RegionId id);
  // An object with the amounts, of a scope or of the regions of one name too.
  // `of`: the row of the region, where there is one.
  void WriteAmounts(const Amounts& amounts, CellDetail detail,
                    const RegionRow* of = nullptr);
  // The members of a scope's `totals`.
  void WriteTotals(const ScopeRollup& scope);
  // The fields that are there where a trace saw the region, or the scope.
  void WriteTraced(const ScopeRollup& scope, RegionId id,
                   const std::optional<RegionTimes>& times);

  // The field `sections` of the document.
  void WriteSections() { sections_.WriteCatalog(); }

 private:
  void WriteIdentity(RegionId id);
  // `total_ms`, `kernel_count` and `summary`.
  void WriteTotal(const ScopeRollup& scope, RegionId id, const RegionRow& row);
  void WriteSummary(const RegionRow& row);
  void WriteAmountFields(const Amounts& amounts, CellDetail detail,
                         const RegionRow* of);
  void WriteNs(std::string_view key, const std::optional<double>& ns,
               double unit = 1);
  void WriteCount(std::string_view key,
                  const std::optional<std::uint64_t>& count);
  void WriteImbalance(const ScopeRollup& scope, RegionId id);
  void WriteMeasured(const RegionRollup& rolled);
  void WriteCounted(const WholeRow& row);
  void WriteSource(StringId kernel);
  void WriteKernel(const ScopeRollup& scope, RegionId id, const KernelRow& row);
  void WriteSelection(RegionId id);
  void WriteCells(const Cells& cells, CellDetail detail);

  const Report& report_;
  const Profile& profile_;
  const Members& members_;
  JsonStream& json_;
  const std::span<const std::string> folders_;
  JsonCells cells_;
  SectionJson sections_;
};

}  // namespace rangefinder
