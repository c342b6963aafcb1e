#include "estimate/effect_kinds.h"

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// Effects that the samples know together: 0 to 2 are free, 3 to 6 are fixed and
// two pools of a family, 7 is not known.
struct Made {
  EffectEquations equations;
  std::vector<EffectKind> kinds;
};

Made MakeEquations() {
  Made made;
  const Index size = 8;
  Matrix a(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j)
      a(i, j) = static_cast<double>((i * 7 + j * 5 + i * j) % 11) - 4;
  }
  made.equations.information = a.transpose() * a;
  made.equations.scores = a.col(0) * 3 + a.col(5);
  made.equations.noise = Vector::Constant(size, 2);
  made.equations.usual_noise = 1.5;
  made.equations.known = {0, 1, 2, 3, 4, 5, 6};
  made.kinds = {
      {.least = 0.01, .most = 100, .variance = 0.3, .effects = {0, 2}},
      {.least = 0.01, .most = 100, .variance = 4, .effects = {1}},
      {.variance = 0.2,
       .effects = {3, 4, 5, 6, 7},
       .is_free = false,
       .pools = {{3, 4}, {5, 6, 7}}},
  };
  return made;
}

TEST(KnownEffects, OfFreeKindsEqualTheSolutionForAllKinds) {
  const Made made = MakeEquations();
  KnownEffects all(made.equations, 8);
  KnownEffects free = all.OfFreeKinds(made.kinds);
  all.Solve(made.kinds);
  free.Solve(made.kinds);
  ASSERT_EQ(free.value.size(), 3);
  // In the order of the kinds.
  const std::vector<Index> places{0, 2, 1};
  EXPECT_LT((free.value - all.value(places)).norm(), 1e-10);
  EXPECT_LT((free.covariance - all.covariance(places, places)).norm(), 1e-10);
  for (const std::size_t k : {0, 1}) {
    const KnownEffects::Fit one = free.Of(made.kinds[k]);
    const KnownEffects::Fit other = all.Of(made.kinds[k]);
    EXPECT_NEAR(one.squares, other.squares, 1e-9);
    EXPECT_NEAR(one.decided, other.decided, 1e-9);
    EXPECT_NEAR(one.sure, other.sure, 1e-9);
    EXPECT_NEAR(one.certain, other.certain, 1e-9);
  }
}

TEST(KnownEffects, MayAllBeFixed) {
  Made made = MakeEquations();
  made.equations.known = {3, 4, 5, 6};
  const KnownEffects all(made.equations, 8);
  EXPECT_EQ(all.OfFreeKinds(made.kinds).Of(made.kinds[0]).degrees, 0);
}

TEST(KnownEffects, MayAllBeFree) {
  Made made = MakeEquations();
  made.kinds[2].is_free = true;
  KnownEffects all(made.equations, 8);
  KnownEffects free = all.OfFreeKinds(made.kinds);
  all.Solve(made.kinds);
  free.Solve(made.kinds);
  ASSERT_EQ(free.value.size(), 7);
  EXPECT_NEAR(free.value.sum(), all.value.sum(), 1e-10);
  EXPECT_NEAR(free.covariance.trace(), all.covariance.trace(), 1e-10);
}

}  // namespace
}  // namespace rangefinder
