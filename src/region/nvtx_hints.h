// Explains why an expression or a pattern selects nothing in a profile (its
// form, domain, thread, case or nesting) and proposes another one. Every
// proposed expression selects something.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "region/nvtx_expression.h"
#include "region/selection.h"

namespace rangefinder {

// `expression`, in ncu's language, selects nothing, or ncu refuses it.
std::vector<std::string> ExplainExpression(std::string_view expression,
                                           const Profile& profile,
                                           ncu::NvtxScope scope);

// `pattern`, in the users' language, matches no region.
std::vector<std::string> ExplainPattern(std::string_view pattern,
                                        const Profile& profile);

// `pattern` includes regions, and `selection` leaves out all of their launches:
// the setting that does. Nothing if no region matches.
std::optional<std::string> ExplainLeftOut(const Pattern& pattern,
                                          const Selection& selection,
                                          const Profile& profile);

}  // namespace rangefinder
