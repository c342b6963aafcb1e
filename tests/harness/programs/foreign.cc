// Reads the description and does it.

#include "foreign.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include "tests/support/nvtx_client.h"

namespace foreign {
namespace {

void (*Find(const std::string& name))(const Action&) {
  for (const auto* table :
       {&kNvtxActions, &kThreadActions, &kProcessActions, &kSignalActions,
        &kLimitActions, &kEndActions, &kStateActions}) {
    for (const Row& row : *table) {
      if (name == row.name) return row.run;
    }
  }
  std::fprintf(stderr, "foreign: no action is called '%s'\n", name.c_str());
  std::exit(2);
}

Block Parse(const char*& at);

Action ParseOne(const char*& at) {
  Action action;
  const std::size_t length = std::strcspn(at, ":{} ");
  action.name.assign(at, length);
  at += length;
  long* const numbers[] = {&action.first, &action.second};
  for (long* number : numbers) {
    if (*at != ':') break;
    char* end = nullptr;
    *number = std::strtol(at + 1, &end, 10);
    at = end;
  }
  if (*at == '{') {
    const char* const begin = ++at;
    action.block = Parse(at);
    action.text.assign(begin, at);
    if (*at == '}') ++at;
  }
  action.run = Find(action.name);
  return action;
}

Block Parse(const char*& at) {
  Block block;
  for (;;) {
    while (*at == ' ') ++at;
    if (*at == '\0' || *at == '}') return block;
    block.push_back(ParseOne(at));
  }
}

// As the CUDA driver does in cuInit().
void LoadAsTheDriverDoes() {
  if (*Environment("FOREIGN_CUPTI") == '\0') return;
  dlopen(Environment("FAKE_DRIVER"), RTLD_NOW);
  const char* library = Environment("CUDA_INJECTION64_PATH");
  if (*library == '\0') return;
  void* injection = dlopen(library, RTLD_NOW);
  if (injection == nullptr) return;
  auto* start =
      reinterpret_cast<int (*)()>(dlsym(injection, "InitializeInjection"));
  if (start != nullptr) start();
}

}  // namespace

void Run(const Block& block) {
  for (const Action& action : block) action.run(action);
}

}  // namespace foreign

int main(int argc, char** argv) {
  using namespace foreign;
  if (argc != 3) return 2;
  BecomeActor(argv[1], '\0', 0);
  OpenTally();
  ClaimTally(*Environment("NVTX_INJECTION64_PATH") == '\0');
  const char* at = argv[2];
  // Never destroyed: destructors at the end of the program run its parts.
  const Block& block = *new Block(Parse(at));
  LoadAsTheDriverDoes();
  // NVTX's own first call is not free of races with threads and signals, so it
  // is made here. If a description begins with `late`, its first action makes
  // it.
  if (block.empty() || block.front().name != "late") nvtxInitialize(nullptr);
  Run(block);
  return 0;
}
