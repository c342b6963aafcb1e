#include "report/members_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"

namespace rangefinder {
namespace {

// Lines of text; report.json has more.
constexpr std::size_t kMostRows = 16;

std::string CpuText(const MemberAmounts& member) {
  return member.cpu_ns ? FormatNs(static_cast<double>(*member.cpu_ns)) : "–";
}

}  // namespace

std::string MembersText(const Report& report, const Scope& scope, RegionId id) {
  const std::vector<MemberAmounts> members = MembersOf(report, scope, id);
  if (members.empty()) return {};
  std::string text = fmt::format("  merged: {} names of ranges\n",
                                 FormatCount(members.size()));
  for (std::size_t i = 0; i < std::min(members.size(), kMostRows); ++i) {
    const MemberAmounts& member = members[i];
    text += fmt::format("    {}: {} instances",
                        Printable(report.profile->Name(member.name)),
                        FormatCount(member.instances));
    if (member.kernel_count > 0)
      text += fmt::format(", {} on the GPU in {} kernels",
                          FormatNs(member.gpu_time_ns),
                          FormatCount(member.kernel_count));
    if (member.cpu_ns) text += fmt::format(", {} on the CPU", CpuText(member));
    text += "\n";
  }
  if (members.size() > kMostRows)
    text += fmt::format("    {} more; --format json has the first {}\n",
                        FormatCount(members.size() - kMostRows), kMostMembers);
  return text;
}

}  // namespace rangefinder
