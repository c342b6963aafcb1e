// Costs per unit against planted costs.

#include "insight/regression.h"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

constexpr double kFixed = 1420;
constexpr Covariate kRequests{0}, kTokens{1};
constexpr std::array kFirst = {kRequests};
constexpr std::array kBoth = {kRequests, kTokens};

double Below(std::mt19937& draw, unsigned most) {
  return static_cast<double>(draw() % most);
}

// Instances with 1 to 16 requests and up to 900 tokens.
struct Program {
  double per_request = 3;
  double per_token = 0;
  bool slowly = false;   // the number of requests stays for some instances
  bool growing = false;  // scatter grows with the number of requests
  double memory = 0;     // of the scatter, from one instance to the next

  std::vector<UnitRow> Run(std::mt19937& draw, int instances) const {
    std::normal_distribution<double> normal;
    std::vector<UnitRow> rows;
    double requests = 8, scatter = 0;
    for (int i = 0; i < instances; ++i) {
      if (!slowly || draw() % 20 == 0) requests = 1 + Below(draw, 16);
      const double tokens = Below(draw, 900);
      scatter =
          memory * scatter + std::sqrt(1 - memory * memory) * normal(draw);
      rows.push_back({.numbers = {requests, tokens},
                      .cost = kFixed + per_request * requests +
                              per_token * tokens +
                              (growing ? 1.5 * requests : 5) * scatter});
    }
    return rows;
  }
};

TEST(Regression, IntervalsHoldForPlantedCosts) {
  constexpr int kTrials = 200;
  const std::vector<Program> programs = {{},
                                         {.slowly = true},
                                         {.per_token = 0.05},
                                         {.growing = true},
                                         {.slowly = true, .memory = 0.8}};
  std::mt19937 draw(1);
  int held = 0, asked = 0;
  for (const Program& program : programs) {
    int own_held = 0, own_asked = 0;
    for (const int instances : {60, 300}) {
      for (int trial = 0; trial < kTrials; ++trial) {
        const auto rows = program.Run(draw, instances);
        const auto fit = FitCosts(rows, kBoth);
        if (!fit) continue;  // the requests hardly changed
        const double truth[] = {kFixed, program.per_request, program.per_token};
        for (std::size_t k = 0; k < 3; ++k) {
          const Coefficient& one = fit->coefficients[k];
          own_held += std::abs(one.value - truth[k]) < fit->reach * one.error;
          ++own_asked;
        }
      }
    }
    EXPECT_GT(own_asked, kTrials * 5);
    const double share = static_cast<double>(own_held) / own_asked;
    EXPECT_GT(share, 0.90);
    EXPECT_LT(share, 0.985);
    held += own_held;
    asked += own_asked;
  }
  EXPECT_GT(static_cast<double>(held) / asked, 0.93);
  EXPECT_LT(static_cast<double>(held) / asked, 0.98);
}

TEST(Regression, NoCostIsCertainInNoise) {
  std::mt19937 draw(2);
  int sure = 0, bends = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto rows = Program{.per_request = 0}.Run(draw, 100);
    const auto fit = FitCosts(rows, kFirst);
    ASSERT_TRUE(fit);
    sure += std::abs(fit->coefficients[1].value) >
            fit->sure * fit->coefficients[1].error;
    bends += Bends(rows, kRequests);
  }
  EXPECT_LE(sure, 2);  // one in a thousand
  EXPECT_LE(bends, 4);
}

TEST(Regression, KindsThatFollowFromOthersAreNotSeparate) {
  std::mt19937 draw(3);
  auto rows = Program{}.Run(draw, 100);
  EXPECT_EQ(SeparateKinds(rows, kBoth), (std::vector{kRequests, kTokens}));
  for (UnitRow& row : rows) row.numbers[1] = 7 * row.numbers[0] + 3;
  EXPECT_EQ(SeparateKinds(rows, kBoth), (std::vector{kRequests}));
  // Nearly determined by the other kind; then a kind with two values only.
  for (UnitRow& row : rows) row.numbers[1] += 0.01 * Below(draw, 3);
  EXPECT_EQ(SeparateKinds(rows, kBoth), (std::vector{kRequests}));
  for (UnitRow& row : rows) row.numbers[0] = Below(draw, 2);
  EXPECT_EQ(SeparateKinds(rows, kFirst), (std::vector<Covariate>{}));
}

TEST(Regression, InsufficientRowsGiveNoFit) {
  std::mt19937 draw(4);
  const auto rows = Program{}.Run(draw, 100);
  EXPECT_FALSE(FitCosts(std::span(rows).first(40), kFirst));
  EXPECT_FALSE(FitCosts({}, kFirst));
  auto constant = rows;
  for (UnitRow& row : constant) row.numbers[0] = 5;
  EXPECT_FALSE(FitCosts(constant, kFirst));
  // The units differ in one part of the run only.
  auto once = constant;
  for (std::size_t i = 0; i < 4; ++i)
    once[i].numbers[0] = 6 + static_cast<double>(i);
  EXPECT_FALSE(FitCosts(once, kFirst));
  // Numbers near the limit of a double.
  auto large = rows;
  for (UnitRow& row : large) row.numbers[0] *= 1e300;
  const auto fit = FitCosts(large, kFirst);
  EXPECT_TRUE(!fit || std::isfinite(fit->coefficients[1].error));
}

TEST(Regression, ALineDoesNotBendAndAParabolaDoes) {
  std::mt19937 draw(5);
  auto rows = Program{}.Run(draw, 400);
  EXPECT_FALSE(Bends(rows, kRequests));
  // By the square of the requests.
  for (UnitRow& row : rows)
    row.cost = 1000 + 40 * row.numbers[0] * row.numbers[0] + Below(draw, 10);
  EXPECT_TRUE(Bends(rows, kRequests));
}

}  // namespace
}  // namespace rangefinder
