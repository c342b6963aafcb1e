// One number of a report, and how it was obtained.
//
// A large report has millions of cells, so cells are small and lists of cells
// are shared: a region without inner regions, or a run on one device, does not
// hold the same cells twice.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// How a value was obtained, from best to worst.
enum class How : std::uint8_t {
  kMeasured,   // one measurement's own value
  kExact,      // combined, and equal to one measurement of all together
  kEstimated,  // from samples of the whole device (sampling/), with an error
  kApprox,     // combined with a weight in place of the right one
  kBound,      // the true value is at most (or at least) this
  kAbsent,     // no value; `reason` tells why
};
std::string_view HowName(How how);  // "measured" "exact" ...

// For kBound: the side of the true value that the cell's value is on. For
// kEstimated: kUpper if the interval reaches down to 0; then only its upper end
// is known.
enum class Bound : std::uint8_t { kNone, kUpper, kLower };
std::string_view BoundName(Bound bound);  // "" "upper" "lower"

// A pointer to a text that outlives every cell: a literal, or a name of the
// profile or the columns.
class Word {
 public:
  constexpr Word() = default;
  constexpr Word(const char* text) : text_(text) {}

  constexpr operator std::string_view() const { return text_; }
  constexpr bool empty() const { return *text_ == '\0'; }

  template <std::convertible_to<std::string_view> Text>
  friend constexpr bool operator==(Word a, const Text& b) {
    return std::string_view(a) == std::string_view(b);
  }

 private:
  const char* text_ = "";
};

// The value of a metric over some measurements. Absent is kAbsent, never 0.
struct Cell {
  How how = How::kAbsent;
  bool is_text = false;     // `text` holds it instead of `value`
  bool has_spread = false;  // `low` and `high` are set
  Bound bound = Bound::kNone;
  // kEstimated: the part of high - value that a longer run does not narrow.
  float lasting = 0;
  double value = 0;  // in the metric's base unit
  StringId text{};
  float error = 0;  // kEstimated: one standard error
  // Smallest and largest over the measurements; kEstimated: the ends of the
  // interval of 95 %, without has_spread.
  double low = 0;
  double high = 0;
  // Number of different values, 0: not counted; kEstimated: samples.
  std::uint32_t distinct = 0;
  // Measurements that had the metric; kEstimated: launches.
  std::uint32_t present = 0;
  std::uint32_t missing = 0;  // measurements without the metric
  float degrees = 0;          // kEstimated: of freedom, of the rest of it
  Word rule{};                // "sum" "weighted_mean" ...; see docs/rollup.md
  Word weight{};              // name of the weight's metric
  Word reason{};              // why it is not exact
};

// The cells of one Amounts, by Rollup::columns. Immutable; copies share them.
class Cells {
 public:
  Cells() = default;
  Cells(std::vector<Cell> cells)
      : cells_(std::make_shared<const std::vector<Cell>>(std::move(cells))) {}
  Cells(std::initializer_list<Cell> cells) : Cells(std::vector<Cell>(cells)) {}

  std::size_t size() const { return cells_ ? cells_->size() : 0; }
  bool empty() const { return size() == 0; }
  const Cell& operator[](std::size_t i) const { return (*cells_)[i]; }
  const Cell* begin() const { return cells_ ? cells_->data() : nullptr; }
  const Cell* end() const { return begin() + size(); }

 private:
  std::shared_ptr<const std::vector<Cell>> cells_;
};

}  // namespace rangefinder
