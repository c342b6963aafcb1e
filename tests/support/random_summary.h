// Random summaries for tests of laws. The same seed makes the same summary.

#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "summary/canonical.h"
#include "summary/merge.h"
#include "summary/summary_file.h"

namespace rangefinder::testing {

class RandomSummary {
 public:
  explicit RandomSummary(std::uint32_t seed) : random_(seed), seed_(seed) {}

  // The summary of rank `seed`, sorted.
  Summary Make() {
    Summary made;
    made.texts = {"",
                  "A",
                  "B",
                  "step *",
                  "LLM",
                  "gemm",
                  "relu(float*)",
                  "H200",
                  "A100",
                  "dram__bytes.sum",
                  "sm__throughput.avg.pct",
                  "sm__cycles_elapsed.avg",
                  "launch__waves",
                  "text"};
    AddRegions(made);
    AddUses(made);
    AddRows(made);
    made.sources.push_back({.key = Key()});
    for (std::size_t i = Pick(4); i > 0; --i) {
      made.facts.push_back({.kind = "tool",
                            .key = Name(),
                            .value = Name(),
                            .count = 1 + Pick(3)});
      made.notes.push_back({.severity = static_cast<std::uint8_t>(Pick(3)),
                            .kind = Name(),
                            .text = Name(),
                            .where = Name(),
                            .count = 1 + Pick(3)});
    }
    // Joins equal entries.
    SummaryMerger merger;
    merger.Add(made);
    return merger.Take();
  }

  // The record of ranks, over a tree of some regions.
  Ranks MakeRanks() {
    Ranks ranks;
    RankTree tree;
    for (std::size_t i = Pick(5); i > 0; --i) {
      // The parent is the previous node or one of its ancestors.
      auto parent = static_cast<std::uint32_t>(tree.nodes.size() - 1);
      for (std::size_t out = Pick(3); out > 0; --out)
        parent = tree.nodes[parent].parent;
      tree.nodes.push_back({.name = "r" + std::to_string(i), .parent = parent});
    }
    const RankKey key = Key();
    RankRecord record{.rank = key.rank,
                      .world = 100,
                      .host = key.host,
                      .pid = key.pid,
                      .started_ns = key.started_ns,
                      .devices = {"H200"},
                      .kinds = {"AllReduce"}};
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      record.regions.push_back({.instances = Pick(9),
                                .kernels = Pick(1000),
                                .wall_ns = Pick(1000000),
                                .compute_ns = Pick(1000000),
                                .latency_ns = Pick(1000)});
      if (Pick(2) == 0) record.regions.back().sm_clock_hz = 1.98e9;
    }
    std::uint64_t at = 1700000000000000000;
    for (std::size_t i = Pick(5); i > 0; --i) {
      at += Pick(10000);
      record.collectives.push_back(
          {.region = static_cast<std::uint32_t>(Pick(tree.nodes.size())),
           .channel = static_cast<std::uint32_t>(Pick(3)),
           .launch_ns = Pick(2) == 0 ? 0 : at - Pick(5000),
           .start_ns = at,
           .end_ns = at + Pick(5000)});
    }
    ranks.trees.push_back(std::move(tree));
    ranks.records.push_back(std::move(record));
    return ranks;
  }

 private:
  std::uint64_t Pick(std::uint64_t below) { return random_() % below; }
  std::string Name() {
    return std::string(1, static_cast<char>('a' + Pick(3)));
  }

  RankKey Key() const {
    return {.rank = static_cast<std::int32_t>(seed_),
            .host = "node" + std::to_string(seed_ / 8),
            .pid = 1000 + seed_,
            .started_ns = 1700000000000000000U + seed_};
  }

  // Numbers of very different magnitude, so that a rounding error shows.
  double Real() {
    const double sizes[] = {1e-300, 1e-9, 0.1, 1, 1e9, 1e300};
    const double number = sizes[Pick(6)] * static_cast<double>(Pick(1000003));
    return Pick(4) == 0 ? -number : number;
  }

  TimeStat Times() {
    TimeStat stat;
    for (std::size_t i = Pick(6); i > 0; --i)
      stat.Add(Pick(std::uint64_t{1} << Pick(63)),
               static_cast<std::int32_t>(seed_));
    return stat;
  }

  void AddRegions(Summary& made) {
    for (std::size_t i = 1 + Pick(8); i > 0; --i) {
      made.regions.push_back(
          {.parent = static_cast<std::uint32_t>(Pick(made.regions.size())),
           .kind = Pick(5) == 0 ? FrameKind::kStartEnd : FrameKind::kPushPop,
           .domain = Pick(3) == 0 ? TextIndex{4} : TextIndex{0},
           .name = static_cast<TextIndex>(1 + Pick(3)),
           .instances = Pick(100),
           .unclosed = Pick(2),
           .cpu = Times(),
           .gpu = Times(),
           .span = Times(),
           .idle = Times()});
    }
    if (Pick(2) == 0)
      made.regions.push_back({.parent = 0, .unattributed = true});
  }

  void AddUses(Summary& made) {
    for (std::size_t i = Pick(6); i > 0; --i) {
      made.uses.push_back(
          {.region = static_cast<std::uint32_t>(Pick(made.regions.size())),
           .device = static_cast<TextIndex>(7 + Pick(2)),
           .kernels = Pick(100),
           .copies = Pick(10),
           .kernel_ns = Pick(1000000),
           .busy_ns = Pick(1000000),
           .span_ns = Pick(2000000),
           .latency = Times()});
    }
  }

  void AddRows(Summary& made) {
    for (std::size_t i = Pick(8); i > 0; --i) {
      SummaryKernel kernel{.name = static_cast<TextIndex>(5 + Pick(2)),
                           .device = static_cast<TextIndex>(7 + Pick(2)),
                           .mode = ReplayMode::kTrace,
                           .grid = {1 + Pick(3), 1, 1},
                           .block = {64, 1, 1}};
      if (Pick(2) == 0) {
        kernel.attributes.push_back(
            {.metric = 12, .kind = ValueKind::kInteger, .bits = Pick(3)});
        kernel.attributes.push_back(
            {.metric = 13, .kind = ValueKind::kText, .bits = 5 + Pick(2)});
      }
      SummaryRow row{
          .region = static_cast<std::uint32_t>(Pick(made.regions.size())),
          .kernel = static_cast<std::uint32_t>(made.kernels.size()),
          .time = Times()};
      row.launches = row.time.count + 1 + Pick(3);
      for (std::size_t k = Pick(4); k > 0; --k) row.metrics.push_back(Metric());
      made.kernels.push_back(std::move(kernel));
      made.rows.push_back(std::move(row));
    }
  }

  SummaryMetric Metric() {
    SummaryMetric metric{.metric = 9, .present = 1 + Pick(5)};
    metric.low = metric.high = Real() + 0.0;
    for (std::size_t i = Pick(4); i > 0; --i) metric.sum.Add(Real());
    if (Pick(2) == 0) return metric;
    metric.metric = 10;
    metric.folding = Folding::kMean;
    metric.weight = 11;
    metric.sum.AddProduct(Real(), Real());
    metric.weights.Add(Real());
    return metric;
  }

  std::mt19937_64 random_;
  std::uint32_t seed_;
};

inline std::string SummaryBytes(const Summary& summary,
                                const Ranks& ranks = {}) {
  std::ostringstream out;
  WriteSummary(out, summary, ranks);
  return std::move(out).str();
}

}  // namespace rangefinder::testing
