#include "ingest/summary/summary_ranks.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace rangefinder {
namespace {

constexpr std::uint32_t kGone = ~std::uint32_t{0};

// A tree of the file, reduced to the regions that are kept.
struct CutTree {
  RankTree tree{};        // the kept nodes
  std::size_t nodes = 0;  // in the file
  std::size_t ranks = 0;
  std::vector<std::uint64_t> weights{};  // by node: time over all ranks
  std::vector<std::uint32_t> places{};   // by node: index in `tree`, or kGone
  // By node: the index of the node, or of the nearest kept node around it.
  // Empty: all nodes are kept.
  std::vector<std::uint32_t> nearest{};
  std::uint32_t index = 0;  // in Ranks::trees
};

class RankReader {
 public:
  RankReader(const SummaryFile& file, Notes& notes, std::string_view where)
      : file_(file), notes_(notes), where_(where) {}

  Ranks Read(const MostOfRanks& most) {
    ReadTrees();
    if (regions_ > most.regions) {
      Weigh();
      Cut(most.regions);
    }
    most_collectives_ =
        most.collectives / std::max<std::size_t>(file_.ranks.size(), 1);
    Ranks ranks;
    for (auto& [digest, tree] : trees_) {
      if (tree.ranks == 0) continue;
      tree.index = static_cast<std::uint32_t>(ranks.trees.size());
      ranks.trees.push_back(tree.tree);
    }
    ranks.records.reserve(file_.ranks.size());
    ForEach([&](RankRecord record, const CutTree& tree) {
      Take(std::move(record), tree, ranks);
    });
    std::ranges::stable_sort(ranks.records, {}, KeyOf);
    if (cut_collectives_ > 0) {
      notes_.Add(Severity::kInfo, "collectives_cut",
                 fmt::format("the first {} collectives of each rank are "
                             "compared; {} of all ranks are left out",
                             most_collectives_, cut_collectives_),
                 where_);
    }
    NoteRestarted(ranks);
    return ranks;
  }

 private:
  void NoteLoss(const Error& error) {
    notes_.Add(Severity::kDataLoss, "damaged_rank",
               "a rank of the summary cannot be read and is left out: " +
                   error.message(),
               where_);
  }

  void ReadTrees() {
    for (const auto& [digest, section] : file_.trees) {
      Result<RankTree> tree = ReadTree(section);
      if (!tree.ok()) {
        NoteLoss(tree.error());
        continue;
      }
      CutTree& cut = trees_[digest];
      cut.tree = std::move(tree).value();
      cut.nodes = cut.tree.nodes.size();
      for (std::uint32_t i = 0; i < cut.nodes; ++i) cut.places.push_back(i);
    }
    for (const StoredRank& rank : file_.ranks) {
      const auto tree = trees_.find(rank.head.tree);
      if (tree == trees_.end()) continue;
      ++tree->second.ranks;
      regions_ += tree->second.nodes;
    }
  }

  // Notes ranks that cannot be read if `notes_losses`.
  template <typename See>
  void ForEach(See see, bool notes_losses = true) {
    for (const StoredRank& rank : file_.ranks) {
      const auto tree = trees_.find(rank.head.tree);
      if (tree == trees_.end()) {
        if (notes_losses)
          NoteLoss(
              Error(ErrorCode::kCorrupt, "its tree of regions is missing"));
        continue;
      }
      Result<RankRecord> record = ReadRank(rank.section, tree->second.nodes);
      if (record.ok())
        see(std::move(record).value(), tree->second);
      else if (notes_losses)
        NoteLoss(record.error());
    }
  }

  void Weigh() {
    for (auto& [digest, tree] : trees_) tree.weights.resize(tree.nodes);
    ForEach(
        [](const RankRecord& record, CutTree& tree) {
          for (std::size_t i = 0; i < tree.nodes; ++i) {
            const RankRegion& region = record.regions[i];
            tree.weights[i] += region.compute_ns + region.exposed_ns +
                               region.overlapped_ns + region.copy_ns +
                               region.wall_ns / 16;
          }
        },
        false);
  }

  void Cut(std::size_t most) {
    std::size_t ranks = 0;
    for (const auto& [digest, tree] : trees_) ranks += tree.ranks;
    const std::size_t each =
        std::max<std::size_t>(most / std::max<std::size_t>(ranks, 1), 16);
    std::size_t kept = 0;
    std::size_t all = 0;
    for (auto& [digest, tree] : trees_) {
      CutOne(each, tree);
      kept = std::max(kept, tree.tree.nodes.size());
      all = std::max(all, tree.nodes);
    }
    notes_.Add(Severity::kInfo, "ranks_cut",
               fmt::format("the {} of {} regions that took the most time are "
                           "compared on {} ranks",
                           kept, all, ranks),
               where_);
  }

  static void CutOne(std::size_t most, CutTree& tree) {
    if (tree.nodes <= most) return;
    // An outer region weighs at least as much as the regions inside it, even in
    // a damaged file.
    for (std::size_t i = tree.nodes; i-- > 1;) {
      std::uint64_t& outer = tree.weights[tree.tree.nodes[i].parent];
      outer = std::max(outer, tree.weights[i]);
    }
    std::vector<std::uint32_t> order(tree.places);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t i) {
      return i == 0 ? ~std::uint64_t{0} : tree.weights[i];
    });
    std::vector<bool> keep(tree.nodes);
    for (std::size_t i = 0; i < most; ++i) keep[order[i]] = true;
    RankTree left{.nodes = {}};
    for (std::uint32_t i = 0; i < tree.nodes; ++i) {
      RankTree::Node node = tree.tree.nodes[i];
      const std::uint32_t parent = tree.places[node.parent];
      if (!keep[i] || (i > 0 && parent == kGone)) {
        tree.places[i] = kGone;
        continue;
      }
      tree.places[i] = static_cast<std::uint32_t>(left.nodes.size());
      node.parent = i == 0 ? 0 : parent;
      left.nodes.push_back(std::move(node));
    }
    // Collectives of a cut region count for the region around it.
    const std::vector<RankTree::Node>& nodes = tree.tree.nodes;
    tree.nearest.resize(tree.nodes);
    for (std::uint32_t i = 0; i < tree.nodes; ++i) {
      tree.nearest[i] = tree.places[i] != kGone ? tree.places[i]
                                                : tree.nearest[nodes[i].parent];
    }
    tree.tree = std::move(left);
  }

  void Take(RankRecord record, const CutTree& tree, Ranks& ranks) {
    record.tree = tree.index;
    if (record.collectives.size() > most_collectives_) {
      const std::size_t lost = record.collectives.size() - most_collectives_;
      record.collectives.resize(most_collectives_);
      record.collectives.shrink_to_fit();
      record.lost_collectives += lost;
      cut_collectives_ += lost;
    }
    if (!tree.nearest.empty()) {
      std::vector<RankRegion> regions(tree.tree.nodes.size());
      for (std::size_t i = 0; i < tree.nodes; ++i) {
        if (tree.places[i] != kGone)
          regions[tree.places[i]] = record.regions[i];
      }
      record.regions = std::move(regions);
      for (Collective& one : record.collectives)
        one.region = tree.nearest[one.region];
    }
    ranks.records.push_back(std::move(record));
  }

  void NoteRestarted(const Ranks& ranks) {
    for (std::size_t i = 1; i < ranks.records.size(); ++i) {
      const RankRecord& a = ranks.records[i - 1];
      const RankRecord& b = ranks.records[i];
      if (a.rank < 0 || a.rank != b.rank) continue;
      notes_.Add(
          Severity::kInfo, "rank_restarted",
          "ranks with several processes or starts: each process counts as "
          "one rank",
          fmt::format("rank {}", a.rank));
    }
  }

  const SummaryFile& file_;
  Notes& notes_;
  std::string_view where_;
  std::map<std::string, CutTree> trees_{};  // by digest
  std::size_t regions_ = 0;                 // of all ranks together
  std::size_t most_collectives_ = 0;        // of each rank
  std::uint64_t cut_collectives_ = 0;
};

}  // namespace

Ranks ReadRanks(const SummaryFile& file, const MostOfRanks& most, Notes& notes,
                std::string_view where) {
  return RankReader(file, notes, where).Read(most);
}

}  // namespace rangefinder
