// The facts in the name of a range, if it is a name of a known framework
// (region/frameworks.h): the phase of the work, and numbers of requests and
// tokens.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// A number in a name that stays with the instance.
enum class Covariate : std::uint8_t {
  kContextTokens,
  kGeneratedTokens,
  kContextRequests,
  kGenerationRequests,
  kRequests,
  kBatch,
  kIteration,  // counts instances, not work
};
inline constexpr std::size_t kCovariates = 7;

// "context_tokens"; the singular "context token" for one unit.
std::string_view CovariateKey(Covariate covariate);
std::string_view CovariateUnit(Covariate covariate);
std::optional<Covariate> FindCovariate(std::string_view key);

struct NameFacts {
  StringId phase{};         // "decode"; empty: none
  bool weak_phase = false;  // counts only if no range around it has a phase
  std::array<std::optional<double>, kCovariates> numbers{};  // by Covariate
};

// The facts in the names of a profile's ranges.
struct KnownNames {
  std::vector<std::string> frameworks{};  // in use, by their titles
  // By domain and name, given or shown; without a parent.
  std::unordered_map<MergedNames::Key, NameFacts, MergedNames::Hash> facts{};

  // Null: no known framework writes this name.
  const NameFacts* Of(StringId domain, StringId name) const {
    const auto known = facts.find({.domain = domain, .name = name});
    return known == facts.end() ? nullptr : &known->second;
  }
};

}  // namespace rangefinder
