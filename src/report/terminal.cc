#include "report/terminal.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "report/by_name.h"
#include "report/imbalance.h"
#include "report/kernel_names.h"
#include "report/quantity.h"
#include "report/terminal_columns.h"
#include "report/terminal_table.h"
#include "report/two_runs.h"

namespace rangefinder {
namespace {

constexpr std::size_t kTopKernels = 10;
constexpr std::size_t kTopNames = 10;

enum class Style { kPlain, kBold, kDim, kTime, kWarn };

class Terminal {
 public:
  Terminal(const Report& report, const TerminalOptions& options,
           std::ostream& out)
      : report_(report),
        profile_(*report.profile),
        rollup_(*report.rollup),
        options_(options),
        out_(out) {}

  void Write() {
    for (const ScopeRollup* scope : ShownScopes(report_)) WriteScope(*scope);
    if (!rollup_.scopes.empty()) WriteNames(rollup_.scopes.front());
    if (!rollup_.scopes.empty()) WriteTopKernels(rollup_.scopes.front());
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

  // The name, and of the aggregate what it stands for where it is all there is.
  std::string Title(const Scope& scope) const {
    std::string title = ScopeTitle(report_, scope);
    if (scope.aggregate && rollup_.scopes.size() == 2)
      title += " = " + ScopeTitle(report_, rollup_.scopes[1].scope);
    return title;
  }

  void WriteScope(const ScopeRollup& scope) {
    std::vector<RegionId> order = ReadingOrder(report_, scope);
    const std::size_t all = order.size();
    if (order.size() > report_.options.max_rows)
      order.resize(report_.options.max_rows);
    WriteScopeTitle(scope);
    if (order.empty()) {
      out_ << "  no region: nothing was measured here\n\n";
      return;
    }
    const std::vector<std::string> names = NamesOf(order);
    const FittedTable table =
        Fit(TerminalColumns(report_, scope, order), names, options_.width);
    WriteTable(scope, order, names, table);
    if (all > order.size()) {
      fmt::print(out_, "… {} more regions (regions.max_rows={})\n",
                 FormatCount(all - order.size()), report_.options.max_rows);
    }
    WriteHidden(table.hidden);
    if (const std::string coverage =
            CoverageText(report_, scope, RegionTree::kRoot);
        !coverage.empty())
      out_ << Styled(Style::kWarn, Ellipsize(coverage, options_.width)) << '\n';
    WriteMeasured(scope, order);
    out_ << '\n';
  }

  void WriteScopeTitle(const ScopeRollup& scope) {
    const std::string title = Title(scope.scope);
    const std::string figures = fmt::format(
        "{} kernels, {} GPU time", FormatCount(scope.totals.kernel_count),
        FormatNs(scope.totals.gpu_time_ns));
    const bool fits =
        DisplayWidth(title) + 2 + DisplayWidth(figures) <= options_.width;
    out_ << Styled(Style::kBold, title) << (fits ? "  " : "\n")
         << Styled(Style::kDim, figures) << '\n';
  }

  std::vector<std::string> NamesOf(const std::vector<RegionId>& order) const {
    std::vector<std::string> names =
        TreeLines(*report_.tree, order, options_.unicode);
    for (std::size_t i = 0; i < order.size(); ++i)
      names[i] += Printable(RegionName(report_, order[i]));
    return names;
  }

  void WriteTable(const ScopeRollup& scope, const std::vector<RegionId>& order,
                  const std::vector<std::string>& names,
                  const FittedTable& table) {
    const double total = scope.totals.gpu_time_ns;
    std::string heading =
        PadRight("region", table.name_width) + "  " + PadRight("", kBarWidth);
    for (const TextColumn& column : table.columns)
      heading += "  " + PadLeft(column.heading, column.width);
    out_ << Styled(Style::kDim, heading) << '\n';
    for (std::size_t i = 0; i < order.size(); ++i) {
      const RegionRollup& region = scope.regions[Index(order[i])];
      const double share = total > 0 ? region.inclusive.gpu_time_ns / total : 0;
      out_ << PadRight(Ellipsize(names[i], table.name_width), table.name_width)
           << "  " << Styled(Style::kTime, Bar(share, options_.unicode));
      for (const TextColumn& column : table.columns)
        out_ << "  " << PadLeft(column.cells[i], column.width);
      out_ << '\n';
    }
  }

  void WriteHidden(std::size_t columns) {
    if (columns == 0) return;
    const bool one = columns == 1;
    const std::string text =
        fmt::format("{} {} not fit into {} cells; --format md has {}", columns,
                    one ? "column does" : "columns do", options_.width,
                    one ? "it" : "them");
    out_ << Styled(Style::kDim, text) << '\n';
  }

  void WriteMeasured(const ScopeRollup& scope,
                     const std::vector<RegionId>& order) {
    bool first = true;
    const std::vector<std::string> headings = ColumnHeadings(report_);
    for (const RegionId id : order) {
      const RegionRollup& region = scope.regions[Index(id)];
      for (const WholeRow& row : region.measured) {
        // What stands in the table already.
        if (&row == ShownOf(region).whole && region.measured.size() == 1)
          continue;
        if (first)
          out_ << Styled(Style::kDim,
                         "measured as a whole, never added to the above:")
               << '\n';
        first = false;
        std::string line =
            fmt::format("  {}  {}  {}", Printable(RegionTitle(report_, id)),
                        ModeName(row.mode), FormatNs(row.amounts.gpu_time_ns));
        for (std::size_t i = 0; i < headings.size(); ++i) {
          const std::size_t c = report_.table_columns[i];
          if (c >= row.amounts.cells.size()) continue;
          line += fmt::format("  {} {}", headings[i],
                              FormatCell(profile_, row.amounts.cells[c],
                                         rollup_.columns[c].unit));
        }
        out_ << Ellipsize(line, options_.width) << '\n';
      }
    }
  }

  void WriteNames(const ScopeRollup& scope) {
    if (scope.names.empty()) return;
    out_ << Styled(Style::kBold, "names that several regions have") << '\n';
    const std::size_t shown = std::min(kTopNames, scope.names.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const NameRow& row = scope.names[i];
      const std::string figures = fmt::format(
          "{:>9}  {:>7}  {:>7} regions  ", FormatNs(row.amounts.gpu_time_ns),
          FormatShare(row.amounts.gpu_time_ns, scope.totals.gpu_time_ns),
          FormatCount(row.regions.size()));
      WriteFitted(figures, NameTitle(report_, row));
    }
    if (scope.names.size() > shown)
      fmt::print(out_, "… {} more names\n",
                 FormatCount(scope.names.size() - shown));
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

  void WriteTopKernels(const ScopeRollup& scope) {
    struct Sum {
      StringId name{};
      std::uint64_t calls = 0;
      double total = 0;
    };
    // By full name: the short ones are as many.
    std::map<std::string_view, Sum> sums;
    for (const RegionRollup& region : scope.regions) {
      for (const KernelRow& row : region.kernels) {
        Sum& sum = sums[profile_.Name(row.name)];
        sum.name = row.name;
        sum.calls += row.calls;
        sum.total += row.total_ns;
      }
    }
    if (sums.empty()) return;
    std::vector<std::pair<std::string_view, Sum>> order(sums.begin(),
                                                        sums.end());
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
      return a.second.total > b.second.total;
    });
    out_ << Styled(Style::kBold, "kernels by time") << '\n';
    const std::size_t shown = std::min(kTopKernels, order.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& [name, sum] = order[i];
      const std::string figures = fmt::format(
          "{:>9}  {:>7}  {:>7} {}  ", FormatNs(sum.total),
          FormatShare(sum.total, scope.totals.gpu_time_ns),
          FormatCount(sum.calls), sum.calls == 1 ? "call " : "calls");
      WriteFitted(figures, report_.kernel_names->Shown(sum.name));
    }
    if (order.size() > shown)
      fmt::print(out_, "… {} more kernels\n",
                 FormatCount(order.size() - shown));
    out_ << '\n';
  }

  void WriteNotes() {
    if (report_.notes->empty()) return;
    out_ << Styled(Style::kBold, "notes") << '\n';
    for (const Note& note : report_.notes->all()) {
      const Style style =
          note.severity == Severity::kInfo ? Style::kDim : Style::kWarn;
      std::string text = Printable(note.text);
      if (!note.where.empty()) text += " (" + Printable(note.where) + ")";
      if (note.count > 1) text += fmt::format(" ×{}", note.count);
      out_ << Styled(style,
                     std::string(SeverityName(note.severity)) + ": " + text)
           << '\n';
    }
  }

  const Report& report_;
  const Profile& profile_;
  const Rollup& rollup_;
  TerminalOptions options_;
  std::ostream& out_;
};

}  // namespace

void WriteTerminal(const Report& report, const TerminalOptions& options,
                   std::ostream& out) {
  Terminal(report, options, out).Write();
}

}  // namespace rangefinder
