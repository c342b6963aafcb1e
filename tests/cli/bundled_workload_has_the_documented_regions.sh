#!/bin/bash
# Each documented command line without a program ends with regions. The bundled
# program is built for this test without CUDA: its launches are those of the
# stand-in for CUPTI.
. "$(dirname "$0")/common.sh"
needs_tracer
command -v c++ > /dev/null || skip "no C++ compiler"

mkdir -p fake/nvtx3 examples
echo '#include "tests/support/nvtx_client.h"' > fake/nvtx3/nvToolsExt.h
cat > fake/cuda_runtime.h << 'END'
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#define __global__
#define __shared__
struct dim3 { unsigned x = 1, y = 1, z = 1;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
inline dim3 blockIdx, blockDim, threadIdx, gridDim;
inline float shared_weights[1];
inline void __syncthreads() {}
enum cudaError_t { cudaSuccess };
enum { cudaMemcpyDeviceToHost };
inline const char* cudaGetErrorString(cudaError_t) { return ""; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaMalloc(float** p, std::size_t n) {
  *p = static_cast<float*>(std::calloc(n, 1)); return cudaSuccess; }
inline cudaError_t cudaFree(void* p) { std::free(p); return cudaSuccess; }
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t n, int) {
  std::memcpy(to, from, n); return cudaSuccess; }
inline auto OpenGpu() {
  using Start = int (*)();
  using Launch = void (*)(const char*, int);
  const char* library = std::getenv("CUDA_INJECTION64_PATH");
  if (library == nullptr) return Launch(nullptr);
  reinterpret_cast<Start>(dlsym(dlopen(library, RTLD_NOW), "InitializeInjection"))();
  void* gpu = dlopen(std::getenv("RANGEFINDER_CUPTI_PATH"), RTLD_NOW);
  return reinterpret_cast<Launch>(dlsym(gpu, "FakeLaunch"));
}
inline void FakeKernel(const char* name) {
  static const auto launch = OpenGpu();
  if (launch != nullptr) launch(name, 1);
}
END
# `name<<<grid, block>>>(…)` becomes a call with the name, mangled; the C name of
# the program stays as it is.
python3 - "$source_dir/examples/shallow_resnet.cu" > bundled.cc << 'END'
import re
import sys
def mangled(name):
    return name if name == "my_exact_kernel_name" else f"_Z{len(name)}{name}v"
print(re.sub(r"(\w+)<<<.*?>>>\s*\(.*?\);",
             lambda m: f'FakeKernel("{mangled(m[1])}");',
             open(sys.argv[1]).read(), flags=re.S))
END
c++ -std=c++20 -w -Ifake -I"$source_dir/examples" -I"$source_dir" -I"$source_dir/src" \
  -o examples/shallow_resnet bundled.cc -ldl
export RANGEFINDER_EXAMPLES=$t/examples

regions='[r["path"] for r in d["scopes"][0]["regions"]]'
"$rangefinder" discover --example hydra.run.dir="$t/run" > out 2> err
json run/ncu/regions/report.json "$regions" > all
has all '["stem"]' '["stem", "conv"]' '["block_1", "conv2"]' '["head", "fc"]' \
  '["LLM@prefill", "LLM@attn"]' '["LLM@prefill", "LLM@mlp"]' '["LLM@decode_2", "LLM@attn"]' \
  '["A"]' '["A", "A::A1"]' '["B"]'
[ "$(json run/ncu/regions/report.json 'd["scopes"][0]["totals"]["kernel_count"]')" = 55 ]

# As documented; ncu is asked for launches or ranges of these regions.
ncu=pipeline.ncu.ncu_cli
line() {
  local unit=$1
  rm -rf run
  shift
  FAKE_NCU_ARGV=$t/argv profile "$@" > out 2> err
  has err "$unit"
  not grep -q "matches\|no kernel of the program\|nothing to measure" err
  [ "$(json run/ncu/regions/report.json "len($regions)")" -gt 0 ]
}
line "12 ranges x" $ncu.replay_mode=range $ncu.nvtx.include='LLM@*' \
  "$ncu.sections=[SpeedOfLight,MemoryWorkloadAnalysis,Occupancy,SchedulerStats]"
line "1 range x" $ncu.replay_mode=app-range $ncu.nvtx.include='prefill*'
line "12 kernels x" $ncu.replay_mode=kernel $ncu.nvtx.include='decode*'
line "4 kernels x" $ncu.replay_mode=kernel $ncu.nvtx.include='LLM@*' \
  $ncu.kernel_name='my_exact_kernel_name' $ncu.kernel_name_base=demangled
line "3 kernels x" +$ncu.nvtx.include='decode*' $ncu.kernel_name='regex:.*matmul.*' \
  $ncu.kernel_name_base=demangled "$ncu.sections=[SpeedOfLight,MemoryWorkloadAnalysis,Occupancy]"
line "ranges x" model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default \
  model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default \
  $ncu.replay_mode=range "$ncu.sections=[SpeedOfLight,Occupancy]"
line "3 ranges x" pipeline.nsys.enable=false $ncu.replay_mode=range \
  "$ncu.nvtx.include='A;B;A::A1'" device=cuda:0 hydra.job.chdir=true
[ "$(json run/ncu/regions/report.json "$regions")" = '[["A"], ["A", "A::A1"], ["B"]]' ]
