// Makes JSON that is valid in its grammar and wrong in its meaning.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder::testing {

// Another document like `json`; `json` itself where it is no JSON.
std::string ChangedJson(std::string_view json, std::uint32_t seed);

}  // namespace rangefinder::testing
