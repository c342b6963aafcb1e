// How kernels' work lies in their windows.
//
// The design spreads a launch's count evenly over its time. Where a kernel does
// more of its work early or late, a sample that begins or ends within a launch
// has too much or too little. How work lies is fitted beside the counts, by
// metric: units count with delays of their own, kernels begin and end in their
// own ways, and long ones go through phases. Those parameters are small and
// alike, so each kind is held to none by how much it scatters (random effects:
// C. R. Henderson, Best linear unbiased estimation and prediction under a
// selection model, Biometrics 31 (1975)), and by how much it does is what the
// samples say is most likely, whatever the counts (H. D. Patterson,
// R. Thompson, Recovery of inter-block information when block sizes are
// unequal, Biometrika 58 (1971)). What is not known of them is a systematic
// error of the estimates.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <eigen3/Eigen/Cholesky>

#include "estimate/fit_state.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostKernels = 32;
constexpr std::size_t kMostShaped = 16;
constexpr double kLeastShaped = 10'000;  // ns, of a launch
constexpr double kLeastShare = 0.005;    // of a metric's count
constexpr double kLeastMove = 1;         // ns, of what edges and moves scatter
constexpr double kMostEdge = 2000;       // ns
constexpr double kLeastRate = 1e-4;
constexpr double kMostRate = 2;
constexpr int kRounds = 2;

struct Kernel {
  double busy_ns = 0;
  std::vector<std::uint32_t> columns{};
};

// Those that are busy longest, in the samples.
std::vector<Kernel> LongestKernels(const FitState& state) {
  std::map<std::uint32_t, Kernel> kernels;
  for (std::uint32_t c = 0; c < state.launch_columns(); ++c) {
    Kernel& kernel = kernels[state.kernel[c]];
    kernel.busy_ns +=
        state.equations.sums[static_cast<Index>(c)] * state.duration_ns[c];
    kernel.columns.push_back(c);
  }
  std::vector<Kernel> longest;
  for (auto& [id, kernel] : kernels) longest.push_back(std::move(kernel));
  std::ranges::stable_sort(longest, [](const Kernel& a, const Kernel& b) {
    return a.busy_ns > b.busy_ns;
  });
  if (longest.size() > kMostKernels) longest.resize(kMostKernels);
  return longest;
}

double MeanDuration(const FitState& state) {
  double time = 0, launches = 0;
  for (const FitGroup& group : state.groups) {
    time += group.busy_ns;
    launches += static_cast<double>(group.launches);
  }
  return time / launches;
}

// Whether a metric counts enough of a kernel to say how it lies; by its place.
std::vector<bool> CountedKernels(const FitState& state, Index metric) {
  std::vector<double> counts(state.parameters.moved_kernels, 0);
  for (std::uint32_t c = 0; c < state.launch_columns(); ++c) {
    const std::uint32_t kernel = state.parameters.moved[c];
    if (kernel == WindowParameters::kNone) continue;
    counts[kernel] += state.equations.sums[static_cast<Index>(c)] *
                      state.x(static_cast<Index>(c), metric);
  }
  std::vector<bool> counted;
  for (const double count : counts)
    counted.push_back(count > kLeastShare * state.equations.counts[metric]);
  return counted;
}

// Samples x parameters: how what is predicted changes with each.
Design SlopesOf(const FitState& state, Index metric) {
  const WindowParameters& parameters = state.parameters;
  const std::vector<bool> counted = CountedKernels(state, metric);
  struct TermPlace {
    std::uint32_t column = 0;
    Index all = -1;  // of all launches
    Index own = -1;  // of its kernel
  };
  std::vector<TermPlace> places(state.terms.size());
  for (std::uint32_t c = 0; c < state.launch_columns(); ++c) {
    const std::uint32_t kernel = parameters.moved[c];
    const bool own = kernel != WindowParameters::kNone && counted[kernel];
    const Index move = own ? parameters.move(kernel) : -1;
    places[state.terms.start(c)] = {c, WindowParameters::kStart, move};
    places[state.terms.end(c)] = {c, WindowParameters::kEnd, move};
    const std::uint32_t shaped = parameters.shaped[c];
    for (std::uint32_t j = 0;
         own && shaped != WindowParameters::kNone && j < kShapeTerms; ++j)
      places[state.terms.rate(c, j)] = {c, -1, parameters.rate(shaped, j)};
  }
  std::vector<DesignEntry> entries;
  for (std::uint32_t i = 0; i < state.cuts.rows(); ++i) {
    for (std::uint32_t k = state.cuts.begin[i]; k < state.cuts.begin[i + 1];
         ++k) {
      const TermPlace& place = places[state.cuts.column[k]];
      const double value = state.cuts.value[k] *
                           state.x(static_cast<Index>(place.column), metric);
      if (value == 0) continue;
      for (const Index parameter : {place.all, place.own}) {
        if (parameter >= 0)
          entries.push_back({i, static_cast<std::uint32_t>(parameter), value});
      }
    }
  }
  Design slopes;
  slopes.columns = static_cast<std::size_t>(parameters.size());
  ToRows(entries, state.design.rows(), slopes);
  return slopes;
}

// What the residuals say of the parameters.
struct WindowEquations {
  Matrix information{};    // parameters squared, less what counts make up for
  Vector scores{};         // counts^2 by one of a parameter
  Matrix product{};        // A' slopes
  Vector noise{};          // of the residuals, as each parameter meets it
  double usual_noise = 1;  // the median of these
  std::vector<Index> known{};  // parameters about which anything is said
};

// Sums over samples, before what counts make up for is taken out.
struct WindowSums {
  Matrix squares{};    // parameters squared
  RowMatrix scores{};  // blocks x parameters
};

WindowSums SumsOf(const FitState& state, const Design& slopes, Index metric,
                  Matrix& product) {
  const auto size = static_cast<Index>(slopes.columns);
  product = Matrix::Zero(static_cast<Index>(state.design.columns), size);
  WindowSums sums{
      .squares = Matrix::Zero(size, size),
      .scores = RowMatrix::Zero(static_cast<Index>(state.blocks), size)};
  for (std::size_t i = 0; i < slopes.rows(); ++i) {
    const double weight = state.design.weight_of(i);
    const double left = state.residual(static_cast<Index>(i), metric);
    const auto block = static_cast<Index>(state.block[i]);
    for (std::uint32_t a = slopes.begin[i]; a < slopes.begin[i + 1]; ++a) {
      const auto one = static_cast<Index>(slopes.column[a]);
      const double value = weight * slopes.value[a];
      sums.scores(block, one) += left * value;
      for (std::uint32_t b = slopes.begin[i]; b < slopes.begin[i + 1]; ++b)
        sums.squares(static_cast<Index>(slopes.column[b]), one) +=
            slopes.value[b] * value;
      for (std::uint32_t k = state.design.begin[i];
           k < state.design.begin[i + 1]; ++k)
        product(static_cast<Index>(state.design.column[k]), one) +=
            state.design.value[k] * value;
    }
  }
  return sums;
}

// `value` of the parameters is in the residuals already.
WindowEquations EquationsOf(const FitState& state, const Design& slopes,
                            Index metric, const Vector& value) {
  WindowEquations equations;
  const WindowSums sums = SumsOf(state, slopes, metric, equations.product);
  const Matrix explained =
      HeldReach(state, state.inverse * equations.product, metric);
  equations.information = sums.squares;
  equations.information.noalias() -= equations.product.transpose() * explained;
  equations.scores =
      sums.scores.colwise().sum().transpose() + equations.information * value;
  equations.noise = Vector::Zero(equations.scores.size());
  for (Index k = 0; k < equations.scores.size(); ++k) {
    const double information = equations.information(k, k);
    const double square = sums.scores.col(k).squaredNorm();
    if (information <= 1e-6 * sums.squares(k, k) || square <= 0) continue;
    equations.known.push_back(k);
    equations.noise[k] = square / information;
  }
  std::vector<double> noise;
  for (const Index k : equations.known) noise.push_back(equations.noise[k]);
  if (noise.empty()) return equations;
  const auto middle =
      noise.begin() + static_cast<std::ptrdiff_t>(noise.size() / 2);
  std::ranges::nth_element(noise, middle);
  equations.usual_noise = *middle;
  return equations;
}

// By how much each kind of parameter scatters.
struct WindowSpread {
  double edge_ns = 0;
  double move_ns = 0;
  double rate = 0;
};

double VarianceOf(const WindowParameters& parameters, Index parameter,
                  const WindowSpread& spread) {
  double deviation = spread.rate;
  if (parameter < parameters.move(parameters.moved_kernels))
    deviation = spread.move_ns;
  if (parameter < parameters.move(0)) deviation = spread.edge_ns;
  return deviation * deviation;
}

// The known parameters, in units of the noise.
struct KnownEquations {
  Matrix information{};
  Vector scores{};
};

KnownEquations KnownOf(const WindowEquations& equations) {
  const auto size = static_cast<Index>(equations.known.size());
  KnownEquations known{.information = Matrix(size, size),
                       .scores = Vector(size)};
  for (Index a = 0; a < size; ++a) {
    const Index one = equations.known[static_cast<std::size_t>(a)];
    known.scores[a] = equations.scores[one] / equations.usual_noise;
    for (Index b = 0; b < size; ++b) {
      const Index other = equations.known[static_cast<std::size_t>(b)];
      known.information(a, b) =
          equations.information(one, other) / equations.usual_noise;
    }
  }
  return known;
}

// Less is more likely: twice the negative logarithm, but for a constant.
double Unlikely(const WindowParameters& parameters,
                const WindowEquations& equations, const KnownEquations& known,
                const WindowSpread& spread) {
  Matrix precision = known.information;
  double unlikely = 0;
  for (Index a = 0; a < precision.rows(); ++a) {
    const double variance = VarianceOf(
        parameters, equations.known[static_cast<std::size_t>(a)], spread);
    precision(a, a) += 1 / variance;
    unlikely += std::log(variance);
  }
  const Eigen::LLT<Matrix> factor(precision);
  if (factor.info() != Eigen::Success)
    return std::numeric_limits<double>::infinity();
  unlikely += 2 * Matrix(factor.matrixL()).diagonal().array().log().sum();
  return unlikely - known.scores.dot(factor.solve(known.scores));
}

// One kind's most likely scatter between `least` and `most`, by thirds of its
// logarithm.
template <typename UnlikelyOf>
double MostLikely(double least, double most, const UnlikelyOf& unlikely) {
  double low = std::log(least), high = std::log(std::max(most, least));
  for (int round = 0; round < 12; ++round) {
    const double one = low + (high - low) / 3, two = high - (high - low) / 3;
    if (unlikely(std::exp(one)) <= unlikely(std::exp(two)))
      high = two;
    else
      low = one;
  }
  return std::exp((low + high) / 2);
}

WindowSpread SpreadOf(const FitState& state, const WindowEquations& equations,
                      const KnownEquations& known) {
  const WindowParameters& parameters = state.parameters;
  WindowSpread spread{.edge_ns = 100, .move_ns = 100, .rate = 0.1};
  const auto improve = [&](double& one, double least, double most) {
    one = MostLikely(least, most, [&](double tried) {
      WindowSpread with = spread;
      (&one == &spread.edge_ns   ? with.edge_ns
       : &one == &spread.move_ns ? with.move_ns
                                 : with.rate) = tried;
      return Unlikely(parameters, equations, known, with);
    });
  };
  for (int round = 0; round < 2; ++round) {
    improve(spread.edge_ns, kLeastMove, kMostEdge);
    improve(spread.move_ns, kLeastMove, MeanDuration(state) / 4);
    if (parameters.shaped_kernels > 0)
      improve(spread.rate, kLeastRate, kMostRate);
  }
  return spread;
}

// Parameters and what is not known of them, with their scatter as prior.
void Shrunk(const FitState& state, const WindowEquations& equations,
            const KnownEquations& known, const WindowSpread& spread,
            Vector& value, Matrix& covariance) {
  const Index size = state.parameters.size();
  value.setZero(size);
  covariance = Matrix::Zero(size, size);
  for (Index k = 0; k < size; ++k)
    covariance(k, k) = VarianceOf(state.parameters, k, spread);
  Matrix precision = known.information;
  for (std::size_t a = 0; a < equations.known.size(); ++a)
    precision(static_cast<Index>(a), static_cast<Index>(a)) +=
        1 / VarianceOf(state.parameters, equations.known[a], spread);
  const Matrix inverse = precision.llt().solve(
      Matrix::Identity(precision.rows(), precision.cols()));
  const Vector values = inverse * known.scores;
  const Vector more =
      (equations.noise(equations.known) / equations.usual_noise).cwiseSqrt();
  for (std::size_t a = 0; a < equations.known.size(); ++a) {
    const Index one = equations.known[a];
    value[one] = values[static_cast<Index>(a)];
    for (std::size_t b = 0; b < equations.known.size(); ++b)
      covariance(one, equations.known[b]) =
          more[static_cast<Index>(a)] * more[static_cast<Index>(b)] *
          inverse(static_cast<Index>(a), static_cast<Index>(b));
  }
}

// One step towards a metric's parameters; solves with them.
void FitWindows(FitState& state, Index m) {
  const auto metric = static_cast<std::size_t>(m);
  Vector& value = state.window_value[metric];
  const Design slopes = SlopesOf(state, m);
  const WindowEquations equations = EquationsOf(state, slopes, m, value);
  const KnownEquations known = KnownOf(equations);
  const WindowSpread spread = SpreadOf(state, equations, known);
  state.window_error_ns[m] = spread.move_ns;
  state.window_degrees[m] =
      std::max(static_cast<double>(equations.known.size()), 2.0);
  Shrunk(state, equations, known, spread, value,
         state.window_covariance[metric]);
  SolveAgain(state, m, state.equations.right.col(m) - equations.product * value,
             Predicted(slopes, value));
}

}  // namespace

void ChooseWindowParameters(FitState& state) {
  const std::vector<Kernel> kernels = LongestKernels(state);
  WindowParameters& parameters = state.parameters;
  parameters.moved_kernels = static_cast<std::uint32_t>(kernels.size());
  parameters.moved.assign(state.launch_columns(), WindowParameters::kNone);
  parameters.shaped = parameters.moved;
  state.terms.columns = static_cast<std::uint32_t>(state.launch_columns());
  state.terms.shape.assign(state.launch_columns(), WindowTerms::kNoShape);
  for (std::uint32_t k = 0; k < kernels.size(); ++k) {
    double longest = 0;
    for (const std::uint32_t c : kernels[k].columns) {
      parameters.moved[c] = k;
      longest = std::max(longest, state.duration_ns[c]);
    }
    if (longest < kLeastShaped || parameters.shaped_kernels == kMostShaped)
      continue;
    for (const std::uint32_t c : kernels[k].columns) {
      parameters.shaped[c] = parameters.shaped_kernels;
      state.terms.shape[c] = state.terms.shaped++;
    }
    ++parameters.shaped_kernels;
  }
}

void FitWindows(FitState& state) {
  const auto metrics = static_cast<std::size_t>(state.x.cols());
  state.window_error_ns = Vector::Zero(state.x.cols());
  state.window_degrees = Vector::Constant(state.x.cols(), 2);
  state.window_value.assign(metrics, Vector::Zero(state.parameters.size()));
  state.window_covariance.resize(metrics);
  for (Index m = 0; m < state.x.cols(); ++m) {
    for (int round = 0; round < kRounds; ++round) FitWindows(state, m);
  }
  AddScores(state);
  if (state.window_error_ns.size() > 0)
    state.quality.window_error_ns = state.window_error_ns.maxCoeff();
}

}  // namespace rangefinder
