// A YAML text as the events of libyaml, each with its place.
//
// libyaml is what PyYAML's fast loader is made of. It throws nothing and does
// not recurse; the cases in which its cost would not be in proportion to the
// text are refused before it sees them.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/place.h"

struct yaml_parser_s;

namespace rangefinder {

enum class YamlEventKind {
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
  std::string text{};    // of a scalar; the name of an alias
  std::string anchor{};  // "" without one
  std::string tag{};     // in full, as "tag:yaml.org,2002:str"; "" without one
  bool plain = false;    // a scalar whose text says what it is
  Place place{};         // of its anchor or tag, where it has one
};

struct YamlParserCloser {
  void operator()(yaml_parser_s* parser) const;
};
using YamlParser = std::unique_ptr<yaml_parser_s, YamlParserCloser>;

class YamlEvents {
 public:
  // Fails where the text is too large, or costs too much to read.
  static Result<YamlEvents> Open(std::shared_ptr<const Source> source);

  Result<YamlEvent> Next();

 private:
  std::shared_ptr<const Source> source_;
  YamlParser parser_;
};

// libyaml's parser at the start of `text`, which has to outlive it.
YamlParser OpenYamlParser(std::string_view text);

// `text` without a byte order mark, which no place counts.
std::string_view WithoutByteOrderMark(std::string_view text);

// Said of both what libyaml refuses and what CheckStrictYaml does.
inline constexpr std::string_view kYamlTab =
    "a tab cannot stand here: YAML is indented and separated by spaces";
inline constexpr std::string_view kYamlQuestionMark =
    "'?' begins a key here: quote the value, as in \"???\"";

// What stopped `parser`, in our words and at its place.
Error YamlProblem(const yaml_parser_s& parser,
                  const std::shared_ptr<const Source>& source);

// Refuses what libyaml takes and the scanner that Hydra reads with does not: a
// tab beside a value, a '?' in an unquoted text within brackets. For a text
// that libyaml has read to its end.
Status CheckStrictYaml(const std::shared_ptr<const Source>& source);

}  // namespace rangefinder
