// Sections and rule results of a `.ncu-rep` result. Both functions throw
// protozero::exception on malformed input.

#pragma once

#include <string_view>

#include "profile/profile.h"

namespace rangefinder {

Section DecodeSection(std::string_view message, Profile& profile);
RuleResult DecodeRule(std::string_view message, StringPool& strings);

}  // namespace rangefinder
