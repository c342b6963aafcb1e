// Names of ranges that frameworks write: rows of conf/frameworks/*.yaml.
//
// A row recognizes a name by a regular expression. It gives the shown name, the
// phase of the name's instances, and the numbers in the name that stay with the
// instance. `[Executor] _forward_step 17: 0 ctx reqs, 5 gen reqs` is shown as
// `_forward_step (decode)`, of the phase decode, with 5 generating requests.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "region/name_facts.h"

namespace rangefinder {

struct NameRule {
  std::string id{};
  // Matches the whole name. Groups are named: the name of a Covariate for a
  // number, any other name for a text.
  std::string match{};
  std::optional<std::string> domain{};  // null: any
  // The shown name; {GROUP} is the text of a group, with `*` for each number
  // that is a component of its own (`layers.3.mlp`). Empty: the name itself.
  std::string name{};
  std::string phase{};      // "decode"; empty: none
  bool weak_phase = false;  // see NameFacts
  // A single such name identifies the framework; names of other rows are read
  // once the framework is identified.
  bool tells = true;

  friend bool operator==(const NameRule&, const NameRule&) = default;
};

struct Framework {
  std::string id{};     // "vllm"
  std::string title{};  // "vLLM"
  std::vector<NameRule> names{};
  // For `doctor`: the framework's Python package, and what else its ranges
  // need: variables (`NAME=VALUE`), Python packages, options.
  std::string python{};
  std::vector<std::string> environment{};
  std::vector<std::string> packages{};
  std::string hint{};
};

// An error in a row, with its key. Also an error: equal plain names with
// different phases.
struct FrameworkFault {
  std::string rule{};
  std::string key{};
  std::string text{};
};
std::optional<FrameworkFault> FaultOf(const Framework& framework);

// The frameworks whose names are read. A pattern is compiled when it is first
// tried on a name.
class FrameworkNames {
 public:
  // `choice`: "auto", "none", or the id of a framework; kUsage for any other.
  // Rows with an error match nothing.
  static Result<FrameworkNames> Make(const std::vector<Framework>& frameworks,
                                     std::string_view choice);
  FrameworkNames() = default;

  bool empty() const { return rules_ == nullptr; }

  // Rows that match a name, in their order; the first one of a framework that
  // is in use counts.
  using Candidates = std::vector<std::uint16_t>;
  Candidates CandidatesOf(std::string_view domain, std::string_view name) const;
  // Which frameworks are in use, from the candidates of all names.
  std::vector<bool> InUse(const std::vector<Candidates>& all) const;
  std::vector<std::string> Titles(const std::vector<bool>& in_use) const;

  struct Reading {
    const NameRule* rule = nullptr;
    std::optional<std::string> shown{};
    NameFacts facts{};  // without phase: the rule has the phase
  };
  std::optional<Reading> Read(std::string_view name,
                              const Candidates& candidates,
                              const std::vector<bool>& in_use) const;

 private:
  class Row;
  class Rules;
  std::shared_ptr<const Rules> rules_{};
};

}  // namespace rangefinder
