// The names of kernels in a report: short and unique; or in full, if requested.

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

  // The short name, also if full names were requested.
  std::string_view Short(StringId name) const;
  // The name in tables for people, with its operators and source line if they
  // are known.
  std::string Shown(StringId name) const;
  // Null if nothing is known.
  const KernelSource* Source(StringId name) const;
  // Why the source line is unknown; empty: it is known, or was not requested.
  std::string_view WhyNoLine(StringId name) const;

 private:
  const Profile& profile_;
  const bool full_;
  const KernelSources sources_;
  std::unordered_map<StringId, std::string> short_;  // only names that differ
};

}  // namespace rangefinder
