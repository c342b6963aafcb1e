#include "rollup/findings.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "rollup/scaled.h"

namespace rangefinder {
namespace {

// A finding while it is being gathered.
struct Gathered {
  Finding finding{};
  double gain_ns = 0;     // sum of time times speedup
  double best_ns = -1;    // time of the kernel whose words are kept
  std::size_t first = 0;  // in order of first appearance
  StringId text{};
};

int Rank(RuleMessageKind kind) {
  switch (kind) {
    case RuleMessageKind::kError:
      return 4;
    case RuleMessageKind::kOptimization:
      return 3;
    case RuleMessageKind::kWarning:
      return 2;
    case RuleMessageKind::kOk:
      return 1;
    case RuleMessageKind::kNone:
      return 0;
  }
  return 0;
}

// The durations of the measurements, without searching each one's samples
// twice.
double TimeOf(const Profile& profile, const Measurement& m) {
  return DurationNs(profile, m).value_or(0);
}

}  // namespace

std::string WithoutMarkup(std::string_view text) {
  constexpr std::string_view kSection = "section:";
  constexpr std::string_view kUrl = "url:";
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find('@');
    out += text.substr(0, at);
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + 1);
    const std::size_t end = text.find('@');
    const std::string_view markup = text.substr(0, end);
    const bool section = markup.starts_with(kSection);
    if (end == std::string_view::npos ||
        (!section && !markup.starts_with(kUrl))) {
      out += '@';  // an ordinary one
      continue;
    }
    if (section) {
      const std::string_view rest = markup.substr(kSection.size());
      const std::size_t colon = rest.find(':');
      out += colon == std::string_view::npos ? rest : rest.substr(colon + 1);
    } else {
      const std::string_view rest = markup.substr(kUrl.size());
      out += rest.substr(0, rest.find(':'));
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

std::vector<MeasurementId> KernelsIn(const Profile& profile,
                                     const RegionTree& tree, RegionId region,
                                     const Scope& scope) {
  std::vector<MeasurementId> kernels;
  std::vector<RegionId> open = {region};
  while (!open.empty()) {
    const Region& inner = tree[open.back()];
    open.pop_back();
    for (const MeasurementId id : inner.kernels) {
      const Measurement& m = profile.measurements[Index(id)];
      if (scope.aggregate ||
          (m.process == scope.process && m.device == scope.device))
        kernels.push_back(id);
    }
    open.insert(open.end(), inner.children.begin(), inner.children.end());
  }
  std::ranges::sort(kernels);
  return kernels;
}

std::vector<Finding> FindingsOf(const Profile& profile,
                                std::span<const MeasurementId> measurements) {
  std::map<std::pair<StringId, StringId>, Gathered> by_rule;
  double region_ns = 0;
  for (const MeasurementId id : measurements) {
    const Measurement& m = profile.measurements[Index(id)];
    const double ns = TimeOf(profile, m);
    region_ns += ns;
    for (const std::uint32_t index : m.rules) {
      const RuleResult& rule = profile.rules[index];
      if (rule.messages.empty()) continue;  // it ran, with nothing to say
      const auto message = std::ranges::max_element(
          rule.messages, {}, [](const RuleResult::Message& candidate) {
            return Rank(candidate.kind);
          });
      const auto [at, is_new] =
          by_rule.try_emplace({rule.identifier, message->title});
      Gathered& gathered = at->second;
      Finding& finding = gathered.finding;
      if (is_new) {
        gathered.first = by_rule.size();
        finding.rule = profile.Name(rule.identifier);
        finding.name = profile.Name(rule.display_name);
        finding.section = profile.Name(rule.section);
        finding.title = profile.Name(message->title);
      }
      ++finding.kernels;
      finding.time_ns += ns;
      if (Rank(message->kind) > Rank(finding.kind))
        finding.kind = message->kind;
      if (rule.speedup) {
        gathered.gain_ns += ns * rule.speedup->percent;
        finding.speedup_percent = 0;
        finding.speedup_is_global |= rule.speedup->global;
      }
      if (ns > gathered.best_ns) {
        gathered.best_ns = ns;
        gathered.text = message->text;
      }
    }
  }
  std::vector<Gathered> all;
  for (auto& [key, gathered] : by_rule) {
    Finding& finding = gathered.finding;
    finding.text = WithoutMarkup(profile.Name(gathered.text));
    if (region_ns > 0) finding.time_share = finding.time_ns / region_ns;
    // Of the whole region where it is said of whole kernels; else the mean over
    // the kernels concerned.
    const double base = finding.speedup_is_global ? region_ns : finding.time_ns;
    if (finding.speedup_percent && base > 0)
      finding.speedup_percent = gathered.gain_ns / base;
    all.push_back(std::move(gathered));
  }
  std::ranges::sort(all, {}, [](const Gathered& g) {
    return std::tuple(-g.gain_ns, -Rank(g.finding.kind), -g.finding.time_ns,
                      g.first);
  });
  std::vector<Finding> findings;
  for (Gathered& gathered : all)
    findings.push_back(std::move(gathered.finding));
  return findings;
}

}  // namespace rangefinder
