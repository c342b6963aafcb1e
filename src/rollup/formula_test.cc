#include "rollup/formula.h"

#include <map>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// "7", "none", or "error: ...".
std::string Evaluate(std::string_view text,
                     const std::map<std::string, double>& values = {}) {
  const Result<Formula> formula = Formula::Parse(text);
  if (!formula.ok()) return "error: " + formula.error().message();
  const auto value =
      formula.value().Evaluate([&](std::size_t i) -> std::optional<double> {
        const auto at = values.find(formula.value().metrics()[i]);
        if (at == values.end()) return std::nullopt;
        return at->second;
      });
  if (!value) return "none";
  std::string number = std::to_string(*value);
  number.resize(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

TEST(Formula, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(Evaluate("1 + 2 * 3"), "7");
  EXPECT_EQ(Evaluate("(1 + 2) * 3"), "9");
  EXPECT_EQ(Evaluate("8 / 4 / 2"), "1");
  EXPECT_EQ(Evaluate("10 - 4 - 3"), "3");
  EXPECT_EQ(Evaluate("-2 * -3"), "6");
  EXPECT_EQ(Evaluate("1.5e3 + .5"), "1500.5");
}

TEST(Formula, BlanksMeanNothing) {
  EXPECT_EQ(Evaluate("  1+2*3  "), "7");
  EXPECT_EQ(Evaluate(" ( 1 + 2 ) * 3 "), "9");
  EXPECT_EQ(Evaluate("max ( 1 , 5 ,2 )"), "5");
  EXPECT_EQ(Evaluate("\t- 2\n"), "-2");
  EXPECT_EQ(Evaluate("a .sum", {{"a", 1}}),
            "error: column 3: expected an operator");
}

TEST(Formula, MetricsAreNcusNames) {
  EXPECT_EQ(Evaluate("dram__bytes.sum / gpu__time_duration.sum",
                     {{"dram__bytes.sum", 6}, {"gpu__time_duration.sum", 2}}),
            "3");
  EXPECT_EQ(Formula::Parse("a.sum + b + a.sum").value().metrics(),
            (std::vector<std::string>{"a.sum", "b"}));
}

TEST(Formula, IsMissingWithoutANeededMetric) {
  EXPECT_EQ(Evaluate("a + 1"), "none");
  EXPECT_EQ(Evaluate("1 / (a - a)", {{"a", 1}}), "none");
  EXPECT_EQ(Evaluate("or0(a) + b", {{"b", 1}}), "1");
  EXPECT_EQ(Evaluate("or0(a) + or0(b)"), "none");
  EXPECT_EQ(Evaluate("first(2 * or0(a), c)", {{"c", 5}}), "5");
  EXPECT_EQ(Evaluate("first(a, 3)"), "3");
  EXPECT_EQ(Evaluate("first(a, b, 3)", {{"b", 2}}), "2");
  EXPECT_EQ(Evaluate("first(a, b)"), "none");
  EXPECT_EQ(Evaluate("first(or0(a), or0(b))"), "none");
  EXPECT_EQ(Evaluate("or0(a) + 1"), "none");
  EXPECT_EQ(Evaluate("or0(b) * 2", {{"b", 4}}), "8");
  EXPECT_EQ(Evaluate("-a"), "none");
  EXPECT_EQ(Evaluate("b / (1 - 1) + 1", {{"b", 4}}), "none");
  EXPECT_EQ(Evaluate("1e300 * 1e300"), "none");
  EXPECT_EQ(Evaluate("max(1, 5, 2) - min(4, 3)"), "2");
}

TEST(Formula, TellsTheMetricsThatTheValueUses) {
  const auto used = [](const char* text, const std::string& without) {
    const Formula formula = Formula::Parse(text).value();
    Formula::Used bits;
    formula.Evaluate(
        [&](std::size_t i) -> std::optional<double> {
          if (without.find(formula.metrics()[i]) != std::string::npos)
            return std::nullopt;
          return 2;
        },
        &bits);
    std::string names;
    for (std::size_t i = 0; i < formula.metrics().size(); ++i)
      if (bits.test(i)) names += formula.metrics()[i];
    return names;
  };
  EXPECT_EQ(used("first(a, b) + c / 2", ""), "ac");
  EXPECT_EQ(used("first(a, b) + c / 2", "a"), "bc");
  EXPECT_EQ(used("or0(a) + or0(b) + max(c, d)", "b"), "acd");
  EXPECT_EQ(used("first(a + b, c, d)", "b"), "c");
}

TEST(Formula, ErrorsNameTheColumn) {
  EXPECT_EQ(Evaluate(""),
            "error: column 1: expected a number, a metric or '('");
  EXPECT_EQ(Evaluate("1 +"),
            "error: column 4: expected a number, a metric or '('");
  EXPECT_EQ(Evaluate("(1"), "error: column 3: expected ')'");
  EXPECT_EQ(Evaluate("1 2"), "error: column 3: expected an operator");
  EXPECT_EQ(Evaluate("sqrt(2)"),
            "error: column 1: no function of this name; there are min, max, "
            "first, or0");
  EXPECT_EQ(Evaluate("or0(1, 2)"), "error: column 10: or0 takes one argument");
  EXPECT_EQ(Evaluate("min(1; 2)"), "error: column 6: expected ')'");
  EXPECT_EQ(Evaluate("min()"),
            "error: column 5: expected a number, a metric or '('");
  EXPECT_EQ(Evaluate("."), "error: column 1: not a number");
  EXPECT_EQ(Evaluate("1e999"), "error: column 1: not a number");
  // As deep as parsed; any number of terms side by side.
  const std::string open(99, '(');
  EXPECT_EQ(Evaluate(open + "1" + std::string(99, ')')), "1");
  std::string row = "0";
  for (int i = 0; i < 500; ++i) row += " + (1)";
  EXPECT_EQ(Evaluate(row), "500");
  EXPECT_EQ(Evaluate(std::string(1000, '(')),
            "error: column 101: nested too "
            "deeply");
  std::string many = "0";
  for (int i = 0; i < 128; ++i) many += " + m" + std::to_string(i);
  EXPECT_EQ(Evaluate(many), "none");
  many += " + m128";
  EXPECT_NE(Evaluate(many).find("too many metrics"), std::string::npos);
}

}  // namespace
}  // namespace rangefinder
