#include "config/resolve.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/lists.h"
#include "base/text.h"
#include "config/scalar.h"

namespace rangefinder {
namespace {

constexpr int kDeepest = 200;

// "a.b[c].d" as its parts.
std::vector<std::string> SplitKey(std::string_view key) {
  std::vector<std::string> parts(1);
  for (const char c : key) {
    if (c == '.' || c == '[') {
      if (!(parts.size() == 1 && parts[0].empty() && c == '['))
        parts.emplace_back();
    } else if (c != ']') {
      parts.back() += c;
    }
  }
  return parts;
}

// The first `count` parts as a dotted path.
std::string Joined(const std::vector<std::string>& parts, std::size_t count) {
  return fmt::format("{}", fmt::join(std::span(parts).first(count), "."));
}

// Whether an interpolation at `place` may read the environment.
bool MayAsk(Reach reach, const Place& place) {
  if (reach == Reach::kTyped) return IsTyped(place);
  return reach == Reach::kAll;
}

struct ResolverRow {
  std::string_view name;
  std::size_t least;  // arguments
  std::size_t most;
  std::string_view usage;
  // Reads the environment, the clock or the hydra node.
  bool asks_the_world = false;
};

constexpr ResolverRow kResolvers[] = {
    {"hydra", 1, 1, "${hydra:runtime.cwd}", true},
    {"now", 1, 1, "${now:%Y%m%d-%H%M%S}", true},
    {"oc.create", 1, 1, "${oc.create:[1, 2]}"},
    {"oc.decode", 1, 1, "${oc.decode:'[1, 2]'}"},
    {"oc.deprecated", 1, 2, "${oc.deprecated:new.key}"},
    {"oc.dict.keys", 1, 1, "${oc.dict.keys:some.map}"},
    {"oc.dict.values", 1, 1, "${oc.dict.values:some.map}"},
    {"oc.env", 1, 2, "${oc.env:NAME} or ${oc.env:NAME,default}", true},
    {"oc.select", 1, 2, "${oc.select:key} or ${oc.select:key,default}"},
    {"python_version", 0, 1, "${python_version:minor}", true},
};

// strftime with Python's %f.
std::string Strftime(std::string_view format, const Surroundings& around) {
  std::string expanded;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '%' && i + 1 < format.size()) {
      if (format[i + 1] == 'f')
        expanded += fmt::format("{:06}", around.microseconds);
      else
        expanded += format.substr(i, 2);
      ++i;
    } else {
      expanded += format[i];
    }
  }
  expanded += 'x';  // so that an empty result is not an overflow
  std::string out(256, '\0');
  while (out.size() < (std::size_t{1} << 20)) {
    const std::size_t n =
        std::strftime(out.data(), out.size(), expanded.c_str(), &around.now);
    if (n > 0) {
      out.resize(n - 1);
      return out;
    }
    out.resize(out.size() * 4);
  }
  return {};
}

Status CheckArguments(const ResolverRow& row, std::size_t count) {
  if (count >= row.least && count <= row.most) return Ok();
  return UsageError(
      "TypeError raised while resolving interpolation: {} "
      "takes {} argument{}, but {} were given; write {}",
      row.name,
      row.least == row.most ? std::to_string(row.least)
                            : fmt::format("{} to {}", row.least, row.most),
      row.most == 1 ? "" : "s", count, row.usage);
}

Result<Node> CallResolver(std::string_view name,
                          const std::vector<Node>& values,
                          const Surroundings& around) {
  if (name == "oc.env") {
    const std::string variable = PythonStr(values[0]);
    const auto value = around.environment(variable);
    if (value) return Node::Literal(*value);
    if (values.size() > 1) {
      if (values[1].is_null()) return Node{};
      return Node::Literal(PythonStr(values[1]));
    }
    return UsageError(
        "KeyError raised while resolving interpolation: "
        "\"Environment variable '{0}' not found\"\n"
        "Set it, or give a default: ${{oc.env:{0},default}}",
        variable);
  }
  if (name == "oc.create") return values[0];
  if (name == "now")
    return Node::Literal(Strftime(PythonStr(values[0]), around));
  if (around.python_version.empty())
    return UsageError("python_version: no Python runs here");
  const std::vector<std::string> parts = Split(around.python_version, '.');
  const std::string level = values.empty() ? "minor" : PythonStr(values[0]);
  const std::size_t count = level == "major"   ? 1
                            : level == "minor" ? 2
                            : level == "micro" ? 3
                                               : 0;
  if (count == 0) {
    return UsageError("python_version: '{}' is none of major, minor, micro",
                      level);
  }
  return Node::Literal(Joined(parts, std::min(count, parts.size())));
}

}  // namespace

Surroundings ProcessSurroundings() {
  Surroundings out;
  out.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
  char buffer[4096];
  if (::getcwd(buffer, sizeof buffer) != nullptr) out.cwd = buffer;
  timeval time{};
  ::gettimeofday(&time, nullptr);
  ::localtime_r(&time.tv_sec, &out.now);
  out.microseconds = time.tv_usec;
  return out;
}

Result<Node> Resolver::Tree() {
  return Resolved({&root_});
}

Result<Node> Resolver::At(std::string_view path) {
  Chain at = TRY(SelectChain({&root_}, path, false));
  if (at.empty()) return UsageError("Interpolation key '{}' not found", path);
  return Resolved(at);
}

Result<const Node*> Resolver::Select(std::string_view path) {
  const Chain at = TRY(SelectChain({&root_}, path, false));
  if (at.empty() || at.back()->is_missing())
    return static_cast<const Node*>(nullptr);
  return at.back();
}

std::optional<Node> Resolver::Target(const std::vector<const Node*>& chain) {
  Result<Chain> at = Dereference(chain);
  active_.clear();
  depth_ = 0;
  if (!at.ok()) return std::nullopt;
  return *at.value().back();
}

Result<Node> Resolver::WithChoices(const std::string& text,
                                   const Choices& choices) {
  const Template pieces = TRY(ParseTemplate(text));
  choices_ = &choices;
  Result<Chain> value = Evaluate(pieces, {&root_, &root_});
  choices_ = nullptr;
  if (!value.ok()) return std::move(value).error();
  return *value.value().back();
}

Result<Node> Resolver::Resolved(const Chain& at) {
  const Node& node = *at.back();
  if (budget_ == 0)
    return UsageError(
        "the interpolations of this configuration expand to more than "
        "500000 values");
  --budget_;
  if (++depth_ > kDeepest)
    return UsageError("Recursive interpolation detected");
  Node out;
  out.kind = node.kind;
  out.boolean = node.boolean;
  out.integer = node.integer;
  out.number = node.number;
  out.text = node.text;
  out.place = node.place;
  out.literal = node.literal;
  if (node.is_interpolation()) {
    Result<std::optional<Chain>> target = DereferenceWithin(at);
    if (!target.ok()) {
      const std::string excerpt = Excerpt(node.place);
      return UsageError("{}\n  in {}{}{}", target.error().message(),
                        Describe(node.place), excerpt.empty() ? "" : "\n",
                        excerpt);
    }
    if (!target.value()) {
      --depth_;
      return out;
    }
    active_.push_back(&node);
    out = TRY(Resolved(*target.value()));
    active_.pop_back();
    // The value of the target, at the place of the interpolation.
    if (!out.is_container()) out.place = node.place;
  }
  if (!node.is_container()) {
    --depth_;
    return out;
  }
  Chain inner = at;
  inner.push_back(nullptr);
  out.items.reserve(node.items.size());
  out.entries.reserve(node.entries.size());
  for (const Node& item : node.items) {
    inner.back() = &item;
    out.items.push_back(TRY(Resolved(inner)));
  }
  for (const Entry& entry : node.entries) {
    inner.back() = &entry.value;
    Entry resolved;
    resolved.key = entry.key;
    resolved.value = TRY(Resolved(inner));
    out.entries.push_back(std::move(resolved));
  }
  --depth_;
  return out;
}

Resolver::Chain Resolver::Computed(Node value, const Chain& at) {
  computed_.push_back(std::move(value));
  Chain out(at.begin(), at.end() - 1);
  out.push_back(&computed_.back());
  return out;
}

Result<Resolver::Chain> Resolver::Dereference(Chain at) {
  const Node* node = at.back();
  if (!node->is_interpolation()) return at;
  if (Has(active_, node) || ++depth_ > kDeepest)
    return UsageError("Recursive interpolation detected");
  active_.push_back(node);
  const Template pieces = TRY(ParseTemplate(node->text));
  Chain value = TRY(Evaluate(pieces, at));
  active_.pop_back();
  --depth_;
  return value;
}

Result<std::optional<Resolver::Chain>> Resolver::DereferenceWithin(
    const Chain& at) {
  const std::size_t active = active_.size();
  const int depth = depth_;
  out_of_reach_ = false;
  Result<Chain> value = Dereference(at);
  if (value.ok()) return std::optional(std::move(value).value());
  if (!std::exchange(out_of_reach_, false)) return std::move(value).error();
  active_.resize(active);
  depth_ = depth;
  return std::optional<Chain>();
}

Result<Resolver::Chain> Resolver::Evaluate(const Template& pieces,
                                           const Chain& at) {
  if (pieces.size() == 1 && pieces[0].interpolation)
    return EvaluateOne(*pieces[0].interpolation, at);
  std::string text;
  for (const TemplatePiece& piece : pieces) {
    if (!piece.interpolation) {
      text += piece.text;
      continue;
    }
    const Chain value = TRY(EvaluateOne(*piece.interpolation, at));
    text += PythonStr(*value.back());
    if (text.size() > (std::size_t{1} << 20))
      return UsageError("an interpolation expands to more than 1 MiB of text");
  }
  return Computed(Node::Literal(std::move(text), at.back()->place), at);
}

Result<std::string> Resolver::KeyText(const Interpolation& in,
                                      const Chain& at) {
  std::string key(in.dots, '.');
  for (std::size_t i = 0; i < in.parts.size(); ++i) {
    if (i > 0) key += '.';
    if (!in.parts[i].interpolation) {
      key += in.parts[i].text;
      continue;
    }
    const Chain value = TRY(EvaluateOne(*in.parts[i].interpolation, at));
    if (!value.back()->is_string()) {
      return UsageError(
          "{} must be a string, but the interpolation in it resolved to `{}` "
          "of type {}",
          in.resolver ? "The name of a resolver" : "A config key",
          PythonStr(*value.back()), PythonTypeName(*value.back()));
    }
    key += value.back()->text;
  }
  return key;
}

Result<Resolver::Chain> Resolver::EvaluateOne(const Interpolation& in,
                                              const Chain& at) {
  const std::string key = TRY(KeyText(in, at));
  if (in.resolver) return Call(key, in, at);
  if (choices_ != nullptr) {
    const auto choice = (*choices_)(key);
    if (!choice) return UsageError("Interpolation key '{}' not found", key);
    return Computed(Node::String(*choice), at);
  }
  return Key(at, key);
}

Resolver::Chain Resolver::BaseOf(std::string_view& path,
                                 const Chain& at) const {
  if (!path.starts_with('.')) return {&root_};
  std::size_t size = at.size();
  for (; path.starts_with('.'); path.remove_prefix(1)) size -= size > 0;
  return {at.begin(), at.begin() + static_cast<std::ptrdiff_t>(size)};
}

Result<Resolver::Chain> Resolver::Key(const Chain& at, const std::string& key) {
  std::string_view path = key;
  const Chain base = BaseOf(path, at);
  if (base.empty()) {
    return UsageError(
        "ConfigKeyError while resolving interpolation: Error resolving key "
        "'{}'",
        key);
  }
  const Chain found = TRY(SelectChain(base, path, true));
  if (found.empty()) {
    std::vector<std::string> names;
    const auto parts = SplitKey(path);
    const Node* holder = base.back();
    for (std::size_t i = 0; i + 1 < parts.size() && holder != nullptr; ++i)
      holder = holder->Find(parts[i]);
    if (holder != nullptr) {
      for (const Entry& entry : holder->entries)
        names.push_back(PythonStr(entry.key));
    }
    return UsageError("Interpolation key '{}' not found{}", key,
                      DidYouMeanLine(parts.back(), names));
  }
  return found;
}

Result<Resolver::Chain> Resolver::SelectChain(const Chain& base,
                                              std::string_view path,
                                              bool missing_is_error) {
  if (path.empty()) return base;
  const std::vector<std::string> parts = SplitKey(path);
  Chain at = base;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Node& node = *at.back();
    const Node* child = nullptr;
    if (node.is_list()) {
      const auto index = ListIndex(parts[i]);
      if (!index) {
        return UsageError(
            "TypeError raised while resolving "
            "interpolation: Index '{}' (str) is not an int",
            parts[i]);
      }
      if (*index >= 0 && static_cast<std::size_t>(*index) < node.items.size())
        child = &node.items[static_cast<std::size_t>(*index)];
    } else if (node.is_map()) {
      child = node.Find(parts[i]);
    } else if (!missing_is_error && (node.is_null() || node.is_missing())) {
      return Chain{};
    } else {
      return UsageError(
          "ConfigTypeError raised while resolving interpolation: Error trying "
          "to access {}: node `{}` is not a container and thus cannot contain "
          "`{}`",
          path, Joined(parts, i), parts[i]);
    }
    if (child == nullptr) return Chain{};
    at.push_back(child);
    if (child->is_missing() && missing_is_error) {
      return UsageError(
          "MissingMandatoryValue while resolving "
          "interpolation: Missing mandatory value: {}",
          Joined(parts, i + 1));
    }
    at = TRY(Dereference(std::move(at)));
  }
  return at;
}

Result<Node> Resolver::Argument(const ResolverArgument& in, const Chain& at) {
  using enum ResolverArgument::Kind;
  switch (in.kind) {
    case kValue:
      return in.value;
    case kTemplate: {
      if (in.pieces.empty()) return Node::String("");
      if (in.quoted && in.pieces.size() == 1 && !in.pieces[0].interpolation)
        return Node::Literal(in.pieces[0].text);
      const Chain value = TRY(Evaluate(in.pieces, at));
      if (!in.quoted || value.back()->is_string()) return *value.back();
      return Node::String(PythonStr(*value.back()));
    }
    case kList: {
      Node out = Node::List();
      for (const ResolverArgument& item : in.items)
        out.items.push_back(TRY(Argument(item, at)));
      return out;
    }
    case kMap: {
      Node out = Node::Map();
      for (std::size_t i = 0; i < in.items.size(); ++i)
        out.Set(in.keys[i], TRY(Argument(in.items[i], at)));
      return out;
    }
  }
  return Node{};
}

Result<Resolver::Chain> Resolver::Call(const std::string& name,
                                       const Interpolation& in,
                                       const Chain& at) {
  const auto custom = custom_.find(name);
  const auto* const row =
      std::ranges::find(kResolvers, name, &ResolverRow::name);
  const bool known = row != std::end(kResolvers);
  if (custom == custom_.end() && !known) {
    std::vector<std::string> names;
    for (const ResolverRow& one : kResolvers) names.emplace_back(one.name);
    return UsageError("Unsupported interpolation type {}{}", name,
                      DidYouMeanLine(name, names));
  }
  if (known && row->asks_the_world &&
      !MayAsk(around_.reach, at.back()->place)) {
    out_of_reach_ = true;
    return UsageError(
        "{} is not resolved in a configuration that is "
        "read from a run directory",
        name);
  }
  std::vector<Node> values;
  for (const ResolverArgument& argument : in.arguments)
    values.push_back(TRY(Argument(argument, at)));
  if (custom != custom_.end()) return Computed(TRY(custom->second(values)), at);
  TRY(CheckArguments(*row, values.size()));
  if (name == "hydra") {
    if (hydra_root_ == nullptr)
      return UsageError("there is no hydra node here for ${{hydra:...}}");
    const Node* hydra = hydra_root_->Find("hydra");
    if (hydra == nullptr) return Computed(Node{}, at);
    // Interpolations inside the hydra node are relative to its own tree.
    Resolver inside(*hydra_root_, hydra_root_, around_);
    inside.depth_ = depth_ + 1;
    if (inside.depth_ > kDeepest)
      return UsageError("Recursive interpolation detected");
    const Chain found = TRY(
        inside.SelectChain({hydra_root_, hydra}, PythonStr(values[0]), false));
    if (found.empty() || found.back()->is_missing())
      return Computed(Node{}, at);
    return Computed(TRY(inside.Resolved(found)), at);
  }
  if (name.starts_with("oc.") && name != "oc.env" && name != "oc.create")
    return CallOc(name, values, at);
  return Computed(TRY(CallResolver(name, values, around_)), at);
}

Result<Resolver::Chain> Resolver::CallOc(const std::string& name,
                                         const std::vector<Node>& values,
                                         const Chain& at) {
  if (name == "oc.decode") {
    if (values[0].is_null()) return Computed(Node{}, at);
    if (!values[0].is_string()) {
      return UsageError(
          "TypeError raised while resolving interpolation: "
          "`oc.decode` can only "
          "take strings or None as input, but `{}` is of type {}",
          PythonStr(values[0]), PythonTypeName(values[0]));
    }
    const ResolverArgument parsed = TRY(ParseResolverValue(values[0].text));
    return Computed(TRY(Argument(parsed, at)), at);
  }
  const std::string key = PythonStr(values[0]);
  if (name == "oc.deprecated") return Key(at, key);
  // oc.select, oc.dict.keys, oc.dict.values
  std::string_view path = key;
  Chain base = BaseOf(path, at);
  if (base.empty()) base = {&root_};
  const Chain found = TRY(SelectChain(base, path, false));
  const bool there = !found.empty() && !found.back()->is_missing();
  if (name == "oc.select") {
    if (there) return found;
    return Computed(values.size() > 1 ? values[1] : Node{}, at);
  }
  if (!there) {
    return UsageError(
        "ConfigKeyError raised while resolving "
        "interpolation: Key not found: '{}'",
        key);
  }
  if (!found.back()->is_map()) {
    return UsageError(
        "TypeError raised while resolving interpolation: "
        "`{}` cannot be applied to objects of type: {}",
        name, PythonTypeName(*found.back()));
  }
  Node out = Node::List(at.back()->place);
  Chain inner = found;
  inner.push_back(nullptr);
  for (const Entry& entry : found.back()->entries) {
    inner.back() = &entry.value;
    if (name == "oc.dict.keys")
      out.items.push_back(entry.key);
    else
      out.items.push_back(TRY(Resolved(inner)));
  }
  return Computed(std::move(out), at);
}

}  // namespace rangefinder
