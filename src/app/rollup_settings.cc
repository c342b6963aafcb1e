#include "app/rollup_settings.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/setting.h"
#include "base/embedded.h"
#include "base/lists.h"
#include "base/text.h"
#include "config/yaml.h"
#include "rollup/formula.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedConf();

namespace {

// A key of one entry, and the place of its text.
using TextKey = std::pair<std::string_view, std::string*>;

// Reads the texts of one entry; null counts as absent. `more`: other permitted
// keys.
Status ReadTexts(const std::string& path, const Node& node,
                 std::span<const TextKey> keys,
                 std::span<const std::string_view> more = {}) {
  if (!node.is_map()) {
    return KeyError(path, node, "expected a map, got '{}'",
                    Printable(PythonStr(node)));
  }
  std::vector<std::string> names;
  for (const TextKey& key : keys)
    names.push_back(path + "." + std::string(key.first));
  for (const std::string_view key : more)
    names.push_back(path + "." + std::string(key));
  for (const Entry& entry : node.entries) {
    const std::string name = PythonStr(entry.key);
    const std::string where = path + "." + name;
    const auto known = std::ranges::find(keys, name, &TextKey::first);
    if (known == keys.end() && Has(more, std::string_view(name))) continue;
    if (known == keys.end()) return NoSuchKey(path, entry, names);
    if (entry.value.is_null()) continue;
    if (entry.value.is_container())
      return KeyError(where, entry.value, "expected a text");
    *known->second = PythonStr(entry.value);
  }
  return Ok();
}

// The value of `key`, or the whole entry if it has no such key: the place of an
// error.
const Node& At(const Node& node, std::string_view key) {
  const Node* value = node.Find(key);
  return value == nullptr || value->is_null() ? node : *value;
}

// The error of a fault in the entry `node` at `path`.
template <typename Fault>
Error FaultError(const std::string& path, const Node& node,
                 const Fault& fault) {
  return KeyError(fmt::format("{}.{}", path, fault.key), At(node, fault.key),
                  "{}", Printable(fault.text));
}

Result<UserRule> ReadRule(const std::string& name, const Node& node) {
  const std::string path = "rollup." + name;
  UserRule rule;
  const std::array<TextKey, 5> keys = {{{"match", &rule.match},
                                        {"rule", &rule.rule},
                                        {"weight", &rule.weight},
                                        {"over", &rule.over},
                                        {"under", &rule.under}}};
  const std::array<std::string_view, 1> more = {"scale"};
  TRY(ReadTexts(path, node, keys, more));
  if (const Node* scale = node.Find("scale"); scale && !scale->is_null()) {
    if (scale->kind != NodeKind::kInt && scale->kind != NodeKind::kFloat)
      return KeyError(path + ".scale", *scale, "expected a number");
    rule.scale = *PythonNumber(*scale);
  }
  if (const auto fault = FaultOf(rule)) return FaultError(path, node, *fault);
  return rule;
}

Result<DerivedMetric> ReadMetric(const std::string& name, const Node& node) {
  const std::string path = "derived." + name;
  DerivedMetric metric{.name = name};
  const std::array<TextKey, 3> keys = {{{"unit", &metric.unit},
                                        {"doc", &metric.doc},
                                        {"formula", &metric.formula}}};
  TRY(ReadTexts(path, node, keys));
  const std::string where = path + ".formula";
  if (metric.formula.empty())
    return KeyError(where, At(node, "formula"),
                    "a derived metric needs a formula");
  const Result<Formula> formula = Formula::Parse(metric.formula);
  if (!formula.ok()) {
    return KeyError(where, At(node, "formula"), "no formula, at its {}: {}",
                    formula.error().message(), Printable(metric.formula));
  }
  return metric;
}

// Searches for derived metrics that are defined by each other, or over too many
// others: evaluation is as deep as the definitions.
class CircleSearch {
 public:
  static constexpr std::size_t kMostSteps = 100;

  explicit CircleSearch(std::span<const DerivedMetric> derived) {
    for (const DerivedMetric& metric : derived)
      formulas_[metric.name] = metric.formula;
  }

  // The metrics of a circle, each defined by the next; the last is the first
  // again. Or the first metrics of a definition that is too deep. Empty: there
  // is neither.
  std::vector<std::string> Find() {
    for (const auto& [name, formula] : formulas_)
      if (Visit(name)) return path_;
    return {};
  }
  bool too_deep() const { return too_deep_; }

 private:
  // Whether `name` ends the search.
  bool Visit(const std::string& name) {
    const auto formula = formulas_.find(name);
    if (formula == formulas_.end()) return false;  // not derived
    if (const auto at = std::ranges::find(path_, name); at != path_.end()) {
      path_.erase(path_.begin(), at);
      path_.push_back(name);
      return true;
    }
    const auto known = steps_.find(name);
    too_deep_ =
        path_.size() + (known == steps_.end() ? 1 : known->second) > kMostSteps;
    if (too_deep_ || known != steps_.end()) return too_deep_;
    path_.push_back(name);
    std::size_t steps = 0;
    const Result<Formula> parsed = Formula::Parse(formula->second);
    for (const std::string& metric : parsed.value().metrics()) {
      if (Visit(metric)) return true;
      if (formulas_.contains(metric)) steps = std::max(steps, steps_[metric]);
    }
    path_.pop_back();
    steps_[name] = steps + 1;
    return false;
  }

  std::map<std::string, std::string> formulas_{};  // valid ones, by metric
  std::map<std::string, std::size_t> steps_{};     // from a metric to the last
  std::vector<std::string> path_{};
  bool too_deep_ = false;
};

Status CheckNoCircle(const Node& derived,
                     std::span<const DerivedMetric> metrics) {
  CircleSearch search(metrics);
  const std::vector<std::string> circle = search.Find();
  if (circle.empty()) return Ok();
  const std::string key = fmt::format("derived.{}.formula", circle.front());
  // A key may be no text: `on`, or a number.
  const auto entry =
      std::ranges::find(derived.entries, circle.front(),
                        [](const Entry& one) { return PythonStr(one.key); });
  const Node& formula = At(entry->value, "formula");
  if (search.too_deep())
    return KeyError(key, formula, "its definition is more than {} steps deep",
                    CircleSearch::kMostSteps);
  return KeyError(key, formula, "these metrics are defined by each other: {}",
                  Printable(fmt::format("{}", fmt::join(circle, " → "))));
}

// The texts of a list; null counts as empty.
Result<std::vector<std::string>> ReadList(const std::string& path,
                                          const Node& node,
                                          std::string_view key) {
  std::vector<std::string> texts;
  const Node* list = node.Find(key);
  if (list == nullptr || list->is_null()) return texts;
  const std::string where = fmt::format("{}.{}", path, key);
  if (list->kind != NodeKind::kList)
    return KeyError(where, *list, "expected a list of texts");
  for (const Node& item : list->items) texts.push_back(PythonStr(item));
  return texts;
}

Status ReadFlag(const std::string& path, const Node& node, std::string_view key,
                bool& to) {
  const Node* flag = node.Find(key);
  if (flag == nullptr || flag->is_null()) return Ok();
  if (flag->kind != NodeKind::kBool)
    return KeyError(fmt::format("{}.{}", path, key), *flag,
                    "expected true or false");
  to = flag->boolean;
  return Ok();
}

// `before`: the rows that stand before this one.
Result<CauseRule> ReadCause(const std::string& name, const Node& node,
                            const std::vector<CauseRule>& before) {
  const std::string path = "causes." + name;
  const auto gives = [&](std::string_view key) {
    const Node* value = node.Find(key);
    return value != nullptr && !value->is_null();
  };
  CauseRule rule{.title = name};
  if (gives("like")) {
    const auto base = std::ranges::find(before, PythonStr(*node.Find("like")),
                                        &CauseRule::id);
    if (base == before.end())
      return KeyError(path + ".like", node, "expected a row before this one");
    rule = *base;
    rule.replaces.push_back(base->id);
    if (gives("next") || gives("measure")) rule.next = rule.measure = "";
  }
  rule.id = name;
  const std::array<TextKey, 8> keys = {{{"title", &rule.title},
                                        {"like", &rule.like},
                                        {"of", &rule.of},
                                        {"text", &rule.text},
                                        {"next", &rule.next},
                                        {"measure", &rule.measure},
                                        {"weight", &rule.weight},
                                        {"saves", &rule.saves}}};
  const std::array<std::string_view, 3> more = {"when", "replaces", "alone"};
  TRY(ReadTexts(path, node, keys, more));
  TRY(ReadFlag(path, node, "alone", rule.alone));
  for (const auto& [key, list] :
       {std::pair("when", &rule.when), {"replaces", &rule.replaces}}) {
    const std::vector<std::string> own = TRY(ReadList(path, node, key));
    list->insert(list->end(), own.begin(), own.end());
  }
  if (const auto fault = FaultOf(rule)) return FaultError(path, node, *fault);
  return rule;
}

Result<NameRule> ReadName(const std::string& path, const std::string& id,
                          const Node& node) {
  NameRule rule{.id = id};
  std::string domain;
  const std::array<TextKey, 4> keys = {{{"match", &rule.match},
                                        {"domain", &domain},
                                        {"name", &rule.name},
                                        {"phase", &rule.phase}}};
  const std::array<std::string_view, 2> flags = {"tells", "inner"};
  TRY(ReadTexts(path, node, keys, flags));
  if (!domain.empty()) rule.domain = domain;
  TRY(ReadFlag(path, node, "tells", rule.tells));
  TRY(ReadFlag(path, node, "inner", rule.weak_phase));
  return rule;
}

// Whether the node and all below it are as shipped.
bool IsEmbedded(const Node& node) {
  return node.place.source != nullptr && node.place.source->embedded &&
         std::ranges::all_of(node.entries, IsEmbedded, &Entry::value);
}

Result<Framework> ReadFramework(const std::string& id, const Node& node) {
  const std::string path = "frameworks." + id;
  Framework framework{.id = id};
  const std::array<TextKey, 3> keys = {{{"title", &framework.title},
                                        {"python", &framework.python},
                                        {"hint", &framework.hint}}};
  const std::array<std::string_view, 3> more = {"names", "environment",
                                                "packages"};
  TRY(ReadTexts(path, node, keys, more));
  framework.environment = TRY(ReadList(path, node, "environment"));
  framework.packages = TRY(ReadList(path, node, "packages"));
  if (framework.title.empty()) framework.title = id;
  const Node* names = node.Find("names");
  if (names == nullptr || names->is_null()) return framework;
  const std::string where = path + ".names";
  if (!names->is_map())
    return KeyError(where, *names, "expected a map of names");
  for (const Entry& entry : names->entries) {
    if (entry.value.is_null()) continue;
    const std::string name = PythonStr(entry.key);
    framework.names.push_back(
        TRY(ReadName(where + "." + name, name, entry.value)));
  }
  if (IsEmbedded(*names)) return framework;
  if (const auto fault = FaultOf(framework)) {
    return FaultError(fmt::format("{}.{}", where, fault->rule),
                      *names->Find(fault->rule), *fault);
  }
  return framework;
}

// The maps `rollup`, `derived`, `causes` and `frameworks` as shipped; a test
// checks the files.
const Node& ShippedMaps() {
  static const Node shipped = [] {
    Node tree = Node::Map();
    for (const std::string key :
         {"rollup", "derived", "causes", "frameworks"}) {
      Node map = Node::Map();
      for (const EmbeddedFile& embedded : EmbeddedConf()) {
        if (!embedded.path.starts_with(key + "/")) continue;
        Node read = ReadEmbeddedYaml(embedded);
        for (Entry& entry : read.entries)
          map.Set(PythonStr(entry.key), std::move(entry.value));
      }
      tree.Set(key, std::move(map));
    }
    return tree;
  }();
  return shipped;
}

// A map of the tree: the shipped map if the tree has none, or null in its
// place.
const Node& MapOf(const Node& tree, std::string_view key) {
  const Node* const map = tree.Find(key);
  return map == nullptr || map->is_null() ? *ShippedMaps().Find(key) : *map;
}

// Whether an override removed the row that `row` is like.
bool IsLikeRemoved(const Node& map, const Node& row) {
  const Node* like = row.Find("like");
  const Node* base = like != nullptr ? map.Find(PythonStr(*like)) : nullptr;
  return base != nullptr && base->is_null();
}

// Calls read(name, node) -> Result<T> for the entries of a map of the tree.
template <typename T, typename Read>
Status ReadEach(const Node& tree, std::string_view key, Read read,
                std::vector<T>& to) {
  to.clear();
  const Node& map = MapOf(tree, key);
  if (!map.is_map())
    return KeyError(key, map, "expected a map of entries by name");
  for (const Entry& entry : map.entries) {
    // null: removed by an override
    if (!entry.value.is_null() && !IsLikeRemoved(map, entry.value))
      to.push_back(TRY(read(PythonStr(entry.key), entry.value)));
  }
  return Ok();
}

}  // namespace

Status ReadCauses(const Node& tree, std::vector<CauseRule>& to) {
  TRY(ReadEach(
      tree, "causes",
      [&](const std::string& name, const Node& node) {
        return ReadCause(name, node, to);
      },
      to));
  // What replaces a row replaces the rows like it, unless one of them replaces
  // it.
  for (const CauseRule& rule : to) {
    if (rule.like.empty()) continue;
    for (CauseRule& other : to) {
      if (other.like != rule.like && Has(other.replaces, rule.like) &&
          !Has(rule.replaces, other.id))
        other.replaces.push_back(rule.id);
    }
  }
  return Ok();
}

Status ReadFrameworks(const Node& tree, std::vector<Framework>& to) {
  return ReadEach(tree, "frameworks", ReadFramework, to);
}

Status ReadRollupSettings(const Node& tree, RollupOptions& to) {
  TRY(ReadEach(tree, "rollup", ReadRule, to.rules));
  TRY(ReadEach(tree, "derived", ReadMetric, to.derived));
  return CheckNoCircle(MapOf(tree, "derived"), to.derived);
}

}  // namespace rangefinder
