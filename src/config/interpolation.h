// The grammar of interpolations: "${a.b}", "x${.c[0]}y", "${oc.env:HOME,none}".
// Parses text to a syntax tree; config/resolve.h evaluates it.

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
  bool quoted = false;  // kTemplate: a string, whatever its content
  std::vector<ResolverArgument> items{};  // kList, kMap
  std::vector<Node> keys{};               // kMap: of the items
};

struct Interpolation {
  bool resolver = false;
  std::size_t dots = 0;  // of a relative key
  Template parts{};      // of the key, or of the resolver's name
  std::vector<ResolverArgument> arguments{};
};

// Parses a string of a configuration that has "${" in it.
Result<Template> ParseTemplate(std::string_view text);

// Parses one value, as an argument of a resolver.
Result<ResolverArgument> ParseResolverValue(std::string_view text);

// Parses every string of a tree; an error names the place.
Status ValidateInterpolations(const Node& node);

}  // namespace rangefinder
