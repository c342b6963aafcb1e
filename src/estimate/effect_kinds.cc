#include "estimate/effect_kinds.h"

#include <cmath>

#include <eigen3/Eigen/Cholesky>

namespace rangefinder {
namespace {

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

// The ratio of mean squares that chance exceeds once in a thousand times: chi^2
// over its degrees of freedom (E. B. Wilson, M. M. Hilferty, The distribution
// of chi-square, PNAS 17 (1931)).
double MostByChance(double degrees) {
  constexpr double kThousandth = 3.09;
  const double part = 2 / (9 * std::max(degrees, 1.0));
  const double root = 1 - part + kThousandth * std::sqrt(part);
  return root * root * root;
}

// One step of Fisher's scoring on the logarithms of the variances.
void Improve(const KnownEffects& known, std::vector<EffectKind>& kinds) {
  for (EffectKind& kind : kinds) {
    if (!kind.is_free || kind.effects.empty()) continue;
    const KnownEffects::Fit fit = known.Of(kind);
    const double by = std::clamp(
        (fit.squares - fit.decided) / std::max(fit.sure, 1e-3), -2.0, 2.0);
    kind.variance = std::clamp(kind.variance * std::exp(by),
                               kind.least * kind.least, kind.most * kind.most);
  }
}

}  // namespace

KnownEffects::KnownEffects(const EffectEquations& equations, Index effects)
    : place_(static_cast<std::size_t>(effects), kUnknown) {
  const std::vector<Index>& known = equations.known;
  information_ = equations.information(known, known) / equations.usual_noise;
  scores_ = equations.scores(known) / equations.usual_noise;
  noisier_ = (equations.noise(known) / equations.usual_noise).cwiseMax(1.0);
  for (std::uint32_t a = 0; a < known.size(); ++a)
    place_[static_cast<std::size_t>(known[a])] = a;
}

KnownEffects KnownEffects::OfFreeKinds(
    std::span<const EffectKind> kinds) const {
  KnownEffects out;
  out.place_.assign(place_.size(), kUnknown);
  std::vector<Index> free, fixed;
  for (const EffectKind& kind : kinds) {
    for (const Index effect : kind.effects) {
      const auto at = static_cast<std::size_t>(effect);
      if (place_[at] == kUnknown) continue;
      if (kind.is_free)
        out.place_[at] = static_cast<std::uint32_t>(free.size());
      (kind.is_free ? free : fixed).push_back(place_[at]);
    }
  }
  const Matrix across = information_(fixed, free);
  Matrix reach = across;
  // Eigen 3.4 binds a reference to a null pointer in solving for an empty
  // matrix.
  if (across.size() > 0)
    reach = Matrix(PrecisionWith(kinds)(fixed, fixed)).llt().solve(across);
  out.information_ = information_(free, free);
  out.information_.noalias() -= across.transpose() * reach;
  out.scores_ = scores_(free) - reach.transpose() * scores_(fixed);
  out.noisier_ = noisier_(free);
  return out;
}

Matrix KnownEffects::PrecisionWith(std::span<const EffectKind> kinds) const {
  // Precision of a pool's sum over that of each deviation.
  constexpr double kNoSum = 1e8;
  Matrix precision = information_;
  for (const EffectKind& kind : kinds) {
    ForEach(kind.effects,
            [&](std::uint32_t a) { precision(a, a) += 1 / kind.variance; });
    for (const std::vector<Index>& pool : kind.pools) {
      ForEach(pool, [&](std::uint32_t a) {
        ForEach(pool, [&](std::uint32_t b) {
          precision(a, b) += kNoSum / kind.variance /
                             static_cast<double>(pool.size() * pool.size());
        });
      });
    }
  }
  return precision;
}

void KnownEffects::Solve(std::span<const EffectKind> kinds) {
  const Matrix precision = PrecisionWith(kinds);
  covariance = precision.llt().solve(
      Matrix::Identity(precision.rows(), precision.cols()));
  value = covariance * scores_;
}

void KnownEffects::HoldPositive(std::span<const Index> effects) {
  const Vector free = value;
  std::vector<Index> held;
  while (true) {
    const std::size_t before = held.size();
    ForEach(effects, [&](std::uint32_t a) {
      if (value[a] < 0) held.push_back(a);
    });
    if (held.size() == before) return;
    const Vector moved = Matrix(covariance(held, held)).llt().solve(free(held));
    value = free - covariance(Eigen::all, held) * moved;
    value(held).setZero();
  }
}

KnownEffects::Fit KnownEffects::Of(const EffectKind& kind) const {
  Fit fit;
  ForEach(kind.effects, [&](std::uint32_t a) {
    fit.squares += value[a] * value[a] / kind.variance;
    fit.certain += value[a] * value[a] / kind.variance / noisier_[a];
    fit.decided += 1 - covariance(a, a) / kind.variance;
    fit.degrees += 1;
    ForEach(kind.effects, [&](std::uint32_t b) {
      const double part = (a == b ? 1 : 0) - covariance(a, b) / kind.variance;
      fit.sure += part * part;
    });
  });
  for (const std::vector<Index>& pool : kind.pools) {
    double known = 0;  // 1 for a pool: its sum is 0 without the samples
    ForEach(pool, [&](std::uint32_t) { known = 1; });
    fit.decided -= known;
    fit.sure -= known;
    fit.degrees -= known;
  }
  return fit;
}

Vector VariancesOf(std::span<const EffectKind> kinds, Index size) {
  Vector variance = Vector::Ones(size);
  for (const EffectKind& kind : kinds) {
    for (const Index effect : kind.effects) variance[effect] = kind.variance;
  }
  return variance;
}

void FindVariances(KnownEffects& known, std::vector<EffectKind>& kinds) {
  constexpr int kSteps = 8;
  KnownEffects free = known.OfFreeKinds(kinds);
  for (int step = 0; step < kSteps; ++step) {
    free.Solve(kinds);
    Improve(free, kinds);
  }
  known.Solve(kinds);
}

double ScatterOf(const KnownEffects& known, const EffectKind& kind) {
  if (!kind.counted || kind.is_free) return 0;
  const KnownEffects::Fit fit = known.Of(kind);
  return fit.decided > 0 ? fit.certain / fit.decided / MostByChance(fit.degrees)
                         : 0;
}

}  // namespace rangefinder
