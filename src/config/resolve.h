// What interpolations stand for: keys of the tree, the environment, the clock.
//
// A value that is one interpolation keeps the type of its target; inside text
// it is written as Python's str() would. Relative keys are looked up where they
// stand, not where they are used.

#pragma once

#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/interpolation.h"
#include "config/node.h"

namespace rangefinder {

// Which interpolations may ask something of the world around the configuration
// (environment, clock, the hydra node). The others stay as they are written;
// those that mean another key are resolved in any case.
enum class Reach : std::uint8_t {
  kAll,
  kTyped,  // those on the command line: the files are somebody else's
  kNone,
};

// What a configuration may ask of the world around it; read once a run.
struct Surroundings {
  Reach reach = Reach::kAll;
  std::function<std::optional<std::string>(const std::string&)> environment{};
  std::string cwd{};
  std::tm now{};                 // local time, for ${now:...}
  long microseconds = 0;         // for %f
  std::string python_version{};  // "3.11.2"; empty: none is known
};

// The surroundings of this process, now.
Surroundings ProcessSurroundings();

// Resolves against `root`; `hydra_root` is the tree with the hydra node, for
// ${hydra:...}. Both outlive the resolver and do not change.
class Resolver {
 public:
  // Says which option `${key}` of a defaults list means; see config/defaults.h.
  using Choices = std::function<std::optional<std::string>(const std::string&)>;
  // A resolver of a test's own: arguments to a value.
  using Custom = std::function<Result<Node>(const std::vector<Node>&)>;

  Resolver(const Node& root, const Node* hydra_root,
           const Surroundings& surroundings)
      : root_(root), hydra_root_(hydra_root), around_(surroundings) {}

  void AddResolver(std::string name, Custom resolver) {
    custom_[std::move(name)] = std::move(resolver);
  }

  // The whole tree, or the part below a dotted path, with no interpolation
  // left but those that may not be resolved. `???` stays.
  Result<Node> Tree();
  Result<Node> At(std::string_view path);
  // The value of a dotted path as OmegaConf.select gives it: interpolations on
  // the way are followed; nothing when it is not there or missing. Containers
  // are as written.
  Result<const Node*> Select(std::string_view path);
  // A copy, as written, of what the interpolation at the end of `chain` (from
  // the root) stands for; nothing where it does not resolve.
  std::optional<Node> Target(const std::vector<const Node*>& chain);
  // A string of a defaults list: keys are choices.
  Result<Node> WithChoices(const std::string& text, const Choices& choices);

 private:
  // A node and what holds it, outermost first.
  using Chain = std::vector<const Node*>;

  Result<Chain> Dereference(Chain at);
  // The same; nothing where it reaches further than it may.
  Result<std::optional<Chain>> DereferenceWithin(const Chain& at);
  Result<Chain> SelectChain(const Chain& base, std::string_view path,
                            bool missing_is_error);
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
  bool out_of_reach_ = false;  // why the last interpolation failed
};

}  // namespace rangefinder
