// Recorded captures, each read once per test program.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "ingest/reader.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder::testing {

struct Capture {
  Profile profile;
  RegionTree tree;

  RegionId Find(std::vector<std::string_view> path) const {
    RegionId at = RegionTree::kRoot;
    for (const std::string_view name : path) {
      const auto string = profile.strings.Find(name);
      const auto next =
          string ? tree.Find(at, {.name = *string}) : std::nullopt;
      if (!next) {
        ADD_FAILURE() << "no region " << name;
        return RegionTree::kRoot;
      }
      at = *next;
    }
    return at;
  }
};

inline const std::vector<std::string>& CaptureNames() {
  static const std::vector<std::string> names = {
      "nested_basic.ncu-rep",   "nested_full_A.ncu-repz",
      "multiproc.ncu-rep",      "range_ABprefill.ncu-rep",
      "graph_node.ncu-rep",     "graph_graph.ncu-rep",
      "apprange_nested.ncu-rep"};
  return names;
}

inline const Capture& ReadCapture(const std::string& name) {
  static std::map<std::string, Capture> known;
  const auto [at, is_new] = known.try_emplace(name);
  if (!is_new) return at->second;
  Notes notes;
  const std::vector<std::filesystem::path> files = {
      std::filesystem::path(RANGEFINDER_SOURCE_DIR) / "tests/fixtures" / name};
  Result<Profile> profile = ReadArtifacts(files, notes);
  if (!profile.ok()) {
    ADD_FAILURE() << name << ": " << profile.error().message();
    return at->second;
  }
  at->second.profile = std::move(profile).value();
  at->second.tree = BuildRegionTree(at->second.profile, Selection{}, notes);
  return at->second;
}

inline Rollup Roll(const Capture& capture, RollupOptions options = {}) {
  Notes notes;
  return RollUp(capture.profile, capture.tree, options, notes);
}

}  // namespace rangefinder::testing
