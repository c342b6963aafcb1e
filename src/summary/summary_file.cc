#include "summary/summary_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "summary/totals.h"

namespace rangefinder {
namespace {

// The ranks, each with the digest of its tree, as they are written.
void WriteRanks(std::ostream& out, const Ranks& ranks) {
  std::vector<std::string> digests;
  std::map<std::string, std::string> trees;  // bodies by digest
  for (const RankTree& tree : ranks.trees) {
    std::string body = TreeBytes(tree);
    digests.push_back(TreeDigest(body));
    trees.try_emplace(digests.back(), std::move(body));
  }
  for (const auto& [digest, body] : trees)
    WriteSection(out, kTreeSection, digest, body);
  std::vector<const RankRecord*> sorted;
  for (const RankRecord& record : ranks.records) sorted.push_back(&record);
  std::ranges::sort(sorted, {},
                    [](const RankRecord* record) { return KeyOf(*record); });
  for (const RankRecord* record : sorted) {
    WriteSection(out, kRankSection,
                 RankHeadBytes({KeyOf(*record), digests[record->tree]}),
                 RankBytes(*record));
  }
}

}  // namespace

void WriteSummary(std::ostream& out, const Summary& summary,
                  const Ranks& ranks) {
  WriteSummaryMagic(out);
  WriteSection(out, kAboutSection, {}, AboutBytes(summary));
  WriteSection(out, kTotalsSection, {}, TotalsBytes(summary));
  WriteRanks(out, ranks);
  WriteSection(out, kEndSection, {}, {});
}

Result<SummaryFile> OpenSummary(std::string_view bytes) {
  SummarySections sections = TRY(FindSections(bytes));
  SummaryFile file;
  file.damage = std::move(sections.damage);
  bool has_totals = false;
  for (const SummarySection& section : sections.all) {
    if (section.kind == kAboutSection) {
      const std::string body = TRY(BodyOf(section));
      TRY(ReadAbout(body, file.summary));
    } else if (section.kind == kTotalsSection) {
      const std::string body = TRY(BodyOf(section));
      TRY(ReadTotals(body, file.summary));
      has_totals = true;
    } else if (section.kind == kTreeSection) {
      file.trees.try_emplace(std::string(section.head), section);
    } else if (section.kind == kRankSection) {
      file.ranks.push_back({TRY(ReadRankHead(section)), section});
    } else {
      ++file.unknown;
    }
  }
  if (has_totals) return file;
  return Error(ErrorCode::kCorrupt, file.damage.empty()
                                        ? "a summary without its totals"
                                        : file.damage);
}

}  // namespace rangefinder
