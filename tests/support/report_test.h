// The base of tests that look into a report and its documents.

#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"

namespace rangefinder::testing {

class ReportTest : public ::testing::Test {
 protected:
  using Json = nlohmann::json;

  void Take(std::unique_ptr<Analysis> analysis,
            ReportOptions options = ReportOptionsOf(ShippedSettings())) {
    analysis_ = std::move(analysis);
    report_ = MakeReport(*analysis_, std::move(options));
    documents_ = WriteAll(report_);
    json_ = Json::parse(documents_.json);
  }

  // A region in report.json; without `scope`, of all processes and devices.
  const Json& Region(std::string_view name, std::size_t scope = 0) const {
    for (const Json& region : json_["scopes"][scope]["regions"]) {
      if (region["name"] == name) return region;
    }
    ADD_FAILURE() << "no region " << name;
    static const Json kNone;
    return kNone;
  }

  std::unique_ptr<Analysis> analysis_{};
  Report report_{};
  Documents documents_{};
  Json json_{};
};

}  // namespace rangefinder::testing
