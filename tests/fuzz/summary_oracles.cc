#include "tests/fuzz/summary_oracles.h"

#include <string>
#include <vector>

#include "summary/merge.h"
#include "summary/summary_file.h"
#include "tests/fuzz/demand.h"
#include "tests/fuzz/report_oracles.h"
#include "tests/support/random_summary.h"

namespace rangefinder::testing {
namespace {

std::string Merged(const std::vector<const Summary*>& parts) {
  SummaryMerger merger;
  for (const Summary* part : parts) merger.Add(*part);
  return SummaryBytes(merger.Take());
}

void DemandLaws(const Summary& summary) {
  static const Summary other = RandomSummary(1).Make();
  const std::string once = Merged({&summary});
  const auto again = OpenSummary(once);
  Demand(again.ok() && again.value().damage.empty(),
         "what is written can be read");
  Demand(Merged({&again.value().summary}) == once,
         "what is read back is written the same");
  Demand(Merged({&summary, &other}) == Merged({&other, &summary}),
         "merging is commutative");
  Demand(Merged({&again.value().summary, &other}) == Merged({&summary, &other}),
         "a merge of merges is the merge of all");
}

}  // namespace

bool SummaryOfAnyBytes(std::string_view bytes) {
  const auto file = OpenSummary(bytes);
  if (file.ok()) {
    DemandLaws(file.value().summary);
  } else {
    const ErrorCode code = file.error().code();
    Demand(code == ErrorCode::kCorrupt || code == ErrorCode::kUnsupported,
           "what is no summary is said to be none");
  }
  return ReportOfAnyBytes(bytes, "any.rfsum") && file.ok();
}

}  // namespace rangefinder::testing
