#include "sampling/estimated_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimate/estimate.h"

namespace rangefinder {
namespace {

constexpr std::string_view kTime = "gpu__time_duration.sum";
constexpr std::string_view kAttribute = "device__attribute_";
constexpr double kLongest = 1e6;  // times the length of the run
constexpr double kStep = 1e-3;    // of an error, for the slope of a formula
constexpr int kMaxDepth = 32;     // of formulas in formulas

std::uint32_t Capped(std::uint64_t count) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      count, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

void MarkBound(Cell& estimated) {
  if (estimated.low > 0 || estimated.high <= std::max(estimated.value, 0.0))
    return;
  estimated.bound = Bound::kUpper;
  estimated.reason = "its interval of 95 % reaches 0";
}

std::optional<double> TimesAsLong(const Cell& estimated, double precision) {
  if (estimated.bound != Bound::kNone) return std::nullopt;
  const double asked = precision * std::abs(estimated.value);
  const double reach = estimated.high - estimated.value;
  if (reach <= asked) return 1;
  const double lasting = estimated.lasting;
  const double rest = reach * reach - lasting * lasting;
  if (lasting >= asked) return std::nullopt;
  // The error falls with the square root of the time, and the quantile of
  // Student's t with the number of time blocks.
  const double now = StudentQuantile(double{estimated.degrees});
  const auto is_enough = [&](double times) {
    const double t = StudentQuantile(times * double{estimated.degrees});
    return rest * t * t / (now * now * times) <=
           asked * asked - lasting * lasting;
  };
  if (!is_enough(kLongest)) return std::nullopt;
  double less = 1, enough = kLongest;
  while (enough > 1.001 * less) {
    const double middle = std::sqrt(less * enough);
    (is_enough(middle) ? enough : less) = middle;
  }
  return enough;
}

EstimatedColumns::EstimatedColumns(const Profile& profile,
                                   std::span<const Column> columns,
                                   std::span<const std::string> metrics,
                                   std::span<const DerivedMetric> derived)
    : profile_(profile), columns_(columns) {
  for (std::size_t m = 0; m < metrics.size(); ++m) metrics_[metrics[m]] = m;
  for (const DerivedMetric& metric : derived) {
    Result<Formula> formula = Formula::Parse(metric.formula);
    if (formula.ok())
      formulas_.insert_or_assign(metric.name, std::move(formula).value());
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& name = columns[c].name;
    if (const auto metric = metrics_.find(name); metric != metrics_.end())
      places_.push_back({.column = c, .metric = metric->second});
    else if (formulas_.contains(name) && IsKnown(name))
      places_.push_back({.column = c, .derived = name});
  }
  for (const Device& device : profile.devices) {
    for (const auto& [name, value] : device.attributes) {
      const auto number = value.number();
      if (!number) continue;
      const auto [known, is_new] =
          attributes_.try_emplace(std::string(profile.Name(name)), *number);
      // Devices that differ have no common value.
      if (!is_new && known->second != *number) known->second = std::nan("");
    }
  }
}

// Whether a formula, or a formula inside it, names an estimated metric or an
// attribute of the devices.
bool EstimatedColumns::IsKnown(std::string_view metric) {
  if (metrics_.contains(metric) || metric.starts_with(kAttribute)) return true;
  const auto formula = formulas_.find(metric);
  if (formula == formulas_.end()) return false;
  const auto [known, is_new] =
      is_known_.try_emplace(std::string(metric), false);
  if (!is_new) return known->second;
  const bool rests =
      std::ranges::any_of(formula->second.metrics(),
                          [&](const auto& input) { return IsKnown(input); });
  return is_known_[std::string(metric)] = rests;
}

std::pair<Cells, std::vector<EstimateBeside>> EstimatedColumns::Fill(
    const Cells& measured, std::uint64_t kernel_count,
    const EstimatedRow& row) const {
  std::vector<Cell> cells(measured.begin(), measured.end());
  cells.resize(columns_.size(), Cell{.reason = "not measured"});
  std::vector<EstimateBeside> beside;
  for (const Place& place : places_) {
    Cell cell =
        place.metric ? row.cells[*place.metric] : Derive(place.derived, row);
    if (cell.how == How::kEstimated) {
      cell.present = Capped(row.launches);
      cell.distinct = Capped(row.samples);
    }
    Cell& there = cells[place.column];
    if (there.how == How::kAbsent) {
      if (cell.how != How::kAbsent || !cell.reason.empty()) there = cell;
    } else if (cell.how == How::kEstimated) {
      const bool comparable =
          kernel_count == row.launches && there.missing == 0 && !there.is_text;
      const double apart = std::abs(there.value - cell.value);
      beside.push_back(
          {.column = place.column,
           .cell = cell,
           .comparable = comparable,
           .agrees = comparable && apart <= cell.high - cell.value});
    }
  }
  return {Cells(std::move(cells)), std::move(beside)};
}

// The error follows from the formula's slopes. The correlation of its inputs is
// unknown, so the error is the largest possible one: the sum of the inputs'
// parts. The interval is computed in the same way.
Cell EstimatedColumns::Derive(std::string_view name,
                              const EstimatedRow& row) const {
  Cell cell{.rule = "formula"};
  std::set<std::size_t> used;
  bool by_zero = false;
  const auto value =
      Evaluate(name, {.row = row, .used = &used, .by_zero = &by_zero}, 0);
  if (!value) {
    cell.reason = by_zero ? Formula::kByZero : Formula::kMissing;
    return cell;
  }
  double error = 0, reach = 0, lasting = 0, degrees = HUGE_VAL;
  for (const std::size_t metric : used) {
    const Cell& input = row.cells[metric];
    const double by = kStep * double{input.error};
    if (by == 0) continue;
    const auto up = Evaluate(name, {.row = row, .moved = metric, .by = by}, 0);
    const auto down =
        Evaluate(name, {.row = row, .moved = metric, .by = -by}, 0);
    if (!up || !down) continue;
    const double slope = std::abs(*up - *down) / (2 * by);
    error += slope * double{input.error};
    reach += slope * (input.high - input.value);
    lasting += slope * double{input.lasting};
    if (slope > 0) degrees = std::min(degrees, double{input.degrees});
  }
  if (used.empty() && row.launches == 0) {
    cell.reason = "no kernel ran here";
    return cell;
  }
  cell.value = *value;
  if (used.empty()) {  // depends on devices and time alone
    cell.how = How::kExact;
    cell.present = Capped(row.launches);
    return cell;
  }
  cell.how = How::kEstimated;
  cell.error = static_cast<float>(error);
  cell.low = *value - reach;
  if (*value >= 0) cell.low = std::max(cell.low, 0.0);
  cell.high = *value + reach;
  cell.lasting = static_cast<float>(lasting);
  cell.degrees = static_cast<float>(std::min(degrees, 1e9));
  MarkBound(cell);
  return cell;
}

std::optional<double> EstimatedColumns::DeviceAttribute(
    std::string_view name) const {
  const auto known = attributes_.find(name);
  if (known == attributes_.end() || std::isnan(known->second))
    return std::nullopt;
  return known->second;
}

std::optional<double> EstimatedColumns::Evaluate(std::string_view name,
                                                 const Given& given,
                                                 int depth) const {
  const auto formula = formulas_.find(name);
  if (formula == formulas_.end() || depth > kMaxDepth) return std::nullopt;
  const std::vector<std::string>& inputs = formula->second.metrics();
  Formula::Used used;
  const auto value = formula->second.Evaluate(
      [&](std::size_t i) -> std::optional<double> {
        if (inputs[i] == kTime) return given.row.time_ns;
        if (inputs[i].starts_with(kAttribute))
          return DeviceAttribute(inputs[i]);
        const auto metric = metrics_.find(inputs[i]);
        if (metric == metrics_.end()) {
          Given inner = given;
          inner.used = nullptr;
          return Evaluate(inputs[i], inner, depth + 1);
        }
        const Cell& cell = given.row.cells[metric->second];
        if (cell.how != How::kEstimated) return std::nullopt;
        return cell.value + (given.moved == metric->second ? given.by : 0);
      },
      &used, given.by_zero);
  if (!value || given.used == nullptr) return value;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!used.test(i)) continue;
    if (const auto metric = metrics_.find(inputs[i]); metric != metrics_.end())
      given.used->insert(metric->second);
    else if (formulas_.contains(inputs[i]))
      Evaluate(inputs[i], given, depth + 1);
  }
  return value;
}

}  // namespace rangefinder
