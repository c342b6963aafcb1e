// From captures to a report, as the commands go, with the law checked on the
// way.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/analysis.h"
#include "app/report_settings.h"
#include "app/settings.h"
#include "tests/support/temp_dir.h"

namespace rangefinder::testing {

// Writes a file into `folder`, and gives its path.
std::filesystem::path WriteTo(const TempDir& folder, std::string_view name,
                              std::string_view bytes);

std::filesystem::path Fixture(std::string_view name);

// Fails the test, and gives an empty analysis, where the file cannot be read.
// Checks conservation of values and documents.
std::unique_ptr<Analysis> AnalyzeFile(const std::filesystem::path& path,
                                      const Settings& settings = {});
// Of the report that BuildRep makes of `text`.
std::unique_ptr<Analysis> AnalyzeText(std::string_view text,
                                      const Settings& settings = {});

// All formats of one report.
struct Documents {
  std::string json{};
  std::string markdown{};
  std::string glance{};
  std::string kernels{};
  std::string csv{};
  std::string html{};
  std::string tables{};
  std::string terminal{};
};
Documents WriteAll(const Report& report);

}  // namespace rangefinder::testing
