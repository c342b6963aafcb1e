// The measurements that ncu selects with NVTX expressions.

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "profile/profile.h"
#include "region/nvtx_expression.h"

namespace rangefinder::testing {

// By number, ascending. The test fails where an expression is none.
inline std::vector<std::size_t> SelectedByNcu(
    const Profile& profile, const std::vector<std::string>& texts) {
  ncu::NvtxFilter filter;
  for (const std::string& text : texts) {
    auto expression = ncu::ParseNvtxExpression(text);
    EXPECT_TRUE(expression.ok()) << text;
    if (expression.ok())
      filter.include.push_back(std::move(expression).value());
  }
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
    if (!texts.empty() &&
        ncu::Selects(filter, profile, profile.measurements[i]))
      selected.push_back(i);
  }
  return selected;
}

}  // namespace rangefinder::testing
