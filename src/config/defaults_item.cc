#include "config/defaults_item.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

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

}  // namespace

std::string DefaultItem::RelativeGroup() const {
  std::string path = entry.path;
  if (path.starts_with('/')) path.erase(0, 1);
  if (entry.is_group) return path;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string DefaultItem::GroupPath() const {
  if (entry.path.starts_with('/')) return RelativeGroup();
  return JoinWith('/', base_dir, RelativeGroup());
}

std::string DefaultItem::ConfigPath() const {
  if (entry.is_group) return GroupPath() + "/" + entry.option;
  if (entry.path.starts_with('/')) return entry.path.substr(1);
  return JoinWith('/', base_dir, entry.path);
}

std::string DefaultItem::FinalPackage(bool with_header) const {
  std::string own = Dotted(RelativeGroup());
  if (entry.package) {
    own = *entry.package;
    if (own == "_here_") own.clear();
    constexpr std::string_view kGroup = "_group_";
    const std::size_t at = own.find(kGroup);
    if (at != std::string::npos)
      own.replace(at, kGroup.size(), Dotted(GroupPath()));
  } else if (with_header && header) {
    own = "_global_." + *header;  // a header is counted from the root
  }
  const std::string full = JoinWith('.', parent_package, own);
  constexpr std::string_view kGlobal = "_global_";
  const std::size_t at = full.rfind(kGlobal);
  if (at == std::string::npos) return full;
  return full.substr(
      std::min(full.find_first_not_of('.', at + kGlobal.size()), full.size()));
}

std::string DefaultItem::Key() const {
  const std::string package = FinalPackage(false);
  const std::string group = GroupPath();
  if (package == Dotted(group)) return group;
  return group + "@" + (package.empty() ? "_global_" : package);
}

bool DefaultItem::is_interpolation() const {
  const std::string& text = entry.is_group ? entry.option : entry.path;
  return text.find("${") != std::string::npos;
}

std::string ValueText(const DefaultEntry& entry) {
  switch (entry.value) {
    case DefaultEntry::Value::kNull:
      return entry.is_group ? "None" : "";
    case DefaultEntry::Value::kOption:
      return entry.option;
    case DefaultEntry::Value::kList: {
      std::string out = "[";
      for (const std::string& option : entry.options)
        out += (out.size() > 1 ? ", " : "") + option;
      return out + "]";
    }
  }
  return {};
}

Error MustSpecify(const DefaultItem& item, const ConfigSources& sources) {
  std::string message =
      fmt::format("You must specify '{0}', e.g, {0}=<OPTION>", item.Key());
  const auto options = sources.Options(item.GroupPath());
  if (!options.empty()) message += "\nAvailable options:";
  for (const std::string& option : options) message += "\n\t" + option;
  return Error(ErrorCode::kUsage, std::move(message));
}

Error ConfigNotFound(const DefaultItem& item, const DefaultItem* parent,
                     const ConfigSources& sources) {
  std::string message;
  if (item.primary) {
    message = fmt::format(
        "Cannot find primary config '{}'. Check that it's in "
        "your config search path.\n",
        item.ConfigPath());
    if (const auto near = Nearest(item.ConfigPath(), sources.Options("")))
      message += fmt::format("Did you mean '{}'?\n", *near);
  } else if (item.entry.is_group) {
    message = fmt::format("Could not find '{}'\n", item.ConfigPath());
    const auto options = sources.Options(item.GroupPath());
    if (const auto near = Nearest(item.entry.option, options))
      message += fmt::format("Did you mean '{}'?\n", *near);
    if (!options.empty()) {
      message += fmt::format("\nAvailable options in '{}':", item.GroupPath());
      for (const std::string& option : options) message += "\n\t" + option;
      message += '\n';
    }
  } else {
    message = fmt::format("Could not load '{}'.\n", item.ConfigPath());
  }
  if (parent != nullptr)
    message = fmt::format("In '{}': {}", parent->ConfigPath(), message);
  if (item.entry.place.line > 0)
    message += fmt::format("Asked for at {}\n", Describe(item.entry.place));
  message += "Config search path:";
  for (const std::string& layer : sources.Describe()) message += "\n\t" + layer;
  return Error(ErrorCode::kUsage, std::move(message));
}

}  // namespace rangefinder
