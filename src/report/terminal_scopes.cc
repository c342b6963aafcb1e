#include "report/terminal_scopes.h"

#include <fmt/format.h>

#include "base/text.h"
#include "insight/imbalance.h"

namespace rangefinder {

Result<std::vector<const ScopeRollup*>> FindScopes(const Report& report,
                                                   const std::string& asked) {
  std::vector<const ScopeRollup*> shown = ShownScopes(report);
  if (asked == "all") return shown;
  if (asked.empty()) {
    if (!shown.empty() && shown.front()->scope.aggregate) shown.resize(1);
    return shown;
  }
  std::vector<const ScopeRollup*> found;
  std::vector<std::string> names = {"all"};
  for (const ScopeRollup& scope : report.rollup->scopes) {
    const std::string name = ScopeName(report, scope.scope);
    const std::string owner = ScopeOwner(report, scope.scope);
    if (name == asked || (!owner.empty() && owner == asked))
      found.push_back(&scope);
    names.push_back(name);
    if (!owner.empty()) names.push_back(owner);
  }
  if (!found.empty()) return found;
  const auto near = Nearest(asked, names);
  return Error(
      ErrorCode::kUsage,
      fmt::format("--scope {}: there is no such scope; {}", Printable(asked),
                  near ? fmt::format("did you mean '{}'?", Printable(*near))
                       : "there are " + Printable(JoinedAsList(names, "and"))));
}

}  // namespace rangefinder
