// JSON as a stream of tokens: indented by one blank a level, except for values
// that are asked to stand on one line. Text is made valid UTF-8 on the way.
//
// Large reports have millions of numbers, so this is written for speed: bytes
// are gathered and handed on in blocks. The caller keeps the grammar.

#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

class JsonStream {
 public:
  explicit JsonStream(std::ostream& out) : out_(out) {}
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;
  ~JsonStream() { Flush(); }

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  // Until the matching end, all on one line.
  void BeginLineObject();
  void BeginLineArray();
  // A list or an object with one line for each member, and no blanks in it.
  void BeginRows(char open = '[');

  void Key(std::string_view key);
  void Text(std::string_view text);
  void Number(double number);
  void Count(std::uint64_t count);
  void Null();
  // A string that needs no escaping, as it is.
  void Plain(std::string_view text);
  // A value that `append` writes as it is to the string it is given.
  template <typename Append>
  void Value(Append append) {
    Separate();
    append(buffer_);
  }

  void TextField(std::string_view key, std::string_view text);
  void NumberField(std::string_view key, double number);
  void CountField(std::string_view key, std::uint64_t count);
  void TextsField(std::string_view key, const std::vector<std::string>& texts);

  void Flush();

 private:
  struct Level {
    bool line = false;   // on one line with the value around it
    bool rows = false;   // each member on one line without blanks
    bool tight = false;  // inside such a member
    bool empty = true;
  };

  void Begin(char open);
  void End(char close);
  // Writes the comma and the line break before a value or a key.
  void Separate();
  void BreakLine();

  static constexpr std::size_t kBlock = 1 << 16;

  std::ostream& out_;
  std::string buffer_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace rangefinder
