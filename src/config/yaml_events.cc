#include "config/yaml_events.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>
#include <yaml.h>

#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::size_t kLargestFile = std::size_t{4} << 20;
// After every word, libyaml 0.2.5 clears its buffer of blanks, which is as long
// as the longest run of blanks; and it compares each %TAG with all before it.
constexpr std::size_t kMostBlanks = 1000;
constexpr std::size_t kMostTagDirectives = 100;

// `text` without its byte order mark, which is no column of a Place.
std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

// libyaml's parser at the start of `text`, which must outlive the parser.
YamlParser OpenYamlParser(std::string_view text) {
  auto parser = std::make_unique<yaml_parser_t>();
  if (yaml_parser_initialize(parser.get()) == 0) throw std::bad_alloc();
  yaml_parser_set_encoding(parser.get(), YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(
      parser.get(), reinterpret_cast<const unsigned char*>(text.data()),
      text.size());
  return YamlParser(parser.release());
}

// Whether the byte is part of white space or a line break of YAML, which
// include U+0085, U+2028 and U+2029.
bool IsOfBlank(char c) {
  return std::string_view(" \t\r\n\xC2\x85\xE2\x80\xA8\xA9").find(c) !=
         std::string_view::npos;
}

Status CheckCost(const std::shared_ptr<const Source>& source) {
  const std::string_view text = source->text;
  if (text.size() > kLargestFile) {
    return UsageError(
        "{}: {} bytes are too many for a configuration file (the limit is {} "
        "MiB)",
        source->name, text.size(), kLargestFile >> 20);
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

// The anchor and tag of a scalar, list or map.
void SetNames(const auto& data, YamlEvent& event) {
  event.anchor = Text(data.anchor);
  event.tag = Text(data.tag);
}

Place PlaceOf(std::shared_ptr<const Source> source, const yaml_mark_t& mark) {
  return {.source = std::move(source),
          .line = static_cast<std::uint32_t>(mark.line + 1),
          .column = static_cast<std::uint32_t>(mark.column + 1)};
}

// An event or token of libyaml, which owns memory.
template <typename Value, auto Delete>
struct Owned {
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Delete(&value); }

  Value value{};
};

// ---- errors -----------------------------------------------------------------

constexpr std::string_view kYamlTab =
    "a tab cannot stand here: YAML is indented and separated by spaces";
constexpr std::string_view kYamlQuestionMark =
    "'?' begins a key here: quote the value, as in \"???\"";
constexpr std::string_view kIndented =
    "{} is not expected here: is it indented differently from the lines above?";

// The place of an error: where libyaml found it, or the start of its context.
enum class ProblemAt { kFound, kStart };

struct KnownProblem {
  std::string_view problem{};
  std::string_view message{};  // "{}" stands for the character found
  ProblemAt at = ProblemAt::kFound;
};

constexpr KnownProblem kProblems[] = {
    {"mapping values are not allowed in this context",
     "a second ': ' in one line: quote the value if the colon belongs to it"},
    {"block sequence entries are not allowed in this context",
     "a list item ('- ') cannot begin here"},
    {"mapping keys are not allowed in this context",
     "a key ('? ') cannot begin here"},
    {"could not find expected ':'", "expected ':' after this key",
     ProblemAt::kStart},
    {"found unexpected end of stream", "this quote is never closed",
     ProblemAt::kStart},
    {"found unexpected document indicator", "this quote is never closed",
     ProblemAt::kStart},
    {"found character that cannot start any token",
     "a value cannot begin with {}: quote it"},
    {"found a tab character that violates indentation", kYamlTab},
    {"found a tab character where an indentation space is expected",
     "say how far a text that begins with a tab is indented, as in '|2'"},
    {"found unexpected ':'",
     "write a blank after this ':', or quote the text that it belongs to"},
    {"found unknown escape character",
     "an escape that YAML does not have: in single quotes a backslash is "
     "itself"},
    {"did not find expected hexdecimal number",
     "expected hexadecimal digits in this escape, found {}"},
    {"found invalid Unicode character escape code",
     "this escape is no Unicode character"},
    {"did not find expected alphabetic or numeric character",
     "expected a name of letters and digits after '&' or '*', found {}: quote "
     "the value"},
    {"did not find expected node content", "expected a value, found {}"},
    {"did not find expected ',' or ']'", "expected ',' or ']', found {}"},
    {"did not find expected ',' or '}'", "expected ',' or '}}', found {}"},
    {"did not find expected '-' indicator",
     "expected '- ' or the end of the list, found {}"},
    {"did not find expected key", kIndented},
    {"did not find expected <document start>", kIndented},
    {"did not find expected comment or line break",
     "expected a new line, found {}"},
    {"found an indentation indicator equal to 0",
     "the indentation of a block text is 1 to 9"},
};

// The character at `mark`; "" at the end of the text.
std::string_view CharacterAt(std::string_view text, const yaml_mark_t& mark) {
  const std::string_view rest = AfterCharacters(text, mark.index);
  return rest.substr(0, rest.size() - AfterCharacters(rest, 1).size());
}

std::string Shown(std::string_view character) {
  if (character.empty()) return "the end of the file";
  if (character == "\n" || character == "\r") return "the end of the line";
  return "'" + Printable(character) + "'";
}

std::string Said(const KnownProblem& known, std::string_view found,
                 bool in_brackets) {
  if (found == "\t" && known.message.find("{}") != std::string_view::npos)
    return std::string(kYamlTab);
  if (found == "?" && known.message.starts_with("expected"))
    return std::string(kYamlQuestionMark);
  std::string said = fmt::format(fmt::runtime(known.message), Shown(found));
  if (in_brackets && found == "{")
    said += "; quote a value with '{', '?' or '$' in it";
  return said;
}

// The error of a text that is not UTF-8 or has a character that YAML forbids.
Error ReaderProblem(const yaml_parser_t& parser,
                    const std::shared_ptr<const Source>& source,
                    std::string_view text) {
  const std::string_view problem = parser.problem;
  std::size_t offset = std::min(parser.problem_offset, text.size() - 1);
  if (problem == "invalid trailing UTF-8 octet") {  // go to its leading byte
    while (offset > 0 && IsContinuation(text[--offset])) continue;
  }
  const Place place = PlaceAt(source, text.substr(0, offset));
  if (problem != "control characters are not allowed")
    return UsageError(
        "{}:{}: byte {:#04x} is not valid UTF-8 (at offset {}); save the file "
        "as UTF-8",
        source->name, place.line, static_cast<unsigned char>(text[offset]),
        offset + (source->text.size() - text.size()));
  return ErrorAt(place, fmt::format("character U+{:04X} is not allowed here; "
                                    "write it as an escape in double quotes",
                                    parser.problem_value));
}

// The error that stopped `parser`, with its place.
Error YamlProblem(const yaml_parser_t& parser,
                  const std::shared_ptr<const Source>& source) {
  const std::string_view text = WithoutByteOrderMark(source->text);
  if (parser.error == YAML_MEMORY_ERROR || parser.problem == nullptr)
    throw std::bad_alloc();
  if (parser.error == YAML_READER_ERROR)
    return ReaderProblem(parser, source, text);
  const auto place = [&](const yaml_mark_t& mark) {
    // libyaml places the end in a line of its own.
    if (AfterCharacters(text, mark.index).empty()) return PlaceAt(source, text);
    return PlaceOf(source, mark);
  };
  const std::string_view problem = parser.problem;
  const std::string_view context =
      parser.context == nullptr ? "" : parser.context;
  const std::string_view found = CharacterAt(text, parser.problem_mark);
  const bool in_brackets = context.starts_with("while parsing a flow") &&
                           problem.starts_with("did not find expected ','");
  if (in_brackets && found.empty())
    return ErrorAt(place(parser.context_mark), "this bracket is never closed");
  for (const KnownProblem& known : kProblems) {
    if (known.problem != problem) continue;
    return ErrorAt(place(known.at == ProblemAt::kStart ? parser.context_mark
                                                       : parser.problem_mark),
                   Said(known, found, in_brackets));
  }
  return ErrorAt(place(parser.problem_mark), problem);
}

// ---- Hydra's scanner --------------------------------------------------------

// Walks the text along libyaml's tokens, whose places count characters.
class StrictCheck {
 public:
  explicit StrictCheck(const std::shared_ptr<const Source>& source)
      : source_(source),
        text_(WithoutByteOrderMark(source->text)),
        rest_(text_) {}

  Status Run() {
    const YamlParser parser = OpenYamlParser(text_);
    while (true) {
      Owned<yaml_token_t, yaml_token_delete> owned;
      const yaml_token_t& token = owned.value;
      if (yaml_parser_scan(parser.get(), &owned.value) == 0)
        return YamlProblem(*parser, source_);
      TRY(Between(token.start_mark.index));
      TRY(Within(token));
      if (token.type == YAML_STREAM_END_TOKEN) return Ok();
    }
  }

 private:
  // Checks white space and comments, up to the character `end`.
  Status Between(std::size_t end) {
    bool comment = false;
    for (; index_ < end && !rest_.empty(); Step()) {
      const char c = rest_[0];
      if (c == '#') comment = true;
      if (c == '\n' || c == '\r') comment = false;
      if (c == '\t' && !comment) return Refusal(kYamlTab);
    }
    return Ok();
  }

  Status Within(const yaml_token_t& token) {
    const std::size_t end = token.end_mark.index;
    if (token.type == YAML_FLOW_SEQUENCE_START_TOKEN ||
        token.type == YAML_FLOW_MAPPING_START_TOKEN)
      ++brackets_;
    if (token.type == YAML_FLOW_SEQUENCE_END_TOKEN ||
        token.type == YAML_FLOW_MAPPING_END_TOKEN)
      --brackets_;
    const bool plain = token.type == YAML_SCALAR_TOKEN &&
                       token.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    for (; index_ < end && !rest_.empty(); Step()) {
      if (plain && rest_[0] == '\t') return Refusal(kYamlTab);
      if (plain && rest_[0] == '?' && brackets_ > 0)
        return Refusal(kYamlQuestionMark);
    }
    return Ok();
  }

  void Step() {
    rest_ = AfterCharacters(rest_, 1);
    ++index_;
  }

  // The error at the next character.
  Error Refusal(std::string_view message) const {
    const auto before = text_.size() - rest_.size();
    return ErrorAt(PlaceAt(source_, text_.substr(0, before)), message);
  }

  const std::shared_ptr<const Source>& source_;
  std::string_view text_;
  std::string_view rest_;  // behind the characters that are checked
  std::size_t index_ = 0;  // of the next character
  int brackets_ = 0;
};

}  // namespace

void YamlParserCloser::operator()(yaml_parser_s* parser) const {
  yaml_parser_delete(parser);
  delete parser;
}

Result<YamlEvents> YamlEvents::Open(std::shared_ptr<const Source> source) {
  if (!source->embedded) TRY(CheckCost(source));
  YamlEvents events;
  events.parser_ = OpenYamlParser(WithoutByteOrderMark(source->text));
  events.source_ = std::move(source);
  return events;
}

Result<YamlEvent> YamlEvents::Next() {
  Owned<yaml_event_t, yaml_event_delete> owned;
  if (yaml_parser_parse(parser_.get(), &owned.value) == 0)
    return YamlProblem(*parser_, source_);
  const yaml_event_t& event = owned.value;
  static_assert(YAML_MAPPING_END_EVENT ==
                static_cast<int>(YamlEventKind::kMapEnd));
  YamlEvent out{.kind = static_cast<YamlEventKind>(event.type),
                .place = PlaceOf(source_, event.start_mark)};
  switch (event.type) {
    case YAML_STREAM_START_EVENT:
      return Next();
    case YAML_ALIAS_EVENT:
      out.text = Text(event.data.alias.anchor);
      break;
    case YAML_SCALAR_EVENT: {
      const auto& scalar = event.data.scalar;
      out.text.assign(reinterpret_cast<const char*>(scalar.value),
                      scalar.length);
      out.plain = scalar.plain_implicit != 0;
      SetNames(scalar, out);
      break;
    }
    case YAML_SEQUENCE_START_EVENT:
      SetNames(event.data.sequence_start, out);
      break;
    case YAML_MAPPING_START_EVENT:
      SetNames(event.data.mapping_start, out);
      break;
    default:
      break;
  }
  return out;
}

Status CheckStrictYaml(const std::shared_ptr<const Source>& source) {
  if (source->text.find_first_of("\t?") == std::string::npos) return Ok();
  return StrictCheck(source).Run();
}

}  // namespace rangefinder
