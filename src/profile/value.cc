#include "profile/value.h"

namespace rangefinder {

StringPool::StringPool() {
  Intern("");
}

StringPool::StringPool(const StringPool& other) {
  *this = other;
}

StringPool& StringPool::operator=(const StringPool& other) {
  if (this == &other) return *this;
  texts_.clear();
  ids_.clear();
  for (const std::string& text : other.texts_) Intern(text);
  return *this;
}

StringId StringPool::Intern(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end())
    return known->second;
  const auto id = static_cast<StringId>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

std::optional<StringId> StringPool::Find(std::string_view text) const {
  const auto known = ids_.find(text);
  if (known == ids_.end()) return std::nullopt;
  return known->second;
}

}  // namespace rangefinder
