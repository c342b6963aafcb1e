#include "ingest/long_names.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

TEST(LongNames, AreShownByBeginningLengthAndHash) {
  const std::string longest(4096, 'a');
  const std::string same_beginning = std::string(5000, 'a');
  const std::string other = std::string(4999, 'a') + "b";
  Profile profile = testing::BuildProfile(
      "kernel k @ " + longest + "/" + same_beginning + "/" + other + "/b\n" +
      "kernel k @ start " + other + "\n");
  Notes notes;
  ShortenLongNames(profile, notes, "run");

  const auto name = [&](const NvtxRange& range) {
    return std::string(profile.Name(range.name));
  };
  const auto& stack = profile.nvtx_states[1].stacks[0].ranges;
  EXPECT_EQ(name(stack[0]), longest);
  EXPECT_EQ(name(stack[1]).substr(4032, 15), "… (5000 bytes");
  EXPECT_THAT(name(stack[1]), SizeIs(4032 + 28));
  EXPECT_EQ(name(stack[2]).substr(4032, 15), "… (5000 bytes");
  EXPECT_NE(name(stack[1]), name(stack[2]));
  EXPECT_EQ(name(stack[3]), "b");
  EXPECT_EQ(profile.nvtx_states[2].start_end[0].range.name, stack[2].name);
  ASSERT_THAT(notes.all(), SizeIs(1));
  EXPECT_EQ(notes.all()[0].text,
            "names of ranges longer than 4096 bytes are shown by their "
            "beginning, length and hash");
  EXPECT_EQ(notes.all()[0].count, 2U);
}

TEST(LongNames, AreNotCutInsideACharacter) {
  std::string name;
  while (name.size() <= 4096) name += "\xe2\x82\xac";  // the euro sign
  Profile profile = testing::BuildProfile("kernel k @ " + name + "\n");
  Notes notes;
  ShortenLongNames(profile, notes, "run");
  const std::string shown(
      profile.Name(profile.nvtx_states[1].stacks[0].ranges[0].name));
  EXPECT_EQ(shown.substr(4029, 6), "\xe2\x82\xac…");
}

}  // namespace
}  // namespace rangefinder
