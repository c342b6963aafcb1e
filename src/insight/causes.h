// Causes of wall time: rows of conf/causes/*.yaml, evaluated on the facts of a
// region (insight/facts.h).
//
// A row has comparisons of formulas. If the 95 % intervals of the facts support
// every comparison, the cause is a statement; if only their values do, it is a
// question. A row that no fact can prove is always a question.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rangefinder {

// A number about a region, and its standard error. A bound makes no comparison
// certain.
struct CauseFact {
  double value = 0;
  double error = 0;
  bool is_bound = false;
};

// The facts of one region by name: numbers, and names of kernels, functions and
// regions. Nothing for a fact that was not measured.
struct CauseFacts {
  std::function<std::optional<CauseFact>(std::string_view)> number{};
  std::function<std::string(std::string_view)> text{};
};

// A row as written in the file.
struct CauseRule {
  std::string id{};                 // "launch_bound"
  std::string title{};              // "launch-bound"
  std::string of{"region"};         // what it is judged on: "region" or "run"
  std::vector<std::string> when{};  // "idle / wall >= 0.3"; all must hold
  // Sentences. {FORMULA | UNIT} is a number, {NAME} a text; the units are ns,
  // %, count, instances, bytes, number and bytes/s.
  std::string text{};
  std::string next{};     // what to do
  std::string measure{};  // if set: the row is a question; how to answer it
  std::string saves{};    // formula: ns of wall time that go away at most
  // A number: factor for the ranking of causes.
  std::string weight{"1"};
  std::vector<std::string> replaces{};  // ids of less exact rows
  std::string like{};  // the row whose comparisons have to hold as well
  // Left out where another cause has a good part of its savings (kPartOf), in
  // the region or inside it.
  bool alone = false;
};

// The least share of a cause's savings with which another cause tells enough.
inline constexpr double kPartOf = 0.2;

// An error in a rule, with its key.
struct CauseFault {
  std::string key{};
  std::string text{};
};
std::optional<CauseFault> FaultOf(const CauseRule& rule);

// A rule, parsed.
class CauseCheck;

// A cause that holds in a region.
struct Cause {
  std::string id{};
  std::string title{};
  bool certain = false;
  std::string text{};
  std::string next{};  // next step; for a question, how to answer it
  double saves_ns = 0;
  double weight = 1;
  bool alone = false;

  // Rank of a cause: a question has to save three times as much as a statement.
  double weight_ns() const { return weight * saves_ns / (certain ? 1 : 3); }
};

class CauseTable {
 public:
  CauseTable() = default;
  // Rules with an error are left out.
  explicit CauseTable(const std::vector<CauseRule>& rules);

  // The causes that hold and save time, the largest first, without causes that
  // another one replaces. `of`: "region" or "run".
  std::vector<Cause> Judge(const CauseFacts& facts, std::string_view of) const;

  // Whether the first cause is more exact than the other one and replaces it,
  // as any other does that stands alone.
  bool Replaces(std::string_view id, std::string_view other) const;

 private:
  std::vector<std::string> facts_{};  // in the rules' formulas, each once
  std::vector<std::shared_ptr<const CauseCheck>> checks_{};
};

}  // namespace rangefinder
