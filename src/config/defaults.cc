#include "config/defaults.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

constexpr int kDeepestDefaults = 50;
constexpr std::size_t kMostFiles = 2000;

std::string Dotted(std::string path) {
  std::ranges::replace(path, '/', '.');
  return path;
}

std::string JoinWith(char separator, const std::string& a,
                     const std::string& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return a + separator + b;
}

// An entry of a defaults list in its place in the tree of files.
struct DefaultItem {
  DefaultEntry entry{};
  bool primary = false;
  bool appended = false;  // by +group=option
  bool dropped = false;   // deleted, or optional and not there
  std::string base_dir{};
  std::string parent_package{};
  std::optional<std::string> header{};  // of its file: "# @package"
  std::vector<DefaultItem> children{};  // empty: a leaf

  std::string RelativeGroup() const {
    std::string path = entry.path;
    if (path.starts_with('/')) path.erase(0, 1);
    if (entry.is_group) return path;
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
  }

  std::string GroupPath() const {
    if (entry.path.starts_with('/')) return RelativeGroup();
    return JoinWith('/', base_dir, RelativeGroup());
  }

  std::string ConfigPath() const {
    if (entry.is_group) return GroupPath() + "/" + entry.option;
    if (entry.path.starts_with('/')) return entry.path.substr(1);
    return JoinWith('/', base_dir, entry.path);
  }

  std::string FinalPackage(bool with_header = true) const {
    std::string own = Dotted(RelativeGroup());
    if (entry.package) {
      own = *entry.package;
      if (own == "_here_") own.clear();
      constexpr std::string_view kGroup = "_group_";
      const std::size_t at = own.find(kGroup);
      if (at != std::string::npos)
        own.replace(at, kGroup.size(), Dotted(GroupPath()));
    } else if (with_header && header) {
      own = "_global_." + *header;  // absolute
    }
    const std::string full = JoinWith('.', parent_package, own);
    constexpr std::string_view kGlobal = "_global_";
    const std::size_t at = full.rfind(kGlobal);
    if (at == std::string::npos) return full;
    return full.substr(std::min(
        full.find_first_not_of('.', at + kGlobal.size()), full.size()));
  }

  // The name by which `override`, the command line and `~` refer to it.
  std::string Key() const {
    const std::string package = FinalPackage(false);
    const std::string group = GroupPath();
    if (package == Dotted(group)) return group;
    return group + "@" + (package.empty() ? "_global_" : package);
  }

  bool is_interpolation() const {
    const std::string& text = entry.is_group ? entry.option : entry.path;
    return text.find("${") != std::string::npos;
  }
};

std::string ValueText(const DefaultEntry& entry) {
  switch (entry.value) {
    case DefaultEntry::Value::kNull:
      return entry.is_group ? "None" : "";
    case DefaultEntry::Value::kOption:
      return entry.option;
    case DefaultEntry::Value::kList:
      return fmt::format("[{}]", fmt::join(entry.options, ", "));
  }
  return {};
}

// "\nAvailable options in 'db':\n\tmysql\n\tpostgresql"; empty without options.
// `where`: " in 'db'".
std::string OptionsText(std::string_view where,
                        const std::vector<std::string>& options) {
  if (options.empty()) return {};
  return fmt::format("\nAvailable options{}:\n\t{}", where,
                     fmt::join(options, "\n\t"));
}

Error MustSpecify(const DefaultItem& item, const ConfigSources& sources) {
  return UsageError("You must specify '{0}', e.g, {0}=<OPTION>{1}", item.Key(),
                    OptionsText("", sources.Options(item.GroupPath())));
}

Error ConfigNotFound(const DefaultItem& item, const DefaultItem* parent,
                     const ConfigSources& sources) {
  std::string message;
  if (item.primary) {
    message = fmt::format(
        "Cannot find primary config '{}'. Check that it's in "
        "your config search path.{}\n",
        item.ConfigPath(),
        DidYouMeanLine(item.ConfigPath(), sources.Options("")));
  } else if (item.entry.is_group) {
    const auto options = sources.Options(item.GroupPath());
    message = fmt::format("Could not find '{}'{}\n", item.ConfigPath(),
                          DidYouMeanLine(item.entry.option, options));
    message += OptionsText(fmt::format(" in '{}'", item.GroupPath()), options);
    if (!options.empty()) message += '\n';
  } else {
    message = fmt::format("Could not load '{}'.\n", item.ConfigPath());
  }
  if (parent != nullptr)
    message = fmt::format("In '{}': {}", parent->ConfigPath(), message);
  if (item.entry.place.line > 0)
    message += fmt::format("Asked for at {}\n", Describe(item.entry.place));
  message += fmt::format("Config search path:\n\t{}",
                         fmt::join(sources.Describe(), "\n\t"));
  return UsageError("{}", message);
}

class Builder {
 public:
  Builder(ConfigSources& sources, const Surroundings& surroundings)
      : sources_(sources), around_(surroundings) {}

  Status ReadOverrides(const std::vector<Override>& overrides) {
    for (const Override& override_ : overrides) {
      const Node& value = override_.value;
      if (value.is_map() || !sources_.GroupExists(override_.key)) {
        list_.config_overrides.push_back(&override_);
        continue;
      }
      const std::string key = override_.KeyElement();
      switch (override_.type) {
        case Override::Type::kForceAdd:
          return UsageError(
              "force-add of config groups is not supported: "
              "'{0}'\nuse one '+': {1}",
              override_.input(), override_.input().substr(1));
        case Override::Type::kDelete: {
          Deletion deletion;
          if (override_.has_value && !value.is_null()) {
            if (!value.is_string()) {
              return UsageError(
                  "Config group override deletion value "
                  "must be a string : '{}'",
                  override_.input());
            }
            deletion.option = value.text;
          }
          deletions_[key] = deletion;
          continue;
        }
        default:
          break;
      }
      if (!value.is_string() && !value.is_list()) {
        return UsageError(
            "Config group override must be a string or a list. Got {}\n"
            "  in '{}'{}",
            PythonTypeName(value), override_.input(),
            OptionsText(fmt::format(" in '{}'", override_.key),
                        sources_.Options(override_.key)));
      }
      DefaultEntry entry{.is_group = true,
                         .path = override_.key,
                         .package = override_.package,
                         .place = value.place};
      if (const Node* bad = entry.Take(value)) {
        return UsageError(
            "Unsupported item value in defaults : {}, nested "
            "list items must be strings\n  in '{}'",
            PythonTypeName(*bad), override_.input());
      }
      if (override_.type == Override::Type::kAdd) {
        appended_.push_back(std::move(entry));
      } else {
        choices_[key] = {.entry = entry, .external = true};
        choice_order_.push_back(key);
      }
    }
    return Ok();
  }

  Result<DefaultsList> Build(const std::optional<std::string>& config_name) {
    // The primary file first, since its overrides apply to Hydra's own files
    // too.
    DefaultItem primary;
    primary.primary = true;
    if (config_name) {
      primary.entry.path = *config_name;
      TRY(Expand(primary, nullptr, false, 0));
    } else {
      TRY(ExpandChildren(primary, {}, std::string(), false, 0));
    }
    DefaultItem hydra;
    hydra.entry.path = "hydra/config";
    TRY(Expand(hydra, nullptr, false, 0));
    TRY(CheckUsed());
    Flatten(hydra, nullptr);
    if (config_name || !primary.children.empty()) Flatten(primary, nullptr);
    std::set<std::string> keys;
    for (const MountedConfig& config : list_.configs) {
      if (config.is_self || config.key.empty()) continue;
      if (!keys.insert(config.key).second) {
        return UsageError(
            "{0} appears more than once in the final defaults list\n"
            "Give one of them a package of its own: '{0}@some.place: ...'",
            config.key);
      }
    }
    return std::move(list_);
  }

 private:
  struct Deletion {
    std::optional<std::string> option{};
    bool used = false;
  };
  struct Choice {
    DefaultEntry entry{};  // only its value is used
    bool external = false;
    bool used = false;
    std::string from{};  // the file with the `override`
  };

  // Loads the file of `item` and all files below it.
  Status Expand(DefaultItem& item, const DefaultItem* parent, bool interpolated,
                int depth) {
    if (depth > kDeepestDefaults || ++files_ > kMostFiles) {
      return UsageError(
          "'{}': the defaults lists refer to each other "
          "without end",
          item.ConfigPath());
    }
    if (!item.primary && item.entry.is_group) {
      const std::string key = item.Key();
      const auto deletion = deletions_.find(key);
      if (deletion != deletions_.end() &&
          (!deletion->second.option ||
           *deletion->second.option == item.entry.option)) {
        deletion->second.used = true;
        item.dropped = true;
        return Ok();
      }
      TRY(SetKnownChoice(item));
      if (item.entry.value == DefaultEntry::Value::kNull) {
        item.dropped = true;
        return Ok();
      }
      if (item.entry.option == "???") return MustSpecify(item, sources_);
    }
    const ConfigFile* file = TRY(sources_.Load(item.ConfigPath()));
    if (file == nullptr) {
      if (item.entry.optional) {
        item.dropped = true;
        return Ok();
      }
      return ConfigNotFound(item, parent, sources_);
    }
    if (item.primary && !file->tree.is_map()) {
      return UsageError(
          "primary config '{}' must be a DictConfig, got "
          "ListConfig",
          item.ConfigPath());
    }
    item.header = file->package;
    return ExpandChildren(item, file->defaults, item.ConfigPath(), interpolated,
                          depth);
  }

  Status ExpandChildren(DefaultItem& parent, std::vector<DefaultEntry> defaults,
                        const std::string& path, bool interpolated, int depth) {
    TRY(AddSelf(parent, defaults, path));
    std::size_t own = defaults.size();
    if (parent.primary) {
      defaults.insert(defaults.end(), appended_.begin(), appended_.end());
    }
    const std::string base = parent.GroupPath();
    const std::string package = parent.FinalPackage();
    std::vector<DefaultItem> items;
    for (std::size_t i = 0; i < defaults.size(); ++i) {
      DefaultItem item;
      item.entry = defaults[i];
      item.appended = i >= own;
      item.base_dir = base;
      item.parent_package = package;
      items.push_back(std::move(item));
    }
    TRY(RegisterOverrides(items, path, interpolated));

    std::vector<DefaultItem> children;  // last to first
    for (auto it = items.rbegin(); it != items.rend(); ++it) {
      DefaultItem& item = *it;
      if (item.entry.is_self()) {
        children.push_back(std::move(item));
        continue;
      }
      if (item.entry.override_) continue;
      if (item.entry.is_group) UseChoice(item);
      if (item.entry.is_group &&
          item.entry.value == DefaultEntry::Value::kList) {
        TRY(ExpandList(item, children, parent, path, interpolated, depth));
        continue;
      }
      if (!item.is_interpolation())
        TRY(Expand(item, &parent, interpolated, depth + 1));
      children.push_back(std::move(item));
    }
    for (DefaultItem& child : children) {
      if (child.entry.is_self() || child.dropped || !child.children.empty() ||
          !child.is_interpolation())
        continue;
      TRY(ResolveItem(child));
      TRY(Expand(child, &parent, true, depth + 1));
    }
    std::ranges::reverse(children);
    // A file whose list has only overrides is a leaf.
    if (!children.empty()) parent.children = std::move(children);
    return Ok();
  }

  Status AddSelf(const DefaultItem& parent, std::vector<DefaultEntry>& defaults,
                 const std::string& path) {
    if (defaults.empty() && !(parent.primary && !appended_.empty()))
      return Ok();
    bool has_self = false;
    bool has_normal = false;
    for (const DefaultEntry& entry : defaults) {
      has_normal |= !entry.override_;
      if (!entry.is_self()) continue;
      if (has_self) {
        return UsageError("Duplicate _self_ defined in {}\n  at {}", path,
                          Describe(entry.place));
      }
      has_self = true;
    }
    if (has_self || (!has_normal && !defaults.empty())) return Ok();
    if (path.empty()) return Ok();
    if (parent.primary && has_normal) {
      const auto file = sources_.Load(path);
      if (file.ok() && file.value() != nullptr &&
          !file.value()->tree.entries.empty()) {
        list_.warnings.push_back(
            fmt::format("In '{}': Defaults list is missing `_self_`; the "
                        "file's own values "
                        "come last",
                        path));
      }
    }
    defaults.push_back({.path = "_self_"});
    return Ok();
  }

  Status RegisterOverrides(const std::vector<DefaultItem>& items,
                           const std::string& path, bool interpolated) {
    const DefaultItem* last = nullptr;
    for (const DefaultItem& item : items) {
      if (item.entry.is_self()) continue;
      if (last != nullptr && !item.entry.override_ && !item.appended) {
        return UsageError(
            "In {}: Override '{} : {}' is defined before '{}: {}'.\n"
            "Overrides must be at the end of the defaults list\n  at {}",
            path, last->Key(), ValueText(last->entry),
            item.entry.is_group ? item.Key() : item.ConfigPath(),
            ValueText(item.entry), Describe(item.entry.place));
      }
      if (!item.entry.override_) continue;
      if (interpolated) {
        return UsageError(
            "{}: Default List Overrides are not allowed in the subtree\n"
            "of an in interpolated config group (override {}={}).",
            path, item.Key(), ValueText(item.entry));
      }
      const std::string key = item.Key();
      if (!choices_.contains(key)) {
        choices_[key] = {.entry = item.entry, .from = path};
        choice_order_.push_back(key);
      }
      last = &item;
    }
    return Ok();
  }

  void UseChoice(DefaultItem& item) {
    const auto choice = choices_.find(item.Key());
    if (choice == choices_.end()) return;
    choice->second.used = true;
    item.entry.value = choice->second.entry.value;
    item.entry.option = choice->second.entry.option;
    item.entry.options = choice->second.entry.options;
  }

  Status ExpandList(const DefaultItem& item, std::vector<DefaultItem>& children,
                    const DefaultItem& parent, const std::string& path,
                    bool interpolated, int depth) {
    for (auto option = item.entry.options.rbegin();
         option != item.entry.options.rend(); ++option) {
      if (option->find("${") != std::string::npos) {
        return UsageError(
            "In '{}': Defaults List interpolation is not "
            "supported in options list items",
            path);
      }
      DefaultItem one;
      one.entry = {.path = item.entry.path + "/" + *option,
                   .package = item.entry.package,
                   .optional = item.entry.optional,
                   .place = item.entry.place};
      one.base_dir = item.base_dir;
      one.parent_package = item.parent_package;
      TRY(Expand(one, &parent, interpolated, depth + 1));
      children.push_back(std::move(one));
    }
    // A file with the entry `group: []` is no leaf.
    if (item.entry.options.empty()) {
      DefaultItem nothing = item;
      nothing.dropped = true;
      children.push_back(std::move(nothing));
    }
    return Ok();
  }

  Status ResolveItem(DefaultItem& item) {
    std::string& text =
        item.entry.is_group ? item.entry.option : item.entry.path;
    if (text.find("${defaults.") != std::string::npos) {
      return UsageError(
          "Defaults list element '{}={}' is using a deprecated interpolation "
          "form.\nName the group: ${{group}}",
          item.Key(), text);
    }
    const Node nothing = Node::Map();
    Resolver resolver(nothing, nullptr, around_);
    const Resolver::Choices choices =
        [this](const std::string& key) -> std::optional<std::string> {
      for (const auto& [name, option] : list_.choices) {
        if (name == key && option != "???") return option;
      }
      return std::nullopt;
    };
    Result<Node> value = resolver.WithChoices(text, choices);
    if (!value.ok()) {
      std::string names;
      for (const auto& [name, option] : list_.choices) {
        if (option == "???" || name.starts_with("hydra/")) continue;
        names += (names.empty() ? "" : ", ") + name;
      }
      return UsageError(
          "Error resolving interpolation '{}'{}\n  at {}", text,
          names.empty() ? "" : ", possible interpolation keys: " + names,
          Describe(item.entry.place));
    }
    text = PythonStr(value.value());
    return Ok();
  }

  Status SetKnownChoice(const DefaultItem& item) {
    const std::string key = item.Key();
    const std::optional<std::string> option =
        item.entry.value == DefaultEntry::Value::kNull
            ? std::nullopt
            : std::optional(item.entry.option);
    choices_by_group_[item.GroupPath()].insert(key);
    for (const auto& [name, known] : list_.choices) {
      if (name != key) continue;
      if (known == option) return Ok();
      return UsageError(
          "Multiple values for {0}. To override a value use 'override {0}: "
          "{1}'\nOn the command line: {0}={1}",
          key, known.value_or("null"));
    }
    list_.choices.emplace_back(key, option);
    return Ok();
  }

  Status CheckUsed() const {
    for (const std::string& key : choice_order_) {
      const Choice& choice = choices_.at(key);
      if (choice.used) continue;
      std::string message = fmt::format("Could not override '{}'.", key);
      const auto known = choices_by_group_.find(key.substr(0, key.find('@')));
      if (known == choices_by_group_.end()) {
        message += " No match in the defaults list.";
      } else if (known->second.size() == 1) {
        message += fmt::format("\nDid you mean to override {}?",
                               *known->second.begin());
      } else {
        message += fmt::format("\nDid you mean to override one of {}?",
                               fmt::join(known->second, ", "));
      }
      if (!choice.external)
        message = fmt::format("In '{}': {}", choice.from, message);
      else
        message += fmt::format("\nTo append to your default list use +{}={}",
                               key, ValueText(choice.entry));
      return UsageError("{}", message);
    }
    for (const auto& [key, deletion] : deletions_) {
      if (deletion.used) continue;
      return UsageError(
          "Could not delete '{}{}'. No match in the defaults list", key,
          deletion.option ? "=" + *deletion.option : "");
    }
    return Ok();
  }

  void Flatten(const DefaultItem& item, const DefaultItem* parent) {
    if (item.dropped) return;
    if (item.entry.is_self()) {
      list_.configs.push_back({.path = parent->ConfigPath(),
                               .package = parent->FinalPackage(),
                               .is_self = true,
                               .primary = parent->primary});
      return;
    }
    if (item.children.empty()) {
      list_.configs.push_back({.path = item.ConfigPath(),
                               .package = item.FinalPackage(),
                               .primary = item.primary,
                               .key = item.entry.is_group ? item.Key() : ""});
      return;
    }
    for (const DefaultItem& child : item.children) Flatten(child, &item);
  }

  ConfigSources& sources_;
  const Surroundings& around_;
  DefaultsList list_;
  std::map<std::string, Choice> choices_;
  std::vector<std::string> choice_order_;
  std::map<std::string, Deletion> deletions_;
  std::vector<DefaultEntry> appended_;
  std::map<std::string, std::set<std::string>> choices_by_group_;
  std::size_t files_ = 0;
};

}  // namespace

Result<DefaultsList> BuildDefaultsList(
    ConfigSources& sources, const std::optional<std::string>& config_name,
    const std::vector<Override>& overrides, const Surroundings& surroundings) {
  Builder builder(sources, surroundings);
  TRY(builder.ReadOverrides(overrides));
  return builder.Build(config_name);
}

}  // namespace rangefinder
