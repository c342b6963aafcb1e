#include "insight/members.h"

#include <algorithm>

namespace rangefinder {
namespace {

bool Belongs(const Scope& scope, ProcessId process, std::int32_t device) {
  if (scope.aggregate) return true;
  // Calls on the CPU belong to no device.
  return process == scope.process && (device < 0 || device == scope.device);
}

MemberAmounts AmountsOf(const Member& member, const Scope& scope) {
  MemberAmounts amounts{.name = member.name};
  for (const MemberShare& share : member.shares) {
    if (!Belongs(scope, share.process, share.device)) continue;
    amounts.instances += share.visits;
    amounts.kernel_count += share.kernel_count;
    amounts.gpu_time_ns += share.gpu_time_ns;
    if (share.visits > 0)
      amounts.cpu_ns = amounts.cpu_ns.value_or(0) + share.cpu_ns;
  }
  if (amounts.instances == 0)
    amounts.instances = ExecutionsIn(member.executions, scope);
  return amounts;
}

}  // namespace

std::vector<MemberAmounts> MembersOf(const RunView& run, const Scope& scope,
                                     RegionId id) {
  std::vector<MemberAmounts> members;
  for (const Member& member : (*run.tree)[id].members) {
    MemberAmounts amounts = AmountsOf(member, scope);
    if (amounts.instances > 0) members.push_back(amounts);
  }
  return members;
}

const MemberAmounts* SlowestOf(const std::vector<MemberAmounts>& members) {
  if (members.empty()) return nullptr;
  const auto slowest =
      std::ranges::max_element(members, {}, &MemberAmounts::gpu_time_ns);
  if (slowest->gpu_time_ns > 0) return &*slowest;
  const auto longest =
      std::ranges::max_element(members, {}, &MemberAmounts::cpu_ns);
  return longest->cpu_ns ? &*longest : nullptr;
}

}  // namespace rangefinder
