#include "report/markdown_tree.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "report/imbalance.h"
#include "report/markdown_frame.h"
#include "report/markup.h"
#include "report/quantity.h"
#include "report/times.h"
#include "report/two_runs.h"

namespace rangefinder {
namespace {

class TreeTable {
 public:
  TreeTable(const Report& report, const ScopeRollup& scope,
            const MarkdownColumns& columns, std::ostream& out)
      : report_(report),
        scope_(scope),
        columns_(columns),
        members_(report),
        two_(HasTwoRuns(report)),
        timed_(HasTimes(report)),
        shared_(scope.scope.aggregate && members_.HasAny()),
        out_(out) {}

  void Write() {
    fmt::print(out_, "## Regions, scope {}\n\n",
               ScopeHeading(report_, scope_.scope));
    const std::vector<RegionId> order = ReadingOrder(report_, scope_);
    if (order.empty()) {
      out_ << "No region: nothing was measured here.\n\n";
      return;
    }
    WriteHead();
    std::uint64_t rows = 0;
    for (const RegionId id : order) {
      if (rows++ == report_.options.max_rows) break;
      WriteRow(id);
    }
    WriteTotal();
    WriteRowsLeftOut(report_, order.size(), out_);
    WriteFootnotes();
    out_ << columns_.Legend() << '\n';
  }

 private:
  void WriteHead() {
    out_ << "| Region | Inclusive |" << (two_ ? " Traced |" : "")
         << " Share | Exclusive | Kernels | Own |"
         << (timed_ ? " Runs | CPU | GPU busy | GPU idle |" : "")
         << (shared_ ? " Max/mean |" : "") << columns_.Headings();
    out_ << "\n|:--|--:|--:|--:|--:|--:|" << (two_ ? "--:|" : "")
         << (timed_ ? "--:|--:|--:|--:|" : "") << (shared_ ? "--:|" : "")
         << columns_.Rule();
  }

  void WriteRow(RegionId id) {
    const Region& region = (*report_.tree)[id];
    const RegionRollup& rolled = scope_.regions[Index(id)];
    const ShownAmounts shown = ShownOf(rolled);
    const bool whole = shown.whole != nullptr;
    wholes_ = wholes_ || whole;
    std::string indent;
    for (std::int32_t i = 0; i < region.depth; ++i) indent += "&emsp;";
    fmt::print(out_, "| {}{}{} | {} |{} {} | {} | {} | {} |", indent,
               region.depth > 0 ? "└ " : "",
               MarkdownText(RegionName(report_, id)),
               WholeTime(shown, rolled.measured.size()), Traced(id),
               whole ? "–"
                     : FormatShare(shown.amounts->gpu_time_ns,
                                   scope_.totals.gpu_time_ns),
               whole ? "–" : FormatNs(rolled.exclusive.gpu_time_ns),
               FormatCount(rolled.inclusive.kernel_count),
               FormatCount(rolled.exclusive.kernel_count));
    out_ << Times(id) << Imbalance(id) << columns_.Cells(*shown.amounts)
         << '\n';
  }

  void WriteTotal() {
    const double total = scope_.totals.gpu_time_ns;
    const std::string kernels = FormatCount(scope_.totals.kernel_count);
    const RegionId root = RegionTree::kRoot;
    fmt::print(out_, "| **Total** | {} |{} {} | {} | {} | {} |",
               FormatNs(total), Traced(root), FormatShare(total, total),
               FormatNs(total), kernels, kernels);
    out_ << Times(root) << Imbalance(root) << columns_.Cells(scope_.totals)
         << '\n';
  }

  // The time of a region's row, marked where it is not that of its kernels.
  static std::string WholeTime(const ShownAmounts& shown, std::size_t wholes) {
    std::string text = FormatNs(shown.amounts->gpu_time_ns);
    if (shown.whole != nullptr) text += " †";
    if (shown.whole != nullptr && wholes > 1)
      text += fmt::format(" ×{}", wholes);
    return text;
  }

  // Cells of columns that not every report has.
  std::string Traced(RegionId id) const {
    if (!two_) return {};
    return " " + TracedCell(report_, scope_, id) + " |";
  }
  std::string Times(RegionId id) const {
    if (!timed_) return {};
    const TimesCells cells = TimesCellsOf(TimesOf(report_, scope_.scope, id));
    return fmt::format(" {} | {} | {} | {} |", cells.runs, cells.cpu,
                       cells.busy, cells.idle);
  }
  std::string Imbalance(RegionId id) const {
    if (!shared_) return {};
    return " " + ImbalanceText(members_.Of(id)) + " |";
  }

  void WriteFootnotes() {
    if (wholes_) {
      out_ << "\n† measured over the whole range at once, and part of no sum: "
              "its kernels were not measured one by one. Of several executions "
              "(×) the first.\n";
    }
    if (shared_) {
      out_ << "\nMax/mean: the GPU time of who has the most of it, against the "
              "mean over all of them.\n";
    }
    if (two_) {
      out_ << "\nTraced: the GPU time of the same region in the undisturbed "
              "run, all its launches.\n";
      const std::string coverage =
          CoverageText(report_, scope_, RegionTree::kRoot);
      if (!coverage.empty()) fmt::print(out_, "\n**{}.**\n", coverage);
    }
  }

  const Report& report_;
  const ScopeRollup& scope_;
  const MarkdownColumns& columns_;
  const Members members_;
  const bool two_;       // runs: a traced one beside the measured one
  const bool timed_;     // by a trace
  const bool shared_;    // between ranks or processes
  bool wholes_ = false;  // a row was measured as a whole
  std::ostream& out_;
};

}  // namespace

void WriteTreeMarkdown(const Report& report, const ScopeRollup& scope,
                       const MarkdownColumns& columns, std::ostream& out) {
  TreeTable(report, scope, columns, out).Write();
}

}  // namespace rangefinder
