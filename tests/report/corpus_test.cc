// The fuzzer's corpus and every recorded capture, cut down, through the
// function that it fuzzes.

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/fuzz/fuzz_report.h"
#include "tests/fuzz/fuzz_trace.h"
#include "tests/support/analyze.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

TEST(Corpus, EveryFileComesToAnEnd) {
  std::size_t files = 0;
  std::size_t reports = 0;
  for (const auto& entry : fs::directory_iterator(
           fs::path(RANGEFINDER_SOURCE_DIR) / "tests/fuzz/corpus/ncu")) {
    SCOPED_TRACE(entry.path().string());
    ++files;
    reports += testing::ReportOfAnyBytes(ReadFile(entry.path()).value());
  }
  EXPECT_GE(files, 8U);
  EXPECT_GE(reports, 2U);
}

// A trace of everything there is, each byte of it changed in three ways, with
// checksums that say it is right.
TEST(Corpus, SoDoTracesWithAWrongByte) {
  const std::string trace = testing::BuildTrace(R"(
process pid=700 rank=1 exe=/usr/bin/app
10 push A
11 launch 1
12 push LLM@prefill
13 launch 2
14 pop LLM
15 start S id=7
16 launch 3
18 end id=7
20 pop
kernel gemm 100-110 of=1 grid=8 block=64
kernel relu 105-120 of=2 grid=1 block=32
kernel gemm 130-135 of=3 grid=4 block=64
gpu 0 NVIDIA_H200
sampling 0 interval=10 chip=GH100 metrics=a.sum,b.sum,c.avg
sample 0 100-110 1,2,0.5
sample 0 110-120 3,4,0.25
gap 0 120-150 missing=3 why=1
sample 0 150-160 5,6,0.125
stopped 0 170 reason=overflow
)");
  ASSERT_TRUE(testing::TraceOfAnyBytes(trace));
  std::size_t tried = 0;
  std::size_t read = 0;
  for (std::size_t at = 0; at < trace.size(); ++at) {
    if (trace[at] == 0 && at % 16 != 0) continue;  // most of it is padding
    for (const char with : {'\0', '\xff', static_cast<char>(trace[at] ^ 1)}) {
      std::string bytes = trace;
      bytes[at] = with;
      testing::MakeChecksumsRight(bytes);
      ++tried;
      read += testing::TraceOfAnyBytes(bytes);
    }
  }
  EXPECT_GT(tried, 1000U);
  EXPECT_GT(read, tried / 2);
}

TEST(Corpus, SoDoTheCaptures) {
  for (const char* name : {"nested_basic.ncu-rep", "graph_graph.ncu-rep",
                           "nested_full_A.ncu-repz"})
    EXPECT_TRUE(
        testing::ReportOfAnyBytes(ReadFile(testing::Fixture(name)).value()))
        << name;
}

}  // namespace
}  // namespace rangefinder
