// What libyaml finds wrong, in the words of somebody who wrote a configuration.
// Its texts are those of libyaml 0.2.5; one that is not here is said as it is.

#include <algorithm>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <yaml.h>

#include "base/text.h"
#include "config/yaml_events.h"

namespace rangefinder {
namespace {

constexpr std::string_view kIndented =
    "{} is not expected here: is it indented differently from the lines above?";

// Which of libyaml's two places an error is about.
enum class ProblemAt { kFound, kStart };

struct KnownProblem {
  std::string_view problem{};
  std::string_view message{};  // {}: the character that was found
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

// The character that a place stands before; "" at the end of the text.
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

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The place after `before`, the beginning of the text.
Place PlaceAt(const std::shared_ptr<const Source>& source,
              std::string_view before) {
  Place place{.source = source, .line = 1, .column = 1};
  for (const char c : before) {
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else if (!IsContinuation(c)) {
      ++place.column;
    }
  }
  return place;
}

// The text is not UTF-8, or has a character that YAML has not.
Error ReaderProblem(const yaml_parser_t& parser,
                    const std::shared_ptr<const Source>& source,
                    std::string_view text) {
  const std::string_view problem = parser.problem;
  std::size_t offset = std::min(parser.problem_offset, text.size() - 1);
  if (problem == "invalid trailing UTF-8 octet") {  // of the byte that leads it
    while (offset > 0 && IsContinuation(text[--offset])) continue;
  }
  const Place place = PlaceAt(source, text.substr(0, offset));
  if (problem != "control characters are not allowed")
    return Error(
        ErrorCode::kUsage,
        fmt::format(
            "{}:{}: byte {:#04x} is not valid UTF-8 (at offset {}); save the "
            "file as UTF-8",
            source->name, place.line, static_cast<unsigned char>(text[offset]),
            offset + (source->text.size() - text.size())));
  return ErrorAt(place, fmt::format("character U+{:04X} is not allowed here; "
                                    "write it as an escape in double quotes",
                                    parser.problem_value));
}

}  // namespace

Error YamlProblem(const yaml_parser_s& parser,
                  const std::shared_ptr<const Source>& source) {
  const std::string_view text = WithoutByteOrderMark(source->text);
  if (parser.error == YAML_MEMORY_ERROR || parser.problem == nullptr)
    throw std::bad_alloc();
  if (parser.error == YAML_READER_ERROR)
    return ReaderProblem(parser, source, text);
  const auto place = [&](const yaml_mark_t& mark) {
    // libyaml gives the end a line of its own.
    if (AfterCharacters(text, mark.index).empty()) return PlaceAt(source, text);
    return Place{.source = source,
                 .line = static_cast<std::uint32_t>(mark.line + 1),
                 .column = static_cast<std::uint32_t>(mark.column + 1)};
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

}  // namespace rangefinder
