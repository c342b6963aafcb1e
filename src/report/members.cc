#include "report/members.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "report/markup.h"
#include "report/quantity.h"

namespace rangefinder {
namespace {

// Rows of the Markdown table; report.json has more.
constexpr std::size_t kMostRows = 16;

bool Belongs(const Scope& scope, ProcessId process, std::int32_t device) {
  if (scope.aggregate) return true;
  // What a trace saw on the CPU is of no device.
  return process == scope.process && (device < 0 || device == scope.device);
}

// As far as the measurements tell: one that ran on two devices is one.
std::uint64_t ExecutionsOf(const Member& member, const Scope& scope) {
  std::uint64_t count = 0;
  const Execution* last = nullptr;
  for (const Execution& execution : member.executions) {
    if (!scope.aggregate && (execution.process != scope.process ||
                             execution.device != scope.device))
      continue;
    if (last == nullptr || last->process != execution.process ||
        last->key != execution.key)
      ++count;
    last = &execution;
  }
  return count;
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
  if (amounts.instances == 0) amounts.instances = ExecutionsOf(member, scope);
  return amounts;
}

void WriteMember(JsonStream& json, const Profile& profile,
                 const MemberAmounts& member) {
  json.BeginLineObject();
  json.TextField("name", profile.Name(member.name));
  json.CountField("instances", member.instances);
  json.CountField("kernel_count", member.kernel_count);
  json.NumberField("gpu_time_ns", member.gpu_time_ns);
  if (member.cpu_ns) json.CountField("cpu_ns", *member.cpu_ns);
  json.EndObject();
}

std::string CpuText(const MemberAmounts& member) {
  return member.cpu_ns ? FormatNs(static_cast<double>(*member.cpu_ns)) : "–";
}

}  // namespace

std::vector<MemberAmounts> MembersOf(const Report& report, const Scope& scope,
                                     RegionId id) {
  std::vector<MemberAmounts> members;
  for (const Member& member : (*report.tree)[id].members) {
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

void WriteMembersJson(JsonStream& json, const Report& report,
                      const Scope& scope, RegionId id) {
  const std::vector<MemberAmounts> members = MembersOf(report, scope, id);
  if (members.empty()) return;
  json.Key("merged");
  json.BeginObject();
  json.CountField("count", members.size());
  json.Key("slowest");
  if (const MemberAmounts* slowest = SlowestOf(members))
    WriteMember(json, *report.profile, *slowest);
  else
    json.Null();
  json.Key("members");
  json.BeginRows();
  for (std::size_t i = 0; i < std::min(members.size(), kMostMembers); ++i)
    WriteMember(json, *report.profile, members[i]);
  json.EndArray();
  json.EndObject();
}

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

void WriteMembersMarkdown(std::ostream& out, const Report& report,
                          const Scope& scope, RegionId id) {
  const std::vector<MemberAmounts> members = MembersOf(report, scope, id);
  if (members.empty()) return;
  const auto name = [&](const MemberAmounts& member) {
    return MarkdownText(report.profile->Name(member.name));
  };
  fmt::print(out, "\n{} name{} of ranges {} merged here; the first is {}",
             FormatCount(members.size()), members.size() == 1 ? "" : "s",
             members.size() == 1 ? "is" : "are", name(members.front()));
  if (const MemberAmounts* slowest = SlowestOf(members))
    fmt::print(out, ", the slowest {}", name(*slowest));
  out << ".\n\n| Range | Instances | GPU time | Kernels | CPU |\n"
         "|:--|--:|--:|--:|--:|\n";
  for (std::size_t i = 0; i < std::min(members.size(), kMostRows); ++i) {
    const MemberAmounts& member = members[i];
    fmt::print(out, "| {} | {} | {} | {} | {} |\n", name(member),
               FormatCount(member.instances),
               member.kernel_count > 0 ? FormatNs(member.gpu_time_ns) : "–",
               FormatCount(member.kernel_count), CpuText(member));
  }
  if (members.size() > kMostRows)
    fmt::print(out, "\n*{} more; report.json has the first {}.*\n",
               FormatCount(members.size() - kMostRows), kMostMembers);
}

}  // namespace rangefinder
