// Numbers and texts as the bytes of a section, and back: integers as LEB128
// varints, signed ones zigzag, reals as eight bytes, lowest first.
//
// A list is its length, then column after column: equal values lie together and
// compress well.

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

// Past the end and for invalid numbers it gives 0, and damaged() from then on.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  Wide WideNumber();
  std::uint64_t Number();
  // An index or enumerator below `end`; otherwise 0 and damage.
  std::uint32_t Below(std::uint64_t end);
  std::int64_t Signed();
  double Real();
  std::string_view Text();
  // The length of a list whose entries take at least `least_bytes` each.
  std::size_t Length(std::size_t least_bytes = 1);
  // Reads the lengths of several lists and resizes them, as long as all of
  // their entries together fit into the rest of the bytes.
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
