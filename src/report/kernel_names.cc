#include "report/kernel_names.h"

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profile/short_name.h"

namespace rangefinder {

KernelNames::KernelNames(const Profile& profile, const Rollup& rollup,
                         bool full, const KernelSources& sources)
    : profile_(profile), full_(full), sources_(sources) {
  std::set<StringId> ids;
  for (const ScopeRollup& scope : rollup.scopes) {
    for (const auto& [id, region] : scope.regions.there()) {
      for (const KernelRow& row : region.kernels) ids.insert(row.name);
    }
  }
  // Those of an undisturbed run, which may have seen more.
  for (const Measurement& m : profile.traced) ids.insert(m.demangled_name);
  std::vector<std::string_view> names;
  for (const StringId id : ids) names.push_back(profile.Name(id));
  std::vector<std::string> shown = ShortKernelNames(names);
  std::size_t i = 0;
  for (const StringId id : ids) {
    if (shown[i] != names[i])
      short_.emplace(static_cast<std::uint32_t>(id), std::move(shown[i]));
    ++i;
  }
}

std::string_view KernelNames::Short(StringId name) const {
  const auto known = short_.find(static_cast<std::uint32_t>(name));
  return known == short_.end() ? profile_.Name(name)
                               : std::string_view(known->second);
}

std::string KernelNames::Shown(StringId name) const {
  constexpr std::size_t kMostNodes = 6;
  std::string shown(full_ ? profile_.Name(name) : Short(name));
  const std::vector<std::string>* const nodes = Source(name);
  if (nodes == nullptr || nodes->empty()) return shown;
  const bool all = nodes->size() <= kMostNodes;
  const auto end = nodes->begin() + static_cast<std::ptrdiff_t>(
                                        all ? nodes->size() : kMostNodes);
  return fmt::format("{} ({}{})", shown, fmt::join(nodes->begin(), end, ", "),
                     all ? "" : ", …");
}

const std::vector<std::string>* KernelNames::Source(StringId name) const {
  if (sources_.empty()) return nullptr;
  const auto known = sources_.find(std::string(profile_.Name(name)));
  return known == sources_.end() ? nullptr : &known->second;
}

}  // namespace rangefinder
