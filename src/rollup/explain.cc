#include "rollup/explain.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "rollup/metric_plan.h"
#include "rollup/tally.h"

namespace rangefinder {
namespace {

constexpr std::size_t kNameWidth = 40;

// Full precision, so that a reader can repeat the arithmetic.
std::string Number(double value) {
  return std::isnan(value) ? "-" : fmt::format("{}", value);
}

std::string ValueText(const Profile& profile, const Cell& cell) {
  if (cell.is_text) return Printable(profile.Name(cell.text));
  if (cell.how == How::kAbsent) return "absent";
  return Number(cell.value);
}

// "12.5 byte, exact", with bound and reason.
std::string Outcome(const Profile& profile, const Cell& cell,
                    std::string_view unit) {
  std::string text = ValueText(profile, cell);
  if (!unit.empty() && cell.how != How::kAbsent && !cell.is_text)
    text += " " + std::string(unit);
  if (cell.how != How::kAbsent) text += fmt::format(", {}", HowName(cell.how));
  if (cell.bound != Bound::kNone)
    text += fmt::format(" ({})", BoundName(cell.bound));
  if (!cell.reason.empty())
    text += fmt::format(": {}", std::string_view(cell.reason));
  return text;
}

class Explanation {
 public:
  Explanation(const Profile& profile, const Plan& plan,
              std::span<const MeasurementId> measurements, std::size_t max_rows)
      : profile_(profile),
        plan_(plan),
        measurements_(measurements),
        max_rows_(max_rows),
        row_(profile, plan),
        tally_(plan) {
    for (const MeasurementId id : measurements) {
      row_.Load(profile.measurements[Index(id)]);
      tally_.Add(plan, row_);
    }
    amounts_ = tally_.Finish(plan);
  }

  std::string Write() {
    const Column& column = plan_.columns().front();
    const Cell& cell = amounts_.cells[0];
    const PlanNode& node = plan_.nodes()[plan_.node_of(0)];
    Say(fmt::format("{}\n  rule: {}", column.name,
                    std::string_view(cell.rule)));
    if (!cell.weight.empty())
      Say(fmt::format(", weighted by {}", std::string_view(cell.weight)));
    Say(fmt::format("\n  measurements: {} with it, {} without\n", cell.present,
                    cell.missing));
    if (cell.how == How::kMeasured) {
      Say("  one measurement: its own value\n");
      WriteRows({{"value", &node}});
    } else {
      WriteNode(node, cell);
    }
    if (cell.has_spread)
      Say(fmt::format("  smallest {}, largest {}\n", Number(cell.low),
                      Number(cell.high)));
    Say("  result: " + Outcome(profile_, cell, column.unit) + "\n");
    return std::move(out_);
  }

 private:
  struct Part {
    std::string title;
    const PlanNode* node;
  };

  void Say(std::string_view text) { out_ += text; }

  // The node that produced `cell`: the fallback of a ratio or throughput if
  // inputs are missing.
  const PlanNode& Effective(const PlanNode& node, const Cell& cell) const {
    const PlanNode* at = &node;
    while (at->fallback >= 0 &&
           std::string_view(cell.weight) != std::string_view(at->weight)) {
      if (at->kind == PlanNode::Kind::kRatio && cell.rule == at->rule) break;
      if (at->kind == PlanNode::Kind::kLargest && cell.rule == at->rule) break;
      at = &plan_.nodes()[static_cast<std::size_t>(at->fallback)];
    }
    return *at;
  }

  void WriteNode(const PlanNode& asked, const Cell& cell) {
    const PlanNode& node = Effective(asked, cell);
    switch (node.kind) {
      case PlanNode::Kind::kRatio:
        return WriteRatio(node);
      case PlanNode::Kind::kLargest:
      case PlanNode::Kind::kFormula:
        return WriteInputs(node);
      case PlanNode::Kind::kMean:
        WriteRows({{"value", &node}});
        return WriteMean(node);
      default:
        WriteRows({{"value", &node}});
    }
  }

  // One line for each measurement: values of the parts, and weights of means.
  void WriteRows(const std::vector<Part>& parts) {
    std::vector<std::vector<std::string>> table(1);
    table[0] = {"id", "kernel"};
    for (const Part& part : parts) {
      table[0].push_back(part.title);
      if (part.node->kind == PlanNode::Kind::kMean) {
        table[0].push_back("weight");
        table[0].push_back("value*weight");
      }
    }
    const std::size_t shown = std::min(max_rows_, measurements_.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Measurement& m = profile_.measurements[Index(measurements_[i])];
      row_.Load(m);
      std::vector<std::string> line = {
          fmt::format("{}", Index(measurements_[i])),
          Ellipsize(Printable(profile_.Name(m.demangled_name)), kNameWidth)};
      for (const Part& part : parts) AddValues(*part.node, line);
      table.push_back(std::move(line));
    }
    WriteTable(table);
    if (shown < measurements_.size())
      Say(fmt::format("  and {} more\n", measurements_.size() - shown));
  }

  void AddValues(const PlanNode& node, std::vector<std::string>& line) {
    const double value = node.slot < 0 ? std::nan("") : row_[node.slot];
    if (node.is_text && !std::isnan(value)) {
      const auto text =
          static_cast<StringId>(static_cast<std::uint32_t>(value));
      line.push_back(Printable(profile_.Name(text)));
    } else {
      line.push_back(Number(value));
    }
    if (node.kind != PlanNode::Kind::kMean) return;
    double weight =
        node.weight_slot < 0 ? std::nan("") : row_[node.weight_slot];
    if (node.weight_times >= 0) weight *= row_[node.weight_times];
    line.push_back(Number(weight));
    line.push_back(Number(value * weight));
  }

  void WriteTable(const std::vector<std::vector<std::string>>& table) {
    std::vector<std::size_t> widths(table[0].size());
    for (const auto& line : table) {
      for (std::size_t i = 0; i < line.size(); ++i)
        widths[i] = std::max(widths[i], DisplayWidth(line[i]));
    }
    for (const auto& line : table) {
      out_ += "   ";
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string blanks(widths[i] - DisplayWidth(line[i]), ' ');
        // The kernel's name is aligned left, numbers right.
        out_ += i == 1 ? " " + line[i] + blanks : " " + blanks + line[i];
      }
      while (out_.ends_with(' ')) out_.pop_back();
      out_ += '\n';
    }
  }

  const NodeTally& TallyOf(const PlanNode& node) const {
    return tally_
        .nodes()[static_cast<std::size_t>(&node - plan_.nodes().data())];
  }

  void WriteMean(const PlanNode& node) {
    const NodeTally& tally = TallyOf(node);
    Say(fmt::format("  sum(value*weight) / sum(weight) = {} / {}\n",
                    Number(tally.sum.value()), Number(tally.weight.value())));
  }

  void WriteRatio(const PlanNode& node) {
    std::vector<Part> parts;
    const auto add = [&](const char* title,
                         const std::vector<PlanNode::Term>& terms) {
      for (const PlanNode::Term& term : terms) {
        const PlanNode& input = plan_.nodes()[term.node];
        parts.push_back({title, &input});
        Say(fmt::format("  {}: {}\n", title, std::string_view(input.source)));
      }
    };
    add("over", node.over);
    add("under", node.under);
    WriteRows(parts);
    const auto sum = [&](const std::vector<PlanNode::Term>& terms) {
      double total = 0;
      for (const PlanNode::Term& term : terms)
        total += term.factor * TallyOf(plan_.nodes()[term.node]).sum.value();
      return Number(total);
    };
    Say(fmt::format("  {} * sum(over) / sum(under) = {} * {} / {}\n",
                    node.scale, node.scale, sum(node.over), sum(node.under)));
  }

  // The inputs of throughputs and formulas.
  void WriteInputs(const PlanNode& node) {
    const bool largest = node.kind == PlanNode::Kind::kLargest;
    if (largest) {
      Say("  the largest of its inputs:\n");
    } else {
      Say("  formula: " + formula_text_ + "\n");
    }
    for (std::size_t i = 0; i < node.under.size(); ++i) {
      const PlanNode& input = plan_.nodes()[node.under[i].node];
      const Cell cell = tally_.CellOf(plan_, node.under[i].node);
      const std::string name = largest
                                   ? std::string(input.source)
                                   : plan_.formula(node.formula).metrics()[i];
      Say(fmt::format("    {} = {}{}\n", name, Outcome(profile_, cell, ""),
                      cell.weight.empty()
                          ? ""
                          : fmt::format(", weighted by {}",
                                        std::string_view(cell.weight))));
    }
  }

 public:
  void set_formula(std::string text) { formula_text_ = std::move(text); }

 private:
  const Profile& profile_;
  const Plan& plan_;
  std::span<const MeasurementId> measurements_;
  std::size_t max_rows_;
  Row row_;
  Tally tally_;
  Amounts amounts_;
  std::string formula_text_;
  std::string out_;
};

}  // namespace

std::string Explain(const Profile& profile,
                    std::span<const MeasurementId> measurements,
                    std::string_view metric, const RollupOptions& options,
                    std::size_t max_rows) {
  RollupOptions one = options;
  one.metrics = {std::string(metric)};
  const Plan plan(profile, one);
  Explanation explanation(profile, plan, measurements, max_rows);
  const auto derived =
      std::ranges::find(one.derived, metric, &DerivedMetric::name);
  if (derived != one.derived.end()) explanation.set_formula(derived->formula);
  return explanation.Write();
}

}  // namespace rangefinder
