// Times NVTX calls; what is behind them is the environment's business.
//
//   inject_pair NAME PAIRS

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/support/nvtx_client.h"

namespace {

struct Times {
  double least = 0;
  double median = 0;
};

// In pieces of some hundred microseconds: a busy machine takes the CPU away
// from some of them, and the least of them shows what the calls take.
template <typename Pair>
Times NsPerPair(long pairs, Pair pair) {
  constexpr long kPiece = 5000;
  std::vector<double> pieces;
  for (long done = 0; done < pairs; done += kPiece) {
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < kPiece; ++i) pair(i);
    const std::chrono::duration<double, std::nano> ns =
        std::chrono::steady_clock::now() - start;
    pieces.push_back(ns.count() / kPiece);
  }
  std::sort(pieces.begin(), pieces.end());
  return {pieces.front(), pieces[pieces.size() / 2]};
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  const long pairs = argc > 2 ? std::atol(argv[2]) : 1000000;
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered =
      nvtxDomainRegisterStringA(domain, "registered");
  nvtxRangePushA("warm");
  nvtxRangePop();
  const Times plain = NsPerPair(pairs, [](long) {
    nvtxRangePushA("layer0.self_attention");
    nvtxRangePop();
  });
  const Times nested = NsPerPair(pairs, [](long i) {
    constexpr const char* kNames[] = {"prefill", "decode", "attn", "mlp"};
    nvtxRangePushA(kNames[i % 4]);
    nvtxRangePop();
  });
  const Times registered = NsPerPair(pairs, [&](long) {
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxDomainRangePop(domain);
  });
  std::printf(
      "%-18s ns a pair, least (median):  one name %5.1f (%5.1f)   four names "
      "%5.1f (%5.1f)   registered %5.1f (%5.1f)\n",
      name, plain.least, plain.median, nested.least, nested.median,
      registered.least, registered.median);
  return 0;
}
