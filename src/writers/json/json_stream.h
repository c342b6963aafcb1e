// JSON as a stream of tokens, indented by one blank per level, except for
// values that are to be on one line. Text is made valid UTF-8.
//
// Large reports have millions of numbers, so this code is written for speed:
// bytes are collected and passed on in blocks, and members of long lists are
// written on all processors. The caller is responsible for the grammar.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_text.h"

namespace rangefinder {

// `value`; nothing if the condition is false: null in JSON, NULL in a table.
template <typename T>
std::optional<T> OptionalIf(bool condition, T value) {
  return condition ? std::optional<T>(std::move(value)) : std::nullopt;
}

class JsonStream {
 public:
  explicit JsonStream(std::ostream& out) : out_(&out) {}
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;
  ~JsonStream() { Flush(); }

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  // Until the matching end, all on one line.
  void BeginLine(char open = '{');
  // A list or an object with one line for each member, and no blanks in it.
  void BeginRows(char open = '[');

  void Key(std::string_view key);
  void Null() { Raw("null"); }
  // A text, a number, true or false; null for an optional without a value; a
  // list of such values on one line.
  template <typename T>
  void Put(T&& value) {
    using Plain = std::remove_cvref_t<T>;
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      Separate();
      AppendJsonText(value, buffer_);
    } else if constexpr (std::is_same_v<Plain, bool>) {
      Raw(value ? "true" : "false");
    } else if constexpr (std::is_unsigned_v<Plain>) {
      Separate();
      AppendJsonCount(value, buffer_);
    } else if constexpr (std::is_arithmetic_v<Plain>) {
      Separate();
      AppendJsonNumber(static_cast<double>(value), buffer_);
    } else if constexpr (requires { value.has_value(); }) {
      value ? Put(*value) : Null();
    } else {
      BeginLine('[');
      for (auto&& one : value) Put(one);
      EndArray();
    }
  }
  // A value that `append` writes unchanged to the given string.
  template <typename Append>
  void Value(Append append) {
    Separate();
    append(buffer_);
  }

  // ---- Members of an object ----

  template <typename T>
  void Field(std::string_view key, T&& value) {
    Key(key);
    Put(std::forward<T>(value));
  }
  void NullField(std::string_view key) {
    Key(key);
    Null();
  }
  // The text, its length and how it is packed.
  void PackedField(std::string_view key, const PackedText& text);
  void BeginObject(std::string_view key) {
    Key(key);
    BeginObject();
  }
  void BeginArray(std::string_view key) {
    Key(key);
    BeginArray();
  }
  void BeginLine(std::string_view key) {
    Key(key);
    BeginLine();
  }
  void BeginRows(std::string_view key, char open = '[') {
    Key(key);
    BeginRows(open);
  }
  // A list with an object for each of `list`, whose members `write` writes: on
  // several lines, on one line, or on one line without blanks.
  template <typename List, typename Write>
  void Objects(std::string_view key, List&& list, Write write) {
    BeginArray(key);
    Each(list, write, false);
  }
  template <typename List, typename Write>
  void Lines(std::string_view key, List&& list, Write write) {
    BeginArray(key);
    Each(list, write, true);
  }
  template <typename List, typename Write>
  void Rows(std::string_view key, List&& list, Write write) {
    BeginRows(key);
    Each(list, write, false);
  }

  // `count` members of the open list: `write(part, from, to)` writes the
  // members from `from` to before `to` to a stream of their own. Several
  // threads call it at once.
  void Members(
      std::size_t count,
      const std::function<void(JsonStream&, std::size_t, std::size_t)>& write);

  void Flush();

 private:
  struct Level {
    bool line = false;   // on one line with the value around it
    bool rows = false;   // each member on one line without blanks
    bool tight = false;  // inside a member of BeginRows()
    bool empty = true;
  };

  // A part of the open list in `around`, collected in `buffer_`. `first`: no
  // other part is before it.
  JsonStream(const std::vector<Level>& around, bool first) : levels_(around) {
    levels_.back().empty = levels_.back().empty && first;
  }

  // The objects of the open list, and its end.
  template <typename List, typename Write>
  void Each(List& list, Write& write, bool on_lines) {
    for (auto&& one : list) {
      on_lines ? BeginLine() : BeginObject();
      write(one);
      EndObject();
    }
    EndArray();
  }

  void Raw(std::string_view token);
  void Begin(char open);
  void End(char close);
  // Writes the comma and the line break before a value or a key.
  void Separate();
  void BreakLine();

  static constexpr std::size_t kBlock = 1 << 16;

  std::ostream* out_ = nullptr;  // null: a part of a list
  std::string buffer_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace rangefinder
