// One entry of a defaults list in its place in the tree of files: which path,
// package and key it has there. config/defaults.cc walks the tree.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/sources.h"

namespace rangefinder {

// An entry of a defaults list in its place in the tree.
struct DefaultItem {
  DefaultEntry entry{};
  bool primary = false;
  bool appended = false;  // by +group=option
  bool dropped = false;   // deleted, or optional and not there
  std::string base_dir{};
  std::string parent_package{};
  std::optional<std::string> header{};
  std::vector<DefaultItem> children;  // empty: a leaf

  std::string RelativeGroup() const;
  std::string GroupPath() const;
  std::string ConfigPath() const;
  std::string FinalPackage(bool with_header = true) const;
  // What `override`, the command line and `~` name it by.
  std::string Key() const;
  bool is_interpolation() const;
};

// The option of an entry, for messages.
std::string ValueText(const DefaultEntry& entry);

// The file of an entry is not there; `parent` asked for it.
Error ConfigNotFound(const DefaultItem& item, const DefaultItem* parent,
                     const ConfigSources& sources);

// `group: ???` was not overridden.
Error MustSpecify(const DefaultItem& item, const ConfigSources& sources);

}  // namespace rangefinder
