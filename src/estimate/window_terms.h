// How the work of launches deviates from an even course over their windows, as
// a sum of terms, and the effect of each term on samples that begin or end
// within a launch. The part of the work of a window of length L that is done up
// to its part u is
//
//   u - s (1 - u) / L - e u / L + sum_j c_j sqrt(2) sin(j pi u) / (j pi)
//     + sum_k r_k (v_k(u) - u v_k(1)) / L
//
// where s and e are the nanoseconds by which work begins and ends later, c_j
// describe the rate of work over the window, and r_k is by how much it is
// faster while a launch of kernel k runs at the same time, for v_k(u)
// nanoseconds up to u. For a rate that is noise, these terms explain most of it
// (the terms of the Brownian bridge; M. Loeve, Probability theory, 1963), and
// all c_j have one size.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "estimate/design.h"
#include "estimate/windows.h"

namespace rangefinder {

inline constexpr std::uint32_t kShapeTerms = 4;

// Numbers the terms of columns.
struct WindowTerms {
  static constexpr std::uint32_t kNoTerm = ~std::uint32_t{0};

  std::uint32_t columns = 0;
  std::vector<std::uint32_t> shape{};  // by column: its place among the shaped
  std::uint32_t shaped = 0;            // columns
  std::uint32_t pairs = 0;             // terms of pairs of kernels
  // By launch of the windows: the pair's term of its start, and of its end;
  // kNoTerm: none.
  std::array<std::vector<std::uint32_t>, 2> beside{};
  std::vector<std::uint32_t> kernel{};  // by column: the number of its kernel
  // By Pair() of a column and of the number of a concurrent kernel: the pair's
  // term of the rate meanwhile.
  std::unordered_map<std::uint64_t, std::uint32_t> concurrent{};

  static std::uint64_t Pair(std::uint32_t one, std::uint32_t other) {
    return std::uint64_t{one} << 32 | other;
  }
  std::uint32_t start(std::uint32_t column) const { return column; }
  std::uint32_t end(std::uint32_t column) const { return columns + column; }
  std::uint32_t rate(std::uint32_t column, std::uint32_t j) const {
    return 2 * columns + kShapeTerms * shape[column] + j;
  }
  std::uint32_t of_pair(std::uint32_t term) const {
    return 2 * columns + kShapeTerms * shaped + term;
  }
  std::uint32_t size() const { return of_pair(pairs); }
};

// Derivatives of MakeDesign's entries by each term: rows of samples, a column
// per term.
Design MakeCuts(const LaunchWindows& windows, const SampleWindows& samples,
                const WindowEdges& edges, const LaunchColumns& columns,
                const WindowTerms& terms);

}  // namespace rangefinder
