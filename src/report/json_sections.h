// What a document says of a region beyond its metrics: Nsight Compute's
// sections and findings, the verdict, the roofline.
//
// Where not every metric is in place, what is said of many regions is said once
// for all of them: the rows of a section and the texts of findings.

#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "report/json_stream.h"
#include "report/report.h"
#include "rollup/roofline.h"

namespace rangefinder {

class SectionJson {
 public:
  SectionJson(const Report& report, JsonStream& json, bool all)
      : report_(report), json_(json), all_(all), roofline_(*report.rollup) {}

  // The fields of a region; `shown`: its amounts.
  void Write(const ScopeRollup& scope, RegionId id, const Amounts& shown);
  // The field of a kernel's row, where it has any.
  void WriteKernel(const Amounts& amounts);

  // The document's own fields for what Write referred to; after all regions.
  void WriteShared();

 private:
  void WriteSections(RegionId id, const Amounts& amounts);
  void WriteFindings(const ScopeRollup& scope, RegionId id);
  void WriteVerdict(const LimitVerdict& verdict);
  void WriteOrigin(const Finding& finding);
  void WriteGain(const Finding& finding);
  void WriteRoofline(const std::vector<RooflineRow>& rows);
  void OptionalField(std::string_view key, const std::optional<double>& value);
  std::size_t PlaceOf(const Finding& finding);

  const Report& report_;
  JsonStream& json_;
  const bool all_;
  const Roofline roofline_;
  std::vector<Finding> findings_{};  // each that differs but in its numbers
  std::unordered_multimap<std::string, std::size_t> places_{};  // by text
};

}  // namespace rangefinder
