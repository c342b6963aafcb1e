// The texts of YAML: block, quoted and plain scalars.

#pragma once

#include <string>

#include "config/yaml_text.h"

namespace rangefinder {

// After '|' or '>', in a block indented by `parent_indent`.
std::string ScanBlockText(YamlCursor& in, int parent_indent, bool folded);

// At the opening quote.
std::string ScanQuotedText(YamlCursor& in);

struct PlainText {
  std::string text{};
  bool line_ended = false;  // a line break follows: a key may begin
};
// `indent`: the least of a line that goes on with it.
PlainText ScanPlainText(YamlCursor& in, int indent, bool flow);

}  // namespace rangefinder
