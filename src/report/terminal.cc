#include "report/terminal.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "base/numbers.h"
#include "base/text.h"
#include "insight/imbalance.h"
#include "report/estimates.h"
#include "report/kernel_names.h"
#include "report/table_columns.h"
#include "report/table_select.h"
#include "report/terminal_checks.h"
#include "report/terminal_notes.h"
#include "report/terminal_ranks.h"
#include "report/terminal_scopes.h"
#include "report/terminal_table.h"
#include "report/two_runs.h"

namespace rangefinder {
namespace {

constexpr std::size_t kTopKernels = 5;

enum class Style { kPlain, kBold, kDim, kTime, kWarn };

// What the rows of a table are: one of them, many.
std::string_view Things(TableBy by, std::size_t count) {
  switch (by) {
    case TableBy::kRegion:
      return count == 1 ? "region" : "regions";
    case TableBy::kName:
      return count == 1 ? "name" : "names";
    case TableBy::kKernel:
      return count == 1 ? "kernel" : "kernels";
    case TableBy::kRank:
      break;
  }
  return count == 1 ? "scope" : "scopes";
}

class Terminal {
 public:
  Terminal(const Report& report, const TerminalOptions& options,
           std::ostream& out)
      : report_(report),
        rollup_(*report.rollup),
        options_(options),
        view_(options.view),
        out_(out) {}

  void Write() {
    auto scopes = FindScopes(report_, view_.scope);
    if (!scopes.ok()) scopes = FindScopes(report_, "");
    std::vector<const ScopeRollup*> shown = std::move(scopes).value();
    // A table by rank is one of all scopes.
    if (view_.by == TableBy::kRank && !shown.empty()) shown.resize(1);
    if (view_.scope.empty() && view_.by == TableBy::kRegion) WriteHeadlines();
    if (view_.scope.empty() &&
        (view_.by == TableBy::kRegion || view_.by == TableBy::kRank))
      WriteRanks();
    for (const ScopeRollup* scope : shown) WriteScope(*scope);
    if (shown.size() == 1) WriteOtherScopes(*shown.front());
    if (!shown.empty() && view_.by == TableBy::kRegion)
      WriteTopKernels(*shown.front());
    WriteNotes();
  }

 private:
  std::string Styled(Style style, std::string text) const {
    if (!options_.color || style == Style::kPlain) return text;
    static constexpr std::array<std::string_view, 5> kCodes = {"", "1", "2",
                                                               "36", "33"};
    return fmt::format("\x1b[{}m{}\x1b[0m",
                       kCodes[static_cast<std::size_t>(style)], text);
  }

  void WriteLines(Style style, std::string_view text) {
    for (const std::string& line : Wrapped(text, options_.width))
      out_ << Styled(style, Ellipsize(line, options_.width)) << '\n';
  }

  // What was found, before any number.
  void WriteHeadlines() {
    for (const Headline& headline : report_.headlines) {
      WriteLines(Style::kBold, Printable(headline.text));
      for (const std::string& line :
           Wrapped("look at: " + Printable(headline.next), options_.width - 2))
        out_ << "  " << Styled(Style::kDim, line) << '\n';
    }
    if (!report_.headlines.empty()) out_ << '\n';
  }

  void WriteRanks() {
    for (const RanksLine& line : RanksForTerminal(report_, options_)) {
      constexpr std::array<Style, 4> kStyles = {Style::kPlain, Style::kBold,
                                                Style::kDim, Style::kWarn};
      out_ << Styled(kStyles[static_cast<std::size_t>(line.look)], line.text)
           << '\n';
    }
  }

  // The name, and of the aggregate what it stands for where it is all there is.
  std::string Title(const Scope& scope) const {
    std::string title = ScopeTitle(report_, scope);
    if (scope.aggregate && rollup_.scopes.size() == 2)
      title += " = " + ScopeTitle(report_, rollup_.scopes[1].scope);
    return title;
  }

  void WriteScopeTitle(const ScopeRollup& scope) {
    const std::string title = Title(scope.scope);
    const std::string headline = HeadlineOf(report_, scope);
    const bool fits =
        DisplayWidth(title) + 2 + DisplayWidth(headline) <= options_.width;
    out_ << Styled(Style::kBold, title) << (fits ? "  " : "\n")
         << Styled(Style::kDim, headline) << '\n';
  }

  void WriteScope(const ScopeRollup& scope) {
    WriteScopeTitle(scope);
    const ReportTable table =
        TableOf(report_, scope, view_.by, &options_.rollup);
    if (table.rows.empty()) {
      out_ << "  no region: nothing was measured here\n\n";
      return;
    }
    const ReportColumns known(report_, scope);
    auto sort = known.Find(view_.sort);
    if (!sort.ok()) sort = known.Find("time");
    const SelectedRows selected =
        SelectRows(table, view_, sort.value(), report_.options.max_rows);
    const std::vector<ReportColumn> columns = ColumnsOf(known, table);
    WriteTable(table, selected, columns);
    WriteHiddenRows(scope, selected);
    WriteAbsences(table, selected, columns);
    if (scope.scope.aggregate || !options_.rollup.aggregate) {
      WriteEstimates();
      WriteDocs(columns);
      WriteChecks(table, selected);
    }
    if (const std::string coverage =
            CoverageText(report_, scope, RegionTree::kRoot);
        !coverage.empty())
      WriteLines(Style::kWarn, coverage);
    out_ << '\n';
  }

  std::vector<ReportColumn> ColumnsOf(const ReportColumns& known,
                                      const ReportTable& table) const {
    std::vector<ReportColumn> columns;
    for (const std::string& name : view_.columns) {
      auto column = known.Find(name);
      if (!column.ok()) continue;
      columns.push_back(std::move(column).value());
      columns.back().rank = 0;  // asked for, so it stays
    }
    return columns.empty() ? known.Usual(table) : columns;
  }

  // The rows as they stand, the parts of one right behind it.
  struct Line {
    std::string name{};
    const ReportRow* row = nullptr;
  };

  std::string WholeName(const ReportTable& table, const ReportRow& row) const {
    if (!view_.flat || !row.region) return row.name;
    std::string name;
    for (const ReportRow* at = &row;;) {
      name = name.empty() ? at->name : at->name + " › " + name;
      if (at->outer == kNoRow) return name;
      at = &table.rows[at->outer];
    }
  }

  std::vector<Line> LinesOf(const ReportTable& table,
                            const SelectedRows& selected) const {
    std::vector<std::size_t> depths;
    for (const std::size_t i : selected.rows)
      depths.push_back(view_.flat ? 0 : table.rows[i].depth);
    const std::vector<std::string> tree = TreeLines(depths, options_.unicode);
    std::vector<Line> lines;
    for (std::size_t i = 0; i < selected.rows.size(); ++i) {
      const ReportRow& row = table.rows[selected.rows[i]];
      lines.push_back({tree[i] + Printable(WholeName(table, row)), &row});
      const std::string indent(3 * depths[i] + 2, ' ');
      for (const ReportRow& part : row.parts)
        lines.push_back({indent + Printable(part.name), &part});
    }
    return lines;
  }

  void WriteTable(const ReportTable& table, const SelectedRows& selected,
                  const std::vector<ReportColumn>& columns) {
    const std::vector<Line> lines = LinesOf(table, selected);
    std::vector<std::string> names;
    bool bar = false;
    for (const Line& line : lines) {
      names.push_back(line.name);
      bar = bar || line.row->share.has_value();
    }
    std::vector<TextColumn> texts;
    for (const ReportColumn& column : columns) {
      TextColumn& text = texts.emplace_back();
      text.name = column.heading;
      text.heading = column.heading;
      text.rank = column.rank;
      for (const Line& line : lines)
        text.cells.push_back(column.text(*line.row));
    }
    const FittedTable fitted =
        Fit(std::move(texts), names, bar, options_.width);
    WriteHeading(fitted);
    for (std::size_t i = 0; i < lines.size(); ++i)
      WriteRow(fitted, lines[i], i);
    WriteHiddenColumns(fitted.hidden);
  }

  void WriteHeading(const FittedTable& table) {
    for (const std::size_t line : {0U, 1U}) {
      std::string text = line == 0 ? "" : std::string(Things(view_.by, 1));
      text = PadRight(std::move(text), table.name_width);
      if (table.bar_width > 0) text += std::string(table.bar_width + 2, ' ');
      for (const TextColumn& column : table.columns)
        text += "  " + PadLeft(column.heading_lines[line], column.width);
      text.erase(text.find_last_not_of(' ') + 1);
      if (!text.empty()) out_ << Styled(Style::kDim, text) << '\n';
    }
  }

  void WriteRow(const FittedTable& table, const Line& line, std::size_t at) {
    std::string text =
        PadRight(Ellipsize(line.name, table.name_width), table.name_width);
    if (table.bar_width > 0) {
      text +=
          "  " + Styled(Style::kTime, Bar(line.row->share.value_or(0),
                                          table.bar_width, options_.unicode));
    }
    for (const TextColumn& column : table.columns)
      text += "  " + PadLeft(column.cells[at], column.width);
    text.erase(text.find_last_not_of(' ') + 1);
    out_ << text << '\n';
  }

  // What the counters are.
  void WriteDocs(const std::vector<ReportColumn>& columns) {
    const auto known = [](const ReportColumn& one) { return !one.doc.empty(); };
    if (std::ranges::none_of(columns, known)) return;
    if (!options_.verbose) {
      WriteLines(
          Style::kDim,
          "what the counters are: --verbose, or --explain REGION METRIC");
      return;
    }
    for (const ReportColumn& column : columns) {
      if (known(column))
        WriteLines(Style::kDim, column.heading + ": " + Printable(column.doc));
    }
  }

  // Why there are dashes, a line for each reason.
  void WriteAbsences(const ReportTable& table, const SelectedRows& selected,
                     const std::vector<ReportColumn>& columns) {
    constexpr std::size_t kMost = 3;
    std::map<std::string, std::size_t> values;
    for (const ReportColumn& column : columns) {
      if (!column.why_not) continue;
      for (const std::size_t row : selected.rows) {
        std::string why = column.why_not(table.rows[row]);
        if (!why.empty()) ++values[std::move(why)];
      }
    }
    std::vector<std::pair<std::string, std::size_t>> most(values.begin(),
                                                          values.end());
    std::ranges::stable_sort(most, std::ranges::greater(),
                             [](const auto& why) { return why.second; });
    for (std::size_t i = 0; i < std::min(most.size(), kMost); ++i) {
      WriteLines(Style::kDim, fmt::format("– {} value{} {} absent: {}",
                                          FormatCount(most[i].second),
                                          most[i].second == 1 ? "" : "s",
                                          most[i].second == 1 ? "is" : "are",
                                          Printable(most[i].first)));
    }
    if (most.size() > kMost)
      WriteLines(Style::kDim,
                 "– others are absent for reasons that "
                 "--format md has");
  }

  void WriteChecks(const ReportTable& table, const SelectedRows& selected) {
    if (view_.by != TableBy::kRegion) return;
    constexpr std::size_t kMost = 24;
    std::vector<RegionId> regions;
    for (const std::size_t row : selected.rows) {
      if (table.rows[row].region) regions.push_back(*table.rows[row].region);
    }
    const ChecksTable checks = ChecksForTerminal(
        report_, regions, options_.width,
        options_.verbose ? report_.options.checks.size() : kMost);
    if (checks.title.empty()) return;
    out_ << '\n';
    WriteLines(Style::kBold, checks.title);
    out_ << Styled(Style::kDim, checks.heading) << '\n';
    for (const ChecksTable::Row& row : checks.rows) {
      out_ << Styled(row.differs ? Style::kWarn : Style::kPlain, row.text)
           << '\n';
    }
    if (!checks.caveat.empty()) WriteLines(Style::kDim, checks.caveat);
    if (!checks.left_out.empty())
      WriteLines(Style::kDim,
                 (options_.unicode ? "… " : "... ") + checks.left_out);
  }

  // What ± means, where any is shown, and how good the estimates are.
  void WriteEstimates() {
    const std::string text = SamplingText(report_);
    if (text.empty()) return;
    WriteLines(Style::kDim, HasEstimates(report_)
                                ? "± is one standard error; " + text
                                : "counters: " + text);
  }

  void WriteHiddenColumns(const std::vector<std::string>& names) {
    if (names.empty()) return;
    WriteLines(Style::kDim,
               fmt::format("no room for {}: --columns chooses, --format md has "
                           "all",
                           JoinedAsList(names, "and")));
  }

  void WriteHiddenRows(const ScopeRollup& scope, const SelectedRows& selected) {
    if (selected.hidden == 0) return;
    std::string text = fmt::format(
        "{} {} more {} {} not shown ({})", options_.unicode ? "…" : "...",
        FormatCount(selected.hidden), Things(view_.by, selected.hidden),
        selected.hidden == 1 ? "is" : "are", fmt::join(selected.because, ", "));
    const auto whole = report_.rows->Of(scope, RegionTree::kRoot).time_ns;
    if (selected.hidden_ns) {
      // An outer region that is shown has it in its time, too.
      text += fmt::format(", with {}{}", FormatNs(*selected.hidden_ns),
                          view_.by == TableBy::kRegion ? " of their own" : "");
      if (whole && *whole > 0)
        text +=
            ", " + FormatShare(*selected.hidden_ns, *whole) + " of the time";
    }
    WriteLines(Style::kDim, text);
  }

  void WriteOtherScopes(const ScopeRollup& shown) {
    const std::size_t count = rollup_.scopes.size() - 1;
    if (!shown.scope.aggregate || count < 2 || view_.by == TableBy::kRank)
      return;
    WriteLines(Style::kDim,
               fmt::format("of {} processes and devices together: --scope all "
                           "shows each, --by rank compares them",
                           count));
    out_ << '\n';
  }

  void WriteTopKernels(const ScopeRollup& scope) {
    const ReportTable table =
        TableOf(report_, scope, TableBy::kKernel, nullptr);
    if (table.rows.empty()) return;
    out_ << Styled(Style::kBold, "kernels by time") << '\n';
    const std::size_t shown = std::min(kTopKernels, table.rows.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const ReportRow& row = table.rows[i];
      const std::string figures =
          fmt::format("{:>9}  {:>7}  {:>7} {}  ",
                      row.time_ns ? FormatNs(*row.time_ns) : "–",
                      row.share ? FormatShare(*row.share, 1) : "–",
                      row.launches ? FormatCount(*row.launches) : "–",
                      row.launches == 1U ? "launch  " : "launches");
      WriteFitted(figures, row.name);
    }
    if (table.rows.size() > shown) {
      const std::size_t more = table.rows.size() - shown;
      WriteLines(Style::kDim,
                 fmt::format("{} {} more {}: --by kernel",
                             options_.unicode ? "…" : "...", FormatCount(more),
                             Things(TableBy::kKernel, more)));
    }
    out_ << '\n';
  }

  // A line that ends with a name, cut to the width.
  void WriteFitted(const std::string& figures, std::string_view name) {
    const std::size_t width = DisplayWidth(figures);
    const std::size_t room =
        options_.width > width ? options_.width - width : 0;
    out_ << figures
         << Ellipsize(Printable(name), std::max(kNarrowestName, room)) << '\n';
  }

  void WriteNotes() {
    const std::vector<TerminalNote> notes =
        NotesForTerminal(*report_.notes, options_.verbose, options_.width);
    const std::size_t left = report_.notes->all().size() - notes.size();
    if (notes.empty() && left == 0) return;
    if (!notes.empty()) out_ << Styled(Style::kBold, "notes") << '\n';
    for (const TerminalNote& note : notes) {
      for (const std::string& line : note.lines)
        out_ << Styled(note.warns ? Style::kWarn : Style::kPlain, line) << '\n';
    }
    if (left > 0) {
      WriteLines(
          Style::kDim,
          fmt::format("{} for experts: --verbose",
                      left == 1 ? "1 note" : FormatCount(left) + " notes"));
    }
  }

  const Report& report_;
  const Rollup& rollup_;
  const TerminalOptions& options_;
  const TableView& view_;
  std::ostream& out_;
};

}  // namespace

Status CheckView(const Report& report, const TableView& view) {
  TRY(FindScopes(report, view.scope));
  if (report.rollup->scopes.empty()) return Ok();
  const ReportColumns known(report, report.rollup->scopes.front());
  const auto sort = known.Find(view.sort);
  if (!sort.ok()) return Error(sort.error()).In("--sort");
  for (const std::string& name : view.columns) {
    const auto column = known.Find(name);
    if (!column.ok()) return Error(column.error()).In("--columns");
  }
  return Ok();
}

void WriteTerminal(const Report& report, const TerminalOptions& options,
                   std::ostream& out) {
  Terminal(report, options, out).Write();
}

}  // namespace rangefinder
