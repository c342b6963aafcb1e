// Evaluates interpolations: keys of the tree, the environment, the clock.
//
// A value that is one interpolation keeps the type of its target; inside text,
// the target is written as by Python's str(). Relative keys are looked up from
// the place of the interpolation, not from the place of its use.

#pragma once

#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/interpolation.h"
#include "config/node.h"

namespace rangefinder {

// The interpolations that may read the environment, the clock and the hydra
// node; if they may not, they stay as written. Interpolations of other keys are
// always resolved.
enum class Reach : std::uint8_t {
  kAll,
  kTyped,  // those on the command line; the files are untrusted
  kNone,
};

// The environment for interpolations; read once per run.
struct Surroundings {
  Reach reach = Reach::kAll;
  std::function<std::optional<std::string>(const std::string&)> environment =
      [](const std::string&) { return std::optional<std::string>(); };
  std::string cwd{};
  std::tm now{};                 // local time, for ${now:...}
  long microseconds = 0;         // for %f
  std::string python_version{};  // "3.11.2"; empty: unknown
};

// The surroundings of this process, now.
Surroundings ProcessSurroundings();

// Resolves against `root`; `hydra_root` is the tree with the hydra node, for
// ${hydra:...}. Both must outlive the resolver and not change.
class Resolver {
 public:
  // The option of `${key}` in a defaults list; see config/defaults.h.
  using Choices = std::function<std::optional<std::string>(const std::string&)>;
  // A resolver for tests: arguments to a value.
  using Custom = std::function<Result<Node>(const std::vector<Node>&)>;

  Resolver(const Node& root, const Node* hydra_root,
           const Surroundings& surroundings)
      : root_(root), hydra_root_(hydra_root), around_(surroundings) {}

  void AddResolver(std::string name, Custom resolver) {
    custom_[std::move(name)] = std::move(resolver);
  }

  // The whole tree, or the part below a dotted path, with all permitted
  // interpolations resolved. `???` stays.
  Result<Node> Tree();
  Result<Node> At(std::string_view path);
  // The value at a dotted path, as by OmegaConf.select: interpolations on the
  // way are resolved, those inside containers are not. Null if the value is
  // absent or `???`.
  Result<const Node*> Select(std::string_view path);
  // A copy, as written, of the target of the interpolation at the end of
  // `chain`, which begins with the root; nothing if it cannot be resolved.
  std::optional<Node> Target(const std::vector<const Node*>& chain);
  // Resolves a string of a defaults list; its keys are choices.
  Result<Node> WithChoices(const std::string& text, const Choices& choices);

 private:
  // A node after all containers around it, outermost first.
  using Chain = std::vector<const Node*>;

  Result<Chain> Dereference(Chain at);
  // Dereference(), but nothing for an interpolation that is not permitted.
  Result<std::optional<Chain>> DereferenceWithin(const Chain& at);
  Result<Chain> SelectChain(const Chain& base, std::string_view path,
                            bool missing_is_error);
  // The chain that `path` is relative to; removes the dots at its beginning.
  // Empty if there are more dots than containers.
  Chain BaseOf(std::string_view& path, const Chain& at) const;
  Result<Chain> Key(const Chain& base, const std::string& key);
  Result<std::string> KeyText(const Interpolation& in, const Chain& at);
  Result<Chain> Evaluate(const Template& pieces, const Chain& at);
  Result<Chain> EvaluateOne(const Interpolation& in, const Chain& at);
  Result<Node> Argument(const ResolverArgument& in, const Chain& at);
  Result<Chain> Call(const std::string& name, const Interpolation& in,
                     const Chain& at);
  Result<Chain> CallOc(const std::string& name, const std::vector<Node>& values,
                       const Chain& at);
  Result<Node> Resolved(const Chain& at);
  Chain Computed(Node value, const Chain& at);

  const Node& root_;
  const Node* hydra_root_;
  const Surroundings& around_;
  const Choices* choices_ = nullptr;
  std::map<std::string, Custom> custom_;
  std::deque<Node> computed_;
  std::vector<const Node*> active_;  // being dereferenced: for cycles
  std::size_t budget_ = 500000;      // nodes that may be made
  int depth_ = 0;
  bool out_of_reach_ = false;  // the last failure: not permitted
};

}  // namespace rangefinder
