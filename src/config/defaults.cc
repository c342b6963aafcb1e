#include "config/defaults.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "config/defaults_item.h"

namespace rangefinder {
namespace {

constexpr int kDeepest = 50;
constexpr std::size_t kMostFiles = 2000;

Error Fail(std::string message) {
  return Error(ErrorCode::kUsage, std::move(message));
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
          return Fail(
              fmt::format("force-add of config groups is not supported: "
                          "'{0}'\nuse one '+': {1}",
                          override_.input(), override_.input().substr(1)));
        case Override::Type::kDelete: {
          Deletion deletion;
          if (override_.has_value && !value.is_null()) {
            if (!value.is_string()) {
              return Fail(
                  fmt::format("Config group override deletion value "
                              "must be a string : '{}'",
                              override_.input()));
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
        std::string message = fmt::format(
            "Config group override must be a string or a list. Got {}\n"
            "  in '{}'",
            PythonTypeName(value), override_.input());
        const auto options = sources_.Options(override_.key);
        if (!options.empty()) {
          message += fmt::format("\nAvailable options in '{}':", override_.key);
          for (const std::string& option : options) message += "\n\t" + option;
        }
        return Fail(std::move(message));
      }
      DefaultEntry entry{.is_group = true,
                         .path = override_.key,
                         .package = override_.package,
                         .place = value.place};
      TRY(SetValue(entry, value, override_.input()));
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
    // The primary file first: what it overrides reaches Hydra's own.
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
        return Fail(fmt::format(
            "{0} appears more than once in the final defaults list\n"
            "Give one of them a package of its own: '{0}@some.place: ...'",
            config.key));
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
    DefaultEntry entry{};  // its value is what counts
    bool external = false;
    bool used = false;
    std::string from{};  // the config with the `override`
  };

  static Status SetValue(DefaultEntry& entry, const Node& value,
                         const std::string& input) {
    if (value.is_string()) {
      entry.value = DefaultEntry::Value::kOption;
      entry.option = value.text;
      return Ok();
    }
    entry.value = DefaultEntry::Value::kList;
    for (const Node& item : value.items) {
      if (!item.is_string()) {
        return Fail(
            fmt::format("Unsupported item value in defaults : {}, nested "
                        "list items must be strings\n  in '{}'",
                        PythonTypeName(item), input));
      }
      entry.options.push_back(item.text);
    }
    return Ok();
  }

  // Loads `item` and all below it.
  Status Expand(DefaultItem& item, const DefaultItem* parent, bool interpolated,
                int depth) {
    if (depth > kDeepest || ++files_ > kMostFiles) {
      return Fail(
          fmt::format("'{}': the defaults lists refer to each other "
                      "without end",
                      item.ConfigPath()));
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
      return Fail(
          fmt::format("primary config '{}' must be a DictConfig, got "
                      "ListConfig",
                      item.ConfigPath()));
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
    // A list of nothing but overrides leaves a leaf, whose content counts.
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
        return Fail(fmt::format("Duplicate _self_ defined in {}\n  at {}", path,
                                Describe(entry.place)));
      }
      has_self = true;
    }
    if (has_self || (!has_normal && !defaults.empty())) return Ok();
    if (path.empty()) return Ok();
    if (parent.primary && has_normal) {
      const auto file = sources_.Load(path);
      if (file.ok() && file.value() != nullptr &&
          !file.value()->tree.entries.empty()) {
        list_.warnings.push_back(fmt::format(
            "In '{}': Defaults list is missing `_self_`; the file's own values "
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
        return Fail(fmt::format(
            "In {}: Override '{} : {}' is defined before '{}: {}'.\n"
            "Overrides must be at the end of the defaults list\n  at {}",
            path, last->Key(), ValueText(last->entry),
            item.entry.is_group ? item.Key() : item.ConfigPath(),
            ValueText(item.entry), Describe(item.entry.place)));
      }
      if (!item.entry.override_) continue;
      if (interpolated) {
        return Fail(fmt::format(
            "{}: Default List Overrides are not allowed in the subtree\n"
            "of an in interpolated config group (override {}={}).",
            path, item.Key(), ValueText(item.entry)));
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
        return Fail(
            fmt::format("In '{}': Defaults List interpolation is not "
                        "supported in options list items",
                        path));
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
    // `group: []` still is an entry: the file is no leaf.
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
      return Fail(fmt::format(
          "Defaults list element '{}={}' is using a deprecated interpolation "
          "form.\nName the group: ${{group}}",
          item.Key(), text));
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
      return Fail(fmt::format(
          "Error resolving interpolation '{}'{}\n  at {}", text,
          names.empty() ? "" : ", possible interpolation keys: " + names,
          Describe(item.entry.place)));
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
      return Fail(fmt::format(
          "Multiple values for {0}. To override a value use 'override {0}: "
          "{1}'\nOn the command line: {0}={1}",
          key, known.value_or("null")));
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
        std::string names;
        for (const std::string& name : known->second)
          names += (names.empty() ? "" : ", ") + name;
        message += fmt::format("\nDid you mean to override one of {}?", names);
      }
      if (!choice.external)
        message = fmt::format("In '{}': {}", choice.from, message);
      else
        message += fmt::format("\nTo append to your default list use +{}={}",
                               key, ValueText(choice.entry));
      return Fail(std::move(message));
    }
    for (const auto& [key, deletion] : deletions_) {
      if (deletion.used) continue;
      return Fail(
          fmt::format("Could not delete '{}{}'. No match in the defaults list",
                      key, deletion.option ? "=" + *deletion.option : ""));
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
