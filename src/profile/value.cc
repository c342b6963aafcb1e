#include "profile/value.h"

#include <bit>

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

Value Value::Number(double number) {
  return {ValueKind::kNumber, std::bit_cast<std::uint64_t>(number)};
}

Value Value::Integer(std::uint64_t integer) {
  return {ValueKind::kInteger, integer};
}

Value Value::Text(StringId text) {
  return {ValueKind::kText, static_cast<std::uint64_t>(text)};
}

std::optional<double> Value::number() const {
  if (kind == ValueKind::kNumber) return std::bit_cast<double>(bits);
  if (kind == ValueKind::kInteger) return static_cast<double>(bits);
  return std::nullopt;
}

std::optional<StringId> Value::text() const {
  if (kind != ValueKind::kText) return std::nullopt;
  return static_cast<StringId>(bits);
}

}  // namespace rangefinder
