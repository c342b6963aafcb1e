// What the kernels of a report are called in it: short, each unlike all others;
// or in full, where that is asked.

#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "profile/kernel_source.h"
#include "profile/profile.h"
#include "rollup/rollup.h"

namespace rangefinder {

class KernelNames {
 public:
  KernelNames(const Profile& profile, const Rollup& rollup, bool full,
              KernelSources sources);

  // The short name, whatever is asked.
  std::string_view Short(StringId name) const;
  // As tables for people have it, with its operators and its line of the source
  // where they are known.
  std::string Shown(StringId name) const;
  // Null where nothing is known.
  const KernelSource* Source(StringId name) const;
  // Why the line of the source is not known; empty: it is, or nobody asked.
  std::string_view WhyNoLine(StringId name) const;

 private:
  const Profile& profile_;
  const bool full_;
  const KernelSources sources_;
  std::unordered_map<std::uint32_t, std::string> short_;  // that differ
};

}  // namespace rangefinder
