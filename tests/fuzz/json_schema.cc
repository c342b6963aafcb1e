#include "tests/fuzz/json_schema.h"

#include <cmath>
#include <map>
#include <string_view>

#include <re2/re2.h>

namespace rangefinder::testing {
namespace {

using nlohmann::json;

bool HasType(const json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type != "integer") return false;
  return value.is_number_integer() ||
         (value.is_number() &&
          value.get<double>() == std::trunc(value.get<double>()));
}

bool Matches(const std::string& pattern, const std::string& text) {
  static std::map<std::string, RE2> compiled;
  const RE2& re = compiled.try_emplace(pattern, pattern).first->second;
  return RE2::PartialMatch(text, re);
}

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  std::string Check(const json& schema, const json& value) const {
    if (const auto ref = schema.find("$ref"); ref != schema.end()) {
      // In draft 7 the words beside a reference do not count.
      return Check(
          root_.at(json::json_pointer(ref->get<std::string>().substr(1))),
          value);
    }
    for (const auto check : {&Validator::CheckType, &Validator::CheckNumber,
                             &Validator::CheckObject, &Validator::CheckArray,
                             &Validator::CheckCombined}) {
      std::string wrong = (this->*check)(schema, value);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  std::string CheckType(const json& schema, const json& value) const {
    if (const auto type = schema.find("type"); type != schema.end()) {
      bool right = false;
      if (type->is_string()) right = HasType(value, type->get<std::string>());
      for (const json& one : type->is_array() ? *type : json::array())
        right = right || HasType(value, one.get<std::string>());
      if (!right) return ": is no " + type->dump();
    }
    if (const auto only = schema.find("const");
        only != schema.end() && *only != value)
      return ": is not " + only->dump();
    if (const auto of = schema.find("enum"); of != schema.end()) {
      if (std::find(of->begin(), of->end(), value) == of->end())
        return ": is none of " + of->dump();
    }
    const auto pattern = schema.find("pattern");
    if (pattern != schema.end() && value.is_string() &&
        !Matches(pattern->get<std::string>(), value.get<std::string>()))
      return ": does not match " + pattern->dump();
    return {};
  }

  std::string CheckNumber(const json& schema, const json& value) const {
    if (!value.is_number()) return {};
    const auto number = value.get<double>();
    if (schema.contains("minimum") && number < schema["minimum"])
      return ": is below the minimum";
    if (schema.contains("maximum") && number > schema["maximum"])
      return ": is above the maximum";
    if (schema.contains("exclusiveMinimum") &&
        number <= schema["exclusiveMinimum"])
      return ": is not above the minimum";
    return {};
  }

  std::string CheckObject(const json& schema, const json& value) const {
    if (!value.is_object()) return {};
    for (const json& key : schema.value("required", json::array())) {
      if (!value.contains(key.get<std::string>()))
        return ": lacks " + key.dump();
    }
    static const json none = json::object();
    const auto properties = schema.find("properties");
    const json& known = properties == schema.end() ? none : *properties;
    const auto others = schema.find("additionalProperties");
    for (const auto& [key, item] : value.items()) {
      const auto row = known.find(key);
      const json* rule = row != known.end()       ? &*row
                         : others != schema.end() ? &*others
                                                  : nullptr;
      if (rule == nullptr || *rule == true) continue;
      if (*rule == false) return "/" + key + ": is not known";
      std::string wrong = Check(*rule, item);
      if (!wrong.empty()) return "/" + key + wrong;
    }
    return {};
  }

  std::string CheckArray(const json& schema, const json& value) const {
    if (!value.is_array()) return {};
    if (value.size() < schema.value("minItems", std::size_t{0}))
      return ": has too few items";
    if (value.size() > schema.value("maxItems", value.size()))
      return ": has too many items";
    const auto items = schema.find("items");
    for (std::size_t i = 0; items != schema.end() && i < value.size(); ++i) {
      const bool by_place = items->is_array();
      if (by_place && i >= items->size()) break;
      std::string wrong = Check(by_place ? (*items)[i] : *items, value[i]);
      if (!wrong.empty()) return "/" + std::to_string(i) + wrong;
    }
    return {};
  }

  std::string CheckCombined(const json& schema, const json& value) const {
    for (const json& part : schema.value("allOf", json::array())) {
      std::string wrong = Check(part, value);
      if (!wrong.empty()) return wrong;
    }
    const auto count = [&](const char* key) {
      std::size_t fit = 0;
      for (const json& part : schema[key]) fit += Check(part, value).empty();
      return fit;
    };
    if (schema.contains("anyOf") && count("anyOf") == 0)
      return ": keeps none of anyOf";
    if (schema.contains("oneOf") && count("oneOf") != 1)
      return ": does not keep one of oneOf";
    if (!schema.contains("if")) return {};
    const char* branch = Check(schema["if"], value).empty() ? "then" : "else";
    return schema.contains(branch) ? Check(schema[branch], value) : "";
  }

  const json& root_;
};

}  // namespace

std::string SchemaViolation(const json& schema, const json& document) {
  return Validator(schema).Check(schema, document);
}

}  // namespace rangefinder::testing
