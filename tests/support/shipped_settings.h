// The settings that the embedded conf/ gives, without places of a run.

#pragma once

#include <gtest/gtest.h>

#include "app/rollup_settings.h"
#include "app/settings.h"

namespace rangefinder {

// Settings{} has no rules of rollup, derived, causes and frameworks.
inline const Settings& ShippedSettings() {
  static const Settings shipped = [] {
    Settings settings;
    const Node none = Node::Map();
    EXPECT_TRUE(ReadRollupSettings(none, settings.analysis.rollup).ok());
    EXPECT_TRUE(ReadCauses(none, settings.report.causes).ok());
    EXPECT_TRUE(ReadFrameworks(none, settings.analysis.merge.frameworks).ok());
    return settings;
  }();
  return shipped;
}

}  // namespace rangefinder
