#include "report/kernel_names.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profile/short_name.h"

namespace rangefinder {

namespace {

// The first `most` texts, and "…" for the rest.
std::string First(const std::vector<std::string>& texts, std::size_t most) {
  const auto end =
      texts.begin() + static_cast<std::ptrdiff_t>(std::min(most, texts.size()));
  return fmt::format("{}{}", fmt::join(texts.begin(), end, ", "),
                     texts.size() > most ? ", …" : "");
}

// Of "folder/file:line".
std::string WithoutFolder(const std::string& line) {
  return line.substr(line.rfind('/') + 1);
}

}  // namespace

KernelNames::KernelNames(const Profile& profile, const Rollup& rollup,
                         bool full, KernelSources sources)
    : profile_(profile), full_(full), sources_(std::move(sources)) {
  std::set<StringId> ids;
  for (const ScopeRollup& scope : rollup.scopes) {
    for (const auto& [id, region] : scope.regions.there()) {
      for (const KernelRow& row : region.kernels) ids.insert(row.name);
    }
  }
  // The baseline run may have more kernels.
  for (const Measurement& m : profile.traced) ids.insert(m.demangled_name);
  std::vector<std::string_view> names;
  for (const StringId id : ids) names.push_back(profile.Name(id));
  std::vector<std::string> shown = ShortKernelNames(names);
  std::size_t i = 0;
  for (const StringId id : ids) {
    if (shown[i] != names[i]) short_.emplace(id, std::move(shown[i]));
    ++i;
  }
}

std::string_view KernelNames::Short(StringId name) const {
  const auto known = short_.find(name);
  return known == short_.end() ? profile_.Name(name)
                               : std::string_view(known->second);
}

std::string KernelNames::Shown(StringId name) const {
  constexpr std::size_t kMostOperators = 6;
  std::string shown(full_ ? profile_.Name(name) : Short(name));
  const KernelSource* const source = Source(name);
  if (source == nullptr) return shown;
  std::string origin = First(source->operators, kMostOperators);
  // A line of the model is more useful than one of the code generated from it.
  const auto& lines =
      source->model_lines.empty() ? source->lines : source->model_lines;
  if (!lines.empty()) {
    origin +=
        fmt::format("{}{}{}", origin.empty() ? "" : "; ",
                    WithoutFolder(lines[0]), lines.size() > 1 ? ", …" : "");
  }
  return origin.empty() ? shown : fmt::format("{} ({})", shown, origin);
}

const KernelSource* KernelNames::Source(StringId name) const {
  return sources_.Find(profile_.Name(name));
}

std::string_view KernelNames::WhyNoLine(StringId name) const {
  const KernelSource* const source = Source(name);
  if (!sources_.recorded || (source != nullptr && !source->lines.empty()))
    return {};
  return "its code has no line table (nvcc makes one with -lineinfo)";
}

}  // namespace rangefinder
