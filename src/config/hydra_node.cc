#include "config/hydra_node.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/scalar.h"

namespace rangefinder {
namespace {

enum class Type { kAny, kText, kTextOrNull, kBoolOrNull, kInt, kMode, kTexts };

struct Field {
  std::string_view path;
  Type type;
  bool open = false;  // a map with any keys
};

constexpr std::array kFields = {
    Field{"hydra.run.dir", Type::kText},
    Field{"hydra.sweep.dir", Type::kText},
    Field{"hydra.sweep.subdir", Type::kText},
    Field{"hydra.launcher", Type::kAny, true},
    Field{"hydra.sweeper", Type::kAny, true},
    Field{"hydra.help.app_name", Type::kText},
    Field{"hydra.help.header", Type::kText},
    Field{"hydra.help.footer", Type::kText},
    Field{"hydra.help.template", Type::kText},
    Field{"hydra.hydra_help.template", Type::kText},
    Field{"hydra.hydra_help.hydra_help", Type::kText},
    Field{"hydra.hydra_logging", Type::kAny, true},
    Field{"hydra.job_logging", Type::kAny, true},
    Field{"hydra.env", Type::kAny, true},
    Field{"hydra.callbacks", Type::kAny, true},
    Field{"hydra.mode", Type::kMode},
    Field{"hydra.searchpath", Type::kTexts},
    Field{"hydra.output_subdir", Type::kTextOrNull},
    Field{"hydra.overrides.hydra", Type::kTexts},
    Field{"hydra.overrides.task", Type::kTexts},
    Field{"hydra.job.name", Type::kText},
    Field{"hydra.job.chdir", Type::kBoolOrNull},
    Field{"hydra.job.override_dirname", Type::kText},
    Field{"hydra.job.id", Type::kText},
    Field{"hydra.job.num", Type::kInt},
    Field{"hydra.job.config_name", Type::kTextOrNull},
    Field{"hydra.job.env_set", Type::kAny, true},
    Field{"hydra.job.env_copy", Type::kTexts},
    Field{"hydra.job.config.override_dirname.kv_sep", Type::kText},
    Field{"hydra.job.config.override_dirname.item_sep", Type::kText},
    Field{"hydra.job.config.override_dirname.exclude_keys", Type::kTexts},
    Field{"hydra.runtime.version", Type::kText},
    Field{"hydra.runtime.version_base", Type::kTextOrNull},
    Field{"hydra.runtime.cwd", Type::kText},
    Field{"hydra.runtime.config_sources", Type::kAny},
    Field{"hydra.runtime.output_dir", Type::kText},
    Field{"hydra.runtime.choices", Type::kAny, true},
    Field{"hydra.verbose", Type::kAny},
};

const Field* FindField(std::string_view path) {
  const auto it = std::ranges::find(kFields, path, &Field::path);
  return it == kFields.end() ? nullptr : &*it;
}

bool IsInnerNode(std::string_view path) {
  const std::string prefix = std::string(path) + ".";
  return std::ranges::any_of(kFields, [&](const Field& field) {
    return field.path.starts_with(prefix);
  });
}

// The open map or list that contains `path`; null without one.
const Field* Holder(std::string_view path) {
  const auto it = std::ranges::find_if(kFields, [&](const Field& field) {
    return (field.open || field.type == Type::kTexts) &&
           path.size() > field.path.size() && path.starts_with(field.path) &&
           path[field.path.size()] == '.';
  });
  return it == kFields.end() ? nullptr : &*it;
}

Result<Node> ToText(std::string_view path, const Node& value) {
  if (value.is_container()) {
    return UsageError("{}: Cannot convert '{}' to string: '{}'", path,
                      PythonTypeName(value), PythonStr(value));
  }
  if (value.is_null()) return UsageError("field '{}' is not Optional", path);
  Node out = value.is_string() ? value : Node::String(PythonStr(value));
  out.place = value.place;
  return out;
}

Result<Node> ToBool(std::string_view path, const Node& value) {
  if (value.kind == NodeKind::kBool) return value;
  if (value.kind == NodeKind::kInt)
    return Node::Bool(value.integer != 0, value.place);
  if (value.is_string()) {
    const std::string word = AsciiLower(value.text);
    for (const std::string_view yes : {"yes", "y", "on", "true", "1"})
      if (word == yes) return Node::Bool(true, value.place);
    for (const std::string_view no : {"no", "n", "off", "false", "0"})
      if (word == no) return Node::Bool(false, value.place);
  }
  return UsageError(
      "Value '{}' is not a valid bool (type {})\n"
      "    full_key: {}",
      PythonStr(value), PythonTypeName(value), path);
}

Result<Node> ToInt(std::string_view path, const Node& value) {
  if (value.kind == NodeKind::kInt) return value;
  if (value.is_string()) {
    if (const auto number = ListIndex(value.text))
      return Node::Int(*number, value.place);
  }
  return UsageError(
      "Value '{}' of type '{}' could not be converted to "
      "Integer\n    full_key: {}",
      PythonStr(value), PythonTypeName(value), path);
}

Result<Node> Convert(const Field& field, const Node& value) {
  const std::string_view path = field.path;
  if (value.is_interpolation() || value.is_missing()) return value;
  switch (field.type) {
    case Type::kAny:
      if (field.open && !value.is_map()) {
        if (field.path == "hydra.launcher" || field.path == "hydra.sweeper" ||
            field.path == "hydra.env" || value.is_null())
          return value;
        return UsageError("'{}' is a map, not '{}'", path, PythonStr(value));
      }
      return value;
    case Type::kTextOrNull:
      if (value.is_null()) return value;
      return ToText(path, value);
    case Type::kText:
      return ToText(path, value);
    case Type::kBoolOrNull:
      if (value.is_null()) return value;
      return ToBool(path, value);
    case Type::kInt:
      return ToInt(path, value);
    case Type::kMode:
      if (value.is_null() || value.text == "RUN" || value.text == "MULTIRUN")
        return value;
      return UsageError(
          "Invalid value '{}', expected one of [RUN, "
          "MULTIRUN]",
          PythonStr(value));
    case Type::kTexts: {
      if (value.is_null())
        return UsageError("field '{}' is not Optional", path);
      if (!value.is_list())
        return UsageError("'{}' is a list, not '{}'", path, PythonStr(value));
      Node out = Node::List(value.place);
      for (const Node& item : value.items) {
        out.items.push_back(item.is_interpolation() ? item
                                                    : TRY(ToText(path, item)));
      }
      return out;
    }
  }
  return value;
}

}  // namespace

Result<Node> ConvertHydraValue(std::string_view path, const Node& value,
                               bool unknown_ok) {
  if (Holder(path) != nullptr) return value;
  if (const Field* field = FindField(path)) return Convert(*field, value);
  if (!IsInnerNode(path) && path != "hydra") {
    if (unknown_ok) return value;
    std::vector<std::string> names;
    for (const Field& known : kFields) names.emplace_back(known.path);
    return UsageError("Key '{}' not in 'HydraConf'\n    full_key: {}{}",
                      path.substr(path.rfind('.') + 1), path,
                      DidYouMeanLine(path, names));
  }
  if (value.is_interpolation()) return value;
  if (value.is_null() || !value.is_map()) {
    return UsageError("'{}' is a map of Hydra's own, not '{}'", path,
                      PythonStr(value));
  }
  Node out = Node::Map(value.place);
  for (const Entry& entry : value.entries) {
    out.Set(entry.key, TRY(ConvertHydraValue(
                           std::string(path) + "." + PythonStr(entry.key),
                           entry.value, unknown_ok)));
  }
  return out;
}

bool IsHydraField(std::string_view path) {
  return path == "hydra" || FindField(path) != nullptr || IsInnerNode(path);
}

}  // namespace rangefinder
