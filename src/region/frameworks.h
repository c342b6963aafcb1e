// Names of ranges that frameworks write: rows of conf/frameworks/*.yaml.
//
// A row recognizes a name by a regular expression, and says which name it is
// shown as, which phase its instances are of, and which numbers in it stay with
// the instance. `[Executor] _forward_step 17: 0 ctx reqs, 5 gen reqs` is shown
// as `_forward_step (decode)`, of the phase decode, with 5 generating requests.

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
  // Over the whole name. Groups are named: those of a Covariate are numbers,
  // others are texts.
  std::string match{};
  std::optional<std::string> domain{};  // null: any
  // Shown; {GROUP} is the text of a group, with `*` for each number that is a
  // component of its own (`layers.3.mlp`). Empty: the name as it is.
  std::string name{};
  std::string phase{};      // "decode"; empty: none
  bool weak_phase = false;  // see NameFacts
  // One such name tells the framework; others are read where it is known.
  bool tells = true;
};

struct Framework {
  std::string id{};     // "vllm"
  std::string title{};  // "vLLM"
  std::vector<NameRule> names{};
  // For `doctor`: the Python package that is the framework, and what else makes
  // its ranges appear: variables (`NAME=VALUE`), Python packages, options.
  std::string python{};
  std::vector<std::string> environment{};
  std::vector<std::string> packages{};
  std::string hint{};
};

// A fault in a row, by the key it is in; plain names of two phases must differ.
struct FrameworkFault {
  std::string rule{};
  std::string key{};
  std::string text{};
};
std::optional<FrameworkFault> FaultOf(const Framework& framework);

// The frameworks whose names are read. Patterns are compiled when a name is
// first held against them.
class FrameworkNames {
 public:
  // `choice`: "auto", "none", or the id of a framework. kUsage for any other.
  // Rows with a fault read nothing.
  static Result<FrameworkNames> Make(const std::vector<Framework>& frameworks,
                                     std::string_view choice);
  FrameworkNames() = default;

  bool empty() const { return rules_ == nullptr; }

  // Rows that match a name, in their order; the first one of a framework that
  // is in use counts.
  using Candidates = std::vector<std::uint16_t>;
  Candidates CandidatesOf(std::string_view domain, std::string_view name) const;
  // Which frameworks are in use, given the candidates of all names.
  std::vector<bool> InUse(const std::vector<Candidates>& all) const;
  std::vector<std::string> Titles(const std::vector<bool>& in_use) const;

  struct Reading {
    const NameRule* rule = nullptr;
    std::optional<std::string> shown{};
    NameFacts facts{};  // without phase: the rule has it
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
