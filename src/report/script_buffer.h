// JSON as the content of a script element in a page: nothing in it may end the
// element or begin a comment.

#pragma once

#include <ostream>
#include <streambuf>

namespace rangefinder {

class ScriptBuffer : public std::streambuf {
 public:
  explicit ScriptBuffer(std::ostream& out) : out_(out) {}

 protected:
  int overflow(int c) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  std::ostream& out_;
};

}  // namespace rangefinder
