#include "region/frameworks.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>
#include <re2/set.h>

#include "base/text.h"
#include "region/pattern.h"

namespace rangefinder {
namespace {

// The bytes of names and patterns, whatever their encoding.
re2::RE2::Options BytesOptions() {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(32 << 20);
  return options;
}

// `*` for each number that is a component: `layers.3.mlp`, `block[12]`.
std::string WithoutIndices(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && IsAsciiDigit(text[end])) ++end;
    const bool apart = (i == 0 || !IsWordByte(text[i - 1])) &&
                       (end == text.size() || !IsWordByte(text[end]));
    if (end > i && apart)
      shown += '*';
    else
      shown.append(text.substr(i, std::max<std::size_t>(end - i, 1)));
    i = std::max(end, i + 1);
  }
  return shown;
}

// A count; nothing if a double does not hold it exactly.
std::optional<double> CountIn(std::string_view text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  const auto value = ParseNumber<std::size_t>(text);
  if (!value || *value > kMost) return std::nullopt;
  return static_cast<double>(*value);
}

// A shown name in pieces: plain texts and groups.
struct ShownPiece {
  std::string plain{};
  int group = 0;  // 0: plain
};

class CompiledRule {
 public:
  static Result<std::shared_ptr<const CompiledRule>> Make(const NameRule& rule,
                                                          std::string& key) {
    auto compiled = std::make_shared<CompiledRule>();
    compiled->rule_ = rule;
    key = "match";
    if (rule.match.empty())
      return Error(ErrorCode::kUsage, "a name needs a regular expression");
    compiled->regex_ =
        std::make_unique<re2::RE2>("(?s)" + rule.match, BytesOptions());
    if (!compiled->regex_->ok())
      return Error(ErrorCode::kUsage, compiled->regex_->error());
    const auto& groups = compiled->regex_->NamedCapturingGroups();
    for (const auto& [name, group] : groups) {
      if (const auto covariate = FindCovariate(name))
        compiled->numbers_.emplace_back(*covariate, group);
    }
    key = "name";
    std::string_view text = rule.name;
    while (!text.empty()) {
      const std::size_t open = text.find('{');
      if (open > 0)
        compiled->shown_.push_back(
            {.plain = std::string(text.substr(0, open))});
      if (open == std::string_view::npos) break;
      const std::size_t close = text.find('}', open);
      const auto group = close == std::string_view::npos
                             ? groups.end()
                             : groups.find(std::string(
                                   text.substr(open + 1, close - open - 1)));
      if (group == groups.end() || FindCovariate(group->first)) {
        return Error(ErrorCode::kUsage,
                     "expected {GROUP} of a named group that is no number");
      }
      compiled->shown_.push_back({.group = group->second});
      text.remove_prefix(close + 1);
    }
    return std::shared_ptr<const CompiledRule>(std::move(compiled));
  }

  bool Matches(std::string_view name) const {
    return re2::RE2::FullMatch({name.data(), name.size()}, *regex_);
  }

  FrameworkNames::Reading Read(std::string_view name) const {
    FrameworkNames::Reading reading{.rule = &rule_};
    reading.facts.weak_phase = rule_.weak_phase;
    std::vector<re2::StringPiece> found(
        static_cast<std::size_t>(regex_->NumberOfCapturingGroups()) + 1);
    const bool groups = !numbers_.empty() || !shown_.empty();
    if (!groups || !regex_->Match({name.data(), name.size()}, 0, name.size(),
                                  re2::RE2::ANCHOR_BOTH, found.data(),
                                  static_cast<int>(found.size())))
      return reading;
    const auto text = [&](int group) {
      const re2::StringPiece& piece = found[static_cast<std::size_t>(group)];
      return std::string_view(piece.data(), piece.size());
    };
    for (const auto& [covariate, group] : numbers_)
      reading.facts.numbers[static_cast<std::size_t>(covariate)] =
          CountIn(text(group));
    if (shown_.empty()) return reading;
    reading.shown.emplace();
    for (const ShownPiece& piece : shown_)
      *reading.shown +=
          piece.group == 0 ? piece.plain : WithoutIndices(text(piece.group));
    return reading;
  }

 private:
  NameRule rule_{};
  std::unique_ptr<re2::RE2> regex_{};
  std::vector<std::pair<Covariate, int>> numbers_{};
  std::vector<ShownPiece> shown_{};
};

bool IsPhase(std::string_view text) {
  return text.size() <= 32 && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || c == '_' || c == ' ';
         });
}

std::optional<FrameworkFault> FaultOfRule(const NameRule& rule) {
  std::string key;
  const auto compiled = CompiledRule::Make(rule, key);
  if (!compiled.ok())
    return FrameworkFault{rule.id, key, compiled.error().message()};
  if (!IsPhase(rule.phase))
    return FrameworkFault{rule.id, "phase", "expected lower-case words"};
  return std::nullopt;
}

bool HaveSameNames(const Framework& a, const Framework& b) {
  return a.id == b.id && a.title == b.title && a.names == b.names;
}

}  // namespace

std::optional<FrameworkFault> FaultOf(const Framework& framework) {
  std::map<std::string_view, const NameRule*> shown;
  for (const NameRule& rule : framework.names) {
    if (auto fault = FaultOfRule(rule)) return fault;
    if (rule.name.empty() || rule.name.find('{') != std::string::npos) continue;
    const NameRule& first = *shown.try_emplace(rule.name, &rule).first->second;
    if (first.phase != rule.phase)
      return FrameworkFault{
          rule.id, "name",
          fmt::format("{} has this name and another phase", first.id)};
  }
  return std::nullopt;
}

// A rule of a framework, compiled when it is first needed.
class FrameworkNames::Row {
 public:
  Row(const NameRule& rule, std::size_t framework)
      : rule_(rule), framework_(framework) {}

  const NameRule& rule() const { return rule_; }
  std::size_t framework() const { return framework_; }
  // Null for a rule with an error.
  const CompiledRule* Compiled() const {
    std::call_once(once_, [&] {
      std::string key;
      auto made = CompiledRule::Make(rule_, key);
      if (made.ok()) compiled_ = std::move(made).value();
    });
    return compiled_.get();
  }

 private:
  NameRule rule_;
  std::size_t framework_;
  mutable std::once_flag once_{};
  mutable std::shared_ptr<const CompiledRule> compiled_{};
};

class FrameworkNames::Rules {
 public:
  // The rules of the chosen ones of `frameworks`.
  Rules(const std::vector<Framework>& frameworks, std::string_view choice)
      : chosen(choice != "auto"), frameworks_(frameworks), choice_(choice) {
    for (const Framework& framework : frameworks) {
      if (chosen && choice != framework.id) continue;
      for (const NameRule& rule : framework.names) {
        if (rows.size() < 0xFFFF) rows.emplace_back(rule, titles.size());
      }
      titles.push_back(framework.title);
    }
  }

  bool AreOf(const std::vector<Framework>& frameworks,
             std::string_view choice) const {
    return choice == choice_ &&
           std::ranges::equal(frameworks, frameworks_, HaveSameNames);
  }

  // The rows that match. All patterns are compiled at the first name, which
  // takes a megabyte for a moment.
  std::vector<int> Matching(std::string_view name) const {
    std::call_once(once_, [&] {
      for (const Row& row : rows) {
        if (all_.Add("(?s)" + row.rule().match, nullptr) < 0)
          // An invalid pattern matches nothing.
          all_.Add("[^\\x00-\\xff]", nullptr);
      }
      all_.Compile();
    });
    std::vector<int> found;
    re2::RE2::Set::ErrorInfo error{};
    if (all_.Match({name.data(), name.size()}, &found, &error) ||
        error.kind == re2::RE2::Set::kNoError)
      return found;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const CompiledRule* const rule = rows[i].Compiled();
      if (rule != nullptr && rule->Matches(name))
        found.push_back(static_cast<int>(i));
    }
    return found;
  }

  const bool chosen;  // the only framework is in use
  std::deque<Row> rows{};
  std::vector<std::string> titles{};

 private:
  std::vector<Framework> frameworks_;
  std::string choice_;
  mutable std::once_flag once_{};
  mutable re2::RE2::Set all_{BytesOptions(), re2::RE2::ANCHOR_BOTH};
};

Result<FrameworkNames> FrameworkNames::Make(
    const std::vector<Framework>& frameworks, std::string_view choice) {
  FrameworkNames names;
  if (choice == "none") return names;
  // Reports of one process mostly have the same rows.
  static std::mutex mutex;
  static std::shared_ptr<const Rules> last;
  const std::lock_guard lock(mutex);
  if (last == nullptr || !last->AreOf(frameworks, choice)) {
    const auto rules = std::make_shared<const Rules>(frameworks, choice);
    if (rules->chosen && rules->titles.empty()) {
      std::vector<std::string> ids = {"auto", "none"};
      for (const Framework& framework : frameworks) ids.push_back(framework.id);
      return Error(ErrorCode::kUsage,
                   fmt::format("regions.framework: '{}' is none of {}",
                               Printable(choice), fmt::join(ids, ", ")));
    }
    last = rules;
  }
  if (!last->rows.empty()) names.rules_ = last;
  return names;
}

FrameworkNames::Candidates FrameworkNames::CandidatesOf(
    std::string_view domain, std::string_view name) const {
  std::vector<int> found = rules_->Matching(name);
  std::ranges::sort(found);
  Candidates candidates;
  for (const int row : found) {
    const auto& only = rules_->rows[static_cast<std::size_t>(row)].rule();
    if (!only.domain || *only.domain == domain)
      candidates.push_back(static_cast<std::uint16_t>(row));
  }
  return candidates;
}

std::vector<bool> FrameworkNames::InUse(
    const std::vector<Candidates>& all) const {
  std::vector<bool> in_use(rules_->titles.size(), rules_->chosen);
  for (const Candidates& candidates : all) {
    for (const std::uint16_t row : candidates) {
      if (rules_->rows[row].rule().tells)
        in_use[rules_->rows[row].framework()] = true;
    }
  }
  return in_use;
}

std::vector<std::string> FrameworkNames::Titles(
    const std::vector<bool>& in_use) const {
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < in_use.size(); ++i) {
    if (in_use[i]) titles.push_back(rules_->titles[i]);
  }
  return titles;
}

std::optional<FrameworkNames::Reading> FrameworkNames::Read(
    std::string_view name, const Candidates& candidates,
    const std::vector<bool>& in_use) const {
  for (const std::uint16_t row : candidates) {
    if (!in_use[rules_->rows[row].framework()]) continue;
    if (const CompiledRule* const rule = rules_->rows[row].Compiled())
      return rule->Read(name);
  }
  return std::nullopt;
}

}  // namespace rangefinder
