#include "config/sources.h"

#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "config/interpolation.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

std::string FileName(const std::string& path) {
  return path.ends_with(".yaml") ? path : path + ".yaml";
}

// The package in the leading "# @package NAME" line; nothing without the line.
Result<std::optional<std::string>> ReadHeader(std::string_view text) {
  // The bytes that Hydra reads.
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
      return UsageError("Expected header format: KEY VALUE, got '{}'", words);
    if (parts.size() > 2)
      return UsageError("Too many components in '{}'", words);
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
    return UsageError(
        "In {}: Too many keys in default item {}\n  at {}\n"
        "Each item of a defaults list has one 'group: "
        "option'",
        path, PythonRepr(item), Describe(item.place));
  }
  if (item.entries.empty()) {
    return UsageError("In {}: Missing group name in {{}}\n  at {}", path,
                      Describe(item.place));
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
    return UsageError("Unsupported item value in defaults : {}{}\n  at {}",
                      PythonTypeName(node), expected, Describe(node.place));
  };
  if (value.is_null()) return out;
  if (!value.is_string() && !value.is_list())
    return unsupported(value, ". Supported: string or list");
  if (const Node* bad = out.Take(value))
    return unsupported(*bad, ", nested list items must be strings");
  return out;
}

Result<std::vector<DefaultEntry>> ReadDefaults(const std::string& path,
                                               const Node& defaults) {
  if (!defaults.is_list()) {
    return UsageError(
        "Invalid defaults list in '{}', defaults must be a "
        "list (got {})\n  at {}",
        path, defaults.is_map() ? "mapping" : PythonTypeName(defaults),
        Describe(defaults.place));
  }
  std::vector<DefaultEntry> out;
  for (const Node& item : defaults.items) {
    if (item.is_map()) {
      out.push_back(TRY(ReadGroupEntry(path, item)));
    } else if (item.is_string()) {
      DefaultEntry entry{.path = item.text, .place = item.place};
      SplitPackage(entry);
      if (entry.is_self() && entry.package)
        return UsageError("_self_@PACKAGE is not supported\n  at {}",
                          Describe(item.place));
      out.push_back(std::move(entry));
    } else {
      return UsageError("Unsupported type in defaults : {}\n  at {}",
                        PythonTypeName(item), Describe(item.place));
    }
  }
  return out;
}

// Whether a path of a defaults list leads out of the folder that it is in.
bool LeadsOut(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.is_absolute() || (!normal.empty() && *normal.begin() == "..");
}

// Whether the system refuses to say what is there.
bool IsDenied(const std::error_code& error) {
  return error == std::errc::permission_denied;
}

bool CanSearch(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / ".", error);
}

// `path`: "db/mysql".
Result<ConfigFile> ParseConfigFile(
    const std::string& path, const std::shared_ptr<const Source>& source) {
  ConfigFile out;
  out.tree = TRY(ReadYaml(source));
  Result<std::optional<std::string>> header = ReadHeader(source->text);
  if (!header.ok()) {
    return UsageError("{}\n  at {}:1", header.error().message(), source->name);
  }
  out.package = std::move(header).value();
  if (const Node* defaults = out.tree.Find("defaults")) {
    out.defaults = TRY(ReadDefaults(path, *defaults));
    out.tree.Erase("defaults");
  }
  TRY(ValidateInterpolations(out.tree));
  return out;
}

}  // namespace

const Node* DefaultEntry::Take(const Node& chosen) {
  if (chosen.is_string()) {
    value = Value::kOption;
    option = chosen.text;
    return nullptr;
  }
  value = Value::kList;
  for (const Node& item : chosen.items) {
    if (!item.is_string()) return &item;
    options.push_back(item.text);
  }
  return nullptr;
}

void ConfigSources::AddDirectory(const fs::path& directory, bool confined) {
  layers_.push_back({.name = directory.string(),
                     .directory = directory,
                     .confined = confined});
  loaded_.clear();
}

void ConfigSources::AddEmbedded(std::string name,
                                std::span<const EmbeddedFile> files) {
  Texts texts;
  for (const EmbeddedFile& file : files)
    texts.emplace(file.path, file.content());
  AddTexts(std::move(name), std::move(texts));
  layers_.back().embedded = true;
}

void ConfigSources::AddTexts(std::string name, Texts texts) {
  layers_.push_back({.name = std::move(name), .texts = std::move(texts)});
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
    if (layer.directory && layer.confined && LeadsOut(group)) return false;
    if (layer.directory)
      return fs::is_directory(*layer.directory / group, error) ||
             (IsDenied(error) && CanSearch(*layer.directory));
    const auto first = layer.texts.lower_bound(group + "/");
    return first != layer.texts.end() && first->first.starts_with(group + "/");
  });
}

Result<std::shared_ptr<const Source>> ConfigSources::Find(
    const std::string& file, std::string& layer_name) const {
  for (const Layer& layer : layers_) {
    layer_name = layer.name;
    std::error_code error;
    if (layer.directory) {
      if (layer.confined && LeadsOut(file)) continue;
      const fs::path full = *layer.directory / file;
      const bool is_file = fs::is_regular_file(full, error);
      if (IsDenied(error)) {
        return Error(ErrorCode::kSystem, "cannot open: " + error.message())
            .In(full.string());
      }
      if (!is_file) continue;
      std::string text = TRY(ReadFile(full));
      return std::make_shared<const Source>(
          Source{.name = full.string(), .text = std::move(text)});
    }
    const auto text = layer.texts.find(file);
    if (text == layer.texts.end()) continue;
    return std::make_shared<const Source>(
        Source{.name = layer.name + "/" + file,
               .text = text->second,
               .embedded = layer.embedded});
  }
  return std::shared_ptr<const Source>();
}

Result<const ConfigFile*> ConfigSources::Load(const std::string& path) {
  const auto known = loaded_.find(path);
  if (known != loaded_.end())
    return static_cast<const ConfigFile*>(known->second.get());
  std::string layer;
  const std::shared_ptr<const Source> source = TRY(Find(FileName(path), layer));
  std::unique_ptr<ConfigFile> loaded;
  if (source != nullptr) {
    const std::string name =
        path.ends_with(".yaml") ? path.substr(0, path.size() - 5) : path;
    ConfigFile parsed = TRY(ParseConfigFile(name, source));
    parsed.layer = std::move(layer);
    loaded = std::make_unique<ConfigFile>(std::move(parsed));
  }
  return static_cast<const ConfigFile*>(
      (loaded_[path] = std::move(loaded)).get());
}

std::set<std::string> ConfigSources::Below(const std::string& group,
                                           bool folders) const {
  std::set<std::string> names;
  const std::string prefix = group.empty() ? "" : group + "/";
  for (const Layer& layer : layers_) {
    for (const auto& [path, text] : layer.texts) {
      if (!path.starts_with(prefix)) continue;
      const std::size_t slash = path.find('/', prefix.size());
      if ((slash != std::string::npos) == folders)
        names.insert(path.substr(prefix.size(), slash - prefix.size()));
    }
    if (!layer.directory || (layer.confined && LeadsOut(group))) continue;
    std::error_code error;
    for (const fs::path& path : PathsIn(*layer.directory / group)) {
      if (folders ? fs::is_directory(path, error)
                  : fs::is_regular_file(path, error))
        names.insert(path.filename().string());
    }
  }
  return names;
}

std::vector<std::string> ConfigSources::Options(
    const std::string& group) const {
  constexpr std::string_view kSuffix = ".yaml";
  std::set<std::string> out;  // another order than with the suffix
  for (const std::string& name : Below(group, false)) {
    if (name.ends_with(kSuffix))
      out.emplace(name.substr(0, name.size() - kSuffix.size()));
  }
  return {out.begin(), out.end()};
}

std::vector<std::string> ConfigSources::Groups(const std::string& group) const {
  const std::set<std::string> names = Below(group, true);
  return {names.begin(), names.end()};
}

std::vector<std::string> ConfigSources::Describe() const {
  std::vector<std::string> out;
  for (const Layer& layer : layers_) out.push_back(layer.name);
  return out;
}

}  // namespace rangefinder
