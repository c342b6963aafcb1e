// What the kernels of a report are called in it: short, each unlike all others;
// or in full, where that is asked.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "profile/profile.h"
#include "rollup/rollup.h"

namespace rangefinder {

// Operators of a model in the kernels of torch.compile, as Inductor writes them
// down (docs/kernel-names.md): By the kernel's name; nodes of the graph, in the
// order of the file, each once.
using KernelSources = std::map<std::string, std::vector<std::string>>;

// kCorrupt where it is no JSON, kUsage where no kernel is in it.
Result<KernelSources> ParseKernelSources(std::string_view json);

class KernelNames {
 public:
  // `sources` must outlive it.
  KernelNames(const Profile& profile, const Rollup& rollup, bool full,
              const KernelSources& sources);

  // The short name, whatever is asked.
  std::string_view Short(StringId name) const;
  // As tables for people have it, with its operators where they are known.
  std::string Shown(StringId name) const;
  // Null where they are not known.
  const std::vector<std::string>* Source(StringId name) const;

 private:
  const Profile& profile_;
  const bool full_;
  const KernelSources& sources_;
  std::unordered_map<std::uint32_t, std::string> short_;  // that differ
};

}  // namespace rangefinder
