// The fields of a region beyond its metrics: Nsight Compute's sections and
// findings, the verdict, the roofline.
//
// The rows of a section stand once in the document. A region repeats the rows
// of metrics that are in place, with their values.

#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "rollup/roofline.h"
#include "writers/json/json_stream.h"

namespace rangefinder {

class SectionJson {
 public:
  SectionJson(const Report& report, JsonStream& json,
              const std::vector<bool>& in_place)
      : report_(report),
        json_(json),
        in_place_(in_place),
        roofline_(*report.rollup) {}

  // The fields of a region; `shown`: its amounts. `cause` in the aggregate,
  // where one is known.
  void Write(const ScopeRollup& scope, RegionId id, const Amounts& shown);
  // The field of a kernel's row, where it has any.
  void WriteKernel(const Amounts& amounts);

  // The field `sections` of the document.
  void WriteCatalog();

 private:
  void WriteSections(RegionId id, const Amounts& amounts);
  void WriteFindings(const ScopeRollup& scope, RegionId id);
  void WriteFinding(const Finding& finding);
  void WriteCause(const ScopeRollup& scope, RegionId id);
  void WriteRoofline(const std::vector<RooflineRow>& rows);
  void OptionalField(std::string_view key, const std::optional<double>& value);

  const Report& report_;
  JsonStream& json_;
  const std::vector<bool>& in_place_;
  const Roofline roofline_;
};

}  // namespace rangefinder
