// Selects and sorts the rows of a table.

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "report/tables.h"

namespace rangefinder {
namespace {

class RowSelection {
 public:
  RowSelection(const ReportRows& table, const TableView& view,
               const ReportColumn& sort, bool has_options)
      : rows_(table.rows),
        view_(view),
        has_options_(has_options),
        tree_(table.by == TableBy::kRegion && !view.flat),
        shown_(rows_.size(), true) {
    for (const ReportRow& row : rows_) {
      keys_.push_back(sort.value(row));
      // Launches outside of all regions have GPU time alone.
      if (!keys_.back() && sort.name == "wall") keys_.back() = row.time_ns;
    }
    shares_ = std::ranges::any_of(
        rows_, [](const ReportRow& row) { return row.share.has_value(); });
  }

  SelectedRows Select(std::uint64_t max_rows) {
    CutDepthAndShare();
    CutNumber(max_rows);
    SelectedRows selected{.because = std::move(because_)};
    selected.rows = Order();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (shown_[i]) continue;
      selected.hidden += std::max<std::size_t>(rows_[i].members.size(), 1);
      const auto& ns = rows_[i].own_ns ? rows_[i].own_ns : rows_[i].time_ns;
      // Names may be nested in each other, so their times have no sum.
      if (ns && !rows_[i].regions)
        selected.hidden_ns = selected.hidden_ns.value_or(0) + *ns;
    }
    return selected;
  }

 private:
  // By the sort key, the largest first; otherwise in their given order.
  bool Before(std::size_t a, std::size_t b) const {
    if (keys_[a].has_value() != keys_[b].has_value())
      return keys_[a].has_value();
    return keys_[a] > keys_[b];
  }

  void CutDepthAndShare() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const ReportRow& row = rows_[i];
      if (view_.depth.value_or(0) > 0 && row.depth >= *view_.depth)
        HideByOption(i, fmt::format("--depth {}", *view_.depth));
      // Without shares, no row counts as small.
      if (shares_ && 100 * row.share.value_or(0) < view_.min_share)
        HideByOption(i, fmt::format("--min-share {:g}", view_.min_share));
    }
  }

  void CutNumber(std::uint64_t max_rows) {
    // If both are equal, a larger --top would show no more.
    const bool by_top = view_.top > 0 && view_.top < max_rows;
    const std::uint64_t most = by_top ? view_.top : max_rows;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (shown_[i]) order.push_back(i);
    }
    if (order.size() <= most) return;
    // (unattributed) is kept by its value like other rows.
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return keys_[a] > keys_[b];
    });
    std::vector<bool> kept(rows_.size());
    for (std::size_t i = 0; i < most; ++i) {
      std::size_t at = order[i];
      kept[at] = true;
      while (tree_ && rows_[at].outer != kNoRow) {
        at = rows_[at].outer;
        kept[at] = true;
      }
    }
    for (const std::size_t i : order) {
      if (kept[i]) continue;
      if (by_top)
        HideByOption(i, fmt::format("--top {}", view_.top));
      else
        Hide(i, fmt::format("regions.max_rows={}", max_rows));
    }
  }

  // Documents without options of a table name none.
  void HideByOption(std::size_t row, std::string option) {
    Hide(row, has_options_ ? std::move(option) : "");
  }

  void Hide(std::size_t row, const std::string& why) {
    shown_[row] = false;
    if (!why.empty()) AddOnce(because_, why);
  }

  std::vector<std::size_t> Order() const {
    std::vector<std::size_t> order =
        NumbersBy(rows_.size(), std::identity(),
                  [&](std::size_t a, std::size_t b) { return Before(a, b); });
    if (tree_) order = AsTree(order);
    std::erase_if(order, [&](std::size_t i) { return !shown_[i]; });
    return order;
  }

  // The same order, with inner rows right behind their outer row.
  std::vector<std::size_t> AsTree(
      const std::vector<std::size_t>& sorted) const {
    std::vector<std::vector<std::size_t>> inner(rows_.size() + 1);
    const auto place = [&](std::size_t row) {
      return row == kNoRow ? rows_.size() : row;
    };
    for (const std::size_t i : sorted)
      inner[place(rows_[i].outer)].push_back(i);
    std::vector<std::size_t> order;
    std::vector<std::size_t> stack(inner.back().rbegin(), inner.back().rend());
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      order.push_back(at);
      stack.insert(stack.end(), inner[at].rbegin(), inner[at].rend());
    }
    return order;
  }

  const std::vector<ReportRow>& rows_;
  const TableView& view_;
  bool has_options_;
  bool tree_;
  bool shares_ = false;  // some row has a share
  std::vector<bool> shown_;
  std::vector<std::optional<double>> keys_{};
  std::vector<std::string> because_{};
};

}  // namespace

SelectedRows SelectRows(const ReportRows& table, const TableView& view,
                        const ReportColumn& sort, std::uint64_t max_rows,
                        bool has_options) {
  return RowSelection(table, view, sort, has_options).Select(max_rows);
}

}  // namespace rangefinder
