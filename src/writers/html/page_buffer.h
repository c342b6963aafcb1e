// A JSON document as the content of a script element in a page: as it is if it
// is small, packed if it is large. Most of a document is the same words in
// every region, so packing reduces it to a tenth. Nothing in it may end the
// element or begin a comment.

#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>

#include "base/json_text.h"

namespace rangefinder {

class PageBuffer : public std::streambuf {
 public:
  // Documents of this many bytes are packed.
  static constexpr std::size_t kLarge = 1 << 20;

  explicit PageBuffer(std::ostream& out, std::size_t large = kLarge)
      : out_(out), large_(large) {}

  // Writes the document, or {"packed": {"encoding", "bytes", "content"}} of it.
  // Call it once, after the last byte.
  void Finish();

 protected:
  int overflow(int c) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  std::ostream& out_;
  std::size_t large_;
  std::string held_{};
  std::optional<PackedText> packed_{};
};

}  // namespace rangefinder
