#include "region/name_facts.h"

#include <utility>

namespace rangefinder {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, kCovariates>
    kNames = {{{"context_tokens", "context token"},
               {"generated_tokens", "generated token"},
               {"context_requests", "context request"},
               {"generation_requests", "generating request"},
               {"requests", "request"},
               {"batch", "sequence of the batch"},
               {"iteration", "iteration"}}};

}  // namespace

std::string_view CovariateKey(Covariate covariate) {
  return kNames[static_cast<std::size_t>(covariate)].first;
}

std::string_view CovariateUnit(Covariate covariate) {
  return kNames[static_cast<std::size_t>(covariate)].second;
}

std::optional<Covariate> FindCovariate(std::string_view key) {
  for (std::size_t i = 0; i < kCovariates; ++i) {
    if (kNames[i].first == key) return static_cast<Covariate>(i);
  }
  return std::nullopt;
}

}  // namespace rangefinder
