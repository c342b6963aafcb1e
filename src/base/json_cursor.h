// The position in a JSON text that a parser reads from. The receiver of the
// parser's events can skip values that it does not keep, many times as fast as
// the parser reads them.

#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace rangefinder {

class JsonCursor {
 public:
  // `forget` gets the parts of `text` that will not be read again, so that a
  // mapped file does not stay in memory; may be empty.
  explicit JsonCursor(std::string_view text,
                      std::function<void(std::string_view)> forget = {})
      : at_(text.data()),
        end_(at_ + text.size()),
        read_(at_),
        forget_(std::move(forget)) {}
  JsonCursor(const JsonCursor&) = delete;
  JsonCursor& operator=(const JsonCursor&) = delete;

  // The text as the parser sees it. The iterators share the cursor's position.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    explicit Iterator(const char** at) : at_(at) {}
    char operator*() const { return **at_; }
    Iterator& operator++() {
      ++*at_;
      return *this;
    }
    Iterator operator++(int) { return ++*this; }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return *a.at_ == *b.at_;
    }

   private:
    const char** at_;
  };
  Iterator begin() { return Iterator(&at_); }
  Iterator end() { return Iterator(&end_); }

  // After the bracket that opens a value: moves to the bracket that closes it,
  // without checking the grammar in between. Does not move if no bracket closes
  // it.
  void SkipValue() {
    std::size_t depth = 1;
    for (const char* at = at_; at < end_; ++at) {
      switch (*at) {
        case '"':
          at = EndOfString(at + 1);
          break;
        case '{':
        case '[':
          ++depth;
          break;
        case '}':
        case ']':
          if (--depth > 0) break;
          at_ = at;
          ForgetRead();
          return;
        default:
          break;
      }
    }
  }

  // The caller calls this from time to time.
  void ForgetRead() {
    constexpr std::ptrdiff_t kWorthwhile = 16 << 20;
    if (!forget_ || at_ - read_ < kWorthwhile) return;
    forget_({read_, at_});
    read_ = at_;
  }

 private:
  // The quote that ends the string; the end of the text if there is none.
  const char* EndOfString(const char* at) const {
    while (at < end_) {
      const auto left = static_cast<std::size_t>(end_ - at);
      const auto* quote = static_cast<const char*>(std::memchr(at, '"', left));
      if (quote == nullptr) return end_;
      const char* plain = quote;
      while (plain > at && plain[-1] == '\\') --plain;
      if ((quote - plain) % 2 == 0) return quote;
      at = quote + 1;
    }
    return end_;
  }

  const char* at_;
  const char* end_;
  const char* read_;  // forgotten up to here
  std::function<void(std::string_view)> forget_;
};

}  // namespace rangefinder
