// The value that an unquoted text stands for: in YAML 1.1 as OmegaConf reads
// it, in the grammars of overrides and interpolations, and in Python.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "config/node.h"

namespace rangefinder {

enum class YamlTag { kNull, kBool, kInt, kFloat, kString, kMerge, kValue };

// The tag of a plain (unquoted) YAML scalar.
YamlTag ResolvePlain(std::string_view text);
// Whether PyYAML, unlike OmegaConf, reads the plain scalar as a point in time.
bool IsTimestamp(std::string_view text);
// The value of a scalar under a tag; nothing if the text does not fit it.
std::optional<Node> MakeScalar(YamlTag tag, std::string_view text);

// `text` as one number, boolean or null of the override grammar; nothing if it
// is none.
std::optional<Node> TypedToken(std::string_view text);
bool IsGrammarInt(std::string_view text);
// The length of the longest number of that grammar at the start of `text`;
// 0: none.
std::size_t GrammarNumberLength(std::string_view text);

// int(text) and float(text) of Python; nothing if Python raises ValueError.
std::optional<Node> PythonInt(std::string_view text);
std::optional<double> PythonFloatOf(std::string_view text);
// The index in the list part of a path, by Python's int().
std::optional<std::int64_t> ListIndex(std::string_view text);

}  // namespace rangefinder
