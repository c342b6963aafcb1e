// The scatter of each kind of effect, and the effects with this scatter as
// prior.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/matrix.h"

namespace rangefinder {

// The equations of the effects, from the residuals.
struct EffectEquations {
  // Effects squared, less the part that the columns can explain.
  Matrix information{};
  // Derivatives of the residuals' squares by the effects.
  Vector scores{};
  Matrix product{};  // columns x effects
  Vector totals{};   // by windows' effect: slopes over all samples
  // Variance of the residuals that an effect acts on, and of the part of them
  // that the columns cannot explain.
  Vector noise{};
  Vector own_noise{};
  double usual_noise = 1;      // of a sample
  std::vector<Index> known{};  // effects with information in the samples
};

// Effects of one kind: their mean is 0, their variance `variance`.
struct EffectKind {
  double least = 0;  // lower limit of the standard deviation
  double most = 0;
  double variance = 0;
  std::vector<Index> effects{};
  bool is_free = true;  // false: the variance is fixed
  // Of families of groups:
  bool counted = false;                     // enough of the metric to decide
  std::vector<std::vector<Index>> pools{};  // deviations; of each, the sum is 0
};

// The effects with information, in units of the noise, and their values with
// the kinds' variances as prior.
class KnownEffects {
 public:
  // `effects`: number of all effects.
  KnownEffects(const EffectEquations& equations, Index effects);

  // The effects of free kinds alone, with the same values and covariance for
  // any variances of theirs: the others are eliminated with the variances that
  // `kinds` fix (a Schur complement).
  KnownEffects OfFreeKinds(std::span<const EffectKind> kinds) const;

  // Solves with the kinds' variances.
  void Solve(std::span<const EffectKind> kinds);

  // Holds those of `effects` at 0 that would be below it: the other values are
  // the most likely ones given these. The covariance stays as it is.
  void HoldPositive(std::span<const Index> effects);

  // Sums over the known effects of a kind: their squares over their variance,
  // how much of each the samples decide, and the square of that.
  struct Fit {
    double squares = 0, decided = 0, sure = 0;
    double degrees = 0;  // degrees of freedom: number of known effects
    double certain = 0;  // squares, each over its noisier_
  };
  Fit Of(const EffectKind& kind) const;

  Vector value{};
  Matrix covariance{};

 private:
  // Calls visit(place) for the known ones of `effects`.
  template <typename Visit>
  void ForEach(std::span<const Index> effects, Visit visit) const {
    for (const Index effect : effects) {
      const std::uint32_t place = place_[static_cast<std::size_t>(effect)];
      if (place != ~std::uint32_t{0}) visit(place);
    }
  }

  KnownEffects() = default;
  Matrix PrecisionWith(std::span<const EffectKind> kinds) const;

  std::vector<std::uint32_t> place_;  // by effect
  Matrix information_{};
  Vector scores_{};
  Vector noisier_{};  // by effect: noise of its residuals over the usual noise
};

// Variances by effect; `size`: number of effects.
Vector VariancesOf(std::span<const EffectKind> kinds, Index size);

// Finds the most likely variances of the free kinds, and solves.
void FindVariances(KnownEffects& known, std::vector<EffectKind>& kinds);

// By how much more than chance the groups of a family scatter, in the mean
// square; 0 if the metric cannot tell.
double ScatterOf(const KnownEffects& known, const EffectKind& kind);

}  // namespace rangefinder
