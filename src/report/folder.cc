#include "report/folder.h"

#include <algorithm>
#include <unordered_set>

#include "base/digest.h"
#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::size_t kLongest = 100;
constexpr std::size_t kHashLength = 10;

std::string Safe(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool plain =
        IsAsciiLetter(c) || IsAsciiDigit(c) || c == '.' || c == '-' || c == '_';
    safe += plain ? c : '_';
  }
  if (safe.empty() || safe[0] == '.' || safe[0] == '-') safe.insert(0, "_");
  return safe;
}

// Deepest region with a folder. The document of a folder has all inner regions,
// so folders at every depth would cost the square of the depth.
constexpr std::int32_t kDeepestFolder = 32;

// Files of these names are next to the folders.
bool IsTaken(const std::string& lower) {
  return lower.starts_with("report.");
}

// The lengths distinguish "a/b" in one frame from "a" and "b" in two. Computed
// each time, since an outer name may be long.
std::string PathToHash(const Profile& profile, const RegionTree& tree,
                       RegionId id) {
  std::string path;
  const auto add = [&](std::string_view name) {
    path += std::to_string(name.size());
    path += ':';
    path += name;
  };
  for (const Frame& frame : tree.PathTo(id)) add(FrameText(profile, frame));
  if (tree[id].unattributed) add(RegionTree::kUnattributed);
  return path;
}

}  // namespace

std::vector<std::string> RegionFolders(const Profile& profile,
                                       const RegionTree& tree) {
  const std::span<const Region> regions = tree.regions();
  std::vector<std::string> safe(regions.size());  // before made unique
  std::vector<std::string> folders(regions.size());
  std::unordered_set<std::string> taken;
  for (std::size_t i = 1; i < regions.size(); ++i) {
    const Region& region = regions[i];
    const Region& parent = regions[Index(region.parent)];
    const std::string name = region.unattributed
                                 ? std::string(RegionTree::kUnattributed)
                                 : FrameText(profile, region.frame);
    const std::string_view outer = profile.Name(parent.frame.name);
    const bool led_in =
        region.parent != RegionTree::kRoot &&
        !profile.Name(region.frame.name).starts_with(std::string(outer) + "::");
    safe[i] =
        led_in ? safe[Index(region.parent)] + "__" + Safe(name) : Safe(name);
    if (region.unattributed) safe[i] = "unattributed";
    if (safe[i].size() > 4 * kLongest) safe[i].resize(4 * kLongest);
    std::string folder = safe[i];
    bool usable = folder.size() <= kLongest && !IsTaken(AsciiLower(folder)) &&
                  taken.insert(AsciiLower(folder)).second;
    std::string hashed =
        usable ? "" : PathToHash(profile, tree, static_cast<RegionId>(i));
    // If a region has the name of another region's folder, a further hash is
    // used.
    for (; !usable; hashed += '#') {
      folder = safe[i].substr(0, kLongest - kHashLength - 1) + "-" +
               Sha256(hashed).substr(0, kHashLength);
      usable = taken.insert(AsciiLower(folder)).second;
    }
    folders[i] = std::move(folder);
  }
  return folders;
}

namespace {

// The reported regions with folders, the most GPU time first.
std::vector<RegionId> WithFolder(const Report& report,
                                 std::vector<RegionId> regions) {
  const std::uint64_t most = report.options.max_folders.value_or(0);
  if (regions.size() > most) regions.resize(most);
  std::erase_if(regions, [&](RegionId id) {
    return (*report.tree)[id].depth >= kDeepestFolder;
  });
  return regions;
}

}  // namespace

std::vector<std::string> FoldersOf(const Report& report) {
  std::vector<std::string> folders(report.tree->regions().size());
  if (report.options.max_folders.value_or(0) == 0) return folders;
  std::vector<std::string> all = RegionFolders(*report.profile, *report.tree);
  for (const RegionId id : WithFolder(report, ReportedByTime(report)))
    folders[Index(id)] = std::move(all[Index(id)]);
  return folders;
}

std::size_t WithoutFolder(const Report& report) {
  const std::vector<RegionId> reported = ReportedByTime(report);
  return reported.size() - WithFolder(report, reported).size();
}

}  // namespace rangefinder
