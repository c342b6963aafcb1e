#include "estimate/window_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rangefinder {
namespace {

// By kind of term: the work done up to a part of the window beyond even
// progress. Start and end for a window of one nanosecond, then the rates.
using Done = std::array<double, 2 + kShapeTerms>;

Done DoneUpTo(double part, bool shaped) {
  Done done{};
  if (part <= 0 || part >= 1) return done;
  done[0] = part - 1;
  done[1] = -part;
  if (!shaped) return done;
  for (std::uint32_t j = 1; j <= kShapeTerms; ++j) {
    const double turns = j * std::numbers::pi;
    done[1 + j] = std::numbers::sqrt2 * std::sin(turns * part) / turns;
  }
  return done;
}

// The time up to `ns` in which two launches run, less the part of all such time
// that would have passed if it were spread evenly over the first one.
double UnevenOverlap(const Window& launch, const Window& other, double ns) {
  const double from = std::max(launch.start_ns, other.start_ns);
  const double to = std::max(std::min(launch.end_ns, other.end_ns), from);
  const double until = std::clamp(ns, launch.start_ns, launch.end_ns);
  const double part =
      (until - launch.start_ns) / (launch.end_ns - launch.start_ns);
  return std::clamp(until, from, to) - from - part * (to - from);
}

}  // namespace

Design MakeCuts(const LaunchWindows& windows, const SampleWindows& samples,
                const WindowEdges& edges, const LaunchColumns& columns,
                const WindowTerms& terms) {
  Design cuts;
  cuts.columns = terms.size();
  const ConcurrentLaunches concurrent(windows);
  std::vector<DesignEntry> entries;
  VisitOverlaps(
      windows, samples, edges, [&](std::size_t i, std::size_t k, double part) {
        if (part >= 1) return;
        const Window at = Moved(windows.start_ns[k], windows.end_ns[k], edges);
        const double length = at.end_ns - at.start_ns;
        const std::uint32_t group = columns.group[windows.launch[k]];
        const std::uint32_t column = columns.column[group];
        const double weight = columns.weight[group];
        const bool shaped = terms.shape[column] != WindowTerms::kNoTerm;
        const Done from =
            DoneUpTo((samples.start_ns[i] - at.start_ns) / length, shaped);
        const Done to =
            DoneUpTo((samples.end_ns[i] - at.start_ns) / length, shaped);
        const auto sample = static_cast<std::uint32_t>(i);
        const auto add = [&](std::uint32_t term, double value) {
          entries.push_back({sample, term, weight * value});
        };
        for (const std::size_t edge : {0U, 1U}) {
          const double moved = (to[edge] - from[edge]) / length;
          add(edge == 0 ? terms.start(column) : terms.end(column), moved);
          if (terms.beside[edge][k] != WindowTerms::kNoTerm)
            add(terms.of_pair(terms.beside[edge][k]), moved);
        }
        for (std::uint32_t j = 0; shaped && j < kShapeTerms; ++j)
          add(terms.rate(column, j), to[2 + j] - from[2 + j]);
        if (terms.concurrent.empty()) return;
        concurrent.ForEach(k, [&](std::size_t j) {
          const std::uint32_t other =
              columns.column[columns.group[windows.launch[j]]];
          const auto term = terms.concurrent.find(
              WindowTerms::Pair(column, terms.kernel[other]));
          if (term == terms.concurrent.end()) return;
          const Window with =
              Moved(windows.start_ns[j], windows.end_ns[j], edges);
          add(terms.of_pair(term->second),
              (UnevenOverlap(at, with, samples.end_ns[i]) -
               UnevenOverlap(at, with, samples.start_ns[i])) /
                  length);
        });
      });
  cuts.operations = entries.size();
  ToRows(entries, samples.size(), cuts);
  return cuts;
}

}  // namespace rangefinder
