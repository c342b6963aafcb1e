// What the kernels of a report are called in it: short, each unlike all others;
// or in full, where that is asked.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "report/kernel_sources.h"
#include "rollup/rollup.h"

namespace rangefinder {

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
