#include "summary/summary_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "summary/bodies.h"
#include "summary/merge.h"

namespace rangefinder {
namespace {

// Trees by digest, then ranks by key.
void WriteRanks(std::ostream& out, const Ranks& ranks) {
  std::vector<std::string> digests;
  std::map<std::string, std::string> trees;  // bodies by digest
  for (const RankTree& tree : ranks.trees) {
    std::string body = TreeBytes(tree);
    digests.push_back(Sha256(body));
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

namespace {

Error WithoutTotals() {
  return Error(ErrorCode::kCorrupt, "a summary without its totals");
}

Status VerifyTree(const SummarySection& section, VerifiedTrees* verified) {
  std::string digest(section.head);
  if (verified != nullptr) {
    const auto known = verified->find(digest);
    if (known != verified->end() && known->second == section.stored)
      return Ok();
  }
  TRY(ReadTree(section));
  if (verified != nullptr)
    verified->try_emplace(std::move(digest), section.stored);
  return Ok();
}

// Adds the parts. Most files have one.
Status ReadParts(SummaryFile& file) {
  SummaryMerger merger;
  for (SummaryPart& part : file.parts) {
    Summary summary = TRY(ReadPart(part));
    part.sources = summary.sources;
    if (file.parts.size() == 1)
      file.summary = std::move(summary);
    else
      merger.Add(summary);
  }
  if (file.parts.size() > 1) file.summary = merger.Take();
  return Ok();
}

}  // namespace

Result<Summary> ReadPart(const SummaryPart& part) {
  Summary summary;
  if (!part.about.whole.empty()) {
    const std::string about = TRY(BodyOf(part.about));
    TRY(ReadAbout(about, summary));
  }
  const std::string totals = TRY(BodyOf(part.totals));
  TRY(ReadTotals(totals, summary));
  return summary;
}

Result<SummaryFile> OpenSummary(std::string_view bytes,
                                VerifiedTrees* verified) {
  SummarySections sections = TRY(FindSections(bytes));
  SummaryFile file;
  file.damage = std::move(sections.damage);
  SummaryPart part;
  for (const SummarySection& section : sections.all) {
    if (section.kind == kAboutSection) {
      if (!part.about.whole.empty()) return WithoutTotals();
      part.about = section;
    } else if (section.kind == kTotalsSection) {
      part.totals = section;
      file.parts.push_back(std::exchange(part, {}));
    } else if (section.kind == kTreeSection) {
      TRY(VerifyTree(section, verified));
      file.trees.try_emplace(std::string(section.head), section);
    } else if (section.kind == kRankSection) {
      file.ranks.push_back({TRY(ReadRankHead(section)), section});
    } else {
      ++file.unknown;
    }
  }
  if (!part.about.whole.empty() && file.damage.empty()) return WithoutTotals();
  if (file.parts.empty()) {
    return file.damage.empty() ? WithoutTotals()
                               : Error(ErrorCode::kCorrupt, file.damage);
  }
  TRY(ReadParts(file));
  return file;
}

}  // namespace rangefinder
