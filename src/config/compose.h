// Many files and overrides to one configuration, as Hydra 1.3 composes it:
// the defaults list, packages, merging, overrides, the `hydra` node.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/defaults.h"
#include "config/node.h"
#include "config/override.h"
#include "config/resolve.h"
#include "config/sources.h"

namespace rangefinder {

struct ComposeRequest {
  std::optional<std::string> config_name = "config";  // none: overrides alone
  std::vector<std::string> overrides{};
  std::string job_name = "rangefinder";
};

class Composition {
 public:
  // The task configuration: interpolations as written, without `hydra`.
  const Node& task() const { return task_; }
  // The same with the `hydra` node.
  const Node& full() const { return full_; }
  const DefaultsList& defaults() const { return defaults_; }
  const std::vector<Override>& overrides() const { return overrides_; }

  // With every interpolation resolved; of `hydra` the parts that mean something
  // here: run, output_subdir, runtime, job, overrides.
  Result<Node> ResolvedTask() const;
  // The same but for what is asked of the surroundings: equal wherever and
  // whenever it is composed.
  Result<Node> SettledTask() const;
  // Whether the surroundings answer to all of it.
  bool reaches_all() const { return around_.reach == Reach::kAll; }
  Result<Node> ResolvedHydra() const;
  // hydra.run.dir, resolved, as written; absolute; no "." or ".." left. Where
  // the surroundings do not answer to all, no run is made: the folder that it
  // would be made from.
  Result<std::string> RunDirectory() const;

 private:
  friend Result<Composition> Compose(ConfigSources sources,
                                     const ComposeRequest& request,
                                     const Surroundings& surroundings);

  Node full_{};
  Node task_{};
  DefaultsList defaults_{};
  std::vector<Override> overrides_{};
  Surroundings around_{};
};

// The sources are the user's, Hydra's own are added before them. All errors are
// kUsage; the first line is Hydra's wherever Hydra wrote one.
Result<Composition> Compose(ConfigSources sources,
                            const ComposeRequest& request,
                            const Surroundings& surroundings);

}  // namespace rangefinder
