// Numbers and texts as the bytes of a section, and back: integers as LEB128
// varints, signed ones zigzag, reals as eight bytes, lowest first.
//
// A list is its length, then column after column: equal things lie together,
// which is what makes them small when they are compressed.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "summary/time_stat.h"

namespace rangefinder {

class ByteWriter {
 public:
  void Number(Wide number);
  void Signed(std::int64_t number);
  void Real(double number);
  void Text(std::string_view text);
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_{};
};

// Past the end, or of what is no number: 0, and damaged() from then on.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  Wide WideNumber();
  std::uint64_t Number();
  // Below `end`: an index, or a word of few; 0 and damage otherwise.
  std::uint32_t Below(std::uint64_t end);
  std::int64_t Signed();
  double Real();
  std::string_view Text();
  // The length of a list each of whose entries takes at least so many bytes.
  std::size_t Length(std::size_t least_bytes = 1);
  // Resizes each of several lists, that have so much room together.
  template <typename Lists, typename ListOf>
  void Resize(Lists& lists, ListOf list_of, std::size_t least_bytes) {
    std::size_t all = 0;
    for (auto& one : lists) {
      const std::size_t length = Length(least_bytes);
      all += length;
      if (all > rest_.size() / least_bytes) SetDamaged();
      if (damaged_) return;
      list_of(one).resize(length);
    }
  }

  bool damaged() const { return damaged_; }
  bool done() const { return rest_.empty(); }
  void SetDamaged();

 private:
  std::string_view rest_;
  bool damaged_ = false;
};

// Writes or reads one member of every entry.
template <typename List, typename Member>
void WriteColumn(ByteWriter& out, const List& list, Member member) {
  for (const auto& entry : list) out.Number(entry.*member);
}
template <typename List, typename Member>
void ReadColumn(ByteReader& in, List& list, Member member) {
  for (auto& entry : list) entry.*member = in.Number();
}

}  // namespace rangefinder
