// Which measurements an NVTX expression of ncu's selects.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "region/nvtx_expression.h"

namespace rangefinder::ncu {

// Whose push/pop ranges count for a launch: --nvtx-push-pop-scope.
enum class NvtxScope {
  kRecorded,  // as the profile says that it was measured
  kThread,    // the launching thread's
  kProcess,   // every thread's
};

// The expressions of one command line.
struct NvtxFilter {
  std::vector<NvtxExpression> include{};  // one of them, if there are any
  std::vector<NvtxExpression> exclude{};  // and none of these
};

bool Matches(const NvtxExpression& expression, const Profile& profile,
             const Measurement& m, NvtxScope scope = NvtxScope::kRecorded);

bool Selects(const NvtxFilter& filter, const Profile& profile,
             const Measurement& m, NvtxScope scope = NvtxScope::kRecorded);

// Whether the expression speaks of a domain; "" is the default one.
bool MatchesDomain(const NvtxExpression& expression, std::string_view domain);

// Whether the steps of a push/pop expression can be found in a stack of names,
// outermost first.
bool MatchesStack(const NvtxExpression& expression,
                  std::span<const std::string_view> stack);

}  // namespace rangefinder::ncu
