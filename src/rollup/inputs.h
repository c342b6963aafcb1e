// The additional metrics to collect so that the requested metrics can be
// combined exactly: `pipeline.ncu.exact_rollup`.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rollup/rollup.h"

namespace rangefinder {

// The metrics to add to a collection on `chip` ("": unknown; the metrics of any
// chip then), each once, in order of first need, without the requested ones.
// Names that ncu expands itself (regex:, group:, breakdown:) need no others; a
// name without suffix stands for the suffixes that ncu gives it.
std::vector<std::string> InputsFor(std::string_view chip,
                                   std::span<const std::string> requested);

// The ratios and throughputs that ncu's sections (2025.3.1) show without
// collecting all of their inputs, for the sections of `set` ("": none) and for
// `sections`.
std::vector<std::string> InexactOfSections(
    std::string_view set, std::span<const std::string> sections);

// `requested`, with each derived metric replaced by the metrics of its formula
// that `has` accepts, each once; of first(...) the first accepted argument. A
// derived metric without a value stays as it is.
std::vector<std::string> WithoutDerived(
    std::span<const std::string> requested,
    std::span<const DerivedMetric> derived,
    const std::function<bool(const std::string&)>& has);

}  // namespace rangefinder
