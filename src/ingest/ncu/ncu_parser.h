// Parses the messages of a `.ncu-rep` file: of a block's header (strings,
// session with devices, process), and of a result (NVTX state, sections, rule
// results).
//
// The functions throw protozero::exception on malformed input, and keep the
// fields before it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/ncu/ncu_fields.h"
#include "profile/profile.h"

namespace rangefinder {

// The versions, devices and processes of the blocks so far: each block names
// them again.
struct SessionSeen {
  std::set<std::pair<std::string, std::string>> versions{};
  std::unordered_map<std::int32_t, std::size_t> devices{};  // by index
  std::map<std::tuple<std::uint64_t, StringId, StringId>, ProcessId>
      processes{};  // by id, name and host
};

// Adds the strings of a table to those of the file.
void DecodeStrings(std::string_view message, StringPool& pool,
                   std::vector<StringId>& strings);
// Adds to the last artifact and to the devices of `profile`.
void DecodeSession(std::string_view message, Profile& profile,
                   SessionSeen& seen, const ncu::Place& place);
// Returns the process, and adds a new one to `profile`.
ProcessId DecodeProcess(std::string_view message, Profile& profile,
                        SessionSeen& seen, const ncu::Place& place);

NvtxState DecodeNvtxState(std::string_view message, StringPool& strings);
Section DecodeSection(std::string_view message, Profile& profile);
RuleResult DecodeRule(std::string_view message, StringPool& strings);

}  // namespace rangefinder
