#include "tests/support/analyze.h"

#include <cstdlib>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "base/write_file.h"
#include "export/formats.h"
#include "report/documents.h"
#include "tests/support/conservation.h"
#include "tests/support/rep_builder.h"
#include "tests/support/trace_builder.h"
#include "writers/markdown/fact_sheet_writer.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder::testing {

std::filesystem::path WriteTo(const TempDir& folder, std::string_view name,
                              std::string_view bytes) {
  const std::filesystem::path path = folder.path() / name;
  EXPECT_TRUE(WriteFile(path, bytes).ok()) << path;
  return path;
}

std::filesystem::path Fixture(std::string_view name) {
  return std::filesystem::path(RANGEFINDER_SOURCE_DIR) / "tests/fixtures" /
         name;
}

std::unique_ptr<Analysis> AnalyzeFile(const std::filesystem::path& path,
                                      const Settings& settings) {
  return AnalyzeFiles({path}, settings);
}

std::unique_ptr<Analysis> AnalyzeFiles(
    const std::vector<std::filesystem::path>& files, const Settings& settings) {
  auto analysis = Analyze(files, settings.analysis);
  if (!analysis.ok()) {
    ADD_FAILURE() << analysis.error().message();
    return std::make_unique<Analysis>();
  }
  auto result = std::move(analysis).value();
  ExpectConserved(result->profile, result->tree, result->rollup);
  ExpectDocumentsConserved(MakeReport(*result, ReportOptionsOf(settings)));
  return result;
}

std::unique_ptr<Analysis> AnalyzeText(std::string_view text,
                                      const Settings& settings) {
  const TempDir folder;
  return AnalyzeFile(WriteTo(folder, "drawn.ncu-rep", BuildRep(text)),
                     settings);
}

std::unique_ptr<Analysis> AnalyzeTrace(std::string_view text,
                                       const Settings& settings) {
  const TempDir folder;
  return AnalyzeFile(WriteTo(folder, "a.rftrace", BuildTrace(text)), settings);
}

Report ShippedReport(const Analysis& analysis) {
  return MakeReport(analysis, ReportOptionsOf(ShippedSettings()));
}

Documents WriteAll(const Report& report) {
  const auto with = [&](auto write) {
    std::ostringstream out;
    write(report, out);
    return std::move(out).str();
  };
  const auto markdown = [&](Document (*make)(const Report&)) {
    std::ostringstream out;
    WriteMarkdown(make(report), out);
    return std::move(out).str();
  };
  return {
      .json = with(WriteJson),
      .markdown = markdown(RunDocument),
      .glance = markdown(GlanceDocument),
      .kernels = markdown(KernelsDocument),
      .csv = with(WriteCsv),
      .html = with(WriteHtml),
      .tables = with(WriteSqlite),
      .terminal = with([](const Report& made, std::ostream& out) {
        WriteTerminal(ShowDocument(made, {}), {.width = 100}, out);
      }),
      .agent = with([](const Report& made, std::ostream& out) {
        WriteFactSheet(ExplainFacts(made, {}), 300, out);
      }),
  };
}

std::unique_ptr<Analysis> AnalyzeAgain(const Report& report) {
  const TempDir folder;
  const std::vector<std::filesystem::path> files = {
      WriteTo(folder, "report.json", WriteAll(report).json)};
  auto analysis = Analyze(files, ShippedSettings().analysis);
  if (analysis.ok()) return std::move(analysis).value();
  ADD_FAILURE() << analysis.error().message();
  return std::make_unique<Analysis>();
}

}  // namespace rangefinder::testing
