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
  // `formula`: of a derived metric.
  Explanation(const Profile& profile, const Plan& plan,
              std::span<const MeasurementId> measurements, std::size_t max_rows,
              std::string_view formula)
      : profile_(profile),
        plan_(plan),
        measurements_(measurements),
        max_rows_(max_rows),
        formula_(formula),
        row_(profile, plan),
        tally_(plan) {
    for (const MeasurementId id : measurements) {
      row_.Load(profile.measurements[Index(id)]);
      tally_.Add(plan, row_);
    }
  }

  std::string Write() {
    const Column& column = plan_.columns().front();
    const Cell cell = tally_.CellOf(plan_, plan_.node_of(0));
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
      const bool has_inputs = at->kind == PlanNode::Kind::kRatio ||
                              at->kind == PlanNode::Kind::kLargest;
      if (has_inputs && cell.rule == at->rule) break;
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
        // The kernel's name is aligned left, numbers right.
        out_ += ' ';
        out_ +=
            i == 1 ? PadRight(line[i], widths[i]) : PadLeft(line[i], widths[i]);
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
    const PlanNode& over = plan_.nodes()[node.inputs[0]];
    const PlanNode& under = plan_.nodes()[node.inputs[1]];
    Say(fmt::format("  over: {}\n  under: {}\n", std::string_view(over.source),
                    std::string_view(under.source)));
    WriteRows({{"over", &over}, {"under", &under}});
    Say(fmt::format("  {} * sum(over) / sum(under) = {} * {} / {}\n",
                    node.scale, node.scale, Number(TallyOf(over).sum.value()),
                    Number(TallyOf(under).sum.value())));
  }

  // The inputs of throughputs and formulas.
  void WriteInputs(const PlanNode& node) {
    const bool largest = node.kind == PlanNode::Kind::kLargest;
    Say(largest ? "  the largest of its inputs:\n"
                : fmt::format("  formula: {}\n", formula_));
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const PlanNode& input = plan_.nodes()[node.inputs[i]];
      const Cell cell = tally_.CellOf(plan_, node.inputs[i]);
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

  const Profile& profile_;
  const Plan& plan_;
  std::span<const MeasurementId> measurements_;
  std::size_t max_rows_;
  std::string_view formula_;
  Row row_;
  Tally tally_;
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
  const auto derived =
      std::ranges::find(one.derived, metric, &DerivedMetric::name);
  const std::string_view formula =
      derived == one.derived.end() ? std::string_view() : derived->formula;
  return Explanation(profile, plan, measurements, max_rows, formula).Write();
}

}  // namespace rangefinder
