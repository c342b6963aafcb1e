#include "ingest/long_names.h"

#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "base/digest.h"

namespace rangefinder {
namespace {

constexpr std::size_t kHashLength = 10;
constexpr std::size_t kRoomForMore = 64;  // for length and hash

std::string Shortened(std::string_view name) {
  std::size_t end = kLongestName - kRoomForMore;
  // Does not cut inside a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80)
    --end;
  return fmt::format("{}… ({} bytes, {})", name.substr(0, end), name.size(),
                     Sha256(name).substr(0, kHashLength));
}

}  // namespace

void ShortenLongNames(Profile& profile, Notes& notes, std::string_view where) {
  std::unordered_map<StringId, StringId> shortened;
  const auto shorten = [&](StringId& name) {
    if (profile.Name(name).size() <= kLongestName) return;
    const auto [known, is_new] = shortened.try_emplace(name);
    if (is_new)
      known->second = profile.strings.Intern(Shortened(profile.Name(name)));
    name = known->second;
  };
  for (NvtxState& state : profile.nvtx_states) {
    for (NvtxDomain& domain : state.domains) shorten(domain.name);
    for (NvtxStack& stack : state.stacks) {
      for (NvtxRange& range : stack.ranges) shorten(range.name);
    }
    for (NvtxStartEnd& open : state.start_end) shorten(open.range.name);
  }
  for (LeakedRange& leaked : profile.leaked) {
    shorten(leaked.domain);
    shorten(leaked.name);
  }
  if (shortened.empty()) return;
  notes.Add(Severity::kInfo, "long_names",
            fmt::format("names of ranges longer than {} bytes are shown by "
                        "their beginning, length and hash",
                        kLongestName),
            where, shortened.size());
}

}  // namespace rangefinder
