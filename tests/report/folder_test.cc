// Folders of regions, whatever the regions are called.

#include "report/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "region/selection.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;

std::string Hash(const std::string& path) {
  return Sha256(path).substr(0, 10);
}

// Of a kernel in each of `regions`, in their order.
std::vector<std::string> Folders(const std::vector<std::string>& regions) {
  std::string text;
  for (const std::string& region : regions)
    text += "kernel k @ " + region + "\n";
  const Profile profile = testing::ProfileBuilder::Build(text);
  Notes notes;
  const RegionTree tree =
      BuildRegionTree(profile, Selection::Make({}).value(), notes);
  std::vector<std::string> folders = RegionFolders(profile, tree);
  folders.erase(folders.begin());  // the root's
  return folders;
}

TEST(RegionFolders, ReadLikeThePathOfTheRegion) {
  EXPECT_THAT(Folders({"A", "A/A::A1", "B/step 1"}),
              ElementsAre("A", "A__A1", "B", "B__step_1"));
}

TEST(RegionFolders, ARegionNamedLikeAReportIsNotInItsPlace) {
  EXPECT_THAT(Folders({"report.md", "Report.JSON", "report"}),
              ElementsAre("report.md-" + Hash("9:report.md"),
                          "Report.JSON-" + Hash("11:Report.JSON"), "report"));
}

TEST(RegionFolders, ARegionNamedLikeAnothersFolderHasOneOfItsOwn) {
  const std::string like_ours = "a_b-" + Hash("3:a*b");
  EXPECT_THAT(Folders({like_ours, "a?b", "a*b"}),
              ElementsAre(like_ours, "a_b", "a_b-" + Hash("3:a*b#")));
  EXPECT_THAT(Folders({"a?b", "A?B"}),
              ElementsAre("a_b", "A_B-" + Hash("3:A?B")));
}

}  // namespace
}  // namespace rangefinder
