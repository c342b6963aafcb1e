// The sections of a summary that do not add up: a tree of regions, which ranks
// share, and the record of one rank. A merge copies them as they are.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "profile/rank_record.h"
#include "summary/sections.h"
#include "summary/summary.h"

namespace rangefinder {

// What a file says of a rank before its body: which it is, and the digest of
// its tree, a SHA-256 in hexadecimal.
struct RankHead {
  RankKey key{};
  std::string tree{};
};

RankKey KeyOf(const RankRecord& record);

// The body and head of a tree's section; the head is the body's digest.
std::string TreeBytes(const RankTree& tree);
std::string TreeDigest(std::string_view tree_bytes);
// kCorrupt where it is none, or not what its head says.
Result<RankTree> ReadTree(const SummarySection& section);

std::string RankHeadBytes(const RankHead& head);
std::string RankBytes(const RankRecord& record);
Result<RankHead> ReadRankHead(const SummarySection& section);
// A record of as many regions as its tree has, `nodes`; which tree that is, is
// the caller's to know.
Result<RankRecord> ReadRank(const SummarySection& section, std::size_t nodes);

}  // namespace rangefinder
