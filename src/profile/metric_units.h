// Units: how a submetric changes its counter's, and those of the metrics that
// are ncu's own.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profile/metric_name.h"

namespace rangefinder {

// The unit of a submetric of what is counted in `unit`, where cycles may be a
// factor: "warp*cycle" per cycle is "warp", "byte" per second is "byte/s".
std::string UnitOfForm(std::string_view unit, Form form);

// The unit of a metric that the evaluator does not know ("" for none); nothing
// when it is not known here either.
std::optional<std::string_view> UnitByHand(std::string_view metric);

}  // namespace rangefinder
