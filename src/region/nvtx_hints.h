// Why an expression or a pattern selects nothing in a profile, and what to
// write instead: the form, the domain, the thread, the case, the nesting. Every
// expression that is proposed selects something.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "region/nvtx_match.h"

namespace rangefinder {

// Of an expression of ncu's that selects nothing, or that ncu refuses.
std::vector<std::string> ExplainExpression(std::string_view expression,
                                           const Profile& profile,
                                           ncu::NvtxScope scope);

// Of a user's pattern that no region matches.
std::vector<std::string> ExplainPattern(std::string_view pattern,
                                        const Profile& profile);

}  // namespace rangefinder
