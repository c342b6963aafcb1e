// What must be collected beside the metrics that somebody wants, so that these
// can be combined exactly: `pipeline.ncu.exact_rollup`.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// The metrics to add to a collection on `chip` ("" when it is not known: then
// what any chip would need), each once, in order of first need, without those
// requested. Names that ncu expands itself (regex:, group:, breakdown:) need
// nothing; a name without suffix is taken for the suffixes that ncu gives it.
std::vector<std::string> InputsFor(std::string_view chip,
                                   std::span<const std::string> requested);

}  // namespace rangefinder
