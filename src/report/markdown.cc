#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "base/text.h"
#include "report/absent_values.h"
#include "report/by_name.h"
#include "report/count_checks.h"
#include "report/estimates.h"
#include "report/folder.h"
#include "report/markdown_columns.h"
#include "report/markdown_frame.h"
#include "report/markdown_kernels.h"
#include "report/markdown_tree.h"
#include "report/members_text.h"
#include "report/over_time.h"
#include "report/page_scopes.h"
#include "report/ranks_text.h"
#include "report/region_facts.h"
#include "report/roofline_table.h"
#include "report/times_text.h"
#include "report/two_runs.h"
#include "report/whole_spread.h"
#include "report/writers.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

// Times regions.max_rows: the sections of all scopes of a job with many ranks.
constexpr std::uint64_t kMostSections = 10;

class MarkdownReport {
 public:
  MarkdownReport(const Report& report, std::ostream& out)
      : report_(report),
        profile_(*report.profile),
        rollup_(*report.rollup),
        roofline_(*report.rollup),
        scopes_(ScopesOneByOne(report, kMostMarkdownScopes)),
        columns_(report),
        out_(out) {}

  void WriteRun() {
    out_ << "# NCU Region Reports\n\n";
    WriteHeadlinesMarkdown(report_, out_);
    WriteFactsMarkdown(report_, out_);
    WriteNoMatchMarkdown(report_, out_);
    WriteRanksMarkdown(out_, report_);
    for (const ScopeRollup* scope : scopes_) {
      WriteTreeMarkdown(report_, *scope, columns_, absent_, out_);
      WriteNamesMarkdown(report_, *scope, out_);
    }
    out_ << MoreScopesMarkdown(report_, scopes_.size());
    WriteTwoRunsMarkdown(out_, report_);
    WriteCheckMarkdown(out_, report_);
    WriteDetails();
    absent_.Write(out_);
    WriteNotesMarkdown(report_, out_);
  }

  void WriteGlance() {
    out_ << "# Run report\n\n";
    WriteHeadlinesMarkdown(report_, out_);
    WriteFactsMarkdown(report_, out_);
    WriteNoMatchMarkdown(report_, out_);
    WriteRanksMarkdown(out_, report_);
    for (const ScopeRollup* scope : scopes_)
      WriteTreeMarkdown(report_, *scope, columns_, absent_, out_);
    out_ << MoreScopesMarkdown(report_, scopes_.size());
    if (const std::size_t count = WithoutFolder(report_); count > 0) {
      fmt::print(out_,
                 "{} regions with less GPU time, or within 32 others, have no "
                 "folder of their own (`report.max_folders={}`).\n\n",
                 FormatCount(count), report_.options.max_folders);
    }
    WriteTwoRunsMarkdown(out_, report_);
    WriteCheckMarkdown(out_, report_);
    out_ << "Read on: [regions](ncu/regions/report.md), "
            "[all kernels](kernels.md), [every measurement](ncu/raw.csv).\n";
    absent_.Write(out_);
    WriteNotesMarkdown(report_, out_);
  }

  void WriteOne(RegionId id) {
    fmt::print(out_, "# {}\n\n", MarkdownText(RegionTitle(report_, id)));
    WriteFactsMarkdown(report_, out_);
    for (const ScopeRollup* scope : scopes_) {
      if (!IsShown(report_, *scope, id)) continue;
      fmt::print(out_, "\n## Scope {}\n", ScopeHeading(report_, scope->scope));
      WriteRegionBody(*scope, id);
    }
    absent_.Write(out_);
    WriteNotesMarkdown(report_, out_);
  }

 private:
  // Every scope has the sections of its regions; where there are several, under
  // its name.
  void WriteDetails() {
    std::uint64_t room = kMostSections * report_.options.max_rows;
    for (const ScopeRollup* scope : scopes_) {
      const bool several = scopes_.size() > 1;
      if (several) {
        fmt::print(out_, "## Details, scope {}\n\n",
                   ScopeHeading(report_, scope->scope));
      }
      const std::vector<RegionId> order = ReadingOrder(report_, *scope);
      const std::uint64_t shown = std::min<std::uint64_t>(
          {order.size(), report_.options.max_rows, room});
      room -= shown;
      for (std::size_t i = 0; i < shown; ++i)
        WriteRegion(*scope, order[i], several ? "###" : "##");
      if (shown < order.size()) {
        fmt::print(out_,
                   "\n*{} more regions have no section here "
                   "(`regions.max_rows`); report.json has them all.*\n",
                   FormatCount(order.size() - shown));
      }
    }
  }

  void WriteRegion(const ScopeRollup& scope, RegionId id,
                   std::string_view level) {
    fmt::print(out_, "{} {}\n", level, MarkdownText(RegionTitle(report_, id)));
    WriteRegionBody(scope, id);
  }

  void WriteRegionBody(const ScopeRollup& scope, RegionId id) {
    const RegionRollup& rolled = scope.regions[Index(id)];
    WriteSummary(scope, id);
    if (const auto times = TimesOf(report_, scope.scope, id))
      WriteTimesMarkdown(out_, report_, *times);
    WriteMembersMarkdown(out_, report_, scope.scope, id);
    WriteTracedMarkdown(out_, report_, scope, id);
    const Amounts& shown = *ShownOf(rolled).amounts;
    const LimitVerdict verdict = VerdictOf(rollup_, shown);
    if (verdict.limit != Limit::kUnknown)
      fmt::print(out_, "\n**{}**\n", MarkdownText(verdict.text));
    WriteKernelTable(report_, scope, id, columns_, out_);
    WriteMetricTable(rolled);
    WriteBesideMarkdown(out_, report_, rolled);
    WriteOverTimeMarkdown(out_, report_, scope.scope, id);
    WriteMeasured(rolled);
    WriteSections(id, shown);
    WriteRooflineTable(report_, roofline_, rolled, out_);
    WriteFindings(scope, id);
    out_ << '\n';
  }

  // What its row says, in a sentence.
  void WriteSummary(const ScopeRollup& scope, RegionId id) {
    const RegionRow row = report_.rows->Of(scope, id);
    const auto kernels = [](std::uint64_t count) {
      return FormatCount(count) + (count == 1 ? " kernel" : " kernels");
    };
    if (row.source == TimeSource::kUndisturbed ||
        row.source == TimeSource::kKernels) {
      fmt::print(
          out_, "\n{} in {}, {} of the run{}; {}.\n", FormatNs(*row.time_ns),
          kernels(*row.launches), row.share ? FormatShare(*row.share, 1) : "–",
          HasTwoRuns(report_) ? ", undisturbed" : "",
          row.launches == row.own_launches
              ? "all of it its own"
              : fmt::format("its own, without inner regions: {} in {}",
                            FormatNs(*row.own_ns), kernels(*row.own_launches)));
    } else if (row.source == TimeSource::kRange) {
      fmt::print(out_, "\n{} over {} measured as a whole.\n",
                 FormatNs(*row.time_ns),
                 row.wholes == 1 ? "one execution"
                                 : FormatCount(row.wholes) + " executions");
    }
    if (!row.reason.empty()) {
      std::string reason = row.reason;
      reason[0] = static_cast<char>(
          std::toupper(static_cast<unsigned char>(reason[0])));
      fmt::print(out_, "\n{}.\n", MarkdownText(reason));
    }
  }

  // The metrics that were asked for, with how each came about.
  void WriteMetricTable(const RegionRollup& rolled) {
    if (report_.table_columns.empty() ||
        (rolled.inclusive.kernel_count == 0 && !rolled.inclusive.estimated))
      return;
    out_ << "\n| Metric | Inclusive | Exclusive | How |\n|:--|--:|--:|:--|\n";
    for (const std::size_t c : report_.table_columns) {
      const Cell& cell = rolled.inclusive.cells[c];
      fmt::print(out_, "| {} | {} | {} | {} |\n",
                 MarkdownCode(rollup_.columns[c].name),
                 columns_.Cell(rolled.inclusive, c),
                 columns_.Cell(rolled.exclusive, c), HowText(cell));
    }
  }

  std::string HowText(const Cell& cell) {
    std::string text(HowName(cell.how));
    if (cell.how == How::kAbsent && !cell.has_spread) {
      if (const std::size_t number = absent_.Add(cell.reason); number > 0)
        text += fmt::format(", reason {}", number);
      return text;
    }
    if (!cell.rule.empty())
      text += fmt::format(", {}", std::string_view(cell.rule));
    if (!cell.weight.empty()) text += " by " + MarkdownCode(cell.weight);
    if (!cell.reason.empty()) text += ": " + MarkdownText(cell.reason);
    if (cell.how == How::kEstimated)
      text +=
          fmt::format("; {} launches, {} samples", FormatCount(cell.present),
                      FormatCount(cell.distinct));
    if (cell.missing > 0)
      text += fmt::format("; {} of {} measurements have it", cell.present,
                          cell.present + cell.missing);
    return text;
  }

  void WriteMeasured(const RegionRollup& rolled) {
    if (rolled.measured.empty()) return;
    out_ << "\nMeasured as a whole, which is part of no sum:\n\n"
            "| Mode | Time |"
         << columns_.Headings() << "\n|:--|--:|" << columns_.Rule();
    for (const WholeRow& row : rolled.measured) {
      fmt::print(out_, "| {} | {} |", WholeText(row),
                 row.amounts.without_time == 0
                     ? FormatNs(row.amounts.gpu_time_ns)
                     : "–");
      out_ << columns_.Cells(row.amounts) << '\n';
    }
    out_ << SpreadMarkdown(report_, rolled);
  }

  void WriteSections(RegionId id, const Amounts& amounts) {
    for (const SectionTable& table : report_.sections->TablesOf(id, amounts)) {
      if (table.rows.empty()) continue;
      fmt::print(out_, "\n*{}*\n\n| | |\n|:--|--:|\n",
                 MarkdownText(table.title));
      for (const SectionTableRow& row : table.rows) {
        const std::string text = FormatCell(profile_, row.cell, row.unit);
        fmt::print(out_, "| {} | {} |\n", MarkdownText(row.label),
                   row.cell.is_text ? MarkdownText(text) : text);
      }
    }
  }

  void WriteFindings(const ScopeRollup& scope, RegionId id) {
    const std::vector<Finding> findings = FindingsIn(report_, scope.scope, id);
    if (findings.empty()) return;
    constexpr std::size_t kMost = 10;
    out_ << "\n*What Nsight Compute's rules say, by what there is to gain.* A "
            "speedup is of the region's time; a local one is of the part that "
            "the rule is about. The text is of the kernel concerned that takes "
            "most time.\n\n";
    for (std::size_t i = 0; i < std::min(kMost, findings.size()); ++i) {
      const Finding& finding = findings[i];
      fmt::print(
          out_, "- **{}**",
          MarkdownText(finding.title.empty() ? finding.name : finding.title));
      if (finding.speedup_percent) {
        const double percent = *finding.speedup_percent;
        fmt::print(out_, ", est. {}speedup {}",
                   finding.speedup_is_global ? "" : "local ",
                   percent < 0.01 ? "below 0.01 %" : FormatValue(percent, "%"));
      }
      fmt::print(out_, ", {} kernel{}, {} of the region's time: {}\n",
                 finding.kernels, finding.kernels == 1 ? "" : "s",
                 FormatShare(finding.time_share, 1),
                 MarkdownText(finding.text, 600));
    }
    if (findings.size() > kMost) {
      fmt::print(out_, "- {} more in report.json\n",
                 FormatCount(findings.size() - kMost));
    }
  }

  const Report& report_;
  const Profile& profile_;
  const Rollup& rollup_;
  const Roofline roofline_;
  std::vector<const ScopeRollup*> scopes_;
  const MarkdownColumns columns_;
  AbsentValues absent_{};
  std::ostream& out_;
};

}  // namespace

void WriteMarkdown(const Report& report, std::ostream& out) {
  MarkdownReport(report, out).WriteRun();
}

void WriteGlanceMarkdown(const Report& report, std::ostream& out) {
  MarkdownReport(report, out).WriteGlance();
}

void WriteRegionMarkdown(const Report& report, RegionId region,
                         std::ostream& out) {
  MarkdownReport(report, out).WriteOne(region);
}

}  // namespace rangefinder
