// Makes reports from captures as the commands do, and checks the conservation
// law on the way.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "app/command_settings.h"
#include "tests/support/shipped_settings.h"
#include "tests/support/temp_dir.h"

namespace rangefinder::testing {

// Writes a file into `folder` and returns its path.
std::filesystem::path WriteTo(const TempDir& folder, std::string_view name,
                              std::string_view bytes);

std::filesystem::path Fixture(std::string_view name);

// Analyzes files as one run, and checks the conservation of values and
// documents. Where none can be read, the test fails and the analysis is empty.
std::unique_ptr<Analysis> AnalyzeFiles(
    const std::vector<std::filesystem::path>& files,
    const Settings& settings = ShippedSettings());
std::unique_ptr<Analysis> AnalyzeFile(
    const std::filesystem::path& path,
    const Settings& settings = ShippedSettings());
// Analyzes the report that BuildRep() makes of `text`.
std::unique_ptr<Analysis> AnalyzeText(
    std::string_view text, const Settings& settings = ShippedSettings());

// Analyzes the trace that BuildTrace() makes of `text`.
std::unique_ptr<Analysis> AnalyzeTrace(
    std::string_view text, const Settings& settings = ShippedSettings());

// Analyzes the report.json of a report, which has sums of launches: their
// number is not checked.
std::unique_ptr<Analysis> AnalyzeAgain(const Report& report);

// The report that the shipped settings make of an analysis.
Report ShippedReport(const Analysis& analysis);

// One report in all formats.
struct Documents {
  std::string json{};
  std::string markdown{};
  std::string glance{};
  std::string kernels{};
  std::string csv{};
  std::string html{};
  std::string tables{};
  std::string terminal{};
  std::string agent{};  // `explain --for agent --budget 300`
};
Documents WriteAll(const Report& report);

}  // namespace rangefinder::testing
