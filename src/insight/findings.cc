#include "insight/findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace rangefinder {
namespace {

int Rank(RuleMessageKind kind) {
  // None, ok, warning, error, optimization.
  constexpr std::array kRanks = {0, 1, 2, 4, 3};
  return kRanks[Index(kind)];
}

// The messages of one rule on several measurements under one title.
class Gathered {
 public:
  // Adds `message` of `rule` about a measurement that took `ns`.
  void Add(const Profile& profile, const RuleResult& rule,
           const RuleResult::Message& message, double ns) {
    if (finding_.kernels == 0) {
      finding_.rule = profile.Name(rule.identifier);
      finding_.name = profile.Name(rule.display_name);
      finding_.section = profile.Name(rule.section);
      finding_.title = profile.Name(message.title);
    }
    ++finding_.kernels;
    finding_.time_ns += ns;
    if (Rank(message.kind) > Rank(finding_.kind)) finding_.kind = message.kind;
    if (rule.speedup) {
      gain_ns_ += ns * rule.speedup->percent;
      finding_.speedup_percent = 0;
      finding_.speedup_is_global |= rule.speedup->global;
    }
    if (ns > longest_ns_) {
      longest_ns_ = ns;
      text_ = message.text;
    }
  }

  // Computes the shares and the text, after the last Add().
  void Finish(const Profile& profile, double region_ns) {
    finding_.text = WithoutMarkup(profile.Name(text_));
    if (region_ns > 0) finding_.time_share = finding_.time_ns / region_ns;
    // The time of the whole region if the rule is about whole kernels; else of
    // the kernels concerned.
    const double base =
        finding_.speedup_is_global ? region_ns : finding_.time_ns;
    if (finding_.speedup_percent && base > 0)
      finding_.speedup_percent = gain_ns_ / base;
  }

  // By gain, then by severity, then by time; largest first.
  auto Order() const {
    return std::tuple(-gain_ns_, -Rank(finding_.kind), -finding_.time_ns);
  }
  Finding Take() && { return std::move(finding_); }

 private:
  Finding finding_{};
  double gain_ns_ = 0;      // sum of time times speedup
  double longest_ns_ = -1;  // time of the kernel whose text is kept
  StringId text_{};
};

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
      out += '@';  // an ordinary @
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
      if (scope.Has(profile.measurements[Index(id)])) kernels.push_back(id);
    }
    open.insert(open.end(), inner.children.begin(), inner.children.end());
  }
  std::ranges::sort(kernels);
  return kernels;
}

std::vector<Finding> FindingsOf(const Profile& profile,
                                std::span<const MeasurementId> measurements) {
  std::map<std::pair<StringId, StringId>, std::size_t> places;
  std::vector<Gathered> all;  // in the order of first appearance
  double region_ns = 0;
  for (const MeasurementId id : measurements) {
    const Measurement& m = profile.measurements[Index(id)];
    const double ns = DurationNs(profile, m).value_or(0);
    region_ns += ns;
    for (const std::uint32_t index : m.rules) {
      const RuleResult& rule = profile.rules[index];
      if (rule.messages.empty()) continue;  // it ran, with nothing to say
      const auto message = std::ranges::max_element(
          rule.messages, {}, [](const RuleResult::Message& candidate) {
            return Rank(candidate.kind);
          });
      const auto [place, is_new] =
          places.try_emplace({rule.identifier, message->title}, all.size());
      if (is_new) all.emplace_back();
      all[place->second].Add(profile, rule, *message, ns);
    }
  }
  for (Gathered& gathered : all) gathered.Finish(profile, region_ns);
  std::ranges::stable_sort(all, {}, &Gathered::Order);
  std::vector<Finding> findings;
  for (Gathered& gathered : all) findings.push_back(std::move(gathered).Take());
  return findings;
}

}  // namespace rangefinder
