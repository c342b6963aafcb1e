#include "ingest/kernel_name.h"

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

TEST(KernelName, IsDemangled) {
  EXPECT_EQ(Demangle("_Z5saxpyifPKfPf"),
            "saxpy(int, float, float const*, float*)");
  EXPECT_EQ(Demangle("triton_poi_fused_0"), "triton_poi_fused_0");
  EXPECT_EQ(Demangle("_Zbroken"), "_Zbroken");
  EXPECT_EQ(Demangle(""), "");
}

TEST(KernelName, FunctionNameOmitsNamespacesAndArguments) {
  EXPECT_EQ(FunctionName("saxpy(int, float)"), "saxpy");
  EXPECT_EQ(FunctionName("void burn<256>(int, float*)"), "burn");
  EXPECT_EQ(FunctionName("void at::native::(anonymous namespace)::f<int, "
                         "A<B(*)(C)>>(T*)"),
            "f");
  EXPECT_EQ(FunctionName("void ns::k<(Kind)2>(int) [clone .kd]"), "k");
  EXPECT_EQ(FunctionName("triton_poi_fused_0"), "triton_poi_fused_0");
  EXPECT_EQ(FunctionName("a<b>>)"), "a<b>>)");
  EXPECT_EQ(FunctionName(""), "");
}

}  // namespace
}  // namespace rangefinder
