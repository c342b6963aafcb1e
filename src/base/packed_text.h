// Text that a text document carries packed: gzip (RFC 1952), then base64 (RFC
// 4648). The same text gives the same bytes: the header names no time and no
// system.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rangefinder {

struct GzipStream;  // zlib's own

class PackedText {
 public:
  PackedText();
  PackedText(const PackedText&) = delete;
  PackedText& operator=(const PackedText&) = delete;
  ~PackedText();

  void Append(std::string_view text);
  // The packed text; nothing is appended after it.
  std::string Finish();

  // Of the text, unpacked.
  std::uint64_t bytes() const { return bytes_; }

 private:
  void Deflate(std::string_view text, bool last);

  std::unique_ptr<GzipStream> stream_;
  std::string packed_{};  // base64 of whole groups of three bytes
  std::string rest_{};    // what is no such group yet
  std::uint64_t bytes_ = 0;
};

}  // namespace rangefinder
