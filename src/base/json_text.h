// The tokens of JSON, for documents too large for a JSON library's tree; and
// long texts packed for such documents.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// `text` as a JSON string in valid UTF-8. Characters that TextPlace::kLine
// cannot contain are escaped, since documents are also read in terminals.
void AppendJsonText(std::string_view text, std::string& out);
// The text of a JSON library's document, with the same escapes in its strings.
std::string EscapedJson(std::string document);
// EscapedJson() of nlohmann's document, whose strings need not be UTF-8.
// `indent`: of each level; -1: the text is one line.
template <typename Json>
std::string JsonDocument(const Json& json, int indent = -1) {
  return EscapedJson(
      json.dump(indent, ' ', false, Json::error_handler_t::replace));
}
// The shortest text that reads back to the same double; null for a number that
// is not finite, which JSON lacks.
void AppendJsonNumber(double number, std::string& out);
void AppendJsonCount(std::uint64_t count, std::string& out);
// A JSON array behind `out`; `append` appends one item of the list.
template <typename List, typename Append>
void AppendJsonList(const List& list, std::string& out, const Append& append) {
  out += '[';
  for (bool is_first = true; const auto& item : list) {
    if (!is_first) out += ',';
    is_first = false;
    append(item);
  }
  out += ']';
}

// ---- Packed texts ----------------------------------------------------------

// Base64 (RFC 4648, padded) of `bytes`, behind `out`.
void AppendBase64(std::string_view bytes, std::string& out);

// Text packed for a text document: gzip (RFC 1952), then base64. The gzip
// header names no time and no system, so equal texts give equal bytes.
struct PackedText {
  std::string content{};
  std::uint64_t bytes = 0;  // of the text
};
PackedText Pack(std::string_view text);
// {"encoding", "bytes", "content"}, behind `out`.
void AppendPacked(const PackedText& packed, std::string& out);

}  // namespace rangefinder
