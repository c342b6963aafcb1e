// By how much each kind of effect scatters, and what the effects are with that
// as their prior.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/matrix.h"

namespace rangefinder {

// What the residuals say of the effects.
struct EffectEquations {
  Matrix information{};        // effects squared, less what counts make up for
  Vector scores{};             // counts^2 by one of an effect
  Matrix product{};            // columns x effects
  Vector totals{};             // by windows' effect: slopes over all samples
  Vector noise{};              // of the residuals, as each effect meets it
  double usual_noise = 1;      // of a sample
  std::vector<Index> known{};  // effects about which anything is said
};

// Effects of one kind: none is expected, and they scatter by so much.
struct EffectKind {
  double least = 0;  // deviations
  double most = 0;
  double variance = 0;
  std::vector<Index> effects{};
  bool is_free = true;  // else its variance is what it is
  // Of families: how far their groups deviate, by what chance gives; and the
  // deviations of each pool, which add up to none.
  bool is_family = false;
  bool counted = false;  // enough of the metric to tell
  double scatter = 0;
  std::vector<std::vector<Index>> pools{};
};

// The known effects, in units of the noise, and what they are with the kinds'
// scatter as prior.
class KnownEffects {
 public:
  // `effects`: how many there are.
  KnownEffects(const EffectEquations& equations, Index effects);

  // With the kinds' variances.
  void Solve(std::span<const EffectKind> kinds);

  // Sums over the known effects of a kind: squares of what they are by their
  // variance, how much of each the samples decide, and the square of that.
  struct Fit {
    double squares = 0, decided = 0, sure = 0;
    double degrees = 0;  // of freedom: effects that are known
    double certain =
        0;  // squares, where blocks of time disagree by as much less
  };
  Fit Of(const EffectKind& kind) const;

  Vector value{};
  Matrix covariance{};

 private:
  // Calls visit(place) for those that are known.
  template <typename Visit>
  void ForEach(std::span<const Index> effects, Visit visit) const {
    for (const Index effect : effects) {
      const std::uint32_t place = place_[static_cast<std::size_t>(effect)];
      if (place != ~std::uint32_t{0}) visit(place);
    }
  }

  const std::vector<Index>& known_;
  std::vector<std::uint32_t> place_;
  Matrix information_{};
  Vector scores_{};
  Vector noisier_{};  // than usual: the residuals that the effect meets
};

// By effect, of `size`.
Vector VariancesOf(std::span<const EffectKind> kinds, Index size);

// Finds the most likely variances of the kinds that are free, and solves.
void FindVariances(KnownEffects& known, std::vector<EffectKind>& kinds);

// By how much more than chance the groups of a family scatter, in the mean
// square; 0 where the metric does not say.
double ScatterOf(const KnownEffects& known, const EffectKind& kind);

}  // namespace rangefinder
