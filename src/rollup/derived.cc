#include "rollup/derived.h"

#include <yaml-cpp/yaml.h>

#include "rollup/formula.h"

namespace rangefinder {
namespace {

Error At(const YAML::Mark& mark, const std::string& what) {
  return {ErrorCode::kUsage, "line " + std::to_string(mark.line + 1) +
                                 ", column " + std::to_string(mark.column + 1) +
                                 ": " + what};
}

// Throws YAML::Exception.
Result<std::vector<DerivedMetric>> ReadDerived(const YAML::Node& root) {
  std::vector<DerivedMetric> metrics;
  if (root.IsNull()) return metrics;
  if (!root.IsSequence())
    return At(root.Mark(), "expected a list of derived metrics");
  for (const YAML::Node& node : root) {
    if (!node.IsMap()) return At(node.Mark(), "expected name: and formula:");
    DerivedMetric metric;
    for (const auto& entry : node) {
      const auto key = entry.first.as<std::string>();
      const auto value = entry.second.as<std::string>();
      if (key == "name") {
        metric.name = value;
      } else if (key == "unit") {
        metric.unit = value;
      } else if (key == "formula") {
        metric.formula = value;
      } else if (key == "doc") {
        metric.doc = value;
      } else {
        return At(entry.first.Mark(),
                  "unknown key '" + key +
                      "'; a derived metric has name, unit, formula, doc");
      }
    }
    if (metric.name.empty() || metric.formula.empty())
      return At(node.Mark(), "a derived metric needs name: and formula:");
    const Result<Formula> formula = Formula::Parse(metric.formula);
    if (!formula.ok())
      return At(node["formula"].Mark(),
                "formula of " + metric.name + ": " + formula.error().message());
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace

Result<std::vector<DerivedMetric>> ParseDerived(std::string_view yaml) {
  try {
    return ReadDerived(YAML::Load(std::string(yaml)));
  } catch (const YAML::Exception& e) {
    return At(e.mark, e.msg);
  }
}

}  // namespace rangefinder
