#include "report/markdown_frame.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "insight/imbalance.h"
#include "report/count_checks.h"
#include "report/estimates.h"
#include "report/two_runs.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

// In the facts of a report.
constexpr std::size_t kMostScopesNamed = 64;

std::string ScopesText(const Report& report) {
  const Profile& profile = *report.profile;
  const std::vector<ScopeRollup>& all = report.rollup->scopes;
  std::string scopes;
  for (const ScopeRollup& scope : all) {
    if (&scope == all.data() + kMostScopesNamed) {
      scopes += fmt::format(" and {} more",
                            FormatCount(all.size() - kMostScopesNamed));
      break;
    }
    scopes += (scopes.empty() ? "" : ", ") + ScopeHeading(report, scope.scope);
    if (scope.scope.aggregate) continue;
    const StringId name = profile.processes[Index(scope.scope.process)].name;
    if (name != StringId{})
      scopes += " (" + MarkdownText(profile.Name(name)) + ")";
  }
  if (ShownScopes(report).size() < all.size())
    scopes += "; they are the same and shown once";
  return scopes;
}

// "only `A`, `B`, without `B/x`"; empty where all are selected.
std::string SelectionText(const std::vector<std::string>& include,
                          const std::vector<std::string>& exclude) {
  std::string text;
  const auto add = [&](std::string_view word,
                       const std::vector<std::string>& patterns) {
    if (patterns.empty()) return;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
    const char* before = " ";
    for (const std::string& pattern : patterns) {
      text += before + MarkdownCode(pattern);
      before = ", ";
    }
  };
  add("only", include);
  add("without", exclude);
  return text;
}

}  // namespace

void WriteHeadlinesMarkdown(const Report& report, std::ostream& out) {
  for (const Headline& headline : report.headlines) {
    fmt::print(out, "- **{}**. Look at: {}.\n",
               MarkdownText(headline.text, 600), MarkdownText(headline.next));
  }
  if (!report.headlines.empty()) out << '\n';
}

void WriteFactsMarkdown(const Report& report, std::ostream& out) {
  const CaptureFacts& capture = report.capture;
  const auto line = [&](std::string_view what, const std::string& text) {
    if (!text.empty()) fmt::print(out, "- {}: {}\n", what, text);
  };
  if (!capture.command.empty())
    fmt::print(out, "{}\n", CommandBlock(capture.command));
  if (!capture.mode.empty()) {
    line("Measured by",
         MarkdownText(capture.mode) +
             (capture.mode == "trace" || capture.mode == "counters"
                  ? ""
                  : " replay"));
  }
  std::string tools;
  for (const auto& [name, version] : capture.tools)
    tools += (tools.empty() ? "" : ", ") + name + " " + version;
  if (!tools.empty()) line("Tools", MarkdownText(tools));
  std::string devices;
  for (const std::string& device : capture.devices)
    devices += (devices.empty() ? "" : ", ") + device;
  if (!devices.empty()) line("Devices", MarkdownText(devices));
  if (!capture.clock_control.empty()) {
    line("Clocks", capture.clock_control == "none"
                       ? "as they were (`none`)"
                       : MarkdownCode(capture.clock_control));
  }
  if (!capture.cache_control.empty()) {
    line("Caches", capture.cache_control == "all"
                       ? "flushed before every pass (`all`): kernels start "
                         "cold"
                       : MarkdownCode(capture.cache_control));
  }
  line("Scopes", ScopesText(report));
  line("Regions", SelectionText(report.options.include_patterns,
                                report.options.exclude_patterns));
  line("Kernels", SelectionText(report.options.kernel_include_patterns,
                                report.options.kernel_exclude_patterns));
  if (const std::string runs = RunsText(report); !runs.empty())
    line("Runs", MarkdownText(runs, 2000));
  if (const std::string sampled = SamplingText(report); !sampled.empty())
    line("Counters", MarkdownText(sampled, 2000));
  if (const std::string doubt = DoubtText(report); !doubt.empty())
    line("Estimates", "**" + MarkdownText(doubt, 2000) + "**");
  line("Checked", CheckText(report));
  line("Made", report.options.generated_at);
  out << '\n';
}

void WriteNoMatchMarkdown(const Report& report, std::ostream& out) {
  bool first = true;
  for (const Note& note : report.notes->all()) {
    if (note.kind != kNoMatchingRegions && note.kind != kNothingSelected)
      continue;
    if (first) out << "## No matching regions\n";
    first = false;
    fmt::print(out, "\n{}\n", MarkdownText(note.text, 1000));
  }
  if (!first) out << '\n';
}

void WriteNotesMarkdown(const Report& report, std::ostream& out) {
  out << "\n## Notes\n\n";
  if (report.notes->empty()) out << "None.\n";
  for (const Note& note : report.notes->all()) {
    fmt::print(
        out, "- {}: {}{}{}\n", SeverityName(note.severity),
        MarkdownText(note.text, 1000),
        note.where.empty() ? std::string()
                           : " (" + MarkdownText(note.where, 300) + ")",
        note.count > 1 ? fmt::format(" ×{}", note.count) : std::string());
  }
}

std::string ScopeHeading(const Report& report, const Scope& scope) {
  const std::string owner = ScopeOwner(report, scope);
  return ScopeName(report, scope) +
         (owner.empty() ? "" : " (" + MarkdownText(owner) + ")");
}

void WriteRowsLeftOut(const Report& report, std::size_t rows,
                      std::ostream& out) {
  if (rows <= report.options.max_rows) return;
  fmt::print(out,
             "\n*{} more rows are left out (`regions.max_rows={}`); "
             "report.json has them all.*\n",
             FormatCount(rows - report.options.max_rows),
             report.options.max_rows);
}

}  // namespace rangefinder
