// Where configuration files come from: Hydra's own, the user's directories, the
// files embedded in the program. The first that has a file wins.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/embedded.h"
#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

// One entry of a defaults list, as written.
struct DefaultEntry {
  bool is_group = false;
  std::string path{};  // a group, or the path of a config
  std::optional<std::string> package{};
  enum class Value { kNull, kOption, kList };
  Value value = Value::kNull;
  std::string option{};
  std::vector<std::string> options{};
  bool optional = false;
  bool override_ = false;
  Place place{};

  bool is_self() const { return !is_group && path == "_self_"; }
};

struct ConfigFile {
  std::string path{};   // "db/mysql"
  std::string layer{};  // the directory it is from
  Node tree{};          // without its defaults list
  std::vector<DefaultEntry> defaults{};
  std::optional<std::string> package{};  // of its "# @package" header
};

class ConfigSources {
 public:
  // A directory of YAML files, or files embedded at build time.
  void AddDirectory(const std::filesystem::path& directory);
  void AddEmbedded(std::string name, std::span<const EmbeddedFile> files);
  // Files given as texts by path ("db/mysql.yaml").
  void AddTexts(std::string name,
                std::map<std::string, std::string, std::less<>> texts);

  // All layers of `other`, after those that are here.
  void Append(ConfigSources other);

  bool GroupExists(const std::string& group) const;
  // Null where no layer has it.
  Result<const ConfigFile*> Load(const std::string& path);
  // The options of a group, or its groups, sorted.
  std::vector<std::string> Options(const std::string& group) const;
  std::vector<std::string> Groups(const std::string& group) const;
  // The layers, first searched first, for messages.
  std::vector<std::string> Describe() const;

 private:
  struct Layer {
    std::string name{};
    std::optional<std::filesystem::path> directory{};
    std::map<std::string, std::string, std::less<>> texts{};
    std::span<const EmbeddedFile> files{};
  };

  std::vector<Layer> layers_;
  std::map<std::string, std::unique_ptr<ConfigFile>>
      loaded_;  // null: not there
};

// The text of one file as a ConfigFile.
Result<ConfigFile> ParseConfigFile(const std::string& path,
                                   std::shared_ptr<const Source> source);

}  // namespace rangefinder
