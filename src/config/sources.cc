#include "config/sources.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "config/interpolation.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

Error Fail(std::string message) {
  return Error(ErrorCode::kUsage, std::move(message));
}

std::string FileName(const std::string& path) {
  return path.ends_with(".yaml") ? path : path + ".yaml";
}

// The value of the leading "# @package NAME" line, if any.
Result<std::optional<std::string>> ReadHeader(std::string_view text) {
  // Hydra reads this much and no more.
  constexpr std::size_t kHeader = 512;
  std::optional<std::string> package;
  for (const std::string& raw : Split(text.substr(0, kHeader), '\n')) {
    std::string_view line = Trim(raw);
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.empty()) continue;
    if (line[0] != '#') break;
    const std::string_view words = Trim(line.substr(1));
    if (!words.starts_with('@')) break;
    std::vector<std::string> parts = Split(words, ' ');
    std::erase(parts, "");
    if (parts.size() < 2)
      return Fail(
          fmt::format("Expected header format: KEY VALUE, got '{}'", words));
    if (parts.size() > 2)
      return Fail(fmt::format("Too many components in '{}'", words));
    if (parts[0] == "@package") package = std::string(Trim(parts[1]));
  }
  return package;
}

void SplitPackage(DefaultEntry& entry) {
  const std::size_t at = entry.path.find('@');
  if (at == std::string::npos) return;
  entry.package = entry.path.substr(at + 1);
  entry.path.resize(at);
}

Result<DefaultEntry> ReadGroupEntry(const std::string& path, const Node& item) {
  if (item.entries.size() > 1) {
    return Fail(
        fmt::format("In {}: Too many keys in default item {}\n  at {}\n"
                    "Each item of a defaults list has one 'group: "
                    "option'",
                    path, PythonRepr(item), Describe(item.place)));
  }
  if (item.entries.empty()) {
    return Fail(fmt::format("In {}: Missing group name in {{}}\n  at {}", path,
                            Describe(item.place)));
  }
  const Entry& only = item.entries[0];
  DefaultEntry out{.is_group = true, .place = only.key.place};
  std::vector<std::string> words = Split(PythonStr(only.key), ' ');
  std::erase(words, "");
  if (words.empty()) words.emplace_back();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "optional") {
      out.optional = true;
    } else if (words[i] == "override") {
      out.override_ = true;
    } else {
      return ErrorAt(only.key.place,
                     fmt::format("'{}' cannot stand before a group: expected "
                                 "'optional' or 'override'",
                                 Printable(words[i])),
                     PythonStr(only.key).size());
    }
  }
  out.path = words.back();
  SplitPackage(out);
  const Node& value = only.value;
  const auto unsupported = [&](const Node& node, std::string_view expected) {
    return Fail(
        fmt::format("Unsupported item value in defaults : {}{}\n  at {}",
                    PythonTypeName(node), expected, Describe(node.place)));
  };
  if (value.is_null()) return out;
  if (value.is_string()) {
    out.value = DefaultEntry::Value::kOption;
    out.option = value.text;
  } else if (value.is_list()) {
    out.value = DefaultEntry::Value::kList;
    for (const Node& option : value.items) {
      if (!option.is_string())
        return unsupported(option, ", nested list items must be strings");
      out.options.push_back(option.text);
    }
  } else {
    return unsupported(value, ". Supported: string or list");
  }
  return out;
}

Result<std::vector<DefaultEntry>> ReadDefaults(const std::string& path,
                                               const Node& defaults) {
  if (!defaults.is_list()) {
    return Fail(fmt::format(
        "Invalid defaults list in '{}', defaults must be a "
        "list (got {})\n  at {}",
        path, defaults.is_map() ? "mapping" : PythonTypeName(defaults),
        Describe(defaults.place)));
  }
  std::vector<DefaultEntry> out;
  for (const Node& item : defaults.items) {
    if (item.is_map()) {
      out.push_back(TRY(ReadGroupEntry(path, item)));
    } else if (item.is_string()) {
      DefaultEntry entry{.path = item.text, .place = item.place};
      SplitPackage(entry);
      if (entry.is_self() && entry.package)
        return Fail(fmt::format("_self_@PACKAGE is not supported\n  at {}",
                                Describe(item.place)));
      out.push_back(std::move(entry));
    } else {
      return Fail(fmt::format("Unsupported type in defaults : {}\n  at {}",
                              PythonTypeName(item), Describe(item.place)));
    }
  }
  return out;
}

// Calls visit(relative path) for every file of an in-memory layer.
template <typename Layer, typename Visit>
void ForEachFile(const Layer& layer, const Visit& visit) {
  for (const auto& [path, text] : layer.texts) visit(std::string_view(path));
  for (const EmbeddedFile& file : layer.files) visit(file.path);
}

// Calls visit(name, is_folder) for what lies in the folder of a group; folders
// of an in-memory layer as often as they have files.
template <typename Layer, typename Visit>
void ForEachBelow(const Layer& layer, const std::string& group,
                  const Visit& visit) {
  if (layer.directory) {
    std::error_code error;
    for (const auto& entry :
         fs::directory_iterator(*layer.directory / group, error)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory(error))
        visit(std::string_view(name), true);
      else if (entry.is_regular_file(error))
        visit(std::string_view(name), false);
    }
    return;
  }
  const std::string prefix = group.empty() ? "" : group + "/";
  ForEachFile(layer, [&](std::string_view path) {
    if (!path.starts_with(prefix)) return;
    const std::string_view name = path.substr(prefix.size());
    const std::size_t slash = name.find('/');
    visit(name.substr(0, slash), slash != std::string_view::npos);
  });
}

}  // namespace

Result<ConfigFile> ParseConfigFile(const std::string& path,
                                   std::shared_ptr<const Source> source) {
  ConfigFile out{.path = path};
  out.tree = TRY(ReadYaml(source));
  Result<std::optional<std::string>> header = ReadHeader(source->text);
  if (!header.ok()) {
    return Fail(
        fmt::format("{}\n  at {}:1", header.error().message(), source->name));
  }
  out.package = std::move(header).value();
  if (const Node* defaults = out.tree.Find("defaults")) {
    out.defaults = TRY(ReadDefaults(path, *defaults));
    out.tree.Erase("defaults");
  }
  TRY(ValidateInterpolations(out.tree));
  return out;
}

void ConfigSources::AddDirectory(const fs::path& directory) {
  Layer layer;
  layer.name = directory.string();
  layer.directory = directory;
  layers_.push_back(std::move(layer));
  loaded_.clear();
}

void ConfigSources::AddEmbedded(std::string name,
                                std::span<const EmbeddedFile> files) {
  Layer layer;
  layer.name = std::move(name);
  layer.files = files;
  layers_.push_back(std::move(layer));
  loaded_.clear();
}

void ConfigSources::AddTexts(
    std::string name, std::map<std::string, std::string, std::less<>> texts) {
  Layer layer;
  layer.name = std::move(name);
  layer.texts = std::move(texts);
  layers_.push_back(std::move(layer));
  loaded_.clear();
}

void ConfigSources::Append(ConfigSources other) {
  for (Layer& layer : other.layers_) layers_.push_back(std::move(layer));
  loaded_.clear();
}

bool ConfigSources::GroupExists(const std::string& group) const {
  if (group.empty()) return false;
  return std::ranges::any_of(layers_, [&](const Layer& layer) {
    std::error_code error;
    if (layer.directory)
      return fs::is_directory(*layer.directory / group, error);
    bool found = false;
    ForEachFile(layer, [&](std::string_view path) {
      found |= path.starts_with(group + "/");
    });
    return found;
  });
}

Result<const ConfigFile*> ConfigSources::Load(const std::string& path) {
  const auto known = loaded_.find(path);
  if (known != loaded_.end())
    return static_cast<const ConfigFile*>(known->second.get());
  const std::string file = FileName(path);
  auto source = std::make_shared<Source>();
  bool found = false;
  std::string layer_name;
  for (const Layer& layer : layers_) {
    std::error_code error;
    if (layer.directory) {
      const fs::path full = *layer.directory / file;
      if (!fs::is_regular_file(full, error)) continue;
      source->name = full.string();
      source->text = TRY(ReadFile(full));
      found = true;
    } else {
      const auto text = layer.texts.find(file);
      if (text != layer.texts.end()) {
        source->text = text->second;
        found = true;
      }
      for (const EmbeddedFile& embedded : layer.files) {
        if (embedded.path != file) continue;
        source->text = embedded.content();
        found = true;
      }
      source->name = layer.name + "/" + file;
    }
    if (found) {
      layer_name = layer.name;
      break;
    }
  }
  if (!found) {
    loaded_[path] = nullptr;
    return static_cast<const ConfigFile*>(nullptr);
  }
  const std::string name =
      path.ends_with(".yaml") ? path.substr(0, path.size() - 5) : path;
  ConfigFile parsed = TRY(ParseConfigFile(name, std::move(source)));
  parsed.layer = std::move(layer_name);
  return static_cast<const ConfigFile*>(
      (loaded_[path] = std::make_unique<ConfigFile>(std::move(parsed))).get());
}

std::vector<std::string> ConfigSources::Options(
    const std::string& group) const {
  constexpr std::string_view kSuffix = ".yaml";
  std::set<std::string> out;
  for (const Layer& layer : layers_) {
    ForEachBelow(layer, group, [&](std::string_view name, bool is_folder) {
      if (!is_folder && name.ends_with(kSuffix))
        out.emplace(name.substr(0, name.size() - kSuffix.size()));
    });
  }
  return {out.begin(), out.end()};
}

std::vector<std::string> ConfigSources::Groups(const std::string& group) const {
  std::set<std::string> out;
  for (const Layer& layer : layers_) {
    ForEachBelow(layer, group, [&](std::string_view name, bool is_folder) {
      if (is_folder) out.emplace(name);
    });
  }
  return {out.begin(), out.end()};
}

std::vector<std::string> ConfigSources::Describe() const {
  std::vector<std::string> out;
  for (const Layer& layer : layers_) out.push_back(layer.name);
  return out;
}

}  // namespace rangefinder
