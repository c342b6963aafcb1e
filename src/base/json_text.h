// The tokens of JSON, for documents too large for a JSON library's tree; and
// long texts packed for such documents.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rangefinder {

// `text` as a JSON string in valid UTF-8. Characters that TextPlace::kLine
// cannot contain are escaped, since documents are also read in terminals.
void AppendJsonText(std::string_view text, std::string& out);
// The text of a JSON library's document, with the same escapes in its strings.
std::string EscapedJson(std::string document);
// The shortest text that reads back to the same double; null for a number that
// is not finite, which JSON lacks.
void AppendJsonNumber(double number, std::string& out);
void AppendJsonCount(std::uint64_t count, std::string& out);

// ---- Packed texts ----------------------------------------------------------

// Text packed for a text document: gzip (RFC 1952), then base64 (RFC 4648). The
// gzip header names no time and no system, so equal texts give equal bytes.

// Base64 (RFC 4648, padded) of `bytes`, behind `out`.
void AppendBase64(std::string_view bytes, std::string& out);

struct GzipStream;  // zlib's own

class PackedText {
 public:
  PackedText();
  PackedText(const PackedText&) = delete;
  PackedText& operator=(const PackedText&) = delete;
  ~PackedText();

  void Append(std::string_view text);
  // The packed text. Append() must not be called after it.
  std::string Finish();

  // Bytes appended so far.
  std::uint64_t bytes() const { return bytes_; }

 private:
  void Deflate(std::string_view text, bool last);

  std::unique_ptr<GzipStream> stream_;
  std::string packed_{};  // base64 of whole groups of three bytes
  std::string rest_{};    // compressed bytes without a whole group yet
  std::uint64_t bytes_ = 0;
};

}  // namespace rangefinder
