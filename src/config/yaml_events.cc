#include "config/yaml_events.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>
#include <yaml.h>

namespace rangefinder {
namespace {

constexpr std::size_t kLargestFile = std::size_t{4} << 20;
// libyaml 0.2.5 clears its buffer of blanks after every word, all of what the
// longest run of them made it, and compares a %TAG with all before it.
constexpr std::size_t kMostBlanks = 1000;
constexpr std::size_t kMostTagDirectives = 100;

// The bytes of all white space and line breaks of YAML, those of U+0085, U+2028
// and U+2029 included.
bool IsOfBlank(char c) {
  return std::string_view(" \t\r\n\xC2\x85\xE2\x80\xA8\xA9").find(c) !=
         std::string_view::npos;
}

Status CheckCost(const std::shared_ptr<const Source>& source) {
  const std::string_view text = source->text;
  if (text.size() > kLargestFile) {
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: {} bytes are too many for a configuration "
                             "file (the limit is {} MiB)",
                             source->name, text.size(), kLargestFile >> 20));
  }
  Place place{.source = source, .line = 1, .column = 1};
  std::size_t blanks = 0;
  std::size_t directives = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at == 0 || text[at - 1] == '\n') {
      place.line += at > 0;
      directives += text.substr(at).starts_with("%TAG");
      if (directives > kMostTagDirectives) {
        return ErrorAt(
            place, fmt::format("more than {} directives", kMostTagDirectives));
      }
    }
    blanks = IsOfBlank(text[at]) ? blanks + 1 : 0;
    if (blanks > kMostBlanks) {
      return ErrorAt(place, fmt::format("more than {} blanks or empty lines "
                                        "in a row",
                                        kMostBlanks));
    }
  }
  return Ok();
}

std::string Text(const yaml_char_t* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

// An event of libyaml's, freed when done with.
struct RawEvent {
  RawEvent() = default;
  RawEvent(const RawEvent&) = delete;
  RawEvent& operator=(const RawEvent&) = delete;
  ~RawEvent() { yaml_event_delete(&event); }

  yaml_event_t event{};
};

}  // namespace

void YamlParserCloser::operator()(yaml_parser_s* parser) const {
  yaml_parser_delete(parser);
  delete parser;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

YamlParser OpenYamlParser(std::string_view text) {
  auto parser = std::make_unique<yaml_parser_t>();
  if (yaml_parser_initialize(parser.get()) == 0) throw std::bad_alloc();
  yaml_parser_set_encoding(parser.get(), YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(
      parser.get(), reinterpret_cast<const unsigned char*>(text.data()),
      text.size());
  return YamlParser(parser.release());
}

Result<YamlEvents> YamlEvents::Open(std::shared_ptr<const Source> source) {
  TRY(CheckCost(source));
  YamlEvents events;
  events.parser_ = OpenYamlParser(WithoutByteOrderMark(source->text));
  events.source_ = std::move(source);
  return events;
}

Result<YamlEvent> YamlEvents::Next() {
  RawEvent raw;
  if (yaml_parser_parse(parser_.get(), &raw.event) == 0)
    return YamlProblem(*parser_, source_);
  const yaml_event_t& event = raw.event;
  YamlEvent out;
  out.place = {
      .source = source_,
      .line = static_cast<std::uint32_t>(event.start_mark.line + 1),
      .column = static_cast<std::uint32_t>(event.start_mark.column + 1)};
  switch (event.type) {
    case YAML_STREAM_START_EVENT:
      return Next();
    case YAML_DOCUMENT_START_EVENT:
      out.kind = YamlEventKind::kDocumentStart;
      break;
    case YAML_DOCUMENT_END_EVENT:
      out.kind = YamlEventKind::kDocumentEnd;
      break;
    case YAML_ALIAS_EVENT:
      out.kind = YamlEventKind::kAlias;
      out.text = Text(event.data.alias.anchor);
      break;
    case YAML_SCALAR_EVENT: {
      const auto& scalar = event.data.scalar;
      out.kind = YamlEventKind::kScalar;
      out.text.assign(reinterpret_cast<const char*>(scalar.value),
                      scalar.length);
      out.anchor = Text(scalar.anchor);
      out.tag = Text(scalar.tag);
      out.plain = scalar.plain_implicit != 0;
      break;
    }
    case YAML_SEQUENCE_START_EVENT:
      out.kind = YamlEventKind::kListStart;
      out.anchor = Text(event.data.sequence_start.anchor);
      out.tag = Text(event.data.sequence_start.tag);
      break;
    case YAML_SEQUENCE_END_EVENT:
      out.kind = YamlEventKind::kListEnd;
      break;
    case YAML_MAPPING_START_EVENT:
      out.kind = YamlEventKind::kMapStart;
      out.anchor = Text(event.data.mapping_start.anchor);
      out.tag = Text(event.data.mapping_start.tag);
      break;
    case YAML_MAPPING_END_EVENT:
      out.kind = YamlEventKind::kMapEnd;
      break;
    case YAML_STREAM_END_EVENT:
    case YAML_NO_EVENT:
      break;
  }
  return out;
}

}  // namespace rangefinder
