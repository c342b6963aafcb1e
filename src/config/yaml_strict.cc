// What libyaml takes and PyYAML's own scanner, with which Hydra 1.3 reads, does
// not. A file that is accepted here should be a file that Hydra accepts.

#include <algorithm>

#include <yaml.h>

#include "config/yaml_events.h"

namespace rangefinder {
namespace {

struct RawToken {
  RawToken() = default;
  RawToken(const RawToken&) = delete;
  RawToken& operator=(const RawToken&) = delete;
  ~RawToken() { yaml_token_delete(&token); }

  yaml_token_t token{};
};

// Goes over the text beside libyaml's tokens, whose places count characters.
class StrictCheck {
 public:
  explicit StrictCheck(const std::shared_ptr<const Source>& source)
      : text_(WithoutByteOrderMark(source->text)),
        place_{.source = source, .line = 1, .column = 1} {}

  Status Run() {
    const YamlParser parser = OpenYamlParser(text_);
    while (true) {
      RawToken raw;
      const yaml_token_t& token = raw.token;
      if (yaml_parser_scan(parser.get(), &raw.token) == 0)
        return YamlProblem(*parser, place_.source);
      TRY(Between(token.start_mark.index));
      TRY(Within(token));
      if (token.type == YAML_STREAM_END_TOKEN) return Ok();
    }
  }

 private:
  // White space and comments, up to the character `end`.
  Status Between(std::size_t end) {
    bool comment = false;
    while (index_ < end && !text_.empty()) {
      const char c = text_[0];
      if (c == '#') comment = true;
      if (c == '\n' || c == '\r') comment = false;
      if (c == '\t' && !comment) return ErrorAt(place_, kYamlTab);
      Step();
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
    while (index_ < end && !text_.empty()) {
      if (plain && text_[0] == '\t') return ErrorAt(place_, kYamlTab);
      if (plain && text_[0] == '?' && brackets_ > 0)
        return ErrorAt(place_, kYamlQuestionMark);
      Step();
    }
    return Ok();
  }

  void Step() {
    const bool line = text_[0] == '\n';
    text_ = AfterCharacters(text_, 1);
    ++index_;
    ++place_.column;
    if (line) {
      ++place_.line;
      place_.column = 1;
    }
  }

  std::string_view text_;  // from here on
  std::size_t index_ = 0;
  Place place_;
  int brackets_ = 0;
};

}  // namespace

Status CheckStrictYaml(const std::shared_ptr<const Source>& source) {
  if (source->text.find_first_of("\t?") == std::string::npos) return Ok();
  return StrictCheck(source).Run();
}

}  // namespace rangefinder
