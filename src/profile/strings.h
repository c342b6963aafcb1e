// Names, each kept once: a StringId is four bytes and compares like the text.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rangefinder {

// Id 0 is the empty string in every pool.
enum class StringId : std::uint32_t {};

class StringPool {
 public:
  StringPool();
  StringPool(const StringPool& other);
  StringPool& operator=(const StringPool& other);
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  StringId Intern(std::string_view text);
  std::optional<StringId> Find(std::string_view text) const;

  // The text stays where it is for as long as the pool lives.
  std::string_view operator[](StringId id) const {
    return texts_[static_cast<std::size_t>(id)];
  }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace rangefinder
