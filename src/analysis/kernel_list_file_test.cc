#include "analysis/kernel_list_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "region/tree.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

KernelListView ViewOf(const std::vector<TopKernel>& kernels) {
  return {.kernels = kernels, .all = kernels.size()};
}

TEST(KernelList, TheYamlIsThePredecessors) {
  std::vector<TopKernel> kernels = {{.name = "void k<(int)7>(T1 *)",
                                     .calls = 51146,
                                     .timed = 51146,
                                     .share = 0.3},
                                    {.name = "it's", .calls = 1}};
  const std::string yaml = KernelListYaml(ViewOf(kernels));
  EXPECT_THAT(yaml,
              HasSubstr("kernels:\n"
                        "  - name: 'void k<(int)7>(T1 *)'\n"
                        "    regex: '^void\\ k<\\(int\\)7>\\(T1\\ \\*\\)$'\n"
                        "    description: 'Kernel #1 - 30.0% of GPU time, "
                        "51146 calls'\n"
                        "  - name: 'it''s'\n"));
  EXPECT_THAT(yaml, HasSubstr("'Kernel #2 - 1 calls, time not measured'"));
  EXPECT_THAT(yaml, Not(HasSubstr("mangled")));
}

TEST(KernelList, WhatIsWrittenReadsBack) {
  std::vector<TopKernel> kernels = {{.name = "void k<7>(T1 *): #1 '\"\\"},
                                    {.name = "line\nbreak\x01"},
                                    {.name = "- x", .mangled = "_Z1xv"}};
  const auto list = ReadKernelList("k.yaml", KernelListYaml(ViewOf(kernels)));
  ASSERT_TRUE(list.ok()) << list.error().message();
  ASSERT_EQ(list.value().size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(list.value()[i].name, kernels[i].name);
    EXPECT_EQ(list.value()[i].regex, ExactRegex(kernels[i].name));
    EXPECT_FALSE(list.value()[i].mangled);
  }
  EXPECT_EQ(list.value()[2].regex, "^_Z1xv$");
  EXPECT_TRUE(list.value()[2].mangled);
}

TEST(KernelList, ARegexOfOnesOwnIsKept) {
  const auto list = ReadKernelList("k.yaml",
                                   "kernels:\n"
                                   "-   name: a\n"
                                   "    regex: .*a\\(int\\).*\n"
                                   "    mangled: _Z1av\n"
                                   "-   regex: 'regex:gemm'\n"
                                   "-   name: plain(int)\n");
  ASSERT_TRUE(list.ok()) << list.error().message();
  EXPECT_EQ(list.value()[0].regex, ".*a\\(int\\).*");
  EXPECT_FALSE(list.value()[0].mangled);
  EXPECT_EQ(list.value()[1].regex, "gemm");
  EXPECT_EQ(list.value()[1].name, "gemm");
  EXPECT_EQ(list.value()[2].regex, "^plain\\(int\\)$");
}

TEST(KernelList, WhatIsNoneIsSaidWithItsPlace) {
  const auto refused = [](std::string text) {
    const auto list = ReadKernelList("k.yaml", std::move(text));
    EXPECT_FALSE(list.ok());
    return list.ok() ? "" : list.error().message();
  };
  EXPECT_THAT(refused("kernel: []\n"), HasSubstr("k.yaml: no list of kernels"));
  EXPECT_THAT(refused("kernels:\n- {description: x}\n"),
              HasSubstr("k.yaml:2:3: a kernel needs a name or a regex"));
  EXPECT_THAT(refused("kernels:\n- name: [x]\n"),
              HasSubstr("k.yaml:2:9: name is no text"));
  EXPECT_THAT(refused("kernels:\n- name: x\n- name: x\n"),
              HasSubstr("listed twice"));
  EXPECT_THAT(refused("kernels: [\n"), HasSubstr("k.yaml"));
}

TEST(KernelList, TheJsonHasWhatTheTableHas) {
  const std::vector<TopKernel> kernels = {{.name = "f",
                                           .calls = 2,
                                           .timed = 2,
                                           .total_ns = 2e6,
                                           .min_ns = 0,
                                           .max_ns = 2e6,
                                           .share = 1,
                                           .regions = {{"LLM@p"}, {}}}};
  const auto document =
      nlohmann::json::parse(KernelListJson({.kernels = kernels, .all = 5}));
  EXPECT_EQ(document["schema"], "rangefinder.kernels/1");
  EXPECT_EQ(document["kernel_count"], 5);
  const auto& row = document["kernels"][0];
  EXPECT_EQ(row["rank"], 1);
  EXPECT_EQ(row["name"], "f");
  EXPECT_EQ(row["regex"], "^f$");
  EXPECT_EQ(row["description"], "Kernel #1 - 100.0% of GPU time, 2 calls");
  EXPECT_EQ(row["total_ms"], 2.0);
  EXPECT_EQ(row["mean_ms"], 1.0);
  EXPECT_EQ(row["max_ms"], 2.0);
  EXPECT_EQ(row["regions"][0][0], "LLM@p");
}

TEST(KernelList, TheTableFitsAndSaysHowManyMoreThereAre) {
  std::vector<TopKernel> kernels = {{.name = std::string(300, 'x'),
                                     .calls = 3,
                                     .timed = 3,
                                     .total_ns = 3000,
                                     .share = 1,
                                     .regions = {{"A", "B"}, {}}}};
  EXPECT_EQ(KernelListTable({.kernels = kernels, .all = 4}, 100),
            "#    share    total  calls     mean  min  max  kernel             "
            "                          regions\n"
            "1  100.0 %  3.00 µs      3  1.00 µs    –    –  "
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…  A › B +1\n"
            "… 3 more kernels (--top 4 has them all)\n");
  EXPECT_EQ(KernelListTable({}, 100), "no kernel to list\n");
}

}  // namespace
}  // namespace rangefinder
