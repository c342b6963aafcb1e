// The bodies of a summary's sections as bytes, and back: the bodies that add up
// (ABOU: its sources; TOTL: totals of regions and kernels), and the bodies that
// a merge copies unchanged (TREE: regions that ranks share; RANK: the record of
// one rank).

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "profile/rank_record.h"
#include "summary/sections.h"
#include "summary/summary.h"

namespace rangefinder {

// `summary` must be sorted.
std::string AboutBytes(const Summary& summary);
std::string TotalsBytes(const Summary& summary);

// Reads into `summary`; its other members stay. kCorrupt: the bytes are
// damaged. On success, all indices are in range, and parents come before their
// children.
Status ReadAbout(std::string_view bytes, Summary& summary);
Status ReadTotals(std::string_view bytes, Summary& summary);

// The body of a tree's section; the head is the body's Sha256().
std::string TreeBytes(const RankTree& tree);
// kCorrupt: the body is damaged, or has another digest than the head.
Result<RankTree> ReadTree(const SummarySection& section);

// The head of a rank's section.
struct RankHead {
  RankKey key{};
  std::string tree{};  // digest
};

RankKey KeyOf(const RankRecord& record);

std::string RankHeadBytes(const RankHead& head);
std::string RankBytes(const RankRecord& record);
Result<RankHead> ReadRankHead(const SummarySection& section);
// `nodes`: the number of regions in the tree that the head names.
Result<RankRecord> ReadRank(const SummarySection& section, std::size_t nodes);

}  // namespace rangefinder
