// What must be collected beside the metrics that somebody wants, so that these
// can be combined exactly: `pipeline.ncu.exact_rollup`.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rollup/derived.h"

namespace rangefinder {

// The metrics to add to a collection on `chip` ("" when it is not known: then
// what any chip would need), each once, in order of first need, without those
// requested. Names that ncu expands itself (regex:, group:, breakdown:) need
// nothing; a name without suffix is taken for the suffixes that ncu gives it.
std::vector<std::string> InputsFor(std::string_view chip,
                                   std::span<const std::string> requested);

// What ncu's sections (2025.3.1) show and do not collect all inputs of: ratios
// and throughputs of those of `set` ("" for none) and of `sections`.
std::vector<std::string> InexactOfSections(
    std::string_view set, std::span<const std::string> sections);

// `requested` with each derived metric replaced by what its formula is made of,
// each once: of first(...) the first that `has` allows, of the rest whatever it
// does. A derived metric that cannot be had so stays as it is.
std::vector<std::string> WithoutDerived(
    std::span<const std::string> requested,
    std::span<const DerivedMetric> derived,
    const std::function<bool(const std::string&)>& has);

}  // namespace rangefinder
