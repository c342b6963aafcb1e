// The grammar of interpolations: "${a.b}", "x${.c[0]}y", "${oc.env:HOME,none}".
// Text to a syntax tree; config/resolve.h finds what it stands for.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

struct Interpolation;

// Literal text, or an interpolation.
struct TemplatePiece {
  std::string text{};
  std::shared_ptr<const Interpolation> interpolation{};
};
using Template = std::vector<TemplatePiece>;

// An argument of a resolver, or the text that oc.decode reads.
struct ResolverArgument {
  enum class Kind { kValue, kTemplate, kList, kMap };
  Kind kind = Kind::kValue;
  Node value{};         // kValue
  Template pieces{};    // kTemplate; one interpolation alone keeps its type
  bool quoted = false;  // kTemplate: a string whatever is in it
  std::vector<ResolverArgument> items{};  // kList, kMap
  std::vector<Node> keys{};               // kMap: of the items
};

struct Interpolation {
  bool resolver = false;
  std::size_t dots = 0;  // of a relative key
  Template parts{};      // of the key, or of the resolver's name
  std::vector<ResolverArgument> arguments{};
};

// A string with "${" in it, as it stands in a configuration.
Result<Template> ParseTemplate(std::string_view text);

// One value, as an argument would be.
Result<ResolverArgument> ParseResolverValue(std::string_view text);

// Checks every string of a tree; the error names its place.
Status ValidateInterpolations(const Node& node);

}  // namespace rangefinder
