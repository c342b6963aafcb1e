// Which value a plain scalar means: YAML 1.1 as OmegaConf reads it, and the
// numbers of the override and interpolation grammars.

#pragma once

#include <optional>
#include <string_view>

#include "config/node.h"

namespace rangefinder {

enum class YamlTag { kNull, kBool, kInt, kFloat, kString, kMerge, kValue };

// What a plain (unquoted) YAML scalar is.
YamlTag ResolvePlain(std::string_view text);

// The value of a scalar under a tag; nothing where the text does not fit it.
std::optional<Node> MakeScalar(YamlTag tag, std::string_view text);

// The numbers, booleans and null of the override grammar; nothing for a text
// that is none of them as a whole.
std::optional<Node> TypedToken(std::string_view text);
bool IsGrammarInt(std::string_view text);
bool IsGrammarFloat(std::string_view text);

// An integer from decimal digits with an optional sign, of any length.
Node MakeInteger(std::string_view digits, bool negative);

}  // namespace rangefinder
