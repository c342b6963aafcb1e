// YAML 1.1 text to tokens; config/yaml.h makes values of them.
//
// Written for configuration: one document, and an error names the place. The
// language is what PyYAML accepts, since that is what our users' files are
// written against: a tab indents nothing, `[???]` is an error.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/node.h"
#include "config/yaml_text.h"

namespace rangefinder {

enum class YamlTokenKind {
  kStreamEnd,
  kDirective,
  kDocumentStart,
  kDocumentEnd,
  kBlockSequenceStart,
  kBlockMappingStart,
  kBlockEnd,
  kFlowSequenceStart,
  kFlowMappingStart,
  kFlowSequenceEnd,
  kFlowMappingEnd,
  kBlockEntry,
  kFlowEntry,
  kKey,
  kValue,
  kAlias,
  kAnchor,
  kTag,
  kScalar,
};

struct YamlToken {
  YamlTokenKind kind = YamlTokenKind::kStreamEnd;
  std::string text{};  // of a scalar, alias, anchor, tag or directive
  bool plain = false;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// "'<block mapping start>'", for messages.
std::string_view TokenName(YamlTokenKind kind);

// All tokens of `source`, kStreamEnd last.
Result<std::vector<YamlToken>> ScanYaml(std::shared_ptr<const Source> source);

}  // namespace rangefinder
