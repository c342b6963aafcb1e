// A summary as a file, and back.

#pragma once

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/rank_record.h"
#include "summary/rank_section.h"
#include "summary/sections.h"
#include "summary/summary.h"

namespace rangefinder {

// Of a sorted summary: the same summary and ranks give the same bytes.
void WriteSummary(std::ostream& out, const Summary& summary,
                  const Ranks& ranks);

// A rank in a file's bytes, not yet read.
struct StoredRank {
  RankHead head{};
  SummarySection section{};
};

// Totals that cannot be taken apart: of one `summarize`, or of many of them.
struct SummaryPart {
  std::vector<SummarySource> sources{};
  SummarySection about{};
  SummarySection totals{};
};

// A file, of which the totals are read, and the ranks are where they lie in its
// bytes, which it borrows.
struct SummaryFile {
  Summary summary{};                              // all parts together
  std::vector<SummaryPart> parts{};               // in order
  std::map<std::string, SummarySection> trees{};  // by digest
  std::vector<StoredRank> ranks{};                // in order
  std::uint64_t unknown = 0;  // sections of kinds that this build knows not
  std::string damage{};       // what is missing at its end; empty: nothing
};

// Trees of files that were read, by digest and as they are stored: ranks share
// them, so most are verified by a comparison.
using VerifiedTrees = std::map<std::string, std::string>;

// kCorrupt where not even the totals are left or a tree has another digest than
// it says, kUnsupported of a later version.
Result<SummaryFile> OpenSummary(std::string_view bytes,
                                VerifiedTrees* verified = nullptr);

// The totals of a part that OpenSummary() found.
Result<Summary> ReadPart(const SummaryPart& part);

}  // namespace rangefinder
