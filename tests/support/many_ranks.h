// A job of many ranks in which every number is known: the summary of each rank,
// and the sum over all of them. The regions are a tree in which each region has
// four inner regions. Each region launches a few kernels; the duration of a
// launch is a function of rank, region and launch.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "summary/canonical.h"
#include "summary/summary.h"

namespace rangefinder::testing {

class ManyRanks {
 public:
  static constexpr std::uint32_t kKernels = 3;  // in each region

  ManyRanks(std::uint32_t ranks, std::uint32_t regions)
      : ranks_(ranks), regions_(regions) {}

  std::uint32_t ranks() const { return ranks_; }
  std::uint32_t regions() const { return regions_; }

  static std::uint64_t Launches(std::uint32_t region) { return 1 + region % 5; }
  static std::uint64_t Instances(std::uint32_t region) {
    return 1 + region % 7;
  }
  // The duration of a launch in ns.
  static std::uint64_t Ns(std::uint32_t rank, std::uint32_t region,
                          std::uint32_t kernel, std::uint64_t launch) {
    return 5000 + 100 * region + 10 * kernel +
           Mixed(rank, region, kernel + kKernels * launch) % 2000;
  }
  static std::uint64_t CpuNs(std::uint32_t rank, std::uint32_t region,
                             std::uint64_t instance) {
    return 20000 + Mixed(rank, region, 1000 + instance) % 100000;
  }
  static std::string RegionName(std::uint32_t region) {
    return fmt::format("region {}", Letters(region));
  }

  // The summary of a rank, sorted.
  Summary Of(std::uint32_t rank) const {
    Summary made;
    const auto text = [&](std::string value) {
      made.texts.push_back(std::move(value));
      return static_cast<TextIndex>(made.texts.size() - 1);
    };
    const TextIndex device = text("NVIDIA H200");
    for (std::uint32_t i = 0; i < kKernels; ++i) {
      made.kernels.push_back({.name = text(fmt::format("kernel_{}(float*)", i)),
                              .device = device,
                              .mode = ReplayMode::kTrace,
                              .grid = {8, 1, 1},
                              .block = {256, 1, 1}});
    }
    const auto number = static_cast<std::int32_t>(rank);
    for (std::uint32_t region = 0; region < regions_; ++region) {
      SummaryRegion row{.parent = region == 0 ? 0 : (region - 1) / 4 + 1,
                        .name = text(RegionName(region)),
                        .instances = Instances(region)};
      for (std::uint64_t i = 0; i < row.instances; ++i)
        row.cpu.Add(CpuNs(rank, region, i), number);
      made.regions.push_back(std::move(row));
      SummaryUse use{.region = region + 1, .device = device};
      for (std::uint32_t kernel = 0; kernel < kKernels; ++kernel) {
        SummaryRow launches{.region = region + 1,
                            .kernel = kernel,
                            .launches = Launches(region)};
        for (std::uint64_t i = 0; i < launches.launches; ++i)
          launches.time.Add(Ns(rank, region, kernel, i), number);
        use.kernels += launches.launches;
        use.kernel_ns += launches.time.total();
        made.rows.push_back(std::move(launches));
      }
      use.busy_ns = use.kernel_ns;
      use.span_ns = use.kernel_ns + 1000;
      made.uses.push_back(std::move(use));
    }
    made.sources.push_back({.key = Key(rank)});
    made.facts.push_back({.kind = "format", .key = "trace", .count = 1});
    SortSummary(made);
    return made;
  }

  Ranks RecordOf(std::uint32_t rank) const {
    const RankKey key = Key(rank);
    RankRecord record{.rank = key.rank,
                      .world = static_cast<std::int32_t>(ranks_),
                      .host = key.host,
                      .pid = key.pid,
                      .started_ns = key.started_ns,
                      .devices = {"NVIDIA H200"}};
    RankTree tree;
    record.regions.emplace_back();
    AddNode(rank, 0, 0, tree, record);
    Ranks made;
    made.trees.push_back(std::move(tree));
    made.records.push_back(std::move(record));
    return made;
  }

 private:
  // Adds a region and all its inner regions.
  void AddNode(std::uint32_t rank, std::uint32_t region, std::uint32_t parent,
               RankTree& tree, RankRecord& record) const {
    if (region >= regions_) return;
    const auto at = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.push_back({.name = RegionName(region), .parent = parent});
    RankRegion row{.instances = Instances(region),
                   .kernels = kKernels * Launches(region)};
    for (std::uint64_t i = 0; i < row.instances; ++i)
      row.wall_ns += CpuNs(rank, region, i);
    for (std::uint32_t kernel = 0; kernel < kKernels; ++kernel) {
      for (std::uint64_t i = 0; i < Launches(region); ++i)
        row.compute_ns += Ns(rank, region, kernel, i);
    }
    record.regions.push_back(row);
    for (std::uint32_t inner = 1; inner <= 4; ++inner)
      AddNode(rank, 4 * region + inner, at, tree, record);
    RankRegion& outer = record.regions[parent];
    outer.instances = std::max<std::uint64_t>(outer.instances, 1);
    outer.kernels += record.regions[at].kernels;
    outer.wall_ns += record.regions[at].wall_ns;
    outer.compute_ns += record.regions[at].compute_ns;
  }
  static std::uint64_t Mixed(std::uint64_t a, std::uint64_t b,
                             std::uint64_t c) {
    std::uint64_t hash =
        (a * 0x9E3779B97F4A7C15U + b) * 0xBF58476D1CE4E5B9U + c;
    hash = (hash ^ (hash >> 30)) * 0x94D049BB133111EBU;
    return hash ^ (hash >> 31);
  }
  // A name without digits, since names that differ by a number are merged.
  static std::string Letters(std::uint32_t number) {
    std::string letters;
    for (int i = 0; i < 4; ++i, number /= 26)
      letters.insert(letters.begin(), static_cast<char>('a' + number % 26));
    return letters;
  }
  static RankKey Key(std::uint32_t rank) {
    return {.rank = static_cast<std::int32_t>(rank),
            .host = fmt::format("node{:04}", rank / 8),
            .pid = 1000 + rank % 8,
            .started_ns = 1700000000000000000U + rank};
  }

  std::uint32_t ranks_;
  std::uint32_t regions_;
};

}  // namespace rangefinder::testing
