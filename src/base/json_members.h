// Members of a JSON document that may lack them.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder {

// The member of nlohmann's object; null if there is none, or if `object` is no
// object.
template <typename Json>
const Json& At(const Json& object, std::string_view key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

// Empty for a value that is no text.
template <typename Json>
std::string TextOf(const Json& value) {
  return value.is_string() ? value.template get<std::string>() : std::string();
}

}  // namespace rangefinder
