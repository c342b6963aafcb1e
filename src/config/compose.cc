#include "config/compose.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "config/hydra_node.h"
#include "config/merge.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr std::ptrdiff_t kDeepestPackage = 100;

std::string AbsolutePath(const std::string& path, const std::string& cwd) {
  fs::path full = (fs::path(cwd) / path).lexically_normal();
  std::string text = full.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

// ---- search path -----------------------------------------------------------

// Adds the folders in hydra.searchpath: of the command line, else of the
// primary file if it is trusted.
Status AddSearchPath(ConfigSources& sources,
                     const std::optional<std::string>& config_name,
                     const std::vector<Override>& overrides,
                     const Surroundings& around,
                     std::vector<std::string>& warnings) {
  Node paths;
  if (config_name && around.reach == Reach::kAll) {
    const ConfigFile* primary = TRY(sources.Load(*config_name));
    if (primary != nullptr && primary->tree.is_map()) {
      const Node* hydra = primary->tree.Find("hydra");
      const Node* found =
          hydra == nullptr ? nullptr : hydra->Find("searchpath");
      if (found != nullptr) paths = *found;
    }
  }
  for (const Override& override_ : overrides) {
    if (override_.key == "hydra.searchpath" &&
        override_.type == Override::Type::kChange)
      paths = override_.value;
  }
  if (paths.is_null()) return Ok();
  const bool good =
      paths.is_list() && std::ranges::all_of(paths.items, [](const Node& item) {
        return item.is_string();
      });
  if (!good) {
    return ErrorAbove(
        paths.place,
        fmt::format("hydra.searchpath must be a list of strings. Got: {}",
                    PythonStr(paths)));
  }
  for (const Node& item : paths.items) {
    std::string_view path = item.text;
    if (path.starts_with("pkg://")) {
      warnings.push_back(
          fmt::format("hydra.searchpath: '{}' is left out: Python "
                      "packages are not searched",
                      path));
      continue;
    }
    if (path.starts_with("file://")) path.remove_prefix(7);
    sources.AddDirectory(AbsolutePath(std::string(path), around.cwd));
  }
  return Ok();
}

// ---- files -----------------------------------------------------------------

Status MergeFile(Node& tree, const MountedConfig& mounted,
                 ConfigSources& sources, const Surroundings& around) {
  const ConfigFile* file = TRY(sources.Load(mounted.path));
  if (file == nullptr)
    return Ok();  // reported while the defaults list was built
  const auto composing = [&](std::string_view what, const std::string& message,
                             const Place& place) {
    return ErrorAbove(
        place, fmt::format("In '{}': {} raised while composing config:\n{}",
                           mounted.path, what, message));
  };
  Node content = file->tree;
  if (std::ranges::count(mounted.package, '.') >= kDeepestPackage) {
    return composing(
        "ConfigCompositionException",
        fmt::format("the package has more than {} parts", kDeepestPackage),
        content.place);
  }
  if (!mounted.package.empty()) {
    Node outer = Node::Map(content.place);
    MountAt(outer, mounted.package, std::move(content));
    content = std::move(outer);
  } else if (!content.is_map()) {
    return composing(
        "ConfigTypeError",
        "a list cannot be mounted at the root of the configuration",
        content.place);
  }
  if (Node* hydra = content.Find("hydra");
      hydra != nullptr && file->layer != "hydra") {
    if (!mounted.primary && hydra->Find("searchpath") != nullptr) {
      return ErrorAbove(
          hydra->Find("searchpath")->place,
          fmt::format("In '{}': Overriding hydra.searchpath is only supported "
                      "from the primary config",
                      mounted.path));
    }
    const Place place = hydra->place;
    Result<Node> converted = ConvertHydraValue("hydra", *hydra, false);
    if (!converted.ok()) {
      const std::string& message = converted.error().message();
      return composing(
          message.starts_with("Key") ? "ConfigKeyError" : "ValidationError",
          message, place);
    }
    *hydra = std::move(converted).value();
  }
  if (const auto failure = MergeTree(tree, content, around)) {
    return composing("ConfigTypeError", failure->message, failure->place);
  }
  return Ok();
}

// ---- overrides -------------------------------------------------------------

std::string Suggestion(const Node& tree, const std::string& key) {
  if (std::string near = DidYouMeanLine(key, PathsOf(tree)); !near.empty())
    return near;
  // Else the keys of the deepest map on the way to `key`.
  const Node* node = &tree;
  std::string there;
  for (const std::string& part : Split(key, '.')) {
    const Node* next = node->Find(part);
    if (next == nullptr || !next->is_map()) break;
    node = next;
    there += (there.empty() ? "" : ".") + part;
  }
  if (there.empty() || node->entries.empty()) return {};
  std::vector<std::string> keys;
  for (const Entry& entry : node->entries) keys.push_back(PythonStr(entry.key));
  return fmt::format("\n'{}' has: {}", there, fmt::join(keys, ", "));
}

Error MergingOverride(const Override& override_, const std::string& message) {
  return UsageError("Error merging override {}\n{}",
                    Printable(override_.input()), message);
}

Status DeleteKey(Node& tree, const Override& override_,
                 const Surroundings& around) {
  const std::string& key = override_.key;
  Resolver resolver(tree, &tree, around);
  Result<const Node*> selected = resolver.Select(key);
  if (!selected.ok())
    return MergingOverride(override_, selected.error().message());
  const Node* value = selected.value();
  if (value == nullptr || value->is_null()) {
    return UsageError(
        "Could not delete from config. '{}' does not "
        "exist.{}",
        key, Suggestion(tree, key));
  }
  if (override_.has_value && !override_.value.is_null() &&
      !PythonEqual(override_.value, *value)) {
    return UsageError(
        "Could not delete from config. The value of '{}' is "
        "{} and not {}.",
        key, PythonStr(*value), PythonStr(override_.value));
  }
  const std::size_t dot = key.rfind('.');
  const std::string last = dot == std::string::npos ? key : key.substr(dot + 1);
  Node* holder = &tree;
  if (dot != std::string::npos) {
    Result<const Node*> found = resolver.Select(key.substr(0, dot));
    if (!found.ok() || found.value() == nullptr)
      return MergingOverride(override_, "nothing there to delete from");
    holder = const_cast<Node*>(found.value());  // a node of `tree`
  }
  if (holder->is_list())
    return MergingOverride(override_, "deleting list items is not supported");
  if (IsHydraField(key)) {
    return MergingOverride(override_,
                           "HydraConf (DictConfig) does not support deletion");
  }
  holder->Erase(last);
  return Ok();
}

bool HasNullKey(const Node& node) {
  return std::ranges::any_of(node.items, HasNullKey) ||
         std::ranges::any_of(node.entries, [](const Entry& entry) {
           return entry.key.is_null() || HasNullKey(entry.value);
         });
}

// If the override adds an existing key, `replaced` gets it; null: an error.
Status ApplyOverride(Node& tree, const Override& override_,
                     const Surroundings& around,
                     std::vector<std::string>* replaced) {
  const std::string& key = override_.key;
  if (override_.package) {
    return UsageError(
        "Override {} looks like a config group override, but "
        "config group '{}' does not exist.",
        Printable(override_.input()), key);
  }
  if (override_.type == Override::Type::kDelete)
    return DeleteKey(tree, override_, around);
  TRY(ValidateInterpolations(override_.value));
  if (HasNullKey(override_.value))
    return MergingOverride(override_, "null cannot be a key; quote it");
  const bool add = override_.type != Override::Type::kChange;
  Node value = override_.value;
  if (key == "hydra" || key.starts_with("hydra.")) {
    Result<Node> converted = ConvertHydraValue(key, value, true);
    if (!converted.ok())
      return MergingOverride(override_, converted.error().message());
    value = std::move(converted).value();
  }
  // Maps are merged, and lists replace lists, as in Hydra.
  if (override_.type == Override::Type::kAdd && !value.is_map()) {
    Resolver resolver(tree, &tree, around);
    Result<const Node*> there = resolver.Select(key);
    if (there.ok() && there.value() != nullptr && !there.value()->is_null()) {
      const std::string& input = override_.input();
      if (replaced != nullptr) {
        replaced->push_back(input);
      } else if (!value.is_list()) {
        return UsageError(
            "Could not append to config. An item is already at '{0}'.\n"
            "Either remove + prefix: '{1}'\n"
            "Or add a second + to add or override '{0}': '+{2}'",
            key, input.substr(1), input);
      }
    }
  }
  const auto failure = UpdatePath(tree, key, value, add, around);
  if (!failure) return Ok();
  if (!failure->unknown_key)
    return MergingOverride(override_, failure->message);
  return UsageError(
      "Could not override '{}'.\nTo append to your config "
      "use +{}{}",
      key, Printable(override_.input()),
      Suggestion(tree, *failure->unknown_key));
}

// ---- the hydra node --------------------------------------------------------

bool IsHydraOverride(const Override& override_) {
  return override_.key.starts_with("hydra.") ||
         override_.key.starts_with("hydra/");
}

Node Texts(const std::vector<std::string>& texts) {
  Node list = Node::List();
  for (const std::string& text : texts)
    list.items.push_back(Node::Literal(text));
  return list;
}

std::string OverrideDirname(const Node& job,
                            const std::vector<Override>& overrides) {
  const Node* config = job.FindPath("config.override_dirname");
  const auto text = [&](std::string_view key, std::string_view fallback) {
    const Node* found = config == nullptr ? nullptr : config->Find(key);
    return found != nullptr && found->is_string() ? found->text
                                                  : std::string(fallback);
  };
  std::vector<std::string> excluded;
  if (config != nullptr) {
    if (const Node* keys = config->Find("exclude_keys")) {
      for (const Node& key : keys->items) excluded.push_back(PythonStr(key));
    }
  }
  std::vector<std::string> lines;
  for (const Override& override_ : overrides) {
    if (IsHydraOverride(override_)) continue;
    if (!Has(excluded, override_.key)) lines.push_back(override_.input());
  }
  std::ranges::sort(lines);
  std::string out;
  for (const char c :
       fmt::format("{}", fmt::join(lines, text("item_sep", ","))))
    out += c == '=' ? text("kv_sep", "=") : std::string(1, c);
  return out;
}

// The map `name` of `node`; made if it is missing.
Node& MapAt(Node& node, std::string_view name) {
  Node* found = node.Find(name);
  return found != nullptr ? *found : node.Set(name, Node::Map());
}

void FillOverrides(Node& hydra, const std::vector<Override>& overrides) {
  std::vector<std::string> task;
  std::vector<std::string> own;
  for (const Override& override_ : overrides)
    (IsHydraOverride(override_) ? own : task).push_back(override_.input());
  Node& lists = MapAt(hydra, "overrides");
  const auto append = [&](std::string_view name, Node texts) {
    const Node* set = lists.Find(name);  // set by an override
    if (set != nullptr && set->is_list())
      texts.items.insert(texts.items.begin(), set->items.begin(),
                         set->items.end());
    lists.Set(name, std::move(texts));
  };
  append("hydra", Texts(own));
  append("task", Texts(task));
}

void FillRuntime(Node& runtime, const ConfigSources& sources,
                 const DefaultsList& defaults, const Surroundings& around) {
  Node choices = Node::Map();
  for (const auto& [group, option] : defaults.choices)
    choices.Set(group, option ? Node::String(*option) : Node{});
  Node* known = runtime.Find("choices");
  if (known != nullptr && known->is_map()) {
    for (const Entry& entry : choices.entries)
      known->Set(entry.key, entry.value);
  } else {
    runtime.Set("choices", std::move(choices));
  }
  runtime.Set("cwd", Node::Literal(around.cwd));
  runtime.Set("config_sources", Texts(sources.Describe()));
}

// Copies the variables of job.env_copy into job.env_set.
Status CopyEnvironment(Node& job, const Surroundings& around) {
  const Node* copies = job.Find("env_copy");
  if (copies == nullptr || around.reach != Reach::kAll) return Ok();
  for (const Node& name : std::vector<Node>(copies->items)) {
    const auto value = around.environment(PythonStr(name));
    if (!value) {
      return UsageError(
          "hydra.job.env_copy: the environment has no "
          "variable '{}'",
          PythonStr(name));
    }
    Node* set = job.Find("env_set");
    if (set == nullptr || !set->is_map())
      set = &job.Set("env_set", Node::Map());
    set->Set(PythonStr(name), Node::String(*value));
  }
  return Ok();
}

Status FillHydra(Node& tree, const ComposeRequest& request,
                 const ConfigSources& sources, const DefaultsList& defaults,
                 const std::vector<Override>& overrides,
                 const Surroundings& around) {
  Node* hydra = tree.Find("hydra");
  if (hydra == nullptr || !hydra->is_map()) return Ok();
  FillOverrides(*hydra, overrides);
  FillRuntime(MapAt(*hydra, "runtime"), sources, defaults, around);
  Node& job = MapAt(*hydra, "job");
  TRY(CopyEnvironment(job, around));
  const Node* name = job.Find("name");
  if (name == nullptr || name->is_missing())
    job.Set("name", Node::String(request.job_name));
  job.Set("config_name",
          request.config_name ? Node::Literal(*request.config_name) : Node{});
  job.Set("override_dirname", Node::Literal(OverrideDirname(job, overrides)));
  return Ok();
}

}  // namespace

Result<Node> Composition::ResolvedTask() const {
  return Resolver(task_, &full_, around_).Tree();
}

Result<Node> Composition::SettledTask() const {
  Surroundings nothing = around_;
  nothing.reach = Reach::kNone;
  return Resolver(task_, &full_, nothing).Tree();
}

Result<Node> Composition::ResolvedHydra() const {
  // Logging, sweeps and help may need resolvers that exist in Hydra only.
  Node out = Node::Map();
  for (const std::string_view name :
       {"run", "mode", "output_subdir", "runtime", "job", "overrides"}) {
    const std::string path = fmt::format("hydra.{}", name);
    if (full_.FindPath(path) != nullptr)
      out.Set(name, TRY(Resolver(full_, &full_, around_).At(path)));
  }
  return out;
}

Result<std::string> Composition::RunDirectory() const {
  if (!reaches_all()) return around_.cwd;
  const Node dir = TRY(Resolver(full_, &full_, around_).At("hydra.run.dir"));
  return AbsolutePath(PythonStr(dir), around_.cwd);
}

Result<Composition> Compose(ConfigSources sources,
                            const ComposeRequest& request,
                            const Surroundings& surroundings) {
  Composition out;
  out.around_ = surroundings;
  for (const std::string& text : request.overrides)
    out.overrides_.push_back(TRY(ParseOverride(text)));
  for (const Override& override_ : out.overrides_) {
    if (override_.sweep != Override::Sweep::kNone) return SweepError(override_);
  }
  ConfigSources all;
  all.AddEmbedded("hydra", EmbeddedHydra());
  all.Append(std::move(sources));
  std::vector<std::string> warnings;
  TRY(AddSearchPath(all, request.config_name, out.overrides_, surroundings,
                    warnings));
  out.defaults_ = TRY(BuildDefaultsList(all, request.config_name,
                                        out.overrides_, surroundings));
  out.defaults_.warnings.insert(out.defaults_.warnings.begin(),
                                warnings.begin(), warnings.end());
  out.full_ = Node::Map();
  for (const MountedConfig& mounted : out.defaults_.configs)
    TRY(MergeFile(out.full_, mounted, all, surroundings));
  for (const Override* override_ : out.defaults_.config_overrides)
    TRY(ApplyOverride(out.full_, *override_, surroundings,
                      request.add_replaces ? &out.replaced_ : nullptr));
  TRY(FillHydra(out.full_, request, all, out.defaults_, out.overrides_,
                surroundings));
  // As in Hydra, the task configuration can read the run's directory.
  std::string directory = TRY(out.RunDirectory());
  Node* hydra = out.full_.Find("hydra");
  if (hydra == nullptr || !hydra->is_map())
    return UsageError("'hydra' has to be a map, not an interpolation");
  MapAt(*hydra, "runtime")
      .Set("output_dir", Node::Literal(std::move(directory)));
  out.task_ = out.full_;
  out.task_.Erase("hydra");
  out.defaults_.config_overrides.clear();  // they point into a local variable
  return out;
}

}  // namespace rangefinder
