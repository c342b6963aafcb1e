#include "export/table_rows.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json_text.h"
#include "insight/region_rows.h"
#include "region/path.h"
#include "report/kernel_names.h"

namespace rangefinder {

namespace {

constexpr std::size_t kKeyDigits = 16;

std::optional<std::int64_t> ParentOf(const Region& region) {
  if (region.parent == RegionTree::kRoot) return std::nullopt;
  return static_cast<std::int64_t>(Index(region.parent));
}

}  // namespace

std::string KernelKey(std::string_view name) {
  return Sha256(name).substr(0, kKeyDigits);
}

std::string RegionKey(std::string_view outer_key, std::string_view domain,
                      std::string_view name) {
  std::string text = fmt::format("{}{}", outer_key, domain);
  text += '\0';
  text += name;
  return Sha256(text).substr(0, kKeyDigits);
}

TableIds::TableIds(const Report& report, TableFile& file)
    : report_(report),
      kernels_(file.Into("kernel_names")),
      region_keys_(report.tree->regions().size()) {
  TableRows rows = file.Into("regions");
  for (std::size_t i = 1; i < region_keys_.size(); ++i)
    AddRegion(static_cast<RegionId>(i), rows);
}

void TableIds::AddRegion(RegionId id, TableRows& rows) {
  const Profile& profile = *report_.profile;
  const Region& region = (*report_.tree)[id];
  const std::string_view domain = profile.Name(region.frame.domain);
  const std::string_view name = region.unattributed
                                    ? RegionTree::kUnattributed
                                    : profile.Name(region.frame.name);
  std::string& key = region_keys_[Index(id)];
  key = RegionKey(KeyOf(region.parent), domain, name);
  by_key_.try_emplace(key, id);
  const std::vector<Frame> path = report_.tree->PathTo(id);
  std::string json = "[";
  for (const Frame& frame : path) {
    if (json.size() > 1) json += ',';
    AppendJsonText(FrameText(profile, frame), json);
  }
  rows.Add(static_cast<std::int64_t>(Index(id)), key, ParentOf(region),
           region.depth, domain, name, RegionKindName(region),
           region.unattributed ? std::string(name) : PathText(profile, path),
           json + "]");
}

std::optional<RegionId> TableIds::Find(const std::string& region_key) const {
  const auto known = by_key_.find(region_key);
  if (known == by_key_.end()) return std::nullopt;
  return known->second;
}

std::int64_t TableIds::Kernel(StringId name) {
  const auto [known, is_new] = kernel_ids_.try_emplace(
      name, static_cast<std::int64_t>(kernel_ids_.size()) + 1);
  if (is_new) {
    const std::string_view text = report_.profile->Name(name);
    kernels_.Add(known->second, KernelKey(text), text,
                 report_.kernel_names->Short(name));
  }
  return known->second;
}

}  // namespace rangefinder
