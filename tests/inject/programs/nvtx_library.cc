// A library that carries NVTX, as Python's bindings do.

#include "tests/support/nvtx_client.h"

extern "C" int Push(const char* text) {
  return nvtxRangePushA(text);
}
extern "C" int Pop() {
  return nvtxRangePop();
}
