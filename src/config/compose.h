// Composes files and overrides to one configuration as Hydra 1.3 does: defaults
// list, packages, merging, overrides, the `hydra` node.

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
  // `+key=value` of an existing key replaces the value. Hydra refuses this.
  bool add_replaces = false;
};

class Composition {
 public:
  // The task configuration: interpolations as written, without `hydra`.
  const Node& task() const { return task_; }
  // task() with the `hydra` node.
  const Node& full() const { return full_; }
  const DefaultsList& defaults() const { return defaults_; }
  const std::vector<Override>& overrides() const { return overrides_; }
  // The overrides `+key=value` that replaced a value, as typed.
  const std::vector<std::string>& replaced() const { return replaced_; }

  // task() with every interpolation resolved.
  Result<Node> ResolvedTask() const;
  // task() resolved except for interpolations of the environment and the clock:
  // the result is the same on every machine and at any time.
  Result<Node> SettledTask() const;
  // Whether all interpolations may be resolved.
  bool reaches_all() const { return around_.reach == Reach::kAll; }
  // The parts of `hydra` that Rangefinder uses, resolved: run, mode,
  // output_subdir, runtime, job, overrides.
  Result<Node> ResolvedHydra() const;
  // hydra.run.dir resolved, absolute, without "." and "..". If not all
  // interpolations may be resolved, no run is made, and this is the current
  // folder.
  Result<std::string> RunDirectory() const;

 private:
  friend Result<Composition> Compose(ConfigSources sources,
                                     const ComposeRequest& request,
                                     const Surroundings& surroundings);

  Node full_{};
  Node task_{};
  DefaultsList defaults_{};
  std::vector<Override> overrides_{};
  std::vector<std::string> replaced_{};
  Surroundings around_{};
};

// `sources` are the user's; Hydra's own are added before them. All errors are
// kUsage; if Hydra has a message, the first line is Hydra's.
Result<Composition> Compose(ConfigSources sources,
                            const ComposeRequest& request,
                            const Surroundings& surroundings);

}  // namespace rangefinder
