// The document that a page carries in a script element: as it is where it is
// small, packed where it is large. Most of it are the same words in every
// region, and packed it is a tenth.

#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>

#include "base/packed_text.h"

namespace rangefinder {

class PageBuffer : public std::streambuf {
 public:
  // From how many bytes on a document is packed.
  static constexpr std::size_t kLarge = 1 << 20;

  explicit PageBuffer(std::ostream& out, std::size_t large = kLarge)
      : out_(out), large_(large) {}

  // Writes the document, or {"packed": {"encoding", "bytes", "content"}} of it.
  // Nothing is put into it afterwards.
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
