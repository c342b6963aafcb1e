#include "report/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "report/by_name.h"
#include "report/imbalance.h"
#include "report/quantity.h"
#include "report/times.h"
#include "report/two_runs.h"

namespace rangefinder {
namespace {

constexpr std::size_t kBarWidth = 12;
constexpr std::size_t kTopKernels = 10;
constexpr std::size_t kTopNames = 10;
constexpr std::size_t kNarrowestName = 16;

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
  struct ColumnText {
    std::string heading{};
    std::vector<std::string> cells{};
    std::size_t width = 0;
  };

  std::string Styled(Style style, std::string text) const {
    if (!options_.color || style == Style::kPlain) return text;
    static constexpr std::array<std::string_view, 5> kCodes = {"", "1", "2",
                                                               "36", "33"};
    return fmt::format("\x1b[{}m{}\x1b[0m",
                       kCodes[static_cast<std::size_t>(style)], text);
  }

  static std::string PadRight(std::string text, std::size_t width) {
    const std::size_t used = DisplayWidth(text);
    if (used < width) text.append(width - used, ' ');
    return text;
  }
  static std::string PadLeft(std::string text, std::size_t width) {
    const std::size_t used = DisplayWidth(text);
    if (used < width) text.insert(0, width - used, ' ');
    return text;
  }

  std::string Bar(double share) const {
    share = std::clamp(share, 0.0, 1.0);
    if (!options_.unicode) {
      const auto full = static_cast<std::size_t>(
          std::lround(share * static_cast<double>(kBarWidth)));
      return std::string(full, '#') + std::string(kBarWidth - full, '.');
    }
    static constexpr std::array<std::string_view, 8> kEighths = {
        "", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto eighths = static_cast<std::size_t>(
        std::lround(share * 8 * static_cast<double>(kBarWidth)));
    std::string bar;
    for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
    bar += kEighths[eighths % 8];
    return PadRight(bar, kBarWidth);
  }

  // The lines that lead to each region of `order`, which lists a region before
  // its inner ones.
  std::vector<std::string> TreeLines(const std::vector<RegionId>& order) const {
    const RegionTree& tree = *report_.tree;
    const std::string_view tee = options_.unicode ? "├─ " : "|- ";
    const std::string_view end = options_.unicode ? "└─ " : "`- ";
    const std::string_view bar = options_.unicode ? "│  " : "|  ";
    std::vector<std::string> lines(order.size());
    std::vector<bool> more;  // by depth: whether a later sibling follows
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto depth = static_cast<std::size_t>(tree[order[i]].depth);
      const bool last = depth >= more.size() || !more[depth];
      more.resize(depth + 1);
      for (std::size_t d = 1; d < depth; ++d)
        lines[i] += more[d] ? bar : std::string_view("   ");
      if (depth > 0) lines[i] += last ? end : tee;
      more[depth] = true;
    }
    return lines;
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
    const std::string title = Title(scope.scope);
    const std::string figures = fmt::format(
        "{} kernels, {} GPU time", FormatCount(scope.totals.kernel_count),
        FormatNs(scope.totals.gpu_time_ns));
    const bool fits =
        DisplayWidth(title) + 2 + DisplayWidth(figures) <= options_.width;
    out_ << Styled(Style::kBold, title) << (fits ? "  " : "\n")
         << Styled(Style::kDim, figures) << '\n';
    if (order.empty()) {
      out_ << "  no region: nothing was measured here\n\n";
      return;
    }
    const double total = scope.totals.gpu_time_ns;
    ColumnText inclusive{"incl", {}, 0};
    ColumnText exclusive{"excl", {}, 0};
    ColumnText share{"share", {}, 0};
    ColumnText kernels{"kernels", {}, 0};
    std::vector<ColumnText> metrics;
    for (const std::string& heading : ColumnHeadings(report_))
      metrics.push_back({Ellipsize(heading, 26), {}, 0});
    for (const RegionId id : order) {
      const RegionRollup& region = scope.regions[Index(id)];
      const ShownAmounts shown = ShownOf(region);
      const bool whole = shown.whole != nullptr;
      inclusive.cells.push_back(FormatNs(shown.amounts->gpu_time_ns));
      exclusive.cells.push_back(whole ? "–"
                                      : FormatNs(region.exclusive.gpu_time_ns));
      share.cells.push_back(FormatShare(region.inclusive.gpu_time_ns, total));
      kernels.cells.push_back(whole
                                  ? std::string(ModeName(shown.whole->mode))
                                  : FormatCount(region.inclusive.kernel_count));
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        const std::size_t c = report_.table_columns[i];
        const bool there = c < shown.amounts->cells.size();
        metrics[i].cells.push_back(there ? FormatCell(profile_,
                                                      shown.amounts->cells[c],
                                                      rollup_.columns[c].unit)
                                         : "–");
      }
    }
    std::vector<ColumnText> columns = {inclusive, exclusive, share, kernels};
    if (HasTwoRuns(report_)) {
      ColumnText traced{"traced", {}, 0};
      for (const RegionId id : order)
        traced.cells.push_back(TracedCell(report_, scope, id));
      columns.insert(columns.begin() + 1, std::move(traced));
    }
    if (HasTimes(report_)) {
      std::array<ColumnText, 4> timed{
          ColumnText{"runs", {}, 0}, ColumnText{"CPU", {}, 0},
          ColumnText{"busy", {}, 0}, ColumnText{"idle", {}, 0}};
      for (const RegionId id : order) {
        TimesCells cells = TimesCellsOf(TimesOf(report_, scope.scope, id));
        timed[0].cells.push_back(std::move(cells.runs));
        timed[1].cells.push_back(std::move(cells.cpu));
        timed[2].cells.push_back(std::move(cells.busy));
        timed[3].cells.push_back(std::move(cells.idle));
      }
      // Beside counters they come after what was asked for.
      std::vector<ColumnText>& place = report_.traced ? metrics : columns;
      for (ColumnText& column : timed) place.push_back(std::move(column));
    }
    // Of a job's ranks it matters more than any metric.
    const Members members(report_);
    if (scope.scope.aggregate && members.HasAny()) {
      ColumnText worst{"max/mean", {}, 0};
      for (const RegionId id : order)
        worst.cells.push_back(ImbalanceText(members.Of(id)));
      metrics.insert(members.over_ranks() ? metrics.begin() : metrics.end(),
                     std::move(worst));
    }
    for (ColumnText& column : metrics) columns.push_back(std::move(column));
    for (ColumnText& column : columns) {
      column.width = DisplayWidth(column.heading);
      for (const std::string& cell : column.cells)
        column.width = std::max(column.width, DisplayWidth(cell));
    }

    const std::vector<std::string> lines = TreeLines(order);
    std::vector<std::string> names;
    std::size_t widest = 6;
    for (std::size_t i = 0; i < order.size(); ++i) {
      names.push_back(lines[i] + Printable(RegionName(report_, order[i])));
      widest = std::max(widest, DisplayWidth(names.back()));
    }
    // Metrics give way first, from the right, then the name.
    const auto used = [&] {
      std::size_t width = kBarWidth + 2;
      for (const ColumnText& column : columns) width += column.width + 2;
      return width;
    };
    const std::size_t name_wish = std::min<std::size_t>(widest, 40);
    std::size_t hidden = 0;
    while (columns.size() > 4 && used() + name_wish > options_.width) {
      columns.pop_back();
      ++hidden;
    }
    while (columns.size() > 2 && used() + kNarrowestName > options_.width) {
      columns.pop_back();
      ++hidden;
    }
    const std::size_t room =
        options_.width > used() ? options_.width - used() : 0;
    const std::size_t name_width =
        std::max(kNarrowestName, std::min(widest, room));

    std::string heading =
        PadRight("region", name_width) + "  " + PadRight("", kBarWidth);
    for (const ColumnText& column : columns)
      heading += "  " + PadLeft(column.heading, column.width);
    out_ << Styled(Style::kDim, heading) << '\n';
    for (std::size_t i = 0; i < order.size(); ++i) {
      const RegionRollup& region = scope.regions[Index(order[i])];
      out_ << PadRight(Ellipsize(names[i], name_width), name_width) << "  "
           << Styled(Style::kTime,
                     Bar(total > 0 ? region.inclusive.gpu_time_ns / total : 0));
      for (const ColumnText& column : columns)
        out_ << "  " << PadLeft(column.cells[i], column.width);
      out_ << '\n';
    }
    if (all > order.size()) {
      fmt::print(out_, "… {} more regions (regions.max_rows={})\n",
                 FormatCount(all - order.size()), report_.options.max_rows);
    }
    if (hidden > 0) {
      out_ << Styled(Style::kDim,
                     fmt::format("{} {} not fit into {} cells; --format md has "
                                 "{}",
                                 hidden,
                                 hidden == 1 ? "column does" : "columns do",
                                 options_.width, hidden == 1 ? "it" : "them"))
           << '\n';
    }
    if (const std::string coverage =
            CoverageText(report_, scope, RegionTree::kRoot);
        !coverage.empty())
      out_ << Styled(Style::kWarn, Ellipsize(coverage, options_.width)) << '\n';
    WriteMeasured(scope, order);
    out_ << '\n';
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
      std::uint64_t calls = 0;
      double total = 0;
    };
    std::map<std::string_view, Sum> sums;
    for (const RegionRollup& region : scope.regions) {
      for (const KernelRow& row : region.kernels) {
        Sum& sum = sums[profile_.Name(row.name)];
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
      WriteFitted(figures, name);
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
