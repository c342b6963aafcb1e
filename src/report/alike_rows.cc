// Joins siblings whose names differ by a number and that behave alike, such as
// the layers of a model, into one row.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/median.h"
#include "region/merged_names.h"
#include "report/rows.h"

namespace rangefinder {
namespace {

// Fewer rows are as easy to read as their sum.
constexpr std::size_t kFewest = 3;
// How far a sibling may be from the siblings' median. Wall times of equal work
// scatter more than GPU times.
constexpr double kWallApart = 0.25;
constexpr double kGpuApart = 0.10;
// A region inside the siblings may also differ by this part of the outer
// siblings' median.
constexpr double kOfOuter = 0.02;

struct Node {
  ReportRow* row = nullptr;
  std::size_t shape = 0;  // equal for rows with equal counts and inner rows
  std::vector<Node> inner{};
};
using Siblings = std::vector<const Node*>;
using TimeMember = std::optional<double> RowTimes::*;

// Times of an instance; with warm-up if that is not known apart.
double WallOf(const ReportRow& row) {
  if (row.times.each_ns) return *row.times.each_ns;
  return row.times.wall_ns.value_or(0) /
         std::max(row.times.instances.value_or(1), 1.0);
}
double GpuOf(const ReportRow& row) {
  if (row.times.warmup_known) return row.times.gpu_each_ns.value_or(0);
  return row.time_ns.value_or(0) /
         std::max(row.times.instances.value_or(1), 1.0);
}

std::string NameWithoutNumbers(std::string_view name) {
  std::string out;
  std::size_t at = 0;
  for (const NameNumber& number : NumbersIn(name)) {
    out.append(name.substr(at, number.begin - at)).push_back('*');
    at = number.end;
  }
  return out.append(name.substr(at));
}

class AlikeRows {
 public:
  std::vector<ReportRow> Fold(std::vector<ReportRow> rows) {
    std::vector<Node> roots = TreeOf(rows);
    FoldSiblings(roots);
    if (sums_.empty()) return rows;
    std::vector<ReportRow> out;
    out.reserve(rows.size());
    Flatten(roots, kNoRow, out);
    return out;
  }

 private:
  using Shape =
      std::tuple<std::string, std::optional<double>,
                 std::optional<std::uint64_t>, std::optional<std::uint64_t>,
                 std::vector<std::size_t>>;

  // Outer rows come before their inner rows.
  std::vector<Node> TreeOf(std::vector<ReportRow>& rows) {
    std::vector<Node> roots;
    std::vector<Node> nodes(rows.size());
    for (std::size_t i = rows.size(); i-- > 0;) {
      Node& node = nodes[i];
      std::ranges::reverse(node.inner);
      node.row = &rows[i];
      node.shape = ShapeOf(node);
      auto& siblings =
          node.row->outer == kNoRow ? roots : nodes[node.row->outer].inner;
      siblings.push_back(std::move(node));
    }
    std::ranges::reverse(roots);
    return roots;
  }

  std::size_t ShapeOf(const Node& node) {
    std::vector<std::size_t> inner;
    for (const Node& one : node.inner) inner.push_back(one.shape);
    std::ranges::sort(inner);
    return shapes_
        .try_emplace(
            Shape(NameWithoutNumbers(node.row->name), node.row->times.instances,
                  node.row->launches, node.row->own_launches, std::move(inner)),
            shapes_.size())
        .first->second;
  }

  void FoldSiblings(std::vector<Node>& siblings) {
    std::map<std::size_t, Siblings> groups;
    for (const Node& node : siblings) {
      // A row without a wall time, or measured as a whole, is not joined.
      if (node.row->times.wall_ns && node.row->mode.empty() &&
          node.row->parts.empty())
        groups[node.shape].push_back(&node);
    }
    std::map<const Node*, Node> folded;  // by the first of its siblings
    std::set<const Node*> gone;
    for (auto& [shape, group] : groups) {
      if (group.size() < kFewest ||
          group.front()->row->name ==
              NameWithoutNumbers(group.front()->row->name))
        continue;
      Siblings alike = AlikeOf(group);
      if (alike.size() < kFewest) continue;
      for (const Node* node : alike) gone.insert(node);
      folded.emplace(alike.front(), Together(alike));
    }
    std::vector<Node> left;
    for (Node& node : siblings) {
      if (const auto at = folded.find(&node); at != folded.end())
        left.push_back(std::move(at->second));
      else if (!gone.contains(&node))
        left.push_back(std::move(node));
    }
    siblings = std::move(left);
    for (Node& node : siblings) FoldSiblings(node.inner);
  }

  // The members of `group` near its medians, with all their inner rows.
  Siblings AlikeOf(const Siblings& group) const {
    std::vector<bool> far(group.size());
    const auto compare = [&](const Siblings& rows,
                             double (*time)(const ReportRow&), double apart,
                             double outer) -> double {
      std::vector<double> values;
      for (const Node* node : rows) values.push_back(time(*node->row));
      const double middle = UpperMedian(values);
      const double most = std::max(apart * middle, kOfOuter * outer);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::abs(values[i] - middle) > most) far[i] = true;
      }
      return middle;
    };
    const double wall = compare(group, WallOf, kWallApart, 0);
    const double gpu = compare(group, GpuOf, kGpuApart, 0);
    std::vector<Siblings> below = InnerOf(group);
    while (!below.empty()) {
      const Siblings rows = std::move(below.back());
      below.pop_back();
      compare(rows, WallOf, kWallApart, wall);
      compare(rows, GpuOf, kGpuApart, gpu);
      std::ranges::move(InnerOf(rows), std::back_inserter(below));
    }
    Siblings alike;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (!far[i]) alike.push_back(group[i]);
    }
    return alike;
  }

  // Inner rows by equal shape. Rows of equal shape have equally many of each.
  static std::vector<Siblings> InnerOf(const Siblings& rows) {
    std::vector<Siblings> inner(rows.front()->inner.size());
    for (const Node* node : rows) {
      Siblings sorted;
      for (const Node& one : node->inner) sorted.push_back(&one);
      std::ranges::stable_sort(sorted, {}, &Node::shape);
      for (std::size_t i = 0; i < inner.size(); ++i)
        inner[i].push_back(sorted[i]);
    }
    return inner;
  }

  Node Together(const Siblings& rows) {
    ReportRow& row = sums_.emplace_back();
    row.name = rows.front()->row->name;
    row.times.warmup_known = std::ranges::all_of(
        rows, [](const Node* node) { return node->row->times.warmup_known; });
    for (const Node* node : rows) {
      if (node->row->name != row.name)
        row.name = NameWithoutNumbers(node->row->name);
      AddRow(*node->row, row);
    }
    TakeTimes(rows, row);
    Node sum{.row = &row, .shape = rows.front()->shape};
    for (const Siblings& inner : InnerOf(rows))
      sum.inner.push_back(Together(inner));
    return sum;
  }

  static void AddRow(const ReportRow& more, ReportRow& sum) {
    const auto add = [&](auto ReportRow::*number) {
      if (more.*number)
        sum.*number = (sum.*number).value_or(0) + *(more.*number);
    };
    add(&ReportRow::time_ns);
    add(&ReportRow::own_ns);
    add(&ReportRow::replay_ns);
    add(&ReportRow::share);
    add(&ReportRow::launches);
    add(&ReportRow::own_launches);
    add(&ReportRow::measured);
    sum.untimed += more.untimed;
    if (more.region) sum.members.push_back(*more.region);
    sum.members.insert(sum.members.end(), more.members.begin(),
                       more.members.end());
  }

  // Alike siblings have equally many instances of about the same time, so a
  // mean needs no weights.
  static void TakeTimes(const Siblings& rows, ReportRow& sum) {
    const auto add = [&](TimeMember number, double parts) {
      double all = 0;
      for (const Node* node : rows) {
        if (!(node->row->times.*number)) return;
        all += *(node->row->times.*number);
      }
      sum.times.*number = all / parts;
    };
    const auto count = static_cast<double>(rows.size());
    add(&RowTimes::wall_ns, 1);
    add(&RowTimes::warmup_ns, 1);
    add(&RowTimes::instances, 1);
    add(&RowTimes::each_ns, count);
    add(&RowTimes::gpu_each_ns, count);
    add(&RowTimes::idle, count);
    // A row of several regions already has their extremes.
    const auto ends = [](const Node* node) {
      const ReportRow& row = *node->row;
      const double each = row.times.each_ns.value_or(0);
      return row.members.empty()
                 ? std::pair(each, each)
                 : std::pair(row.least_each_ns, row.most_each_ns);
    };
    std::tie(sum.least_each_ns, sum.most_each_ns) = ends(rows.front());
    for (const Node* node : rows) {
      const auto [least, most] = ends(node);
      sum.least_each_ns = std::min(sum.least_each_ns, least);
      sum.most_each_ns = std::max(sum.most_each_ns, most);
    }
  }

  static void Flatten(std::vector<Node>& nodes, std::size_t outer,
                      std::vector<ReportRow>& out) {
    for (Node& node : nodes) {
      node.row->outer = outer;
      node.row->depth = outer == kNoRow ? 0 : out[outer].depth + 1;
      if (const std::size_t count = node.row->members.size(); count > 0)
        node.row->name += fmt::format(" ×{}", count);
      out.push_back(std::move(*node.row));
      Flatten(node.inner, out.size() - 1, out);
    }
  }

  std::map<Shape, std::size_t> shapes_{};
  std::deque<ReportRow> sums_{};  // of folded siblings
};

}  // namespace

void FoldAlikeRows(ReportRows& table) {
  table.rows = AlikeRows().Fold(std::move(table.rows));
}

}  // namespace rangefinder
