// A JSON document as the content of a script element in a page. A small
// document is written as text. A large document is packed, which reduces it to
// a tenth, since every region repeats the same words. The content must not end
// the element or begin a comment.

#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <streambuf>
#include <string>

namespace rangefinder {

class PageBuffer : public std::streambuf {
 public:
  // Documents of at least this many bytes are packed, in parts of this size.
  static constexpr std::size_t kLarge = 1 << 20;

  explicit PageBuffer(std::ostream& out, std::size_t large = kLarge)
      : out_(out), large_(large) {}

  // Writes a small document; of a large document the end of its form {"packed":
  // {"encoding", "content", "bytes"}}, whose content is a list of parts, each
  // packed separately. `beside`: further bytes of the page that count for
  // kLarge. Call Finish() once, after the last byte.
  void Finish(std::size_t beside = 0);

 protected:
  int overflow(int c) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  void WritePart();

  std::ostream& out_;
  std::size_t large_;
  std::string held_{};
  std::uint64_t packed_ = 0;  // bytes of written parts, before packing
};

}  // namespace rangefinder
