#include "ingest/inductor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// As PyTorch's own tests state it, with the numbers of calls.
constexpr std::string_view kMappings = R"({
  "preToPost": {"added": ["add"], "activated": ["relu"]},
  "postToPre": {"add": ["added"], "relu": ["activated"]},
  "cppCodeToPost": {
    "triton_poi_fused_add_relu_0:1": ["relu", "add", "view"],
    "triton_poi_fused_add_relu_0:2": ["add"],
    "extern_kernels.mm:3": ["mm_default"]
  },
  "postToCppCode": {"add": ["triton_poi_fused_add_relu_0:1"]},
  "version": 2.0
})";

// As PyTorch 2.11 logs them, with other records between.
constexpr std::string_view kTorchTrace =
    R"log(V1123 23:51:08.4 552 torch/_inductor/debug.py:9] {"artifact": {"name": "other", "encoding": "json"}, "has_payload": "1"}
	{"triton_other_0:1": ["no"]}
V1123 23:51:08.4 552 torch/_inductor/compile_fx.py:1586] {"artifact": {"name": "inductor_provenance_tracking_node_mappings", "encoding": "json"}, "has_payload": "2"}
	{"postToPre": {"add": ["added"]},
	"cppCodeToPost": {"triton_a_0:1": ["add", "mul"]}, "version": 2.0}
V1123 23:51:08.5 552 torch/_inductor/compile_fx.py:1594] {"artifact": {"name": "inductor_provenance_tracking_kernel_stack_traces", "encoding": "json"}, "has_payload": "3"}
	{"triton_a_0:1": ["  File \"/lib/module.py\", line 9, in __call__\n    return f(x)\n  File \"/home/a/net.py\", line 17, in forward\n    return x + y\n", "nothing", 3], "triton_a_0:2": ["  File \"/home/a/net.py\", line 17, in forward\n"]}
V1123 23:51:08.6 552 torch/_dynamo/utils.py:1796] {"compilation_metrics": {}}
)log";

TEST(Inductor, GivesTheNodesBeforeItsPasses) {
  const KernelSources sources = ParseInductor(kMappings).value();
  ASSERT_EQ(sources.by_kernel.size(), 2U);
  EXPECT_THAT(sources.Find("extern_kernels.mm")->operators,
              ElementsAre("mm_default"));
  EXPECT_THAT(sources.Find("triton_poi_fused_add_relu_0")->operators,
              ElementsAre("activated", "added", "view"));
  EXPECT_THAT(ParseInductor(R"({"triton_a_0": ["mul", 3, "mul"]})")
                  .value()
                  .Find("triton_a_0")
                  ->operators,
              ElementsAre("mul"));
}

TEST(Inductor, GivesTheLinesOfTheModelInALogOfTorchTrace) {
  const KernelSources sources = ParseInductor(kTorchTrace).value();
  ASSERT_EQ(sources.by_kernel.size(), 1U);
  const KernelSource& kernel = *sources.Find("triton_a_0");
  EXPECT_THAT(kernel.operators, ElementsAre("added", "mul"));
  EXPECT_THAT(kernel.model_lines, ElementsAre("/home/a/net.py:17"));
  EXPECT_THAT(kernel.lines, IsEmpty());
}

TEST(Inductor, ItsTextIsReadBackTheSame) {
  const std::string kept = InductorText(ParseInductor(kTorchTrace).value());
  const KernelSources again = ParseInductor(kept).value();
  EXPECT_THAT(again.Find("triton_a_0")->operators, ElementsAre("added", "mul"));
  EXPECT_THAT(again.Find("triton_a_0")->model_lines,
              ElementsAre("/home/a/net.py:17"));
  EXPECT_EQ(InductorText(again), kept);
}

TEST(Inductor, RefusesOtherFiles) {
  for (const std::string_view text : {"[", "[]", "", "some text"})
    EXPECT_EQ(ParseInductor(text).error().code(), ErrorCode::kCorrupt) << text;
  for (const std::string_view text :
       {"{}", R"({"cppCodeToPost": 3})", R"({"kernels": [1]})",
        "V1 f.py:1] {\"artifact\": {\"name\": \"x\"}}\n\t{"})
    EXPECT_EQ(ParseInductor(text).error().code(), ErrorCode::kUsage) << text;
}

}  // namespace
}  // namespace rangefinder
