// A small residual network, forward only, with a range for every part: the
// program to profile where there is no framework.
//
//   region              kernels a repeat
//   stem                3 in its inner regions: conv, bn, relu
//   block_0, 1, ...     6 in its inner regions: conv1 (1), bn (1), relu (1),
//                       conv2 (2: the convolution and its normalisation),
//                       add (1: the shortcut and its relu)
//   head                2 in its inner regions: pool, fc
//
// Then, once, ranges as a language model has them, in a domain of their own,
// and two ranges of which one has an inner range:
//
//   LLM@prefill              4 in its inner regions: attn (2), mlp (2)
//   LLM@decode_0, 1, 2       likewise
//   A                        2, of which 1 in its inner region A::A1
//   B                        1
//
// Outside all ranges: 2 kernels that fill the input and the parameters. With
// the defaults (2 blocks, 2 repeats) that is 2 + 2 * (3 + 2 * 6 + 2) + 4 * 4 +
// 3 = 55.
//
//   shallow_resnet [--device N] [--batch N] [--repeats N] [--channels N]
//                  [--blocks N]
//
// It is deterministic: no atomics, and weights that are a hash of their place.
// The checksum it prints depends on --batch, --channels and --blocks alone.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "example.h"

using example::Range;

namespace {

constexpr int kImage = 32;  // height and width of an image
constexpr int kPixels = kImage * kImage;
constexpr int kInputChannels = 3;
constexpr int kClasses = 10;
constexpr int kThreads = 256;

int BlocksFor(std::size_t elements) {
  return static_cast<int>((elements + kThreads - 1) / kThreads);
}

}  // namespace

// values[i] = a number in [-scale, scale) that depends on i and seed alone.
__global__ void fill_uniform(std::size_t n, std::uint32_t seed, float scale,
                             float* values) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  std::uint32_t h = static_cast<std::uint32_t>(i) * 0x9E3779B9u + seed;
  h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
  h = (h ^ (h >> 13)) * 0xC2B2AE35u;
  h ^= h >> 16;
  values[i] = scale * (static_cast<float>(h >> 8) * (2.0f / 16777216) - 1.0f);
}

// A 3x3 convolution with zero padding. One thread an output pixel; a block
// works on one image and one output channel, whose weights it shares.
__global__ void conv3x3(int in_channels, const float* input,
                        const float* weights, float* output) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const int channel = blockIdx.y;
  const int image = blockIdx.z;

  extern __shared__ float shared_weights[];
  for (int i = threadIdx.x; i < in_channels * 9; i += blockDim.x) {
    shared_weights[i] = weights[channel * in_channels * 9 + i];
  }
  __syncthreads();

  const int row = pixel / kImage;
  const int column = pixel % kImage;
  float sum = 0;
  for (int c = 0; c < in_channels; ++c) {
    const float* plane =
        input + (std::size_t(image) * in_channels + c) * kPixels;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const int y = row + dy;
        const int x = column + dx;
        if (y < 0 || y >= kImage || x < 0 || x >= kImage) continue;
        sum += plane[y * kImage + x] *
               shared_weights[c * 9 + (dy + 1) * 3 + (dx + 1)];
      }
    }
  }
  output[(std::size_t(image) * gridDim.y + channel) * kPixels + pixel] = sum;
}

// Batch normalisation as inference does it: a scale and a shift a channel.
__global__ void batch_norm(std::size_t n, int channels, const float* scale,
                           const float* shift, float* values) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  const int channel = static_cast<int>(i / kPixels % channels);
  values[i] = values[i] * (1.0f + scale[channel]) + shift[channel];
}

__global__ void relu(std::size_t n, float* values) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) values[i] = fmaxf(values[i], 0.0f);
}

// The end of a residual block: values = relu(values + shortcut).
__global__ void add_relu(std::size_t n, const float* shortcut, float* values) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) values[i] = fmaxf(values[i] + shortcut[i], 0.0f);
}

// The mean of each plane: one block a plane, a tree of sums in shared memory.
__global__ void global_average_pool(const float* input, float* output) {
  __shared__ float sums[kThreads];
  const float* plane = input + std::size_t(blockIdx.x) * kPixels;
  float sum = 0;
  for (int i = threadIdx.x; i < kPixels; i += blockDim.x) sum += plane[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) output[blockIdx.x] = sums[0] / kPixels;
}

// logits = features * weights^T: one thread a logit.
__global__ void fully_connected(int images, int channels, const float* features,
                                const float* weights, float* logits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= images * kClasses) return;
  const float* x = features + i / kClasses * channels;
  const float* w = weights + i % kClasses * channels;
  float sum = 0;
  for (int c = 0; c < channels; ++c) sum += x[c] * w[c];
  logits[i] = sum;
}

// c = a * b, of n x n values. One thread a value.
__global__ void matmul(int n, const float* a, const float* b, float* c) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// Halves all values. Its demangled name is this word alone, as the command line
// of the documentation has it.
extern "C" __global__ void my_exact_kernel_name(std::size_t n, float* values) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) values[i] *= 0.5f;
}

namespace {

struct Options {
  int device = 0;
  int batch = 8;
  int repeats = 2;
  int channels = 32;
  int blocks = 2;
};

// An array of floats on the device.
class Tensor {
 public:
  explicit Tensor(std::size_t size) : size_(size) {
    CUDA_CHECK(cudaMalloc(&data_, size * sizeof(float)));
  }
  ~Tensor() { cudaFree(data_); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  float* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Fills it, by one kernel.
  void FillUniform(std::uint32_t seed, float scale) const {
    fill_uniform<<<BlocksFor(size_), kThreads>>>(size_, seed, scale, data_);
  }

 private:
  std::size_t size_;
  float* data_ = nullptr;
};

class ShallowResNet {
 public:
  explicit ShallowResNet(const Options& options)
      : options_(options),
        input_(std::size_t(options.batch) * kInputChannels * kPixels),
        parameters_(ParameterCount(options)),
        activations_(ActivationCount(options)),
        hidden_(ActivationCount(options)),
        result_(ActivationCount(options)),
        features_(std::size_t(options.batch) * options.channels),
        logits_(std::size_t(options.batch) * kClasses) {
    input_.FillUniform(1, 1.0f);
    // Small enough that the activations neither vanish nor overflow.
    parameters_.FillUniform(2, 0.1f);
    CUDA_CHECK(cudaDeviceSynchronize());
  }

  void Forward() {
    next_parameter_ = parameters_.data();
    float* x = activations_.data();
    float* y = hidden_.data();
    float* z = result_.data();
    Stem(x);
    for (int i = 0; i < options_.blocks; ++i) {
      ResidualBlock("block_" + std::to_string(i), x, y, z);
      std::swap(x, z);
    }
    Head(x);
  }

  // Ranges of a language model around the same kernels. Range replay wants the
  // work of a range done by its end, hence the synchronisation.
  void Generate(int tokens) {
    Token("prefill");
    for (int i = 0; i < tokens; ++i) Token("decode_" + std::to_string(i));
  }

  // A with A::A1 inside, then B.
  void Nested() {
    next_parameter_ = parameters_.data();
    {
      const Range a("A");
      BatchNorm(hidden_.data());
      {
        const Range a1("A::A1");
        Conv(options_.channels, activations_.data(), hidden_.data());
        Wait();
      }
    }
    const Range b("B");
    Relu(hidden_.data());
    Wait();
  }

  double Checksum() const {
    std::vector<float> logits(logits_.size());
    CUDA_CHECK(cudaMemcpy(logits.data(), logits_.data(),
                          logits.size() * sizeof(float),
                          cudaMemcpyDeviceToHost));
    double sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      sum += logits[i] * static_cast<double>(i % 7 + 1);
    }
    return sum;
  }

 private:
  static std::size_t ActivationCount(const Options& options) {
    return std::size_t(options.batch) * options.channels * kPixels;
  }
  static std::size_t ParameterCount(const Options& options) {
    const std::size_t c = options.channels;
    const std::size_t norm = 2 * c;
    return c * kInputChannels * 9 + norm +
           options.blocks * 2 * (c * c * 9 + norm) + kClasses * c;
  }

  // Parameters lie one after another in the order of their use.
  const float* TakeParameters(std::size_t count) {
    const float* taken = next_parameter_;
    next_parameter_ += count;
    return taken;
  }

  void Conv(int in_channels, const float* input, float* output) {
    const float* weights =
        TakeParameters(std::size_t(options_.channels) * in_channels * 9);
    const dim3 grid(kPixels / kThreads, options_.channels, options_.batch);
    conv3x3<<<grid, kThreads, in_channels * 9 * sizeof(float)>>>(
        in_channels, input, weights, output);
  }
  void BatchNorm(float* values) {
    const float* scale = TakeParameters(options_.channels);
    const float* shift = TakeParameters(options_.channels);
    const std::size_t n = activations_.size();
    batch_norm<<<BlocksFor(n), kThreads>>>(n, options_.channels, scale, shift,
                                           values);
  }
  void Relu(float* values) const {
    const std::size_t n = activations_.size();
    relu<<<BlocksFor(n), kThreads>>>(n, values);
  }
  void AddRelu(const float* shortcut, float* values) const {
    const std::size_t n = activations_.size();
    add_relu<<<BlocksFor(n), kThreads>>>(n, shortcut, values);
  }

  // 3 kernels.
  void Stem(float* x) {
    const Range stem("stem");
    {
      const Range range("conv");
      Conv(kInputChannels, input_.data(), x);
    }
    {
      const Range range("bn");
      BatchNorm(x);
    }
    const Range range("relu");
    Relu(x);
  }

  // 6 kernels: z = relu(x + bn(conv(relu(bn(conv(x)))))).
  void ResidualBlock(const std::string& name, const float* x, float* y,
                     float* z) {
    const Range block(name);
    {
      const Range range("conv1");
      Conv(options_.channels, x, y);
    }
    {
      const Range range("bn");
      BatchNorm(y);
    }
    {
      const Range range("relu");
      Relu(y);
    }
    {
      const Range range("conv2");
      Conv(options_.channels, y, z);
      BatchNorm(z);
    }
    const Range range("add");
    AddRelu(x, z);
  }

  static void Wait() { CUDA_CHECK(cudaDeviceSynchronize()); }

  // 4 kernels, on arrays that the network does not read again.
  void Token(const std::string& name) {
    next_parameter_ = parameters_.data();
    const Range token(name, language_model_);
    {
      const Range range("attn", language_model_);
      const int n = hidden_.size() < 256 * 256 ? kImage : 256;
      const dim3 grid(BlocksFor(n), n);
      matmul<<<grid, kThreads>>>(n, activations_.data(), activations_.data(),
                                 hidden_.data());
      my_exact_kernel_name<<<BlocksFor(hidden_.size()), kThreads>>>(
          hidden_.size(), hidden_.data());
      Wait();
    }
    const Range range("mlp", language_model_);
    BatchNorm(hidden_.data());
    Relu(hidden_.data());
    Wait();
  }

  // 2 kernels.
  void Head(const float* x) {
    const Range head("head");
    {
      const Range range("pool");
      global_average_pool<<<static_cast<int>(features_.size()), kThreads>>>(
          x, features_.data());
    }
    const Range range("fc");
    const float* weights =
        TakeParameters(std::size_t(kClasses) * options_.channels);
    fully_connected<<<BlocksFor(logits_.size()), kThreads>>>(
        options_.batch, options_.channels, features_.data(), weights,
        logits_.data());
  }

  Options options_;
  nvtxDomainHandle_t language_model_ = nvtxDomainCreateA("LLM");
  Tensor input_;
  Tensor parameters_;
  Tensor activations_, hidden_, result_;
  Tensor features_;
  Tensor logits_;
  float* next_parameter_ = nullptr;
};

[[noreturn]] void Usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--device N] [--batch N] [--repeats N] "
               "[--channels N] [--blocks N]\n"
               "N is at least 1, of --device at least 0; at most 65535 for "
               "--batch and 1024 for --channels.\n",
               program);
  std::exit(2);
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    int* value = name == "--batch"      ? &options.batch
                 : name == "--device"   ? &options.device
                 : name == "--repeats"  ? &options.repeats
                 : name == "--channels" ? &options.channels
                 : name == "--blocks"   ? &options.blocks
                                        : nullptr;
    if (value == nullptr || i + 1 == argc) Usage(argv[0]);
    *value = std::atoi(argv[++i]);
    if (*value < (value == &options.device ? 0 : 1)) Usage(argv[0]);
  }
  // The limits of a grid's z, and of 48 KiB of weights in shared memory.
  if (options.batch > 65535 || options.channels > 1024) Usage(argv[0]);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  CUDA_CHECK(cudaSetDevice(options.device));
  ShallowResNet net(options);
  for (int i = 0; i < options.repeats; ++i) net.Forward();
  net.Generate(3);
  net.Nested();
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  std::printf("checksum %.6f\n", net.Checksum());
  return 0;
}
