// The sources of configuration files: Hydra's own, the user's directories, the
// files embedded in the program. The first source that has a file wins.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
  // Takes an option or a list of options. Returns an item that is no string;
  // null: all items are strings.
  const Node* Take(const Node& chosen);
};

struct ConfigFile {
  std::string layer{};  // the source of the file
  Node tree{};          // without its defaults list
  std::vector<DefaultEntry> defaults{};
  std::optional<std::string> package{};  // of its "# @package" header
};

class ConfigSources {
 public:
  // `confined`: reads no file outside the folder, whatever an untrusted
  // defaults list names.
  void AddDirectory(const std::filesystem::path& directory,
                    bool confined = false);
  void AddEmbedded(std::string name, std::span<const EmbeddedFile> files);
  // Texts by path: "db/mysql.yaml".
  using Texts = std::map<std::string, std::string, std::less<>>;
  void AddTexts(std::string name, Texts texts);

  // Appends all layers of `other`.
  void Append(ConfigSources other);

  bool GroupExists(const std::string& group) const;
  // Null if no layer has the file.
  Result<const ConfigFile*> Load(const std::string& path);
  // The options of a group, or its groups, sorted.
  std::vector<std::string> Options(const std::string& group) const;
  std::vector<std::string> Groups(const std::string& group) const;
  // The names of the layers in the order of search.
  std::vector<std::string> Describe() const;

 private:
  struct Layer {
    std::string name{};
    std::optional<std::filesystem::path> directory{};
    bool confined = false;
    Texts texts{};  // if it has no directory
    bool embedded = false;
  };

  // The names of the files (with their ending), or the folders, in a group.
  std::set<std::string> Below(const std::string& group, bool folders) const;
  // The text of a file and the name of its layer; null if no layer has it.
  Result<std::shared_ptr<const Source>> Find(const std::string& file,
                                             std::string& layer_name) const;

  std::vector<Layer> layers_;
  std::map<std::string, std::unique_ptr<ConfigFile>>
      loaded_;  // null: no such file
};

}  // namespace rangefinder
