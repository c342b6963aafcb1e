#include "plan/kernel_check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "capture/ncu.h"
#include "profile/short_name.h"

namespace rangefinder {
namespace {

constexpr std::string_view kNameKey = "pipeline.ncu.ncu_cli.kernel_name";
constexpr std::string_view kKernelsKey = "regions.kernels.include";
constexpr std::size_t kMostExamples = 5;

// ncu compares a name without `regex:` as a whole; it has no wildcards.
std::string Exactly(std::string_view name) {
  return Backslashed(name, "*?[\\");
}

// Whether ncu spells the pattern's subject as we do: types and template
// arguments differ (`burn<256>` and `burn<(int)256>`), identifiers do not.
bool IsOfIdentifiers(std::string_view pattern) {
  return pattern.find_first_of("(<>,& ") == std::string_view::npos;
}

// One launch of each kernel; kernels with the most launches first.
std::vector<const Measurement*> KernelsOf(const Profile& profile) {
  std::map<StringId, std::pair<std::uint64_t, const Measurement*>> kernels;
  for (const Measurement& m : profile.measurements) {
    if (m.kind != MeasurementKind::kKernel) continue;
    auto& [launches, kernel] = kernels[m.demangled_name];
    launches += LaunchesOf(profile, m);
    if (kernel == nullptr) kernel = &m;
  }
  std::vector<std::pair<std::uint64_t, const Measurement*>> order;
  for (const auto& [name, kernel] : kernels) order.push_back(kernel);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const auto& kernel) { return kernel.first; });
  std::vector<const Measurement*> all;
  for (const auto& [launches, kernel] : order) all.push_back(kernel);
  return all;
}

class Check {
 public:
  explicit Check(const Profile& profile)
      : profile_(profile), kernels_(KernelsOf(profile)) {}

  bool Matches(const Selection& selection) const {
    KeptKernels kept(profile_, selection);
    return std::ranges::any_of(kernels_, [&](const Measurement* kernel) {
      return kept.Keeps(*kernel);
    });
  }

  bool Matches(std::string_view pattern, std::string_view base) const {
    const auto selection =
        Selection::Make({.kernels_include = {std::string(pattern)},
                         .kernels_base = std::string(base)});
    return !selection.ok() || Matches(selection.value());
  }

  // "did you mean …?", or the kernels with the most launches.
  std::string Names(std::string_view pattern) const {
    std::vector<std::string> shown, names;
    for (const Measurement* kernel : kernels_) {
      shown.push_back(ShortKernelName(profile_.Name(kernel->demangled_name)));
      names.emplace_back(profile_.Name(kernel->function_name));
    }
    names.insert(names.end(), shown.begin(), shown.end());
    if (const auto near = Nearest(pattern, names))
      return fmt::format("did you mean '{}'?", Printable(*near));
    if (shown.empty()) return "the program launches no kernel";
    return "there are: " + Printable(FirstListed(shown, kMostExamples));
  }

 private:
  const Profile& profile_;
  std::vector<const Measurement*> kernels_;
};

// Why no kernel has the requested name, and the next step.
std::string WhyNoName(const Check& check, const std::string& name,
                      const std::string& base) {
  std::string why =
      fmt::format("{}: no kernel of the program {} '{}'", kNameKey,
                  name.starts_with(kRegexPrefix) ? "matches" : "is called",
                  Printable(name));
  if (base != "function" && check.Matches(Exactly(name), "function")) {
    return why + fmt::format(
                     " by its {} name, but a function is: add {}_base=function",
                     base, kNameKey);
  }
  if (name.find_first_of("*?") != std::string::npos &&
      !name.starts_with(kRegexPrefix) && check.Matches(name, "any"))
    why += "; ncu takes a name as a whole, and patterns as regex:EXPRESSION";
  return why + "; " + check.Names(name);
}

}  // namespace

Selection KernelsByName(const NcuOptions& ncu) {
  SelectionOptions options;
  const std::string name = FirstWord(ncu, "kernel_name");
  const bool is_regex = name.starts_with(kRegexPrefix);
  if (!name.empty())
    options.kernels_include = {is_regex ? name : Exactly(name)};
  if (ncu.exclude_communication && (name.empty() || is_regex))
    options.kernels_exclude = {"regex:(?i)nccl|nvshmem|msccl|deep_ep"};
  options.kernels_base = KernelNameBaseOf(ncu);
  auto selection = Selection::Make(options);
  return selection.ok() ? std::move(selection).value() : Selection();
}

KernelMatch CheckKernels(const NcuOptions& ncu,
                         const SelectionOptions& selection,
                         const Profile& known, Notes& notes) {
  using enum KernelMatch;
  const Check check(known);
  const auto note = [&](const std::string& text) {
    notes.Add(Severity::kWarning, "kernel_matches_nothing", text);
  };
  KernelMatch match = kSome;
  const auto add = [&](bool certain) {
    if (match != kNone) match = certain ? kNone : kUnknown;
  };
  if (const std::string name = FirstWord(ncu, "kernel_name");
      !name.empty() && !check.Matches(KernelsByName(ncu))) {
    note(WhyNoName(check, name, KernelNameBaseOf(ncu)));
    add(IsOfIdentifiers(name));
  }
  bool any = selection.kernels_include.empty();
  bool certain = true;
  for (const std::string& pattern : selection.kernels_include) {
    if (check.Matches(pattern, selection.kernels_base)) {
      any = true;
      continue;
    }
    certain = certain && IsOfIdentifiers(pattern);
    note(fmt::format("{}: no kernel of the program matches '{}'; {}",
                     kKernelsKey, Printable(pattern), check.Names(pattern)));
  }
  if (!any) add(certain);
  return match;
}

void NoteNoMatchingKernels(KernelMatch match, Notes& notes) {
  const std::string why =
      match == KernelMatch::kSome
          ? fmt::format(
                "no launch of the kernels that {} asks for is left in "
                "the requested regions",
                kNameKey)
          : fmt::format(
                "the program launches none of the kernels that {} or "
                "{} asks for",
                kNameKey, kKernelsKey);
  notes.Add(Severity::kWarning, kNoMatchingKernels,
            why + ": ncu has nothing to measure and is not started");
}

}  // namespace rangefinder
