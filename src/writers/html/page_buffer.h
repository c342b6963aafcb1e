// A JSON document as the content of a script element in a page: as it is if it
// is small, packed if it is large. Most of a document is the same words in
// every region, so packing reduces it to a tenth. Nothing in it may end the
// element or begin a comment.

#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <streambuf>
#include <string>

namespace rangefinder {

class PageBuffer : public std::streambuf {
 public:
  // Documents of this many bytes are packed, in parts of as many.
  static constexpr std::size_t kLarge = 1 << 20;

  explicit PageBuffer(std::ostream& out, std::size_t large = kLarge)
      : out_(out), large_(large) {}

  // Writes the document, or the end of {"packed": {"encoding", "content",
  // "bytes"}} of it, whose content is a list of parts, each packed by itself.
  // `beside`: bytes of the page that count for kLarge as well. Call it once,
  // after the last byte.
  void Finish(std::size_t beside = 0);

 protected:
  int overflow(int c) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  void WritePart();

  std::ostream& out_;
  std::size_t large_;
  std::string held_{};
  std::uint64_t packed_ = 0;  // bytes of parts that are written
};

}  // namespace rangefinder
