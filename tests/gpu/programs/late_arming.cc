// A program that runs already without us sets the variables that would have
// armed it. After each step it says whether the library of the variables is
// there.
//
//   late_arming LIBRARY PART   librangefinder_inject.so, and this file as a
//   library
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

extern "C" void Part() {
  nvtxRangePushA("part");
  nvtxRangePop();
}

static void Say(const char* step) {
  std::ifstream maps("/proc/self/maps");
  const std::string all{std::istreambuf_iterator<char>(maps), {}};
  const bool there = all.find("librangefinder_inject") != std::string::npos;
  std::printf("%-50s %s\n", step, there ? "loaded" : "not loaded");
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*init)(unsigned) = nullptr;
  if (driver != nullptr)
    init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  Part();
  if (init != nullptr) init(0);
  Say("before the variables");
  setenv("NVTX_INJECTION64_PATH", argv[1], 1);
  setenv("CUDA_INJECTION64_PATH", argv[1], 1);
  setenv("RANGEFINDER_INJECT_MODE", "armed", 1);
  for (int i = 0; i < 1000; ++i) Part();
  nvtxInitialize(nullptr);
  Say("more calls of NVTX");
  if (init != nullptr) {
    init(0);
    Say("cuInit again");
  } else {
    std::puts("(no driver: cuInit is not tried)");
  }
  if (void* const part = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL)) {
    reinterpret_cast<void (*)()>(dlsym(part, "Part"))();
    Say("a library with NVTX that is loaded after that");
  }
  return 0;
}
