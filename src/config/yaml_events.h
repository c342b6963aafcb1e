// A YAML text as the events of libyaml, each with its place.
//
// PyYAML's fast loader also uses libyaml. libyaml neither throws nor recurses;
// texts that it would read in more than linear time are refused before.

#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "config/place.h"

struct yaml_parser_s;

namespace rangefinder {

// The events of libyaml, in its order.
enum class YamlEventKind {
  kNone,
  kStreamStart,
  kStreamEnd,
  kDocumentStart,
  kDocumentEnd,
  kAlias,
  kScalar,
  kListStart,
  kListEnd,
  kMapStart,
  kMapEnd,
};

struct YamlEvent {
  YamlEventKind kind = YamlEventKind::kStreamEnd;
  std::string text{};    // of a scalar; or the name of an alias
  std::string anchor{};  // "" without one
  std::string tag{};     // in full, as "tag:yaml.org,2002:str"; "" without one
  bool plain = false;    // a scalar whose text decides its type
  Place place{};         // of its anchor or tag, where it has one
};

struct YamlParserCloser {
  void operator()(yaml_parser_s* parser) const;
};
using YamlParser = std::unique_ptr<yaml_parser_s, YamlParserCloser>;

class YamlEvents {
 public:
  // kUsage: the text is too large or would cost too much to read.
  static Result<YamlEvents> Open(std::shared_ptr<const Source> source);

  Result<YamlEvent> Next();

 private:
  std::shared_ptr<const Source> source_;
  YamlParser parser_;
};

// Refuses texts that libyaml accepts and Hydra's scanner does not: with a tab
// next to a value, or '?' in an unquoted text within brackets. libyaml must
// have read the text to its end before.
Status CheckStrictYaml(const std::shared_ptr<const Source>& source);

}  // namespace rangefinder
