// The GPU of programs that are traced in tests: the stand-in for CUPTI plays
// it.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include <dlfcn.h>

// As in a CUDA program, the library that CUDA_INJECTION64_PATH names is loaded.
struct Gpu {
  void (*launch)(const char* name, int kernels) = nullptr;
  void (*copy)(unsigned long bytes) = nullptr;
  unsigned (*call)(const char* runtime, const char* driver) = nullptr;
  void (*overhead)(int overhead, int object) = nullptr;
  void (*migration)(int counter, unsigned source, unsigned target,
                    unsigned long value) = nullptr;
  unsigned long (*node)(unsigned long copy_of) = nullptr;
  void* (*context)(int device) = nullptr;
  void (*context_end)(void* context) = nullptr;
  void (*module)(const char* path) = nullptr;
  void (*graph)(const char* name, const unsigned long* nodes,
                int count) = nullptr;
  void (*profiler)(int start) = nullptr;
  void (*count)(std::uint64_t work) = nullptr;
  void (*wait)(std::uint32_t us) = nullptr;
  void (*set_current)(void* context) = nullptr;

  // 0, or the status to end with. Without a tracer nothing is launched.
  int Open() {
    const char* library = std::getenv("CUDA_INJECTION64_PATH");
    const char* cupti = std::getenv("RANGEFINDER_CUPTI_PATH");
    if (library == nullptr || cupti == nullptr) return 2;
    void* injection = dlopen(library, RTLD_NOW);
    void* gpu = dlopen(cupti, RTLD_NOW);
    if (injection == nullptr || gpu == nullptr) return 2;
    auto* start =
        reinterpret_cast<int (*)()>(dlsym(injection, "InitializeInjection"));
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(gpu, name));
    };
    find(launch, "FakeLaunch");
    find(copy, "FakeCopy");
    find(call, "FakeCall");
    find(overhead, "FakeOverhead");
    find(migration, "FakeMigration");
    find(node, "FakeNode");
    find(graph, "FakeGraphLaunch");
    find(profiler, "FakeProfiler");
    find(context, "FakeContext");
    find(context_end, "FakeContextEnd");
    find(module, "FakeModule");
    find(count, "FakeCount");
    find(wait, "FakeWait");
    if (start == nullptr || node == nullptr || graph == nullptr ||
        launch == nullptr || copy == nullptr || call == nullptr)
      return 2;
    return start() == 1 ? 0 : 1;
  }
};
