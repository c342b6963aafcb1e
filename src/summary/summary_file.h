// Writes and reads a summary as a file.

#pragma once

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/rank_record.h"
#include "summary/bodies.h"
#include "summary/sections.h"
#include "summary/summary.h"

namespace rangefinder {

// `summary` must be sorted: the same summary and ranks give the same bytes.
void WriteSummary(std::ostream& out, const Summary& summary,
                  const Ranks& ranks);

// A rank in a file's bytes, not yet read.
struct StoredRank {
  RankHead head{};
  SummarySection section{};
};

// Totals that cannot be separated: of one `summarize`, or of many.
struct SummaryPart {
  std::vector<SummarySource> sources{};
  SummarySection about{};
  SummarySection totals{};
};

// A file whose totals are read. Its ranks are still in the file's bytes, which
// it borrows.
struct SummaryFile {
  Summary summary{};                              // all parts together
  std::vector<SummaryPart> parts{};               // in order
  std::map<std::string, SummarySection> trees{};  // by digest
  std::vector<StoredRank> ranks{};                // in order
  std::uint64_t unknown = 0;  // sections of kinds that this build does not know
  std::string damage{};       // empty: the file is whole
};

// Verified trees by digest, in their stored form. Ranks share trees, so for
// most files a comparison suffices.
using VerifiedTrees = std::map<std::string, std::string>;

// kCorrupt: no totals are left, or a tree does not have the digest in its head.
// kUnsupported: another version.
Result<SummaryFile> OpenSummary(std::string_view bytes,
                                VerifiedTrees* verified = nullptr);

// The totals of a part that OpenSummary() found.
Result<Summary> ReadPart(const SummaryPart& part);

}  // namespace rangefinder
